// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where a rule sends packets: a TIR as the engine sees it, and its receive side scaling.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "lib/softcx/nic/objects.hpp"
#include "lib/softcx/steering/parse.hpp"
#include "lib/softcx/steering/toeplitz.hpp"

namespace softcx {

struct RssHash {
  std::uint32_t value = 0;
  std::uint8_t type = 0;  ///< CQE rx_hash_type: what was hashed, 0 for nothing
};

/// A TIR that rules lead to: what the engine needs of it, never changed.
struct Target {
  /// `toeplitz` belongs to the TIR's key; null where it does not hash.
  Target(const Tir& tir, std::shared_ptr<const ToeplitzTable> toeplitz);

  /// Hashes the selected fields that the packet has: those of the selector's L3 and L4 types.
  RssHash hash(const ParsedPacket& packet) const noexcept;
  bool hashes() const noexcept { return toeplitz_ != nullptr; }
  /// The receive queue for a hash, or nullptr: the receive table is empty.
  Rq* select(std::uint32_t hash) const noexcept {
    if (!tir.indirect) return tir.rq;
    // Pairs with the store-release of MODIFY_RQT.
    const std::vector<Rq*>* queues = tir.rqt->queues.load(std::memory_order_acquire);
    if (queues == nullptr || queues->empty()) return nullptr;
    return (*queues)[hash & (queues->size() - 1)];
  }
  /// Is one of its receive queues ready, with a buffer posted? Engine thread.
  bool ready() const noexcept;

  const Tir& tir;

 private:
  const std::shared_ptr<const ToeplitzTable> toeplitz_;
  const L3 l3_;
  const L4 l4_;
};

}  // namespace softcx
