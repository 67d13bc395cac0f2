// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A NIC's send side as a GPU kernel: it watches the doorbell, reads the WQEs from the ring, judges
// every one of them, and writes the CQEs that they ask for. It sees only what a NIC would: the
// register, the record, the ring, the CQ's record.
//
// Several blocks serve a queue, in turn: one claims the WQEs that the doorbell announces and hands
// the watch on to the next while it reads and judges them; then it writes CQEs when the blocks
// before it have written theirs. What passes from block to block is one word each, so that the
// model can take more than a thousand million WQEs a second from one queue.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/device/memory.hpp"
#include "lib/mlx5/format/queue.hpp"
#include "tests/bench/gpu_send/batch_order.cuh"
#include "tests/bench/gpu_send/sequence.cuh"

namespace ringside::bench {

inline constexpr std::uint32_t kModelThreads = 1024;
inline constexpr std::uint32_t kModelRounds = 2;  // WQEs that a thread takes at once
inline constexpr std::uint32_t kModelBlocks = 4;  // a queue
/// Between two looks at a doorbell that says nothing new: a line that is read all the time is slow
/// to write, and a NIC's register is not read at all.
inline constexpr std::uint32_t kModelLookNs = 250;
/// The record is looked at once in so many claims, for the same reason.
inline constexpr std::uint64_t kModelRecordClaims = 8;
/// With nothing new for so long, WQEs that were posted were never announced.
inline constexpr std::uint64_t kModelPatienceNs = 1'000'000'000;

enum class Fault : std::uint32_t {
  kWqe,       // a field of a WQE is not what the format or the poster's number says
  kOrder,     // a WQE or a batch does not follow the poster's one before
  kDoorbell,  // the register names another queue, goes backwards or beyond the ring
  kRecord,    // the record was behind the doorbell
  kCqOverrun,
  kLost,  // the posters have posted what no doorbell announced
  kCount,
};
inline constexpr const char* kFaultNames[] = {"wqe",    "order",      "doorbell",
                                              "record", "cq_overrun", "lost"};

struct ModelReport {
  std::uint64_t wqes;
  std::uint64_t cqes;
  std::uint64_t claims;    // looks at the doorbell that found WQEs
  std::uint64_t idle_ns;   // the watching block had nothing to do
  std::uint64_t first_ns;  // when the first WQE was seen, and when the last was completed
  std::uint64_t last_ns;
  std::uint64_t faults[static_cast<std::uint32_t>(Fault::kCount)];
  std::uint64_t first_bad;  // index of the first WQE at fault
};

/// A turn and what is counted up to it, in one word, so that it passes from block to block whole.
struct Turn {
  static constexpr std::uint32_t kCountBits = 40;

  __device__ static std::uint64_t word(std::uint64_t turn, std::uint64_t count) {
    return turn << kCountBits | count;
  }
  __device__ static std::uint64_t of(std::uint64_t word) { return word >> kCountBits; }
  __device__ static std::uint64_t count(std::uint64_t word) {
    return word & ((std::uint64_t{1} << kCountBits) - 1);
  }
};

/// What a queue's blocks hand on to each other. 0 at first.
struct ModelTurns {
  alignas(128) std::uint64_t claimed;    // Turn: whose turn it is to watch, and WQEs claimed
  alignas(128) std::uint64_t completed;  // Turn: whose turn it is to complete, and CQEs written
  alignas(128) std::uint64_t last_address[2 * kModelBlocks];  // by turn: that of its last WQE
  std::uint32_t over;
};

struct ModelQueue {
  TxQueueHandle queue;
  std::uint64_t total;   // WQEs that will be posted
  std::uint32_t batch;   // WQEs that a poster posts together
  std::uint64_t* order;  // [posters][kOrderWindow] 0 at first
  ModelTurns* turns;
  ModelReport* report;
};

/// What ringside::send_wqe makes, and how it rings.
struct EthernetSendFormat {
  /// The doorbell's index is that of the last WQE, not of the next.
  static constexpr bool kNamesLast = true;
  static constexpr bool kRecordFirst = true;

