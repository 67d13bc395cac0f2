// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_gpu.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "kernels/registry.hpp"
#include "lib/base/error.hpp"
#include "lib/gpu/align.hpp"
#include "lib/gpu/doorbell_refusal.hpp"
#include "lib/gpu/host_burst_run.hpp"
#include "lib/gpu/host_driver.hpp"
#include "lib/gpu/host_kernel_run.hpp"
#include "lib/gpu/kernel_name_taken.hpp"
#include "lib/gpu/mapping.hpp"

namespace ringside {
namespace {

std::size_t cpu_page_size() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class HostGpu final : public GpuDevice {
 public:
  HostGpu(GpuInfo info, std::shared_ptr<HostMemory> memory)
      : GpuDevice(std::move(info)), memory_(std::move(memory)) {}

  std::uint32_t block_threads(std::uint32_t asked) const override {
    // One: threads of a CPU gain nothing from sharing a batch, and pay for its barriers.
    const std::uint32_t threads = asked == 0 ? 1 : asked;
    HostKernelRun::check_block_threads(threads);
    return threads;
  }
  // All is one memory, but for opaque memory, which stands for a GPU's own.
  bool shared_memory_follows_device_memory() const override { return !memory_->config().opaque; }
  bool runs_host_functions() const override { return true; }
  void add_kernel(const UserKernel& added) override {
    if (find(added.name) != nullptr) throw kernel_name_taken(added.name);
    added_.push_back(HostKernel{added.name, added.run, nullptr, nullptr, true, true});
  }
  bool add_kernel(const KernelSource&, std::string& why_not) override {
    why_not = "its kernels are functions of the program";
    return false;
  }

  std::optional<UniqueFd> export_dmabuf(const GpuMemory& memory, std::uint64_t& offset,
                                        std::string& why_not) override {
    const auto place = memory_->find(memory.data());
    if (!place) {
      why_not = "it is no memory of the device";
      return std::nullopt;
    }
    offset = place->offset;
    UniqueFd fd = memory_->export_fd(memory.data());
    if (!fd) {
      throw Error(fmt::format("cannot export the memory at {} of {}: {}", fmt::ptr(memory.data()),
                              info_.name, errno_text(errno)),
                  "");
    }
    return fd;
  }

  void copy_to_device(const GpuMemory& to, std::size_t offset, const void* from,
                      std::size_t size) override {
    std::memcpy(reachable(to, offset, size), from, size);
  }

  void store_to_device(const GpuMemory& to, std::size_t offset, std::uint64_t value) override {
    auto* const word = reinterpret_cast<std::uint64_t*>(reachable(to, offset, sizeof value));
    // Release pairs with the acquire of the kernel that looks at it; and no later look of this
    // thread at what the kernel tells passes it.
    std::atomic_ref(*word).store(value, std::memory_order_seq_cst);
  }

  void copy_from_device(void* to, const GpuMemory& from, std::size_t offset,
                        std::size_t size) override {
    std::memcpy(to, reachable(from, offset, size), size);
  }

  std::unique_ptr<PersistentKernel> launch(const LaunchConfig& config) override {
    return std::make_unique<HostKernelRun>(kernel(config.kernel), config,
                                           fmt::format("gpu{}", info_.id), memory_);
  }

  std::unique_ptr<BurstRun> start_bursts(const BurstRunConfig& config) override {
    const HostKernel& program = kernel(config.kernel);
    check_runs_on_bursts(program);
    return std::make_unique<HostBurstRun>(program, config, fmt::format("gpu{}", info_.id), memory_);
  }

 private:
  /// nullptr: unknown.
  const HostKernel* find(std::string_view name) const {
    const auto added = std::ranges::find(added_, name, &HostKernel::name);
    return added != added_.end() ? &*added : find_host_kernel(name);
  }

  const HostKernel& kernel(const std::string& name) const {
    if (const HostKernel* found = find(name); found != nullptr) return *found;
    std::string known;
    for (const auto& kernels : {host_kernels(), std::span<const HostKernel>(added_)}) {
      for (const HostKernel& one : kernels) {
        known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
      }
    }
    throw usage_error(fmt::format("there is no kernel '{}'", name), "known are " + known);
  }

  // The threads write the register as any CPU does.
  DoorbellView map_doorbell(std::uint64_t* doorbell) override {
    if (memory_->config().iomem_denied) throw doorbell_refusal(doorbell, "iomem=denied");
    return {doorbell, ""};
  }
  void unmap_doorbell(std::uint64_t*) noexcept override {}

  std::int64_t view_offset(std::uint8_t* data) override { return memory_->find(data)->view - data; }

  std::uint8_t* allocate_shared_raw(std::size_t size, std::size_t alignment) override {
    // By its name a sanitizing softcx knows which rings kernels may poll, and gives no order there
    // that PCIe does not give.
    const std::string name = memory_->config().opaque ? "shared-" + info_.name : "";
    Mapping mapping = Mapping::for_devices(round_up(size, cpu_page_size()),
                                           std::max(alignment, cpu_page_size()), name);
    if (!mapping) {
      throw Error(
          fmt::format("cannot allocate {} bytes of shared memory: {}", size, errno_text(errno)),
          "ask for fewer or shorter queues");
    }
    return mapping.release();
  }

  void free_shared_raw(std::uint8_t* data, std::size_t size) noexcept override {
    if (memory_->kernel_runs()) {
      log_freed_while_running(info_.name.c_str(), "free shared memory", "cudaFreeHost", data);
      return;  // leaked: threads may still use it
    }
    ::munmap(data, round_up(size, cpu_page_size()));
  }

  static std::uint8_t* reachable(const GpuMemory& memory, std::size_t offset, std::size_t size) {
    if (offset > memory.size() || size > memory.size() - offset) {
      throw Error(fmt::format("a copy of {} bytes at offset {} leaves the {} bytes of GPU memory",
                              size, offset, memory.size()),
                  "");
    }
    return memory.kernel_pointer<std::uint8_t>(offset);
  }

  const std::shared_ptr<HostMemory> memory_;
  std::vector<HostKernel> added_;
};

}  // namespace

std::unique_ptr<GpuDevice> open_host_gpu(const GpuInfo& info) {
  auto memory = host_memory_of(info.name.c_str());
  if (!memory) return nullptr;
  GpuInfo complete = info;
  complete.driver = kHostDriverName;
  return std::make_unique<HostGpu>(std::move(complete), std::move(memory));
}

}  // namespace ringside
