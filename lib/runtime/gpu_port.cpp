// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_port.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "lib/base/error.hpp"

namespace ringside {
namespace {

std::uint32_t log2_of(std::uint32_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

}  // namespace

QueueLimits GpuPort::limits(const Nic& nic) {
  const mlx5::Capabilities can = mlx5::Capabilities::query(nic.context());
  return {.device = nic.pci_address(),
          .max_queues = std::min({can.max_receive_queues, can.max_send_queues,
                                  std::uint32_t{ExternalQueue::kMaxPerPort} - 1}),
          .max_descriptors = std::min(can.max_ring_entries, can.max_completion_entries)};
}

GpuPort::GpuPort(const Nic& nic, std::size_t position, const std::vector<GpuHome>& homes,
                 const GpuPlacement& placement, DoorbellProxy& proxy, const RuntimeConfig& config)
    : port_(nic.port()),
      proxy_(proxy),
      domain_(nic.context(), nic.pd()),
      counter_(nic.context()),
      doorbells_(proxy, config.doorbells),
      spare_external_(config.rx_queues) {
  const std::size_t own = placement.of_port(position);
  std::map<std::size_t, std::size_t> send_queues{{own, 0}};
  for (std::uint16_t q = 0; q < config.tx_queues; ++q) {
    ++send_queues[placement.of_send_queue(position, q)];
  }
  for (const auto& [gpu, count] : send_queues) {
    memories_.try_emplace(gpu, nic, homes.at(gpu), gpu == own ? config.rx_queues : 0U, count,
                          config);
  }
  GpuPortMemory& receiving = memories_.at(own);
  rings_text_ = receiving.rings().text();
  if (config.strides) {
    strides_text_ = fmt::format("{} buffers of {} strides of {} bytes", rx_buffers(config),
                                config.strides->count, config.strides->bytes);
  }
  for (std::uint16_t q = 0; q < config.rx_queues; ++q) {
    add_send_queue(memories_.at(placement.of_send_queue(position, q)), config);

    add_receive_queue(q, receiving, config);
  }
}

void GpuPort::add_receive_queue(std::uint16_t queue, GpuPortMemory& memory,
                                const RuntimeConfig& config) {
  if (config.strides) return add_striding_queue(queue, memory, config);
  std::vector<mlx5::SlotBuffers> parts;
  if (GpuPool* const pool = memory.header_pool()) {
    const Buffers& headers = rx_headers_.emplace_back(*pool, config.rx_descriptors);
    // As many bytes as were asked for: buffers may be larger, for their alignment.
    parts.push_back({.iova = headers.iova(),
                     .length = header_bytes(config),
                     .lkey = memory.header_lkey(),
                     .view_offset = pool->memory().view_offset()});
  }
  const Buffers& slots = rx_buffers_.emplace_back(memory.pool(), config.rx_descriptors);
  parts.push_back({.iova = slots.iova(),
                   .length = slots.length(),
                   .lkey = memory.lkey(),
                   .view_offset = memory.view_offset()});
  rx_.emplace_back(
      domain_, memory.arenas(),
      mlx5::RxQueueConfig{
          .log_depth = log2_of(config.rx_descriptors), .parts = parts, .q_counter = counter_.id()});
  external_.push_back(std::make_unique<ExternalQueue>(port_, queue, rx_.back().number()));
}

void GpuPort::add_striding_queue(std::uint16_t queue, GpuPortMemory& memory,
                                 const RuntimeConfig& config) {
  const Buffers& buffers = rx_buffers_.emplace_back(memory.pool(), rx_buffers(config));
  striding_.emplace_back(domain_, memory.arenas(),
                         mlx5::StridingQueueConfig{.shape = striding_shape(config),
                                                   .buffers = {.iova = buffers.iova(),
                                                               .length = buffers.length(),
                                                               .lkey = memory.lkey(),
                                                               .view_offset = memory.view_offset()},
                                                   .q_counter = counter_.id()});
  external_.push_back(std::make_unique<ExternalQueue>(port_, queue, striding_.back().number()));
}

mlx5::ReceiveRing& GpuPort::rx(std::uint16_t queue) {
  if (!striding_.empty()) return striding_.at(queue);
  return rx_.at(queue);
}

StridingBuffers GpuPort::strides(std::uint16_t queue) const {
  return striding_.empty() ? StridingBuffers{} : striding_.at(queue).handle().buffers;
}

void GpuPort::add_send_queue(GpuPortMemory& memory, const RuntimeConfig& config) {
  const Buffers& own = tx_buffers_.emplace_back(memory.pool(), config.own_buffers);
  tx_iova_.push_back(memory.kernel_words().take(own.iova().size_bytes(), mlx5::RingArena::kLine));
  tx_iova_.back().write_array(std::vector(own.iova().begin(), own.iova().end()));
  const mlx5::TxQueue& queue =
      tx_.emplace_back(domain_, memory.arenas(), log2_of(config.tx_descriptors), memory.lkey());
  send_sides_.push_back({doorbells_.add(memory.gpu(), queue.doorbell()), &memory});
}

std::vector<std::uint16_t> GpuPort::external_ids() const {
  std::vector<std::uint16_t> ids;
  for (const auto& queue : external_) ids.push_back(queue->id());
  return ids;
}

void GpuPort::lead_to(const std::vector<std::uint16_t>& ids, const PortFlows& flows) {
  // The former rules go when the new ones are there; when those are refused, they keep their turn.
  steering_ = std::make_unique<Steering>(port_, ids, flows, turn_ + 1);
  ++turn_;
}

void GpuPort::renew_rx(std::uint16_t queue, const PortFlows& flows, mlx5::EmptiedBy emptied_by) {
  mlx5::ReceiveRing::Former former = rx(queue).renew(emptied_by);
  try {
    auto mapping = std::make_unique<ExternalQueue>(port_, spare_external_, rx(queue).number());
    std::vector<std::uint16_t> ids = external_ids();
    ids[queue] = mapping->id();
    if (steering_ != nullptr) lead_to(ids, flows);
    external_[queue].swap(mapping);
    spare_external_ = static_cast<std::uint16_t>(mapping->id() - ExternalQueue::kFirstId);
  } catch (...) {
    rx(queue).take_back(std::move(former));
    throw;
  }
}

TxQueueHandle GpuPort::tx_handle(std::uint16_t queue, const GpuDevice& gpu) const {
  const SendSide& side = send_sides_.at(queue);
  if (&side.memory->gpu() != &gpu) {
    throw Error(fmt::format("send queue {} of port {} lies with {}: a kernel on {} cannot own it, "
                            "and its key is of the other GPU's packets",
                            queue, port_, side.memory->gpu().info().name, gpu.info().name),
                "");
  }
  TxQueueHandle handle = tx_.at(queue).handle(side.doorbell);
  // A CPU that rings has to see what is written, too.
  handle.in_gpu_memory = side.memory->all_in_gpu_memory() && side.doorbell.is_register();
  handle.header_lkey = side.memory->header_lkey();
  return handle;
}

std::string GpuPort::describe() const {
  const DoorbellKind kind = tx_.front().handle(send_sides_.front().doorbell).doorbell_kind;
  const std::string strides =
      striding_.empty() ? "" : fmt::format(", striding receive queues of {}", strides_text_);
  return fmt::format("{}, {} {}{}", rings_text_,
                     kind == DoorbellKind::kBlueFlame ? "BlueFlame" : "regular", doorbells_.text(),
                     strides);
}

TxBuffers GpuPort::tx_buffers(std::uint16_t queue) const {
  return TxBuffers{.iova = tx_iova_.at(queue).kernel<std::uint64_t>(),
                   .view_offset = send_sides_.at(queue).memory->view_offset(),
                   .length = tx_buffers_.at(queue).length(),
                   .count = static_cast<std::uint32_t>(tx_buffers_.at(queue).iova().size())};
}

}  // namespace ringside