  static __device__ std::uint64_t address(const uint4 (&w)[4]) {
    return std::uint64_t{byte_swap(w[2].z)} << 32 | byte_swap(w[2].w);
  }
  static __device__ bool is_right(const uint4 (&w)[4], const TxQueueHandle& queue,
                                  std::uint64_t index) {
    const std::uint64_t sequence = sequence_of(address(w));
    const std::uint32_t completion = w[0].z >> 24;
    const std::uint32_t zeros = (w[0].z & 0xffffffU) | w[0].w | w[1].x | w[1].y | w[1].z | w[1].w |
                                w[3].x | w[3].y | w[3].z | w[3].w;
    return w[0].x ==
               byte_swap(opmod_idx_opcode(static_cast<std::uint32_t>(index), WqeOpcode::kSend)) &&
           w[0].y == byte_swap(qpn_ds(queue.sqn, kSendWqeSegments)) && zeros == 0 &&
           (completion == 0 || completion == kCeAlways) &&
           w[2].x == byte_swap(length_of(sequence)) && w[2].y == byte_swap(queue.lkey);
  }
};

template <class Format>
class NicModel {
 public:
  struct Shared {
    std::uint64_t first;
    std::uint32_t count;
    std::uint64_t cqes;
    std::uint32_t asking[kModelRounds][kModelThreads / 32];
  };

  __device__ NicModel(const ModelQueue& model, Shared& shared)
      : model_(model), order_(model.order, model.batch), shared_(shared) {}

  __device__ void run() {
    std::uint64_t turn = blockIdx.x % kModelBlocks;
    while (true) {
      if (threadIdx.x == 0) claim(turn);
      __syncthreads();
      if (shared_.count == 0) break;
      take(turn);
      turn += kModelBlocks;
    }
    if (threadIdx.x == 0) {
      atomicAdd(as_atomic(&model_.report->claims), claims_);
      atomicAdd(as_atomic(&model_.report->idle_ns), idle_ns_);
    }
  }

 private:
  static constexpr std::uint32_t kWarps = kModelThreads / 32;
  static constexpr std::uint32_t kMost = kModelThreads * kModelRounds;

  __device__ static unsigned long long* as_atomic(std::uint64_t* word) {
    return reinterpret_cast<unsigned long long*>(word);
  }
  __device__ void fault(Fault kind, std::uint64_t index) {
    atomicAdd(as_atomic(&model_.report->faults[static_cast<std::uint32_t>(kind)]), 1ULL);
    atomicMin(as_atomic(&model_.report->first_bad), static_cast<unsigned long long>(index));
  }
  __device__ static std::uint64_t now_ns() {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }
  /// Other blocks wait for nothing that can fail, so their turns come to an end.
  __device__ static std::uint64_t await(const std::uint64_t* turns, std::uint64_t turn) {
    std::uint64_t word = load_acquire_device(turns);
    while (Turn::of(word) != turn) word = load_acquire_device(turns);
    return Turn::count(word);
  }

  /// Waits for WQEs. Leaves shared_.count == 0 when there will be none.
  __device__ void claim(std::uint64_t turn) {
    ModelTurns& turns = *model_.turns;
    const std::uint64_t seen = await(&turns.claimed, turn);
    std::uint64_t since = 0;
    std::uint32_t ahead = 0;
    bool over = seen == model_.total;
    for (std::uint32_t looks = 1; !over; ++looks) {
      ahead = look_at_doorbell(seen);
      if (ahead != 0) break;
      if (looks == 1) since = now_ns();
      __nanosleep(kModelLookNs);
      if (looks % 64 != 0) continue;
      over = __ldcg(&turns.over) != 0;
      if (over || now_ns() - since < kModelPatienceNs) continue;
      fault(Fault::kLost, seen);
      __stcg(&turns.over, 1U);
      over = true;
    }
    shared_.first = seen;
    shared_.count = over ? 0 : min(ahead, kMost);
    // Relaxed: whoever is next looks at the doorbell itself.
    store_relaxed_system(&turns.claimed, Turn::word(turn + 1, seen + shared_.count));
    if (over) return;
    ++claims_;
    if (seen == 0) {
      model_.report->first_ns = now_ns();
    } else if (since != 0) {
      idle_ns_ += now_ns() - since;
    }
    if (Format::kRecordFirst && claims_ % kModelRecordClaims == 0) {
      const std::uint32_t record =
          byte_swap(load_acquire_system(&model_.queue.record->send_counter.raw));
      if (static_cast<std::uint16_t>(record - static_cast<std::uint16_t>(seen + ahead)) >=
          0x8000U) {
        fault(Fault::kRecord, seen);
      }
    }
  }

