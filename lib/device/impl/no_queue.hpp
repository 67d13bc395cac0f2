// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Stand-ins for the queue that a program does not use, so that the loop needs no cases.
#pragma once

#include "lib/device/rx.hpp"
#include "lib/device/tx.hpp"

namespace ringside {

class NoRxQueue {
 public:
  RS_DEVICE explicit NoRxQueue(const RxQueueHandle&) {}
  RS_DEVICE bool ready() const { return false; }
  RS_DEVICE void release(std::uint32_t) {}
  template <Block B>
  RS_DEVICE void give_back(B&) {}
};

class NoTxQueue {
 public:
  RS_DEVICE explicit NoTxQueue(const TxQueueHandle&) {}
  RS_DEVICE std::uint32_t room() const { return 0xffffffffU; }
  RS_DEVICE std::uint32_t in_flight() const { return 0; }
  RS_DEVICE std::uint64_t bytes_lost(const TxProgress&) const { return 0; }
  RS_DEVICE bool ready() const { return false; }
  RS_DEVICE TxProgress look() const { return {}; }
  template <Block B, class Rx>
  RS_DEVICE std::uint32_t retire(B&, const TxProgress&, Rx&) {
    return 0;
  }
};

}  // namespace ringside
