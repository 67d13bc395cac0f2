// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_gpu.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "lib/base/error.hpp"
#include "lib/gpu/align.hpp"
#include "lib/gpu/cuda_api.hpp"
#include "lib/gpu/cuda_burst_run.hpp"
#include "lib/gpu/cuda_doorbells.hpp"
#include "lib/gpu/cuda_driver.hpp"
#include "lib/gpu/cuda_kernel_run.hpp"
#include "lib/gpu/cuda_module.hpp"
#include "lib/gpu/mapping.hpp"

namespace ringside {
namespace {

class CudaGpu final : public GpuDevice {
 public:
  CudaGpu(GpuInfo info, std::shared_ptr<CudaMemory> memory)
      : GpuDevice(std::move(info)), memory_(std::move(memory)), module_(memory_) {}

  std::uint32_t block_threads(std::uint32_t asked) const override {
    const std::uint32_t threads = asked == 0 ? kDefaultBlockThreads : asked;
    CudaKernelRun::check_block_threads(threads);
    return threads;
  }
  // The NIC writes the one over the GPU's PCIe link and the other to the host's memory.
  bool shared_memory_follows_device_memory() const override { return false; }
  bool runs_host_functions() const override { return false; }

  bool device_writes_are_ordered() const override {
    int scope = CU_GPU_DIRECT_RDMA_WRITES_ORDERING_NONE;
    cuda().cuDeviceGetAttribute_(&scope, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING,
                                 memory_->device());
    return scope >= CU_GPU_DIRECT_RDMA_WRITES_ORDERING_OWNER;
  }

  std::optional<UniqueFd> export_dmabuf(const GpuMemory& memory, std::uint64_t& offset,
                                        std::string& why_not) override {
    const auto fd = memory_->export_fd(memory.data(), memory.size(), why_not);
    if (!fd) return std::nullopt;
    offset = 0;
    return UniqueFd(*fd);
  }

  void copy_to_device(const GpuMemory& to, std::size_t offset, const void* from,
                      std::size_t size) override {
    const CurrentContext current(memory_->context());
    cuda().check(cuda().cuMemcpyHtoD_(device_address(to, offset, size), from, size),
                 fmt::format("copy {} bytes to {}", size, info().name));
  }

  void store_to_device(const GpuMemory& to, std::size_t offset, std::uint64_t value) override {
    // Copies of one stream follow each other, and one of eight aligned bytes is one write. It has
    // been made when this returns: the memory's copies are synchronous (CudaMemory::allocate).
    copy_to_device(to, offset, &value, sizeof value);
  }

  void copy_from_device(void* to, const GpuMemory& from, std::size_t offset,
                        std::size_t size) override {
    const CurrentContext current(memory_->context());
    cuda().check(cuda().cuMemcpyDtoH_(to, device_address(from, offset, size), size),
                 fmt::format("copy {} bytes from {}", size, info().name));
  }

  void add_kernel(const UserKernel& kernel) override { module_.add(kernel); }
  bool add_kernel(const KernelSource& source, std::string& why_not) override {
    return module_.add(source, why_not);
  }

  std::unique_ptr<PersistentKernel> launch(const LaunchConfig& config) override {
    return std::make_unique<CudaKernelRun>(module_.kernel(config.kernel), config, *this, memory_);
  }

  std::unique_ptr<BurstRun> start_bursts(const BurstRunConfig& config) override {
    return std::make_unique<CudaBurstRun>(module_, config, *this, memory_);
  }

 private:
  DoorbellView map_doorbell(std::uint64_t* doorbell) override {
    return CudaDoorbells::map(memory_, doorbell);
  }
  void unmap_doorbell(std::uint64_t* doorbell) noexcept override { CudaDoorbells::unmap(doorbell); }

  // One address space for the CPU, the GPU and, by iova = address, the NIC.
  std::int64_t view_offset(std::uint8_t*) override { return 0; }

  std::uint8_t* allocate_shared_raw(std::size_t size, std::size_t alignment) override {
    // Ordinary memory, registered: it can be aligned as asked, and whoever else maps or registers
    // memory of the process (a NIC, real or in software) finds nothing unusual about it.
    const std::size_t bytes = round_up(size, kHostPage);
    Mapping mapping = Mapping::for_devices(bytes, std::max(alignment, kHostPage));
    if (!mapping) {
      throw Error(fmt::format("cannot allocate {} bytes of pinned memory: {}", bytes,
                              ringside::errno_text(errno)),
                  "ask for fewer or shorter queues");
    }
    const CurrentContext current(memory_->context());
    cuda().check(
        cuda().cuMemHostRegister_(mapping.data(), bytes,
                                  CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
        fmt::format("pin {} bytes of host memory for {}", bytes, info().name));
    return mapping.release();
  }

  void free_shared_raw(std::uint8_t* data, std::size_t size) noexcept override {
    if (memory_->kernel_runs()) {
      log_cuda_freed_while_running(info().name.c_str(), "free pinned memory", data);
      return;  // leaked: the kernel may still use it
    }
    const ContextGuard current(memory_->context());
    cuda().cuMemHostUnregister_(data);
    ::munmap(data, round_up(size, kHostPage));
  }

  static CUdeviceptr device_address(const GpuMemory& memory, std::size_t offset, std::size_t size) {
    if (offset > memory.size() || size > memory.size() - offset) {
      throw Error(fmt::format("a copy of {} bytes at offset {} leaves the {} bytes of GPU memory",
                              size, offset, memory.size()),
                  "");
    }
    return reinterpret_cast<CUdeviceptr>(memory.data()) + offset;
  }

  static constexpr std::size_t kHostPage = 4096;
  // Workers for 48 CQEs at a time, which is more than a common burst, and a warp that tends.
  static constexpr std::uint32_t kDefaultBlockThreads = 128;

  const std::shared_ptr<CudaMemory> memory_;
  CudaModule module_;
};

}  // namespace

std::unique_ptr<GpuDevice> open_cuda_gpu(const GpuInfo& info) {
  auto memory = cuda_memory_of(info.name.c_str());
  if (!memory) return nullptr;
  GpuInfo complete = info;
  complete.driver = kCudaDriverName;
  return std::make_unique<CudaGpu>(std::move(complete), std::move(memory));
}

}  // namespace ringside
