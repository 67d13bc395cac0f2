// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Puts a frame into a receive queue: scatter list, buffers, completion.
#pragma once

#include <cstdint>

#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/device_writes.hpp"
#include "lib/softcx/data/key_reader.hpp"
#include "lib/softcx/data/late_writes.hpp"
#include "lib/softcx/data/scatter_list.hpp"
#include "lib/softcx/data/taken_wqe.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/frame.hpp"
#include "lib/softcx/steering/classify.hpp"

namespace softcx {

enum class Delivery : std::uint8_t {
  kDelivered,
  kOnItsWay,     ///< to device memory: what becomes of it is counted by DeviceWrites
  kNoBuffer,     ///< nothing posted; the queue is as it was
  kNotReady,     ///< the queue is in reset or in error
  kLengthError,  ///< longer than the posted buffers: an error CQE, the queue goes on
  kProtection,   ///< a bad lkey or address: an error CQE, the queue is in error
  kCqOverrun,    ///< the completion queue has failed: the queue is in error
  kInjected,     ///< an error CQE that --fault asks for
};

/// Delivers frames that arrive together into one receive queue. It must not outlive a round of the
/// engine.
class RqWriter {
 public:
  /// `now_ns`: of NicClock, for the completions. `writes`: the way to device memory; nullptr: there
  /// is none. `late`: of a NIC whose completions do not wait for packets on other paths, or
  /// nullptr.
  RqWriter(Rq& rq, std::uint64_t now_ns, DeviceWrites* writes, LateWrites* late = nullptr) noexcept
      : rq_(rq),
        cq_(*rq.cq),
        wqe_mask_((1U << rq.log_depth) - 1),
        cqe_mask_((1U << rq.cq->log_depth) - 1),
        user_index_(ringside::Be32::of(rq.user_index & 0xffffff)),
        timestamp_(ringside::Be64::of(rq.stamps.stamp(now_ns))),
        writes_(writes),
        // Where the CPU polls, what it tells kernels by starting them comes after both.
        late_{rq.cq->home.kernels_see ? late : nullptr, rq.cq->home.gpu, now_ns},
        watched_(rq.device->posted != nullptr),
        keys_(*rq.device, rq.pdn, true) {}

  /// Whoever calls counts the outcome.
  Delivery deliver(const Frame& frame, const Verdict& verdict, const HeaderFacts& facts) noexcept;
  const Rq& rq() const noexcept { return rq_; }
  /// For a row of frames: fetches what the first ones are written to. Each deliver() fetches for a
  /// later one.
  void prefetch_first() noexcept;

  /// How far ahead buffers and completions are fetched into the cache.
  static constexpr std::uint32_t kPrefetchWqes = 4;

 private:
  /// What goes into the completion besides the verdict and the facts.
  struct Tag {
    bool stripped = false;
    std::uint16_t tci = 0;
  };

  /// kDelivered: a WQE is there.
  Delivery find_buffer() noexcept;
  Delivery place(const Frame& frame, const Verdict& verdict, const HeaderFacts& facts,
                 Tag tag) noexcept;
  Delivery strip_and_place(const Frame& frame, const Verdict& verdict,
                           const HeaderFacts& facts) noexcept;
  /// Into strides of a WQE that packets share.
  Delivery share(const Frame& frame, const Verdict& verdict, const HeaderFacts& facts,
                 Tag tag) noexcept;
  Delivery scatter_strides(const TakenWqe& taken, const Frame& frame) noexcept;
  /// The completion of a packet that was written with this outcome, if it was.
  Delivery complete_packet(Delivery outcome, const TakenWqe& taken, const Frame& frame,
                           const Verdict& verdict, const HeaderFacts& facts, Tag tag) noexcept;
  /// Copies the frame into the buffers of the WQE at `index`.
  Delivery scatter(std::uint16_t index, const Frame& frame) noexcept;
  Delivery scatter_list(std::uint16_t index, const Frame& frame) noexcept;
  /// How a packet has been written by `list`.
  Delivery written(const ScatterList& list) const noexcept;
  Delivery send_to_gpu(std::uint16_t index, const Place& to, const Segment& bytes) noexcept;
  Delivery refuse_length(const TakenWqe& taken) noexcept;
  Delivery refuse_list(const TakenWqe& taken, const ScatterList& list) noexcept;
  Delivery refuse_key(const TakenWqe& taken, Cause cause) noexcept;

  const std::uint8_t* wqe(std::uint32_t index) const noexcept {
    return rq_.ring + (std::size_t{index & wqe_mask_} << rq_.log_stride);
  }

  Rq& rq_;
  Cq& cq_;
  // What all completions have in common, and what finds their places, worked out once.
  const std::uint32_t wqe_mask_, cqe_mask_;
  const ringside::Be32 user_index_;
  const ringside::Be64 timestamp_;
  DeviceWrites* const writes_;
  const LatePath late_;
  const bool watched_;  ///< somebody sanitizes
  KeyReader keys_;
  /// WQEs that were posted when the record was last read, and are not used up. It is read first
  /// when the queue is found to be ready: in reset its indexes are the control path's.
  std::uint32_t available_ = 0;
};

inline Delivery deliver(Rq& rq, const Frame& frame, const Verdict& verdict,
                        const HeaderFacts& facts, std::uint64_t now_ns) noexcept {
  return RqWriter(rq, now_ns, nullptr).deliver(frame, verdict, facts);
}

/// Would a frame be lost for want of a buffer? What is left of a WQE that packets
/// share, and is too little for it, is given up then, so that the driver gives back the WQE.
bool lacks_buffer(Rq& rq, const Frame& frame) noexcept;

/// Into the error state, where the queue was ready.
void stop(Rq& rq) noexcept;

/// Fails the next receive WQE in place of filling it: an error CQE, and the queue is in error where
/// hardware puts it there for that syndrome. One must be posted.
void fail_next(Rq& rq, Fault fault) noexcept;

/// Gives back what is posted to a queue in error: a completion for each WQE.
void flush_in_error(Rq& rq) noexcept;

}  // namespace softcx
