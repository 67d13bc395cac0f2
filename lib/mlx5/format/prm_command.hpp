// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What all commands have in common: opcodes, the first dwords of input and output, status codes;
// and the two objects that are no more than a number, protection and transport domains.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

enum class Opcode : std::uint16_t {
  kQueryHcaCap = 0x100,
  kCreateMkey = 0x200,
  kDestroyMkey = 0x202,
  kCreateCq = 0x400,
  kDestroyCq = 0x401,
  kQueryCq = 0x402,
  kModifyCq = 0x403,
  kQueryNicVportContext = 0x754,
  kModifyNicVportContext = 0x755,
  kAllocQCounter = 0x771,
  kDeallocQCounter = 0x772,
  kQueryQCounter = 0x773,
  kAllocPd = 0x800,
  kDeallocPd = 0x801,
  kAccessRegister = 0x805,
  kAllocTransportDomain = 0x816,
  kDeallocTransportDomain = 0x817,
  kQueryLag = 0x842,
  kCreateTir = 0x900,
  kModifyTir = 0x901,
  kDestroyTir = 0x902,
  kCreateSq = 0x904,
  kModifySq = 0x905,
  kDestroySq = 0x906,
  kQuerySq = 0x907,
  kCreateRq = 0x908,
  kModifyRq = 0x909,
  kDestroyRq = 0x90a,
  kQueryRq = 0x90b,
  kCreateTis = 0x912,
  kModifyTis = 0x913,
  kDestroyTis = 0x914,
  kQueryTis = 0x915,
  kCreateRqt = 0x916,
  kModifyRqt = 0x917,
  kDestroyRqt = 0x918,
  kAllocFlowCounter = 0x939,
  kDeallocFlowCounter = 0x93a,
  kQueryFlowCounter = 0x93b,
  kAccessRegisterUser = 0xb0c,
};

/// Why a command was refused. `syndrome` narrows it down in the vendor's own numbers.
enum class Status : std::uint8_t {
  kOk = 0x00,
  kInternalError = 0x01,
  kBadOpcode = 0x02,
  kBadParameter = 0x03,
  kBadSystemState = 0x04,
  kBadResource = 0x05,       ///< a reference to an object that does not exist
  kResourceBusy = 0x06,      ///< others refer to it
  kExceedsLimit = 0x08,      ///< above a capability
  kBadResourceState = 0x09,  ///< a transition that is not allowed
  kBadIndex = 0x0a,
  kNoResources = 0x0f,
  kBadInputLength = 0x50,
  kBadOutputLength = 0x51,
};

/// The start of every command.
namespace command_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field opcode{0x00, 31, 16};
inline constexpr Field uid{0x00, 15, 0};
inline constexpr Field op_mod{0x04, 15, 0};
inline constexpr Field object_id{0x08, 23, 0};  ///< modify, query, destroy: of most objects
}  // namespace command_in

/// The start of every answer.
namespace command_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field status{0x00, 31, 24};
inline constexpr Field syndrome{0x04, 31, 0};
inline constexpr Field object_id{0x08, 23, 0};  ///< create: of most objects
}  // namespace command_out

namespace alloc_pd_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field pd{0x08, 23, 0};
}  // namespace alloc_pd_out

namespace alloc_transport_domain_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field transport_domain{0x08, 23, 0};
}  // namespace alloc_transport_domain_out

}  // namespace ringside::prm
