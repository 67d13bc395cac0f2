// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A GPU for the software NIC: memory that the CPU may not touch where the NIC knows it, and a copy
// kernel that is a thread. The test can hold the kernel, have it leave, and break the GPU.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <span>
#include <stdexcept>
#include <thread>

#include "lib/softcx/nic/copy_engine.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx::test {

inline std::span<const CopyDescriptor> chunk_of(const CopyArea& area, std::uint32_t chunk) {
  return std::span(area.ring).subspan(chunk % kCopyRingChunks * kCopyChunk, kCopyChunk);
}

class FakeGpu final : public CopyEngine {
 public:
  static constexpr std::size_t kSize = 1U << 20;

  FakeGpu() {
    const int fd = ::memfd_create("fake-gpu", MFD_CLOEXEC);
    if (fd < 0 || ::ftruncate(fd, kSize) != 0) throw std::runtime_error("memfd");
    bytes_ = map(fd, PROT_READ | PROT_WRITE);
    address_ = map(fd, PROT_NONE);
    ::close(fd);
  }
  ~FakeGpu() override {
    ::munmap(bytes_, kSize);
    ::munmap(address_, kSize);
  }

  std::unique_ptr<CopyWorker> open_worker(std::string& why) override {
    if (refuses) {
      why = "refused";
      return nullptr;
    }
    return std::make_unique<Worker>(*this);
  }

  /// What lies at `offset`, as the GPU sees it.
  std::uint8_t* at(std::size_t offset) const { return bytes_ + offset; }
  /// What the NIC calls it.
  std::uint64_t address(std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(address_) + offset;
  }
  bool refuses = false;
  std::atomic<bool> held{false};  ///< carries out nothing
  std::atomic<int> quota{-1};     ///< chunks until it leaves by itself; below 0: does not
  std::atomic<bool> broken{false};
  std::atomic<int> starts{0}, kernels{0};  ///< in all, and running
  std::atomic<int> copies{0};

 private:
  class Worker final : public CopyWorker {
   public:
    explicit Worker(FakeGpu& gpu) : gpu_(gpu) {}
    ~Worker() override { end(); }
    CopyArea& area() noexcept override { return *area_; }
    bool start(std::uint32_t first_chunk, std::uint32_t instance) noexcept override {
      end();
      if (gpu_.broken.load()) return false;
      ++gpu_.starts;
      gpu_.quota.store(-1);
      ++gpu_.kernels;
      kernel_ = std::thread([=, this] {
        run(first_chunk, instance);
        --gpu_.kernels;
      });
      return true;
    }
    bool healthy() noexcept override { return !gpu_.broken.load(); }
    std::string failure() const override { return "the fake GPU is broken"; }

   private:
    void end() {
      unloaded_.store(true);
      if (kernel_.joinable()) kernel_.join();
      unloaded_.store(false);
    }
    void run(std::uint32_t chunk, std::uint32_t instance) {
      while (!unloaded_.load() && !gpu_.broken.load()) {
        const std::uint64_t order =
            std::atomic_ref<std::uint64_t>(area_->order).load(std::memory_order_acquire);
        const bool leave = must_leave(order, instance) || gpu_.quota.load() == 0;
        while (!gpu_.held.load() && chunk != ready_chunks(order) && gpu_.quota.load() != 0) {
          carry_out(chunk);
          std::atomic_ref<std::uint32_t>(area_->done[chunk % kCopyRingChunks])
              .store(done_mark(chunk), std::memory_order_release);
          ++chunk;
          if (gpu_.quota.load() > 0) --gpu_.quota;
        }
        if (leave) break;
        sched_yield();
      }
      if (gpu_.broken.load()) return;
      for (std::uint32_t& left : area_->left) {
        std::atomic_ref<std::uint32_t>(left).store(instance, std::memory_order_release);
      }
    }
    void carry_out(std::uint32_t chunk) {
      for (const CopyDescriptor& copy : chunk_of(*area_, chunk)) {
        const std::uint32_t length = copy.length & ~CopyDescriptor::kToDevice;
        if (length == 0) continue;
        std::uint8_t* const device = gpu_.at(copy.device - gpu_.address(0));
        std::uint8_t* const staging = area_->staging + copy.staging;
        const bool to_device = (copy.length & CopyDescriptor::kToDevice) != 0;
        std::memcpy(to_device ? device : staging, to_device ? staging : device, length);
        ++gpu_.copies;
      }
    }

    FakeGpu& gpu_;
    std::unique_ptr<CopyArea> area_ = std::make_unique<CopyArea>();
    std::atomic<bool> unloaded_{false};
    std::thread kernel_;
  };

  static std::uint8_t* map(int fd, int protection) {
    void* const memory = ::mmap(nullptr, kSize, protection, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("mmap");
    return static_cast<std::uint8_t*>(memory);
  }

  std::uint8_t* bytes_;
  std::uint8_t* address_;
};

/// A key to all of the GPU's memory.
inline std::uint32_t register_gpu(Device& device, FakeGpu& gpu, bool local_write = true) {
  auto key = std::make_unique<Mkey>();
  key->pdn = Region::kPdn;
  key->iova = gpu.address(0);
  key->local_write = local_write;
  key->memory = {reinterpret_cast<std::uint8_t*>(gpu.address(0)), FakeGpu::kSize, nullptr, 0, &gpu};
  return device.add_mkey(std::move(key));
}

}  // namespace softcx::test
