// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// WQEs that hold their queue until the NIC's clock has reached a time.
#pragma once

#include <cstdint>

#include "lib/softcx/data/send_wqe.hpp"

namespace softcx {

inline bool is_wait(const WqeControl& control) noexcept {
  return static_cast<ringside::WqeOpcode>(control.opcode) == ringside::WqeOpcode::kWait;
}

struct WaitTime {
  Fault fault;
  std::uint64_t until_ns = 0;  ///< not after `now_ns`: it is over
};

/// `wqe` has passed check_control(). Only waits on time, whose clock is equal to or cyclically
/// beyond the value in the bits of the mask, as the PMD and NVIDIA's libraries write them. The
/// value is a time stamp as those of the queue.
WaitTime read_wait(const std::uint8_t* wqe, const StampFormat& stamps,
                   std::uint64_t now_ns) noexcept;

}  // namespace softcx
