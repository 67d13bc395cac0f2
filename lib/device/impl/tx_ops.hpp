// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// TxSharing's steps on real memory.
#pragma once

#include <cstdint>

#include "lib/device/impl/tx_cqe.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/sharing.hpp"

namespace ringside {

/// kSharing says how far what they order has to be seen; system scope, which the NIC's words have,
/// is beyond either.
template <Sharing kSharing>
class DeviceTxOps {
 public:
  RS_DEVICE explicit DeviceTxOps(const TxQueueHandle& queue) : queue_(queue) {}

  RS_DEVICE std::uint64_t load_acquire(const std::uint64_t* word) const {
    if constexpr (kSharing == Sharing::kBlock) {
      return load_acquire_block(word);
    } else {
      return load_acquire_device(word);
    }
  }
  RS_DEVICE void store_release(std::uint64_t* word, std::uint64_t value) const {
    if constexpr (kSharing == Sharing::kBlock) {
      store_release_block(word, value);
    } else {
      store_release_device(word, value);
    }
  }
  RS_DEVICE std::uint64_t load_relaxed(const std::uint64_t* word) const {
    return load_relaxed_system(word);
  }
  RS_DEVICE void store_relaxed(std::uint64_t* word, std::uint64_t value) const {
    store_relaxed_system(word, value);
  }
  /// If *word is `expected`, makes it `desired`; returns what was there.
  RS_DEVICE std::uint64_t exchange_relaxed(std::uint64_t* word, std::uint64_t expected,
                                           std::uint64_t desired) const {
    return compare_exchange_relaxed_device(word, expected, desired);
  }
  RS_DEVICE std::uint64_t exchange_acquire(std::uint64_t* word, std::uint64_t expected,
                                           std::uint64_t desired) const {
    if constexpr (kSharing == Sharing::kBlock) {
      return compare_exchange_acquire_block(word, expected, desired);
    } else {
      return compare_exchange_acquire_device(word, expected, desired);
    }
  }
  RS_DEVICE void renumber(std::uint32_t sqn) { queue_.sqn = sqn; }
  RS_DEVICE void ring(std::uint64_t end) const { announce_sends(queue_, end); }
  RS_DEVICE TxProgress read_cqes(std::uint64_t completed, std::uint64_t cq_consumed,
                                 std::uint32_t most) const {
    return read_send_cqes({queue_.cqe, queue_.log_cq_depth}, completed, cq_consumed, most);
  }
  RS_DEVICE void give_cqes_back(std::uint64_t cq_consumed) const {
    give_send_cqes_back(queue_, cq_consumed);
  }

 private:
  TxQueueHandle queue_;
};

}  // namespace ringside
