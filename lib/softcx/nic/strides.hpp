// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How packets share the WQEs of a striding receive queue.
#pragma once

#include <cstdint>

namespace softcx {

struct Strides {
  std::uint32_t log_count = 0;  ///< of a WQE; 0: each packet has a WQE of its own
  std::uint32_t log_bytes = 0;  ///< of a stride
  std::uint32_t shift = 0;      ///< bytes in front of a packet
  /// Engine thread: strides of the WQE at the queue's consumer index that are used up.
  std::uint32_t used = 0;

  bool shared() const noexcept { return log_count != 0; }
  std::uint32_t count() const noexcept { return 1U << log_count; }
  std::uint32_t left() const noexcept { return count() - used; }
  /// Strides that a packet takes.
  std::uint32_t needed(std::uint32_t length) const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{length} + shift + (1U << log_bytes) - 1) >>
                                      log_bytes);
  }
};

}  // namespace softcx
