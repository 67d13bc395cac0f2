// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/counted.hpp
#pragma once

#include "lib/device/counted.hpp"

namespace ringside {

/// Bytes of a packet on the wire, without FCS.
template <class P>
RS_DEVICE std::uint32_t wire_bytes(const P& packet) {
  if constexpr (requires { packet.length; }) {
    return packet.length;
  } else if constexpr (requires { packet.part; }) {
    return packet.part.length;
  } else if constexpr (requires { packet.parts; }) {
    std::uint32_t bytes = 0;
    for (std::uint32_t i = 0; i < packet.count; ++i) bytes += packet.parts[i].length;
    return bytes;
  } else {
    return wire_bytes(packet.packet);
  }
}

template <std::uint32_t kHeader>
RS_DEVICE std::uint32_t wire_bytes(const TxInlineHeader<kHeader>& packet) {
  return kHeader + packet.rest.length;
}

template <Sharing kSharing>
RS_DEVICE CountedSendQueue<kSharing>::CountedSendQueue(const SendQueueHandle<kSharing>& handle,
                                                       QueueTally& tally)
    : queue_([&] {
        if constexpr (kSharing == Sharing::kExclusive) {
          return Queue(handle);
        } else {
          return Queue(handle, CountingTxOps<kSharing>(handle.queue, tally));
        }
      }()),
      tally_(tally),
      begun_(queue_.completed()) {}

template <Sharing kSharing>
template <Scope S, class Attempt>
RS_DEVICE TxBatch CountedSendQueue<kSharing>::with_room(S& scope, std::uint64_t timeout_ns,
                                                        Attempt attempt) {
  TxBatch batch = attempt(0);
  if (batch.status == TxStatus::kFull) {
    if (scope.rank() == 0) tally_.add(&QueueCounters::ring_full, 1);
    if (timeout_ns > 0) batch = attempt(timeout_ns);
  }
  return batch;
}

template <Sharing kSharing>
RS_DEVICE void CountedSendQueue<kSharing>::tell() {
  const QueueError error = queue_.stop_error();
  if (error.syndrome != 0) tally_.stopped_by(error_cause(error.syndrome));
  tally_.sent(queue_.completed(), begun_);
}

template <Sharing kSharing>
RS_DEVICE void CountedSendQueue<kSharing>::publish() {
  tell();
  tally_.publish();
}

template <Sharing kSharing>
template <Scope S>
RS_DEVICE void CountedSendQueue<kSharing>::empty(S& scope, const RecoveryWords& words) {
  if (scope.rank() == 0) {
    tell();
    tally_.emptied();
  }
  queue_.empty(scope, words);
  written_bytes_ = 0;
}

template <Sharing kSharing>
template <Scope S>
RS_DEVICE void CountedSendQueue<kSharing>::stopped(const S& scope) {
  if (scope.rank() == 0) tell();
}

template <Sharing kSharing>
template <Scope S>
RS_DEVICE void CountedSendQueue<kSharing>::recovered(const S& scope) {
  if (scope.rank() == 0) tally_.emptied();
  written_bytes_ = 0;
}

template <Scope S, class Ends, Sharing kSharing>
RS_DEVICE bool recover_together(S& scope, const RecoveryWords& words, std::uint32_t users,
                                Ends ends, CountedSendQueue<kSharing>& queue) {
  // Before any user arrives last: the queue forgets what it had sent, and why it stopped.
  queue.stopped(scope);
  const bool helped = recover_together(scope, words, users, ends, queue.queue());
  if (helped) queue.recovered(scope);
  return helped;
}

template <Sharing kSharing>
template <Scope S>
RS_DEVICE void CountedSendQueue<kSharing>::count(S& scope, std::uint32_t packets,
                                                 std::uint64_t own_bytes) {
  std::uint64_t bytes[1] = {own_bytes};
  scope_sum(scope, bytes);
  if (scope.rank() != 0) return;
  tally_.add(&QueueCounters::packets, packets);
  tally_.add(&QueueCounters::bytes, bytes[0]);
  tally_.add(&QueueCounters::batches, 1);
  // Nobody else rings for an exclusive queue.
  if (kSharing == Sharing::kExclusive) tally_.add(&QueueCounters::doorbells, 1);
}

template <Sharing kSharing>
template <Scope S, class PacketOf>
RS_DEVICE TxBatch CountedSendQueue<kSharing>::send(S& scope, std::uint32_t count,
                                                   PacketOf packet_of, std::uint64_t timeout_ns,
                                                   TxNotify notify) {
  const TxBatch batch = with_room(scope, timeout_ns, [&](std::uint64_t within_ns) {
    return queue_.send(scope, count, packet_of, within_ns, notify);
  });
  if (batch.status != TxStatus::kOk) return batch;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = scope.rank(); i < count; i += scope.size()) {
    bytes += wire_bytes(packet_of(i));
  }
  this->count(scope, count, bytes);
  return batch;
}

