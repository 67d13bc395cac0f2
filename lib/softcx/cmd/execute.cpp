// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/cmd/execute.hpp"

#include <algorithm>
#include <exception>

#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_cq.hpp"
#include "lib/mlx5/format/prm_flow.hpp"
#include "lib/mlx5/format/prm_lag.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_q_counter.hpp"
#include "lib/mlx5/format/prm_register.hpp"
#include "lib/mlx5/format/prm_rqt.hpp"
#include "lib/mlx5/format/prm_tir.hpp"
#include "lib/mlx5/format/prm_tis.hpp"
#include "lib/mlx5/format/prm_wq.hpp"
#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/layout.hpp"
#include "lib/softcx/nic/log.hpp"
#include "lib/softcx/rules/table.hpp"

namespace softcx {
namespace {

using prm::Opcode;
using prm::Status;

struct Entry {
  Opcode opcode;
  const char* name;
  std::size_t out_length;  ///< of the answer's fixed part
  void (*handler)(Command&);
};

constexpr std::size_t kIn = prm::command_in::kSize;
constexpr std::size_t kOut = prm::command_out::kSize;

constexpr Entry kCommands[] = {
    {Opcode::kQueryHcaCap, "QUERY_HCA_CAP", prm::query_hca_cap_out::kSize, query_hca_cap},
    {Opcode::kCreateMkey, "CREATE_MKEY", kOut, create_mkey},
    {Opcode::kDestroyMkey, "DESTROY_MKEY", kOut, destroy_mkey},
    {Opcode::kCreateCq, "CREATE_CQ", kOut, create_cq},
    {Opcode::kDestroyCq, "DESTROY_CQ", kOut, destroy_cq},
    {Opcode::kQueryCq, "QUERY_CQ", prm::query_cq_out::kSize, query_cq},
    {Opcode::kModifyCq, "MODIFY_CQ", kOut, modify_cq},
    {Opcode::kQueryNicVportContext, "QUERY_NIC_VPORT_CONTEXT",
     prm::query_nic_vport_context_out::kSize, query_nic_vport_context},
    {Opcode::kQueryLag, "QUERY_LAG", prm::query_lag_out::kSize, query_lag},
    {Opcode::kAllocQCounter, "ALLOC_Q_COUNTER", kOut, alloc_q_counter},
    {Opcode::kDeallocQCounter, "DEALLOC_Q_COUNTER", kOut, dealloc_q_counter},
    {Opcode::kQueryQCounter, "QUERY_Q_COUNTER", prm::query_q_counter_out::kSize, query_q_counter},
    {Opcode::kAllocPd, "ALLOC_PD", kOut, alloc_pd},
    {Opcode::kDeallocPd, "DEALLOC_PD", kOut, dealloc_pd},
    {Opcode::kAllocTransportDomain, "ALLOC_TRANSPORT_DOMAIN", kOut, alloc_transport_domain},
    {Opcode::kDeallocTransportDomain, "DEALLOC_TRANSPORT_DOMAIN", kOut, dealloc_transport_domain},
    {Opcode::kCreateTir, "CREATE_TIR", kOut, create_tir},
    {Opcode::kDestroyTir, "DESTROY_TIR", kOut, destroy_tir},
    {Opcode::kCreateSq, "CREATE_SQ", kOut, create_sq},
    {Opcode::kModifySq, "MODIFY_SQ", kOut, modify_sq},
    {Opcode::kDestroySq, "DESTROY_SQ", kOut, destroy_sq},
    {Opcode::kQuerySq, "QUERY_SQ", prm::query_sq_out::kSize, query_sq},
    {Opcode::kCreateRq, "CREATE_RQ", kOut, create_rq},
    {Opcode::kModifyRq, "MODIFY_RQ", kOut, modify_rq},
    {Opcode::kDestroyRq, "DESTROY_RQ", kOut, destroy_rq},
    {Opcode::kQueryRq, "QUERY_RQ", prm::query_rq_out::kSize, query_rq},
    {Opcode::kCreateTis, "CREATE_TIS", kOut, create_tis},
    {Opcode::kDestroyTis, "DESTROY_TIS", kOut, destroy_tis},
    {Opcode::kQueryTis, "QUERY_TIS", prm::query_tis_out::kSize, query_tis},
    {Opcode::kCreateRqt, "CREATE_RQT", kOut, create_rqt},
    {Opcode::kModifyRqt, "MODIFY_RQT", kOut, modify_rqt},
    {Opcode::kDestroyRqt, "DESTROY_RQT", kOut, destroy_rqt},
    {Opcode::kAllocFlowCounter, "ALLOC_FLOW_COUNTER", kOut, alloc_flow_counter},
    {Opcode::kDeallocFlowCounter, "DEALLOC_FLOW_COUNTER", kOut, dealloc_flow_counter},
    {Opcode::kQueryFlowCounter, "QUERY_FLOW_COUNTER", kOut, query_flow_counter},
    {Opcode::kAccessRegisterUser, "ACCESS_REGISTER_USER",
     prm::access_register_out::kData + prm::mtutc::kSize, access_register},
};

const Entry* find_entry(std::uint32_t opcode) {
  const auto* const found = std::find_if(
      std::begin(kCommands), std::end(kCommands),
      [opcode](const Entry& e) { return static_cast<std::uint32_t>(e.opcode) == opcode; });
  return found == std::end(kCommands) ? nullptr : found;
}

void dispatch(Command& command, const Entry* entry) {
  const std::uint32_t opcode = command.get(prm::command_in::opcode);
  if (entry == nullptr) {
    refuse(Rule::kUnknownOpcode, "opcode {:#x} is not known", opcode);
  }
  const Layout& layout = layout_of(entry->opcode);
  command.require_in(layout.known.size());
  command.require_out(entry->out_length);
  const std::uint32_t op_mod = command.get(prm::command_in::op_mod);
  const bool has_variants =
      entry->opcode == Opcode::kQueryHcaCap || entry->opcode == Opcode::kAccessRegisterUser;
  if (op_mod != 0 && !has_variants) {
    refuse(Rule::kOpModNotZero, "op_mod {:#x} is not known", op_mod);
  }
  check_reserved(command.in(), layout);
  entry->handler(command);
}

Status answer(std::span<std::uint8_t> out, Status status, Rule rule) {
  // What a handler may have written before it threw is no answer.
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  if (out.size() >= 8) {
    prm::set(out.data(), prm::command_out::status, static_cast<std::uint32_t>(status));
    prm::set(out.data(), prm::command_out::syndrome, static_cast<std::uint32_t>(rule));
  }
  return status;
}

}  // namespace

Status execute(Device& device, std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  const Entry* entry = nullptr;
  try {
    if (in.size() < kIn) refuse(Rule::kInputTooShort, "input of {} bytes", in.size());
    Command command(device, in, out);
    entry = find_entry(command.get(prm::command_in::opcode));
    const std::lock_guard lock(device.control());
    dispatch(command, entry);
    return Status::kOk;
  } catch (const CommandRefusal& refusal) {
    const RuleEntry& rule = *find_rule(refusal.rule);  // all that handlers name are in the table
    log_line("{} {} refused by {}, status {:#x} syndrome {:#x}: {}", device.ibdev,
             entry != nullptr ? entry->name : "command", rule.name,
             static_cast<unsigned>(rule.status), static_cast<unsigned>(rule.rule), refusal.text);
    return answer(out, rule.status, rule.rule);
  } catch (const std::exception& error) {
    log_line("{} {} failed: {}", device.ibdev, entry != nullptr ? entry->name : "command",
             error.what());
    return answer(out, Status::kInternalError, Rule::kInternal);
  }
}

Status destroy(Device& device, ObjectKind kind, std::uint32_t id) {
  static constexpr Opcode kDestroyers[] = {
      Opcode::kDeallocPd,         Opcode::kDeallocTransportDomain,
      Opcode::kDestroyMkey,       Opcode::kDestroyCq,
      Opcode::kDestroyTis,        Opcode::kDestroySq,
      Opcode::kDestroyRq,         Opcode::kDestroyRqt,
      Opcode::kDestroyTir,        Opcode::kDeallocQCounter,
      Opcode::kDeallocFlowCounter};
  prm::Mailbox<kIn> in;
  prm::Mailbox<kOut> out;
  const auto opcode = kDestroyers[static_cast<std::size_t>(kind)];
  in.set(prm::command_in::opcode, static_cast<std::uint32_t>(opcode));
  if (kind == ObjectKind::kFlowCounter) {
    in.set(prm::dealloc_flow_counter_in::flow_counter_id, id);
  } else {
    in.set(prm::command_in::object_id, id);
  }
  return execute(device, {in.data(), in.size()}, {out.data(), out.size()});
}

}  // namespace softcx
