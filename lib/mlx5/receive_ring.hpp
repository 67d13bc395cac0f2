// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What receive queues have in common: a ring of WQEs, its CQ, and the words that a kernel keeps
// about them. What the WQEs lead to, RxQueue and StridingQueue say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/mlx5/format/nic_time.hpp"
#include "lib/mlx5/format/queue.hpp"
#include "lib/mlx5/queue_domain.hpp"
#include "lib/mlx5/ring_memory.hpp"
#include "lib/mlx5/rq.hpp"

namespace ringside::mlx5 {

struct ReceiveRingShape {
  std::uint32_t log_depth;     ///< WQEs
  std::uint32_t log_stride;    ///< bytes of one
  std::uint32_t log_cq_depth;  ///< completions that all of them can have: the CQ cannot overrun
  std::optional<RqStrides> strides = std::nullopt;
};

class ReceiveRing {
 public:
  /// Changes with renew().
  std::uint32_t number() const noexcept { return rq_.number(); }
  /// Its slots are what completions are counted by.
  RxQueueHandle handle() const noexcept;
  /// What kernels need besides, to tell packets' time stamps.
  const StampToNs& stamp_to_ns() const noexcept { return stamp_to_ns_; }
  /// The device has stopped the queue on an error, whether or not a kernel has seen it, or a
  /// recovery has not come to its end.
  bool stopped() const { return rq_.state() != prm::QueueState::kReady; }
  /// Its completion queue is dead: recover() cannot help, renew() does.
  bool completions_overrun() const { return cq_.overrun(); }
  /// After an error: through reset to ready again, every slot free and posted. No kernel may run.
  void recover();
  /// What was a queue before renew(), in reset. Nothing may lead there when it goes.
  struct Former {
    Cq cq;
    Rq rq;
  };
  /// Has the firmware make another pair of queues in the same memory, for a completion queue that
  /// no command takes out of its error; else as recover() or, where a kernel helps, as go_on().
  /// Throws Error: the former pair stays, in reset, and can be renewed again.
  [[nodiscard]] Former renew(EmptiedBy emptied_by = EmptiedBy::kCpu);
  /// Undoes renew(): nothing may lead to the new pair, which goes, and the former one stays as it
  /// was left.
  void take_back(Former former) noexcept;
  /// The two ends of a recovery with the kernel's help (queue_recovery.hpp), and in between where
  /// the kernel says that the CQ goes on.
  void reset() { rq_.reset(); }
  void set_cq_offset(std::uint64_t cq_offset) noexcept { cq_offset_ = cq_offset; }
  void go_on() { rq_.make_ready(); }

 protected:
  /// What the ring takes from the arenas, padding included.
  static std::size_t ring_bytes(const ReceiveRingShape& shape) noexcept;
  static std::size_t kernel_bytes(const ReceiveRingShape& shape) noexcept;

  /// `domain` outlives it. `q_counter`: id of the counter of its drops. Throws Error.
  ReceiveRing(const QueueDomain& domain, const QueueArenas& arenas, const ReceiveRingShape& shape,
              std::uint32_t q_counter, bool strip_vlan);

  /// Where kernels find packets: the handle's members of these names.
  struct Buffers {
    const std::uint64_t* slot_iova;
    std::int64_t view_offset;
    std::uint32_t buffer_length;
    const std::uint64_t* payload_iova;
    std::int64_t payload_view_offset;
  };
  /// All WQEs as bytes: posted now, and after each recovery. Packets arrive as soon as steering
  /// leads here. Throws Error.
  void open(std::vector<std::uint8_t> wqes, const Buffers& buffers);

  const ReceiveRingShape& shape() const noexcept { return shape_; }
  /// Behind the ring's own state, of the buffers that packets share: striding queues only.
  std::uint64_t* kernel_strides_released() const noexcept {
    return reinterpret_cast<std::uint64_t*>(state_.kernel<RxQueueState>() + 1);
  }

 private:
  Cq make_cq(EmptiedBy emptied_by) const;
  Rq make_rq(const Cq& cq) const;
  std::size_t state_bytes() const noexcept {
    return sizeof(RxQueueState) + (shape_.strides ? sizeof(std::uint64_t) : 0);
  }
  std::size_t slots() const noexcept { return std::size_t{1} << shape_.log_cq_depth; }
  /// A queue that is in reset, as new ones are.
  void empty();
  /// Makes `rq`, of this ring's memory, ready and posts all WQEs.
  void start(Rq& rq) const;

  const QueueDomain& domain_;
  ReceiveRingShape shape_;
  std::uint32_t q_counter_;
  bool strip_vlan_;
  StampToNs stamp_to_ns_;
  RingMemory ring_;
  RingMemory record_;
  RingMemory cq_ring_;
  RingMemory cq_record_;
  RingMemory state_;
  RingMemory slot_references_;
  std::vector<std::uint8_t> wqes_;
  Buffers buffers_{};
  std::uint64_t cq_offset_ = 0;
  Cq cq_;
  Rq rq_;
};

}  // namespace ringside::mlx5
