// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/gpu_device.hpp"

#include <rte_errno.h>
#include <rte_gpudev.h>

#include <limits>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"
#include "lib/gpu/host_gpu.hpp"
#if defined(RINGSIDE_CUDA)
#include "lib/gpu/cuda_gpu.hpp"
#endif

namespace ringside {
namespace {

rte_gpu_info info_of(std::int16_t id) {
  rte_gpu_info info{};
  if (rte_gpu_info_get(id, &info) != 0) {
    throw Error(
        fmt::format("cannot read the properties of GPU {}: {}", id, dpdk_errno_text(rte_errno)),
        "");
  }
  return info;
}

/// "0 (gpu_host0), 1 (0000:3b:00.0)"
std::string known_gpus() {
  std::string text;
  std::int16_t id = 0;
  RTE_GPU_FOREACH(id) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", id, info_of(id).name);
  }
  return text;
}

}  // namespace

std::unique_ptr<GpuDevice> GpuDevice::open(int gpu_id) {
  if (rte_gpu_count_avail() == 0) {
    throw usage_error("gpudev knows no GPU",
#if defined(RINGSIDE_CUDA)
                      "add --vdev=gpu_host0 to the EAL options for a GPU made of host threads, or "
                      "the PCI address of an NVIDIA GPU by -a, or --vdev=gpu_cuda0,ordinal=N"
#else
                      "add --vdev=gpu_host0 to the EAL options for a GPU made of host threads; "
                      "NVIDIA GPUs need a build with nvcc (-Dcuda=enabled)"
#endif
    );
  }
  if (gpu_id < 0 || gpu_id > std::numeric_limits<std::int16_t>::max() ||
      !rte_gpu_is_valid(static_cast<std::int16_t>(gpu_id))) {
    throw usage_error(fmt::format("GPU {} does not exist", gpu_id), "known are " + known_gpus());
  }
  const auto id = static_cast<std::int16_t>(gpu_id);
  const rte_gpu_info known = info_of(id);
  GpuInfo info{id, known.name, "", known.total_memory, known.processor_count, known.page_size};
  if (auto gpu = open_host_gpu(info)) return gpu;
#if defined(RINGSIDE_CUDA)
  if (auto gpu = open_cuda_gpu(info)) return gpu;
#endif
  throw usage_error(
      fmt::format("GPU {} ({}) is driven by a driver that cannot run kernels", gpu_id, info.name),
      "choose another with --gpu-id; known are " + known_gpus());
}

GpuMemory GpuDevice::allocate(std::size_t size, std::size_t alignment) {
  void* data = nullptr;
  if (size != 0 && alignment <= std::numeric_limits<unsigned>::max()) {
    data = rte_gpu_mem_alloc(info_.id, size, static_cast<unsigned>(alignment));
  }
  if (data == nullptr) {
    throw Error(fmt::format("cannot allocate {} bytes, aligned to {}, on GPU {} ({}): {}", size,
                            alignment, info_.id, info_.name, dpdk_errno_text(rte_errno)),
                fmt::format("it has {} bytes in all; ask for fewer or smaller buffers",
                            info_.total_memory));
  }
  GpuMemory memory;
  memory.device_ = this;
  memory.data_ = static_cast<std::uint8_t*>(data);
  memory.size_ = size;
  memory.view_offset_ = view_offset(memory.data_);
  return memory;
}

GpuMemory GpuDevice::allocate_shared(std::size_t size, std::size_t alignment) {
  GpuMemory memory;
  memory.data_ = allocate_shared_raw(size, alignment);
  memory.device_ = this;
  memory.size_ = size;
  memory.shared_ = true;
  return memory;
}

DoorbellMapping::DoorbellMapping(GpuDevice& device, std::uint64_t* doorbell)
    : device_(&device), doorbell_(doorbell), view_(device.map_doorbell(doorbell)) {}

DoorbellMapping::DoorbellMapping(DoorbellMapping&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      doorbell_(other.doorbell_),
      view_(other.view_) {}

DoorbellMapping::~DoorbellMapping() {
  if (device_ != nullptr) device_->unmap_doorbell(doorbell_);
}

GpuMemory::GpuMemory(GpuMemory&& other) noexcept {
  *this = std::move(other);
}

GpuMemory& GpuMemory::operator=(GpuMemory&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(view_offset_, other.view_offset_);
  std::swap(shared_, other.shared_);
  return *this;
}

GpuMemory::~GpuMemory() {
  if (data_ == nullptr) return;
  if (shared_) {
    device_->free_shared_raw(data_, size_);
  } else {
    rte_gpu_mem_free(device_->info_.id, data_);  // the driver reports what it refuses
  }
}

}  // namespace ringside
