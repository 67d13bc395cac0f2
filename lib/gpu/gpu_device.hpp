// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A GPU as Ringside uses it: a gpudev device, NVIDIA's or one made of host threads (gpu_host).
// Callers cannot tell which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/device/stream.hpp"
#include "lib/gpu/burst_run.hpp"
#include "lib/gpu/kernel_source.hpp"

namespace ringside {

class GpuDevice;

/// Memory from GpuDevice, given back when destroyed (never while a kernel runs: see
/// PersistentKernel).
class GpuMemory {
 public:
  GpuMemory() = default;
  GpuMemory(GpuMemory&& other) noexcept;
  GpuMemory& operator=(GpuMemory&& other) noexcept;
  ~GpuMemory();

  /// Address in the application, also the address (iova) that the NIC is told.
  std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  /// kernel pointer = data() + view_offset()
  std::int64_t view_offset() const noexcept { return view_offset_; }
  template <class T>
  T* kernel_pointer(std::size_t offset = 0) const noexcept {
    return reinterpret_cast<T*>(data_ + view_offset_ + offset);
  }

 private:
  friend class GpuDevice;
  GpuDevice* device_ = nullptr;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::int64_t view_offset_ = 0;
  bool shared_ = false;
};

/// A NIC's doorbell register that is mapped to a GPU.
struct DoorbellView {
  std::uint64_t* kernel_pointer;
  const char* mapped_as;  ///< in words: "I/O memory"; empty: there is nothing to say
};

/// A NIC's doorbell register as kernels write it, for as long as it lives.
class DoorbellMapping {
 public:
  /// `doorbell`: as the CPU writes it. Throws Error where the GPU cannot write it
  /// (doorbell_proxy.hpp then does).
  DoorbellMapping(GpuDevice& device, std::uint64_t* doorbell);
  DoorbellMapping(DoorbellMapping&& other) noexcept;
  DoorbellMapping& operator=(DoorbellMapping&&) = delete;
  ~DoorbellMapping();

  const DoorbellView& view() const noexcept { return view_; }

 private:
  GpuDevice* device_;
  std::uint64_t* doorbell_;
  DoorbellView view_;
};

/// A kernel that runs until it is told to stop.
class PersistentKernel {
 public:
  virtual ~PersistentKernel() = default;
  /// Sets the exit word of every stream. Returns at once.
  virtual void request_stop() noexcept = 0;
  /// Waits for all blocks to end. Throws Error naming the block and the phase it is in when the
  /// deadline passes first, or the error that stopped a stream is the caller's to read in status.
  virtual void join(Deadline deadline) = 0;
  virtual bool running() const noexcept = 0;
};

struct LaunchConfig {
  std::string kernel;  ///< name in the kernel registry (io, ...), or of an added one
  std::uint32_t threads_per_block = 1;  ///< as block_threads() says
  std::vector<StreamArgs> streams;      ///< one block each
  std::vector<unsigned> cpus;           ///< host GPU: CPUs its threads may use; empty: all
};

struct GpuInfo {
  std::int16_t id;
  std::string name;    ///< gpudev device name
  std::string driver;  ///< gpu_host, gpu_cuda
  std::uint64_t total_memory;
  std::uint32_t processor_count;
  std::size_t page_size;
};

class GpuDevice {
 public:
  /// Throws usage errors: no GPU known to gpudev (remedy: add --vdev=gpu_host0), id out of range
  /// (lists the known ones).
  static std::unique_ptr<GpuDevice> open(int gpu_id);
  virtual ~GpuDevice() = default;

  const GpuInfo& info() const noexcept { return info_; }
  /// Threads of a block: `asked`, or what suits the GPU where that is 0. Throws usage_error for a
  /// number that the GPU cannot have.
  virtual std::uint32_t block_threads(std::uint32_t asked) const = 0;
  /// Does who sees the NIC's write to shared memory also see its earlier ones to device memory?
  virtual bool shared_memory_follows_device_memory() const = 0;
  /// Do kernels that see the NIC's write to device memory also see its earlier ones there, with no
  /// flush by the CPU between?
  virtual bool device_writes_are_ordered() const { return true; }
  /// Can kernels call functions of the program (stages of the user's)?
  virtual bool runs_host_functions() const = 0;
  /// Device memory by rte_gpu_mem_alloc, zeroed. Not reachable by the CPU in general.
  GpuMemory allocate(std::size_t size, std::size_t alignment);
  /// Memory that CPU and kernels both reach by plain pointers (pinned), zeroed: rings under softcx,
  /// control words, counters.
  GpuMemory allocate_shared(std::size_t size, std::size_t alignment);
  /// kernel pointer = address + view_offset, of device memory that gpudev has handed out.
  virtual std::int64_t view_offset(std::uint8_t* data) = 0;
  /// The memory as a dma-buf, for ibv_reg_dmabuf_mr with iova = data(); nullopt where the driver
  /// cannot, and why. `offset`: of data() in the dma-buf.
  virtual std::optional<UniqueFd> export_dmabuf(const GpuMemory& memory, std::uint64_t& offset,
                                                std::string& why_not) = 0;
  /// Copies between application memory and device memory (set-up only, synchronous).
  virtual void copy_to_device(const GpuMemory& to, std::size_t offset, const void* from,
                              std::size_t size) = 0;
  /// Stores a whole word that a kernel may be looking at, behind all that was copied before; it is
  /// there when this returns.
  virtual void store_to_device(const GpuMemory& to, std::size_t offset, std::uint64_t value) = 0;
  virtual void copy_from_device(void* to, const GpuMemory& from, std::size_t offset,
                                std::size_t size) = 0;
  /// Makes a kernel of the application's known to launch(). Before any kernel runs. Throws
  /// usage_error: another one has the name, or it has no code for this GPU.
  virtual void add_kernel(const UserKernel& kernel) = 0;
  /// Compiles a kernel that launch() then knows by the name of its entry. Before any kernel runs.
  /// Throws usage_error with what the compiler says. false: the GPU has no compiler, and why.
  virtual bool add_kernel(const KernelSource& source, std::string& why_not) = 0;
  /// Starts one block a stream. Throws usage_error for an unknown kernel (lists the known ones).
  virtual std::unique_ptr<PersistentKernel> launch(const LaunchConfig& config) = 0;
  /// Makes ready for bursts that the CPU receives and sends. Throws as launch() does.
  virtual std::unique_ptr<BurstRun> start_bursts(const BurstRunConfig& config) = 0;

 protected:
  explicit GpuDevice(GpuInfo info) : info_(std::move(info)) {}
  friend class GpuMemory;
  friend class DoorbellMapping;
  /// Pages of several queues are counted.
  virtual DoorbellView map_doorbell(std::uint64_t* doorbell) = 0;
  virtual void unmap_doorbell(std::uint64_t* doorbell) noexcept = 0;
  virtual std::uint8_t* allocate_shared_raw(std::size_t size, std::size_t alignment) = 0;
  virtual void free_shared_raw(std::uint8_t* data, std::size_t size) noexcept = 0;
  GpuInfo info_;
};

}  // namespace ringside
