// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/bench/gpu/turnaround_nic.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstring>
#include <new>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"

namespace ringside::bench {
namespace {

constexpr std::uint32_t kLkey = 0x1234;
constexpr std::uint32_t kSqn = 0x77;
constexpr std::uint64_t kPatienceMs = 1000;

void check(cudaError_t result, const char* action) {
  if (result != cudaSuccess) {
    throw Error(fmt::format("cannot {}: {}", action, cudaGetErrorString(result)), "");
  }
}

/// A word that the kernel stores.
template <class T>
T load(T& word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

}  // namespace

void FreeMemory::operator()(void* address) const noexcept {
  if (memory == Memory::kPinned) {
    cudaFreeHost(address);
  } else {
    cudaFree(address);
  }
}

Bytes allocate(Memory memory, std::size_t size) {
  void* address = nullptr;
  if (memory == Memory::kPinned) {
    check(cudaHostAlloc(&address, size, cudaHostAllocPortable | cudaHostAllocMapped),
          "allocate pinned memory");
    std::memset(address, 0, size);
  } else {
    check(cudaMalloc(&address, size), "allocate device memory");
    check(cudaMemset(address, 0, size), "clear device memory");
  }
  return Bytes(static_cast<std::uint8_t*>(address), FreeMemory{memory});
}

TurnaroundNic::TurnaroundNic(Memory packets)
    : pinned_(allocate(Memory::kPinned, sizeof(Pinned))),
      kernel_only_(allocate(Memory::kDevice, sizeof(KernelOnly))),
      packets_(allocate(packets, std::size_t{kDepth} * kBuffer)) {
  auto* const kernel = reinterpret_cast<KernelOnly*>(kernel_only_.get());
  Pinned& shared = *new (pinned_.get()) Pinned{};
  for (std::uint32_t i = 0; i < kDepth; ++i) {
    shared.rx_cq[i].op_own = shared.tx_cq[i].op_own = kCqeInitialOpOwn;
  }
  const auto first = reinterpret_cast<std::uint64_t>(packets_.get());
  std::uint64_t iova[kDepth];
  for (std::uint32_t i = 0; i < kDepth; ++i) iova[i] = first + std::uint64_t{i} * kBuffer;
  check(cudaMemcpy(kernel->slot_iova, iova, sizeof(iova), cudaMemcpyDefault),
        "copy to device memory");
  shared.rx_record.receive_counter = Be32::of(kDepth);
  shared.stream = {.rx = {.cqe = shared.rx_cq,
                          .cq_record = &shared.rx_cq_record,
                          .record = &shared.rx_record,
                          .slot_iova = kernel->slot_iova,
                          .view_offset = 0,
                          .slot_references = kernel->slot_references,
                          .state = &kernel->rx,
                          .buffer_length = kBuffer,
                          .log_depth = kLogDepth,
                          .log_cq_depth = kLogDepth,
                          .rqn = 1,
                          .cq_offset = 0},
                   .tx = {.wqe = shared.wqe,
                          .record = &shared.tx_record,
                          .doorbell = &shared.doorbell,
                          .cqe = shared.tx_cq,
                          .cq_record = &shared.tx_cq_record,
                          .wqe_slot = kernel->wqe_slot,
                          .state = &kernel->tx,
                          .lkey = kLkey,
                          .log_depth = kLogDepth,
                          .log_cq_depth = kLogDepth,
                          .sqn = kSqn},
                   .counters = &shared.counters,
                   .control = &shared.control,
                   .status = &shared.status,
                   .burst = 32,
                   .first_burst = 0,
                   .drain_ns = 100'000'000,
                   .program = {},
                   .tx_buffers = {}};
}

std::uint8_t TurnaroundNic::op_own(CqeOpcode opcode) const {
  return static_cast<std::uint8_t>((static_cast<unsigned>(opcode) << 4) |
                                   ((index_ >> kLogDepth) & 1));
}

void TurnaroundNic::await_slot() {
  const Deadline deadline = Deadline::after_ms(kPatienceMs);
  // The record is what was given back, plus the depth, in 16 bits.
  const auto posted = [this] {
    const std::uint32_t record =
        BigEndian<std::uint32_t>{load(pinned().rx_record.receive_counter.raw)}.value();
    return static_cast<std::uint16_t>(record - index_);
  };
  while (posted() == 0) {
    if (deadline.passed()) throw Error("no receive slot came back within a second", "");
    cpu_pause();
  }
}

void TurnaroundNic::check_send(std::uint64_t doorbell) const {
  const SendWqe& wqe = pinned().wqe[index_ % kDepth];
  const auto wqe_index = static_cast<std::uint32_t>(index_ & 0xffff);
  std::uint64_t control = 0;
  std::memcpy(&control, &wqe.control, sizeof(control));
  if (control != doorbell ||
      wqe.control.opmod_idx_opcode.value() != opmod_idx_opcode(wqe_index, WqeOpcode::kSend)) {
    throw Error(fmt::format("the doorbell of packet {} does not announce its WQE", index_), "");
  }
  if (wqe.data.byte_count.value() != kFrame ||
      wqe.data.address.value() !=
          reinterpret_cast<std::uint64_t>(packets_.get()) + index_ % kDepth * kBuffer) {
    throw Error(fmt::format("what was sent for packet {} is another one", index_), "");
  }
  if (pinned().tx_record.send_counter.value() != ((index_ + 1) & 0xffff)) {
    throw Error(fmt::format("the record was behind the doorbell of packet {}", index_), "");
  }
}

std::uint64_t TurnaroundNic::turn_around(bool completes) {
  if (completes) await_slot();
  Pinned& shared = pinned();
  Cqe& cqe = shared.rx_cq[index_ % kDepth];
  cqe.byte_count = Be32::of(kFrame);
  cqe.wqe_counter = Be16::of(static_cast<std::uint16_t>(index_));
  const Deadline deadline = Deadline::after_ms(kPatienceMs);
  const std::uint64_t start = monotonic_ns();
  std::atomic_ref(cqe.op_own).store(op_own(CqeOpcode::kResponderSend), std::memory_order_release);
  std::uint64_t doorbell = 0;
  std::uint64_t end = 0;
  while ((doorbell = load(shared.doorbell)) == last_doorbell_) {
    if (end - start > kPatienceMs * 1'000'000 && deadline.passed()) {
      throw Error(fmt::format("packet {} was not sent within a second", index_), "");
    }
    cpu_pause();
    end = monotonic_ns();
  }
  end = monotonic_ns();
  last_doorbell_ = doorbell;
  check_send(doorbell);
  if (completes) {
    Cqe& done = shared.tx_cq[index_ % kDepth];
    done.wqe_counter = Be16::of(static_cast<std::uint16_t>(index_));
    std::atomic_ref(done.op_own).store(op_own(CqeOpcode::kRequester), std::memory_order_release);
  }
  ++index_;
  return end - start;
}

void TurnaroundNic::set_exit() {
  std::atomic_ref(pinned().control.exit).store(1, std::memory_order_release);
}

void TurnaroundNic::write_error() {
  std::atomic_ref(pinned().rx_cq[index_ % kDepth].op_own)
      .store(op_own(CqeOpcode::kResponderError), std::memory_order_release);
}

}  // namespace ringside::bench
