// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Finding the objects that a command names, or refusing it.
#pragma once

#include "lib/softcx/cmd/command.hpp"
#include "lib/softcx/cmd/limits.hpp"

namespace softcx {

template <class Object>
Object& dereference(Object& object) {
  return object;
}
template <class Object>
Object& dereference(std::unique_ptr<Object>& object) {
  return *object;
}

template <class Table>
auto& find_or_refuse(Table& table, std::uint32_t id, Rule rule, const char* kind) {
  const auto found = table.find(id);
  if (found == table.end()) refuse(rule, "no {} {:#x}", kind, id);
  return dereference(found->second);
}

inline Cq& find_cq(Device& device, std::uint32_t cqn) {
  return find_or_refuse(device.cqs, cqn, Rule::kNoSuchCq, "CQ");
}
inline Sq& find_sq(Device& device, std::uint32_t sqn) {
  return find_or_refuse(device.sqs, sqn, Rule::kNoSuchSq, "SQ");
}
inline Rq& find_rq(Device& device, std::uint32_t rqn) {
  return find_or_refuse(device.rqs, rqn, Rule::kNoSuchRq, "RQ");
}
inline Tis& find_tis(Device& device, std::uint32_t tisn) {
  return find_or_refuse(device.tises, tisn, Rule::kNoSuchTis, "TIS");
}
inline Tir& find_tir(Device& device, std::uint32_t tirn) {
  return find_or_refuse(device.tirs, tirn, Rule::kNoSuchTir, "TIR");
}
inline Rqt& find_rqt(Device& device, std::uint32_t rqtn) {
  return find_or_refuse(device.rqts, rqtn, Rule::kNoSuchRqt, "RQT");
}
inline Domain& find_pd(Device& device, std::uint32_t pdn) {
  return find_or_refuse(device.pds, pdn, Rule::kNoSuchPd, "protection domain");
}
inline Domain& find_transport_domain(Device& device, std::uint32_t number) {
  return find_or_refuse(device.transport_domains, number, Rule::kNoSuchTransportDomain,
                        "transport domain");
}
inline Uar& find_uar(Device& device, std::uint32_t page_id) {
  return find_or_refuse(device.uar_pages, page_id, Rule::kNoSuchUar, "UAR page");
}
inline Umem& find_umem(Device& device, std::uint32_t umem_id) {
  return find_or_refuse(device.umems, umem_id, Rule::kNoSuchUmem, "umem");
}
inline QCounter& find_q_counter(Device& device, std::uint32_t id) {
  return find_or_refuse(device.q_counters, id, Rule::kNoSuchQCounter, "Q counter");
}

/// For a new object in `table`.
template <class Table>
std::uint32_t new_number(Device& device, const Table& table, const char* kind) {
  if (table.size() >= std::size_t{1} << kLogMaxObjects) {
    refuse(Rule::kTableFull, "all {} numbers of {} are in use", table.size(), kind);
  }
  return device.allocate_id();
}

/// Destroying what others name is refused; it stays as it is.
inline void refuse_if_referenced(std::uint32_t references, const char* kind, std::uint32_t id) {
  if (references != 0) {
    refuse(Rule::kStillReferenced, "{} {:#x} has {} references", kind, id, references);
  }
}

}  // namespace softcx