  /// WQEs announced beyond those `seen`.
  __device__ std::uint32_t look_at_doorbell(std::uint64_t seen) {
    // Acquire: the doorbell brings the record and the WQEs with it.
    const std::uint64_t value = load_acquire_system(model_.queue.doorbell);
    if (value == 0 || value == faulty_) return 0;
    const std::uint32_t index = byte_swap(static_cast<std::uint32_t>(value)) >> 8 & 0xffffU;
    const std::uint32_t next = index + (Format::kNamesLast ? 1 : 0);
    const std::uint16_t ahead = static_cast<std::uint16_t>(next - static_cast<std::uint32_t>(seen));
    if (byte_swap(static_cast<std::uint32_t>(value >> 32)) >> 8 != model_.queue.sqn ||
        ahead > 1U << model_.queue.log_depth) {
      fault(Fault::kDoorbell, seen);
      faulty_ = value;
      return 0;
    }
    return ahead;
  }

  /// Reads, judges and completes the WQEs claimed.
  __device__ void take(std::uint64_t turn) {
    const std::uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    std::uint64_t address[kModelRounds], before[kModelRounds];
    std::uint32_t asking[kModelRounds];
    bool mine[kModelRounds], starts[kModelRounds];
#pragma unroll
    for (std::uint32_t round = 0; round < kModelRounds; ++round) {
      const std::uint32_t i = round * kModelThreads + threadIdx.x;
      const std::uint64_t index = shared_.first + i;
      bool asks = false;
      mine[round] = i < shared_.count;
      starts[round] = false;
      address[round] = before[round] = 0;
      if (mine[round]) {
        uint4 w[4];
        read(index, w);
        address[round] = Format::address(w);
        if (!Format::is_right(w, model_.queue, index)) fault(Fault::kWqe, index);
        asks = (w[0].z >> 24 & kCeMask) == kCeAlways;
        starts[round] = order_.starts(address[round]);
        if (starts[round] && !order_.remember(address[round], index)) {
          fault(Fault::kOrder, index);
        }
      }
      before[round] = __shfl_up_sync(~0U, address[round], 1);
      if (mine[round] && lane == 0 && i != 0) before[round] = address_at(index - 1);
      asking[round] = __ballot_sync(~0U, asks);
      if (lane == 0) shared_.asking[round][warp] = __popc(asking[round]);
      if (i + 1 == shared_.count) {
        __stcg(as_atomic(&model_.turns->last_address[turn % (2 * kModelBlocks)]), address[round]);
      }
    }
    __syncthreads();
    // Behind the barrier and before the next: the reads of all threads come before any CQE.
    __threadfence();
    std::uint32_t place[kModelRounds], cqes = 0;
#pragma unroll
    for (std::uint32_t round = 0; round < kModelRounds; ++round) {
      const std::uint32_t of_warp = shared_.asking[round][lane];
      place[round] = cqes + __reduce_add_sync(~0U, lane < warp ? of_warp : 0) +
                     __popc(asking[round] & ((1U << lane) - 1));
      cqes += __reduce_add_sync(~0U, of_warp);
    }
    if (threadIdx.x == 0) shared_.cqes = await(&model_.turns->completed, turn);
    __syncthreads();
#pragma unroll
    for (std::uint32_t round = 0; round < kModelRounds; ++round) {
      if ((asking[round] >> lane & 1U) == 0) continue;
      complete(shared_.cqes + place[round], shared_.first + round * kModelThreads + threadIdx.x);
    }
    __syncthreads();
    if (threadIdx.x == 0) hand_on(turn, cqes);

      // Off the way of the other blocks. What these look at stays for several turns.
#pragma unroll
    for (std::uint32_t round = 0; round < kModelRounds; ++round) {
      if (!mine[round]) continue;
      const std::uint32_t i = round * kModelThreads + threadIdx.x;
      if (i == 0 && turn != 0) {
        before[round] =
            __ldcg(as_atomic(&model_.turns->last_address[(turn - 1) % (2 * kModelBlocks)]));
      }
      if (starts[round] ? !order_.follows(address[round], shared_.first + i)
                        : address[round] != before[round] + (1ULL << kSequenceShift)) {
        fault(Fault::kOrder, shared_.first + i);
      }
    }
    __syncthreads();
  }