template <Sharing kSharing>
template <Scope S>
RS_DEVICE TxBatch CountedSendQueue<kSharing>::reserve(S& scope, std::uint32_t count,
                                                      std::uint64_t timeout_ns, TxNotify notify) {
  return with_room(scope, timeout_ns, [&](std::uint64_t within_ns) {
    return queue_.reserve(scope, count, within_ns, notify);
  });
}

template <Sharing kSharing>
RS_DEVICE void CountedSendQueue<kSharing>::write(const TxBatch& batch, std::uint32_t i,
                                                 const TxPacket& packet) {
  queue_.write(batch, i, packet);
  written_bytes_ += packet.length;
}

template <Sharing kSharing>
template <Scope S>
RS_DEVICE void CountedSendQueue<kSharing>::commit(S& scope, const TxBatch& batch) {
  queue_.commit(scope, batch);
  count(scope, batch.count, written_bytes_);
  written_bytes_ = 0;
}

template <class Q>
template <Scope S>
RS_DEVICE RxBatch CountedReceiveQueueOf<Q>::receive(S& scope, const RxWant& want) {
  const RxBatch batch = queue_.receive(scope, want);
  enum Sum : std::uint32_t { kPackets, kBytes, kErrors, kSums = kErrors + kQueueErrorCauses };
  static_assert(kSums <= kSumValues);
  std::uint64_t sums[kSums] = {};
  for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
    if constexpr (requires { queue_.is_filler(batch, i); }) {
      if (queue_.is_filler(batch, i)) continue;
    }
    const auto packet = queue_.packet(batch, i);
    if (queue_.is_packet(batch, i)) {
      ++sums[kPackets];
      sums[kBytes] += packet.length();
    } else {
      const QueueErrorCause cause = error_cause(error_syndrome(*packet.cqe()));
      // Not indexed by the cause, or they would lie in memory.
      for (std::uint32_t j = 0; j < kQueueErrorCauses; ++j) {
        sums[kErrors + j] += cause == static_cast<QueueErrorCause>(j);
      }
    }
  }
  if (batch.count > 0) scope_sum(scope, sums);
  if (scope.rank() != 0) return batch;
  if (batch.count > 0) tally_.add(&QueueCounters::batches, 1);
  tally_.add(&QueueCounters::packets, sums[kPackets]);
  tally_.add(&QueueCounters::bytes, sums[kBytes]);
  for (std::uint32_t i = 0; i < kQueueErrorCauses; ++i) {
    tally_.add_errors(static_cast<QueueErrorCause>(i), sums[kErrors + i]);
  }
  if (batch.stopped) tally_.stopped_by(error_cause(queue_.stop_error(batch).syndrome));
  return batch;
}

template <class Q>
template <Scope S>
RS_DEVICE void CountedReceiveQueueOf<Q>::empty(S& scope, const RecoveryWords& words) {
  if (scope.rank() == 0) tally_.emptied();
  queue_.empty(scope, words);
}

template <class Q>
template <Scope S>
RS_DEVICE void CountedReceiveQueueOf<Q>::give_back(S& scope) {
  queue_.give_back(scope);
  if (scope.rank() == 0) tally_.add(&QueueCounters::doorbells, 1);
}

}  // namespace ringside
