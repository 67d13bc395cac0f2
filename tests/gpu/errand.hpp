// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Calls of lib/device's queues that a test makes on the CPU and a scope of a GPU carries out: all
// of its threads make the call, with a queue of their own that lasts from call to call.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/device/receive_queue.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/tx_send.hpp"

namespace ringside::test::gpu {

enum class Call : std::uint32_t {
  kEnd,  ///< the scope's threads return
  kReceive,
  kGiveBack,
  kRelease,
  kKept,
  kIsPacket,
  kIsFiller,
  kPacket,
  kSlot,
  kStopError,
  kRecover,
  kSend,
  kReserve,
  kWrite,
  kCommit,
  kPollAt,
  kPollLast,
  kPollOne,
  kPollAll,
  kCompleted,
  kPublish,
};

enum class GpuScope : std::uint32_t { kThread, kWarp, kBlock };

/// Any trivial type, on its way.
struct Parcel {
  std::uint64_t words[8];
};
static_assert(sizeof(Parcel) >= sizeof(SplitPacket) && sizeof(Parcel) >= sizeof(TxBatch));

template <class T>
RS_DEVICE Parcel pack(const T& value) {
  Parcel parcel{};
  memcpy(&parcel, &value, sizeof(T));
  return parcel;
}
// Without what happens to be in their padding: parcels are compared.
RS_DEVICE Parcel pack(const RxBatch& batch) {
  return {{batch.first, batch.count | std::uint64_t{batch.stopped} << 32}};
}
RS_DEVICE Parcel pack(const SplitPacket& packet) {
  Parcel parcel = pack<SplitPacket>(packet);
  parcel.words[sizeof(Packet) / sizeof(std::uint64_t)] = packet.header_length();
  return parcel;
}
/// Over a value of the type, since not all can be made of nothing.
template <class T>
RS_DEVICE T unpack(const Parcel& parcel, T value) {
  memcpy(static_cast<void*>(&value), &parcel, sizeof(T));
  return value;
}

inline constexpr std::uint32_t kMostPackets = 256;

/// One scope's errands, one after the other, in memory that both reach.
struct Mail {
  /// The CPU stores the number of an errand with release once the rest is there; meets the acquire
  /// of the scope's rank 0.
  alignas(128) std::uint32_t asked;
  Call call;
  std::uint32_t i;
  RxWant want;
  RecoveryWords words;
  QueueStop stop;
  std::uint64_t ticket;
  std::uint64_t timeout_ns;
  Parcel batch;
  Parcel notify;
  TxPacket packets[kMostPackets];
  std::uint32_t count;
  /// The scope's rank 0 stores it with release after the answer; meets the CPU's acquire.
  alignas(128) std::uint32_t answered;
  std::uint32_t differs;  ///< 1: the scope's threads did not all get the same
  std::uint64_t bytes;    ///< of a packet: the sum of its bytes, as the GPU reads them
  Parcel answer;
};

/// What a kernel of errands takes. Of `published` counted queues make their tallies.
template <class Handle>
struct ErrandArgs {
  Handle handle;
  Mail* mail;  ///< one a scope
  QueueCounters* published;
};

/// The kernel, of blocks that each have as many scopes of the kind as fit; its argument is an
/// ErrandArgs of the queue's handle. For the queues of errands_*.cu.
template <class Queue>
const void* errand_kernel(GpuScope scope);

}  // namespace ringside::test::gpu
