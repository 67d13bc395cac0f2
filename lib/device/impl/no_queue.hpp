// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Stand-ins for the queue that a program does not use, so that the loop needs no cases.
#pragma once

#include "lib/device/rx.hpp"
#include "lib/device/tx.hpp"

namespace ringside {

class NoRxQueue {
 public:
  template <Block B>
  RS_DEVICE NoRxQueue(B&, const RxQueueHandle&) {}
  RS_DEVICE bool ready() const { return false; }
  RS_DEVICE std::uint32_t kept() const { return 0; }
  RS_DEVICE void release(std::uint32_t) {}
  template <Block B>
  RS_DEVICE void give_back(B&) {}
  RS_DEVICE RxQueueState state() const { return {}; }
  RS_DEVICE void join(const RxQueueState&) {}
};

class NoTxQueue {
 public:
  RS_DEVICE explicit NoTxQueue(const TxQueueHandle&) {}
  RS_DEVICE std::uint32_t room() const { return 0xffffffffU; }
  RS_DEVICE std::uint32_t depth() const { return 0xffffffffU; }
  RS_DEVICE std::uint32_t in_flight() const { return 0; }
  RS_DEVICE std::uint64_t bytes_lost(const TxProgress&) const { return 0; }
  RS_DEVICE bool ready() const { return false; }
  RS_DEVICE TxProgress progress() const { return {}; }
  template <Block B>
  RS_DEVICE void look(B&, TxProgress&) const {}
  template <Block B, class Rx>
  RS_DEVICE std::uint32_t retire(B&, const TxProgress&, Rx&) {
    return 0;
  }
  RS_DEVICE TxQueueState state() const { return {}; }
  RS_DEVICE void join(const TxQueueState&) {}
};

}  // namespace ringside
