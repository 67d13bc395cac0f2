// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Transport interface send.
#include "lib/mlx5/format/prm_tis.hpp"

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {
namespace {

namespace tisc = prm::tisc;

}  // namespace

void create_tis(Command& command) {
  Device& device = command.device();
  constexpr prm::Context kTisc = prm::create_tis_in::ctx;
  const std::uint32_t domain_number = command.get(kTisc / tisc::transport_domain);
  Domain& domain = find_transport_domain(device, domain_number);
  if (command.get(kTisc / tisc::underlay_qpn) != 0) {
    refuse(prm::Status::kBadParameter, Rule::kFeatureUnsupported,
           "TIS: an underlay QP is for IPoIB, this is an Ethernet device");
  }
  auto tis = std::make_unique<Tis>();
  tis->tisn = device.allocate_id();
  tis->transport_domain = domain_number;
  tis->priority = command.get(kTisc / tisc::prio);
  const std::uint32_t tisn = tis->tisn;
  device.tises.emplace(tisn, std::move(tis));
  ++domain.references;
  command.set(prm::create_tis_out::tisn, tisn);
}

void query_tis(Command& command) {
  const Tis& tis = find_tis(command.device(), command.get(prm::command_in::object_id));
  constexpr prm::Context kOut = prm::query_tis_out::tis_context;
  command.set(kOut / tisc::transport_domain, tis.transport_domain);
  command.set(kOut / tisc::prio, tis.priority);
}

void destroy_tis(Command& command) {
  Device& device = command.device();
  const std::uint32_t tisn = command.get(prm::command_in::object_id);
  const Tis& tis = find_tis(device, tisn);
  refuse_if_referenced(tis.references, "TIS", tisn);
  --device.transport_domains.at(tis.transport_domain).references;
  device.tises.erase(tisn);
}

}  // namespace softcx
