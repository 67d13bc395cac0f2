// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_ring_memory.hpp"

#include "lib/base/error.hpp"
#include "lib/mlx5/capabilities.hpp"

namespace ringside {

bool RingPlace::for_gpu_memory(const RuntimeConfig& config) noexcept {
  return config.rings == GpuRings::kDevice ||
         (config.rings == GpuRings::kAuto && config.mempool == MempoolKind::kGpu);
}

RingPlace::RingPlace(const Nic& nic, GpuDevice& gpu, std::size_t bytes,
                     const RuntimeConfig& config) {
  const bool device_packets = config.mempool == MempoolKind::kGpu;
  if (for_gpu_memory(config)) {
    try {
      take_device(nic, gpu, bytes);
      in_gpu_memory_ = true;
      text_ = "rings in GPU memory";
    } catch (const Error& error) {
      if (config.rings == GpuRings::kDevice) throw;
      text_ = fmt::format("rings in host memory (not in the GPU's: {})", error.what());
    }
  }
  if (!in_gpu_memory_) {
    take_pinned(nic, gpu, bytes);
    if (text_.empty()) text_ = "rings in host memory";
  }
  // By different paths, a read of the CQE says nothing about the packet: PCIe orders what takes the
  // same path only, and kernels cannot flush the other one. A NIC may wait, and say that it does.
  const bool device_headers =
      config.headers ? config.headers->mempool == MempoolKind::kGpu : device_packets;
  const bool one_path = in_gpu_memory_ == device_packets && device_headers == device_packets;
  if (!one_path && !gpu.shared_memory_follows_device_memory() &&
      !mlx5::Capabilities::query(nic.context()).completion_follows_data) {
    if (device_headers != device_packets) {
      throw usage_error(
          fmt::format("headers and data in memory of different kinds take different paths from {} "
                      "to {}: a CQE could overtake one of them; {}",
                      nic.pci_address(), gpu.info().name, text_),
          "give both memory regions the same kind");
    }
    throw usage_error(
        fmt::format("packets in {} memory and completion queues in {} memory take different paths "
                    "from {} to {}: a CQE could overtake its packet; {}",
                    device_packets ? "GPU" : "host", in_gpu_memory_ ? "GPU" : "host",
                    nic.pci_address(), gpu.info().name, text_),
        in_gpu_memory_ ? "use --mp-alloc=gpu, or --gpu-rings=pinned" : "use --mp-alloc=gpu-pinned");
  }
}

void RingPlace::take_device(const Nic& nic, GpuDevice& gpu, std::size_t bytes) {
  if (!gpu.device_writes_are_ordered()) {
    throw Error(
        fmt::format("{} shows kernels a NIC's writes in order only after a flush", gpu.info().name),
        "use --mp-alloc=gpu-pinned");
  }
  GpuMemory memory = gpu.allocate(bytes, mlx5::RingArena::kPage);
  std::string why_not;
  std::uint64_t offset = 0;
  const auto dmabuf = gpu.export_dmabuf(memory, offset, why_not);
  if (!dmabuf) {
    throw Error(fmt::format("{} does not export its memory: {}", gpu.info().name, why_not),
                "use --gpu-rings=pinned");
  }
  umem_.emplace(nic.context(), mlx5::DmaBuf{dmabuf->get(), offset}, memory.size());
  memory_ = std::move(memory);
  access_ = std::make_unique<DeviceAccess>(gpu, memory_);
  arena_.emplace(umem_->id(), memory_.kernel_pointer<std::uint8_t>(), memory_.size(), *access_);
}

void RingPlace::take_pinned(const Nic& nic, GpuDevice& gpu, std::size_t bytes) {
  memory_ = gpu.allocate_shared(bytes, mlx5::RingArena::kPage);
  access_ = std::make_unique<mlx5::DirectAccess>(memory_.data());
  umem_.emplace(nic.context(), memory_.data(), memory_.size());
  arena_.emplace(umem_->id(), memory_.kernel_pointer<std::uint8_t>(), memory_.size(), *access_);
}

}  // namespace ringside
