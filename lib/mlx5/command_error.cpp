// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/command_error.hpp"

#include <cerrno>

namespace ringside::mlx5 {

namespace {

std::string_view remedy(prm::Status status, int error_number) {
  if (error_number == EPERM || error_number == EACCES) {
    return "run as root or with CAP_NET_RAW, and with DevX allowed for this user";
  }
  switch (status) {
    case prm::Status::kExceedsLimit:
    case prm::Status::kNoResources:
      return "use fewer queues or smaller rings, or end other programs that use the device";
    case prm::Status::kBadResource:
    case prm::Status::kBadIndex:
      return "an object that it refers to is gone; was the device reset?";
    case prm::Status::kResourceBusy:
      return "something still refers to the object: destroy flow rules before their queues";
    case prm::Status::kBadResourceState:
      return "the queue is in another state than expected; was the device reset?";
    case prm::Status::kBadParameter:
    case prm::Status::kBadOpcode:
    case prm::Status::kBadInputLength:
    case prm::Status::kBadOutputLength:
      return "the firmware may be too old for this; compare its version with the driver's";
    case prm::Status::kInternalError:
    case prm::Status::kBadSystemState:
      return "see the kernel's log (dmesg) for the device's health";
    case prm::Status::kOk:
      break;
  }
  return "see the kernel's log (dmesg)";
}

}  // namespace

std::string_view opcode_name(prm::Opcode opcode) {
  switch (opcode) {
    case prm::Opcode::kQueryHcaCap:
      return "QUERY_HCA_CAP";
    case prm::Opcode::kCreateCq:
      return "CREATE_CQ";
    case prm::Opcode::kQueryNicVportContext:
      return "QUERY_NIC_VPORT_CONTEXT";
    case prm::Opcode::kQueryCq:
      return "QUERY_CQ";
    case prm::Opcode::kQueryLag:
      return "QUERY_LAG";
    case prm::Opcode::kAllocQCounter:
      return "ALLOC_Q_COUNTER";
    case prm::Opcode::kQueryQCounter:
      return "QUERY_Q_COUNTER";
    case prm::Opcode::kAllocTransportDomain:
      return "ALLOC_TRANSPORT_DOMAIN";
    case prm::Opcode::kCreateSq:
      return "CREATE_SQ";
    case prm::Opcode::kModifySq:
      return "MODIFY_SQ";
    case prm::Opcode::kQuerySq:
      return "QUERY_SQ";
    case prm::Opcode::kCreateRq:
      return "CREATE_RQ";
    case prm::Opcode::kModifyRq:
      return "MODIFY_RQ";
    case prm::Opcode::kQueryRq:
      return "QUERY_RQ";
    case prm::Opcode::kCreateTis:
      return "CREATE_TIS";
    default:
      return "";
  }
}

std::string_view status_name(prm::Status status) {
  switch (status) {
    case prm::Status::kOk:
      return "OK";
    case prm::Status::kInternalError:
      return "INTERNAL_ERR";
    case prm::Status::kBadOpcode:
      return "BAD_OP";
    case prm::Status::kBadParameter:
      return "BAD_PARAM";
    case prm::Status::kBadSystemState:
      return "BAD_SYS_STATE";
    case prm::Status::kBadResource:
      return "BAD_RES";
    case prm::Status::kResourceBusy:
      return "RES_BUSY";
    case prm::Status::kExceedsLimit:
      return "EXCEED_LIM";
    case prm::Status::kBadResourceState:
      return "BAD_RES_STATE";
    case prm::Status::kBadIndex:
      return "BAD_INDEX";
    case prm::Status::kNoResources:
      return "NO_RES";
    case prm::Status::kBadInputLength:
      return "BAD_INPUT_LEN";
    case prm::Status::kBadOutputLength:
      return "BAD_OUTPUT_LEN";
  }
  return "";
}

Error command_error(prm::Opcode opcode, std::string_view subject, const std::uint8_t* out,
                    int error_number) {
  std::string command{opcode_name(opcode)};
  if (command.empty()) command = fmt::format("command {:#x}", static_cast<unsigned>(opcode));
  const auto status =
      static_cast<prm::Status>(out == nullptr ? 0U : prm::get(out, prm::command_out::status));
  std::string what = fmt::format("{} was refused for the {}", command, subject);
  if (status == prm::Status::kOk) {
    what += fmt::format(", {}", errno_text(error_number));
  } else {
    const std::string_view name = status_name(status);
    what +=
        fmt::format(" with status {} ({:#04x}), syndrome {:#010x}", name.empty() ? "unknown" : name,
                    static_cast<unsigned>(status), prm::get(out, prm::command_out::syndrome));
  }
  return Error(std::move(what), std::string{remedy(status, error_number)});
}

}  // namespace ringside::mlx5
