// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where kernels ring for a send queue, as they address it.
#pragma once

#include <cstdint>

namespace ringside {

class DoorbellTarget {
 public:
  /// The queue's register; both of its buffers are mapped for the kernels.
  static constexpr DoorbellTarget queue_register(std::uint64_t* kernel_pointer) {
    return {kernel_pointer, true};
  }
  /// A word of memory that a CPU thread passes on (lib/gpu/doorbell_proxy.hpp). It has room for a
  /// doorbell and for no WQE: queues are never exported to it for BlueFlame.
  static constexpr DoorbellTarget request_word(std::uint64_t* kernel_pointer) {
    return {kernel_pointer, false};
  }

  constexpr std::uint64_t* kernel_pointer() const { return pointer_; }
  constexpr bool is_register() const { return is_register_; }

 private:
  constexpr DoorbellTarget(std::uint64_t* pointer, bool is_register)
      : pointer_(pointer), is_register_(is_register) {}

  std::uint64_t* pointer_;
  bool is_register_;
};

}  // namespace ringside
