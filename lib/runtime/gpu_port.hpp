// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One port's queues on the GPU data path: receive and send rings made by DevX over buffers of the
// GPU pool, and the rules that lead all traffic to them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "lib/flow/external_queue.hpp"
#include "lib/flow/steering.hpp"
#include "lib/gpu/doorbell_proxy.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/striding_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "lib/runtime/buffers.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/gpu_home.hpp"
#include "lib/runtime/gpu_placement.hpp"
#include "lib/runtime/gpu_port_memory.hpp"
#include "lib/runtime/nic.hpp"
#include "lib/runtime/port_doorbells.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

class GpuPort {
 public:
  /// What a NIC allows. Throws Error when it does not answer.
  static QueueLimits limits(const Nic& nic);

  /// Queues are ready, buffers posted, and nothing leads to them yet. `position`: of the port, for
  /// `placement`. `proxy` outlives it. Throws Error.
  GpuPort(const Nic& nic, std::size_t position, const std::vector<GpuHome>& homes,
          const GpuPlacement& placement, DoorbellProxy& proxy, const RuntimeConfig& config);
  GpuPort(const GpuPort&) = delete;
  GpuPort& operator=(const GpuPort&) = delete;

  /// After each start of the ethdev port, whose stop forgets all rules; or while it runs, to change
  /// them. Throws Error; the former rules hold then.
  void steer(const PortFlows& flows) { lead_to(external_ids(), flows); }
  /// Before each stop of the ethdev port.
  void unsteer() noexcept { steering_.reset(); }
  std::vector<FlowHits> flow_counts() const {
    return steering_ ? steering_->counts() : std::vector<FlowHits>{};
  }

  mlx5::ReceiveRing& rx(std::uint16_t queue);
  /// Where packets share buffers: those of a receive queue.
  StridingBuffers strides(std::uint16_t queue) const;
  /// mlx5::ReceiveRing::renew(), and what leads to the queue leads to the new one from then on: the
  /// flows, if there are any now. Packets of other queues meet rules all the time. Throws Error:
  /// all leads where it led then, and the queue, which is in reset, can be renewed again.
  void renew_rx(std::uint16_t queue, const PortFlows& flows, mlx5::EmptiedBy emptied_by);
  mlx5::TxQueue& tx(std::uint16_t queue) { return tx_.at(queue); }
  /// The send queue for a kernel on `gpu`, its doorbell as that writes it. Throws Error where the
  /// queue lies with another.
  TxQueueHandle tx_handle(std::uint16_t queue, const GpuDevice& gpu) const;
  /// A send queue was reset while its kernel does not ring. false: not yet, ask again.
  bool forget_doorbell(std::uint16_t queue) noexcept {
    return proxy_.forget(send_sides_[queue].doorbell.kernel_pointer());
  }
  /// Buffers of a send queue for frames that the kernel makes itself.
  TxBuffers tx_buffers(std::uint16_t queue) const;
  /// Where the rings lie, and which doorbells who rings, in words.
  std::string describe() const;
  /// Packets that found no posted buffer, since creation. Throws Error.
  std::uint64_t out_of_buffer() { return counter_.out_of_buffer(); }

 private:
  struct SendSide {
    DoorbellTarget doorbell;
    const GpuPortMemory* memory;
  };
  std::vector<std::uint16_t> external_ids() const;
  void lead_to(const std::vector<std::uint16_t>& ids, const PortFlows& flows);
  void add_send_queue(GpuPortMemory& memory, const RuntimeConfig& config);
  void add_receive_queue(std::uint16_t queue, GpuPortMemory& memory, const RuntimeConfig& config);
  void add_striding_queue(std::uint16_t queue, GpuPortMemory& memory, const RuntimeConfig& config);

  std::uint16_t port_;
  DoorbellProxy& proxy_;
  std::string rings_text_;
  std::string strides_text_;
  mlx5::QueueDomain domain_;
  mlx5::QCounter counter_;
  std::deque<Buffers> rx_buffers_;
  std::deque<Buffers> rx_headers_;
  std::deque<Buffers> tx_buffers_;
  std::map<std::size_t, GpuPortMemory> memories_;  ///< by GPU
  std::deque<mlx5::TxQueue> tx_;
  PortDoorbells doorbells_;
  std::vector<SendSide> send_sides_;  ///< of tx_
  std::deque<mlx5::RxQueue> rx_;
  std::deque<mlx5::StridingQueue> striding_;  ///< in place of rx_, where packets share buffers
  std::vector<mlx5::RingMemory> tx_iova_;
  std::vector<std::unique_ptr<ExternalQueue>> external_;  ///< of rx()
  std::uint16_t spare_external_;                          ///< index that none of them has
  std::uint32_t turn_ = 0;
  std::unique_ptr<Steering> steering_;
};

}  // namespace ringside
