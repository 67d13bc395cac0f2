// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/privileges.hpp"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "lib/base/error.hpp"

namespace softcx {

void require_capabilities() {
  struct Needed {
    unsigned number;
    const char* name;
    const char* purpose;
  };
  static constexpr std::array kNeeded{
      Needed{CAP_SYS_ADMIN, "CAP_SYS_ADMIN", "make mount, network and PID namespaces"},
      Needed{CAP_NET_ADMIN, "CAP_NET_ADMIN", "make the ports' network devices"}};
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  syscall(SYS_capget, &header, data.data());
  for (const auto& [number, name, purpose] : kNeeded) {
    if ((data[CAP_TO_INDEX(number)].effective & CAP_TO_MASK(number)) == 0) {
      throw ringside::usage_error(fmt::format("softcx run cannot {} without {}", purpose, name),
                                  "run it as root");
    }
  }
}

}  // namespace softcx