  __device__ void hand_on(std::uint64_t turn, std::uint32_t cqes) {
    const std::uint64_t all = shared_.cqes + cqes;
    // Released: the CQEs of the next block come after these.
    store_release_device(&model_.turns->completed, Turn::word(turn + 1, all));
    const std::uint64_t done = shared_.first + shared_.count;
    atomicMax(as_atomic(&model_.report->wqes), static_cast<unsigned long long>(done));
    atomicMax(as_atomic(&model_.report->cqes), static_cast<unsigned long long>(all));
    if (done == model_.total) model_.report->last_ns = now_ns();
    if (model_.queue.cq_record == nullptr) return;
    const std::uint32_t consumed =
        byte_swap(load_relaxed_system(&model_.queue.cq_record->consumer_index.raw));
    const std::uint32_t held = (static_cast<std::uint32_t>(all) - consumed) & 0xffffffU;
    // The posters may have consumed CQEs of the next block by now: that is no overrun.
    if (held > 1U << model_.queue.log_cq_depth && held < 1U << 23) {
      fault(Fault::kCqOverrun, done);
    }
  }

  __device__ void read(std::uint64_t index, uint4 (&w)[4]) const {
    const std::uint64_t mask = (std::uint64_t{1} << model_.queue.log_depth) - 1;
    const auto* const wqe = reinterpret_cast<const uint4*>(model_.queue.wqe + (index & mask));
    // Past the L1 cache, which knows nothing of other blocks' stores.
#pragma unroll
    for (std::uint32_t part = 0; part < 4; ++part) w[part] = __ldcg(wqe + part);
  }
  __device__ std::uint64_t address_at(std::uint64_t index) const {
    uint4 w[4];
    read(index, w);
    return Format::address(w);
  }

  /// Writes CQE number `cqe` for the WQE `index`.
  __device__ void complete(std::uint64_t cqe, std::uint64_t index) {
    const TxQueueHandle& queue = model_.queue;
    const std::uint64_t mask = (std::uint64_t{1} << queue.log_cq_depth) - 1;
    const Be32 tail[2] = {Be32::of(static_cast<std::uint32_t>(WqeOpcode::kSend) << 24 | queue.sqn),
                          Be32::of(static_cast<std::uint32_t>(index) << 16 |
                                   static_cast<std::uint32_t>(cqe >> queue.log_cq_depth & 1))};
    std::uint64_t word;
    memcpy(&word, tail, sizeof(word));
    store_relaxed_system(reinterpret_cast<std::uint64_t*>(&queue.cqe[cqe & mask].sop_qpn), word);
  }

  const ModelQueue model_;
  const BatchOrder order_;
  Shared& shared_;
  // Thread 0 only.
  std::uint64_t faulty_ = 0;
  unsigned long long claims_ = 0;
  unsigned long long idle_ns_ = 0;
};

/// kModelBlocks blocks a queue.
template <class Format>
__global__ void __launch_bounds__(kModelThreads) nic_model(const ModelQueue* queues) {
  __shared__ typename NicModel<Format>::Shared shared;
  NicModel<Format>(queues[blockIdx.x / kModelBlocks], shared).run();
}

}  // namespace ringside::bench
