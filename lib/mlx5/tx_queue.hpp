// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue with its CQ and the words that a kernel keeps about it: ready for a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/mlx5/format/doorbell_target.hpp"
#include "lib/mlx5/format/nic_time.hpp"
#include "lib/mlx5/format/queue.hpp"
#include "lib/mlx5/queue_domain.hpp"
#include "lib/mlx5/ring_memory.hpp"
#include "lib/mlx5/sq.hpp"

namespace ringside::mlx5 {

/// How kernels will send: what the doorbell is chosen by. BlueFlame pays for WQEs that are rung for
/// one by one, by a queue that one block owns; behind a batch the NIC fetches all the same.
enum class SendHabit { kBatches, kLoneWqes };

class TxQueue {
 public:
  /// What a queue of this depth takes from the arenas, padding included.
  static std::size_t ring_bytes(std::uint32_t log_depth) noexcept;
  static std::size_t kernel_bytes(std::uint32_t log_depth) noexcept;

  /// `domain` outlives it. `lkey`: of the packets that will be sent. Throws Error.
  TxQueue(const QueueDomain& domain, const QueueArenas& arenas, std::uint32_t log_depth,
          std::uint32_t lkey, SendHabit habit = SendHabit::kBatches);

  /// Changes where recover() has to make it anew.
  std::uint32_t number() const noexcept { return sq_.number(); }
  /// As the CPU writes it.
  std::uint64_t* doorbell() const noexcept { return uar_.doorbell(); }
  /// For kernels that ring there. By BlueFlame where the habit asks for it, the NIC has it, its
  /// register can be mapped for it and the kernels write that themselves; else by the regular
  /// doorbell.
  TxQueueHandle handle(const DoorbellTarget& target) const noexcept;
  /// For kernels that write the register as the CPU does.
  TxQueueHandle handle() const noexcept {
    return handle(DoorbellTarget::queue_register(doorbell()));
  }
  /// Where the habit asks for BlueFlame and the queue cannot have it: a line that says so and why.
  /// Else empty.
  std::string doorbell_note() const;
  /// What kernels need besides, to send at a time.
  const NsToStamp& ns_to_stamp() const noexcept { return ns_to_stamp_; }
  /// Of its completions' time stamps.
  const StampToNs& stamp_to_ns() const noexcept { return stamp_to_ns_; }
  /// The device has stopped the queue on an error, whether or not a kernel has seen it, or a
  /// recovery has not come to its end.
  bool stopped() const { return sq_.state() != prm::QueueState::kReady; }
  /// Its completion queue is dead, until recover().
  bool completions_overrun() const { return cq_.overrun(); }
  /// Posted WQEs that have not completed. No kernel may run.
  std::uint64_t in_flight() const;
  /// Bytes of their packets.
  std::uint64_t bytes_in_flight() const;
  /// After an error: through reset to ready again, empty; anew in the same memory where its
  /// completion queue has overrun, so kernels need a new handle. No kernel may run. The receive
  /// slots of WQEs in flight stay held: kernels let go of them when they see the error. Throws
  /// Error: the queue is in reset then, and can be recovered again.
  void recover();
  /// The two ends of a recovery with the kernel's help (queue_recovery.hpp).
  void reset() { sq_.reset(); }
  void go_on() { sq_.make_ready(); }
  /// Before the second of them, where its completion queue has overrun. Throws Error: the queue is
  /// in reset then, and can be recovered by the CPU.
  void renew() { renew(EmptiedBy::kKernel); }

 private:
  Cq make_cq(EmptiedBy emptied_by) const;
  Sq make_sq(const Cq& cq) const;
  void renew(EmptiedBy emptied_by);

  const QueueDomain& domain_;
  std::uint32_t log_depth_;
  std::uint32_t lkey_;
  SendHabit habit_;
  bool multi_packet_;
  std::uint64_t wait_mask_;
  NsToStamp ns_to_stamp_;
  StampToNs stamp_to_ns_;
  RingMemory ring_;
  RingMemory record_;
  RingMemory cq_ring_;
  RingMemory cq_record_;
  RingMemory state_;
  RingMemory wqe_slot_;
  Uar uar_;
  Cq cq_;
  Sq sq_;
};

}  // namespace ringside::mlx5
