// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Registers that drivers read: MTUTC, by which the PMD tells a 1 GHz counter from real time.
#include "lib/mlx5/format/prm_register.hpp"

#include "lib/softcx/cmd/handlers.hpp"

namespace softcx {

void access_register(Command& command) {
  namespace in = prm::access_register_in;
  if (command.get(prm::command_in::op_mod) != prm::kRegisterRead) {
    refuse(Rule::kRegisterReadOnly, "registers cannot be written");
  }
  if (command.get(in::register_id) != prm::kMtutcRegister) {
    refuse(Rule::kNoSuchRegister, "register {:#x} is not known", command.get(in::register_id));
  }
  constexpr prm::Context kRegister{prm::access_register_out::kData, prm::mtutc::kSize};
  command.set(kRegister / prm::mtutc::time_stamp_mode,
              static_cast<std::uint32_t>(command.device().clocks.real_time
                                             ? prm::TimestampMode::kRealTime
                                             : prm::TimestampMode::kInternalTimer));
}

}  // namespace softcx
