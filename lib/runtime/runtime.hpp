// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The running system as the command line sees it: ports, their GPU or CPU data path, counters.
// One Runtime a process (EAL can be initialised once). Not thread-safe: one control thread, except
// port_stats() and send_frame(), which may be called from another.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/flow/flow_spec.hpp"

namespace ringside {

/// kLaunch: the PMD's queues, with kernels that the CPU launches in between.
enum class Datapath : std::uint8_t { kGpu, kCpu, kLaunch };
/// How packets reach a kernel: it drives the rings itself, or as the CPU hands bursts to it.
enum class GpuLaunch : std::uint8_t { kPersistent, kPerBurst, kGraph, kCommList };
/// As --gpu-launch names them, in that order.
inline constexpr std::array<std::string_view, 4> kGpuLaunchNames = {"persistent", "per-burst",
                                                                    "graph", "comm-list"};
/// kGpuPinned: host memory that the GPU reads and writes over PCIe.
enum class MempoolKind : std::uint8_t { kNative, kGpu, kGpuPinned };
constexpr bool is_for_gpu(MempoolKind kind) {
  return kind != MempoolKind::kNative;
}
/// As --mp-alloc names them, in the order of MempoolKind.
inline constexpr std::array<std::string_view, 3> kMempoolKindNames = {"native", "gpu",
                                                                      "gpu-pinned"};

/// Who rings the doorbells of the GPU data path: its kernels, or a CPU thread for them. kAuto: the
/// kernels where they may.
enum class GpuDoorbells : std::uint8_t { kAuto, kGpu, kCpu };
/// As --gpu-doorbells names them, in that order.
inline constexpr std::array<std::string_view, 3> kGpuDoorbellsNames = {"auto", "gpu", "cpu"};

/// Where the GPU data path's rings lie. kAuto: see lib/runtime/gpu_ring_memory.hpp.
enum class GpuRings : std::uint8_t { kAuto, kDevice, kPinned };
/// As --gpu-rings names them, in the order of GpuRings.
inline constexpr std::array<std::string_view, 3> kGpuRingsNames = {"auto", "device", "pinned"};

class GpuDevice;
struct UserKernel;  // kernels/user_kernel.hpp

/// Header-data split: where the first bytes of each packet go, the rest is in the mempool's
/// buffers.
struct HeaderBuffers {
  MempoolKind mempool = MempoolKind::kGpuPinned;  ///< for the GPU
  std::uint16_t mbuf_size = 256;                  ///< bytes, headroom included
  std::uint32_t mbufs = 0;                        ///< 0: what the queues need, times 1.5
};

/// Striding receive: packets share a buffer, each in as many strides as it needs.
struct RxStrides {
  std::uint32_t bytes = 256;  ///< of a stride: a power of two
  std::uint32_t count = 64;   ///< strides a buffer: a power of two
};

/// What a stream joins.
struct StreamQueues {
  std::uint16_t rx_port, rx_queue, tx_port, tx_queue;
  std::uint64_t tx_bit_rate = 0;  ///< frames with FCS, a second; 0: as fast as it can
};

/// A block of a program, and the stream that it serves.
struct ProgramBlock {
  std::size_t stream;
  const void* own;           ///< ProgramArgs::own
  std::uint32_t ring_depth;  ///< packets between it and the block before, a power of two
};
/// A kernel. A stream with a block in each of several kernels has its packets handed from one to
/// the next, in the order of the kernels.
struct ProgramLaunch {
  std::string kernel;               ///< its name in the kernel registry
  std::uint32_t threads_per_block;  ///< 0: what suits the GPU
  std::vector<ProgramBlock> blocks;
  /// From a receive queue, or from a kernel before; and the same of sends.
  bool receives = true, sends = true;
};

/// Buffers a queue has for frames that the kernel makes itself, unless more are asked for.
inline constexpr std::uint32_t kOwnTxBuffers = 32;

/// All options of `ringside testpmd` that reach below the command line. Defaults are testpmd's
/// unless a comment says otherwise.
struct RuntimeConfig {
  std::vector<std::string> eal_args;  ///< argv[0] and the EAL options as the user wrote them
  MempoolKind mempool = MempoolKind::kNative;
  Datapath datapath = Datapath::kGpu;             ///< all but kCpu need a mempool for the GPU
  GpuLaunch gpu_launch = GpuLaunch::kPersistent;  ///< another one with kLaunch, and only then
  /// gpudev's; port i has the one at i modulo their number (lib/runtime/gpu_placement.hpp).
  std::vector<int> gpu_ids = {0};
  GpuRings rings = GpuRings::kAuto;
  GpuDoorbells doorbells = GpuDoorbells::kAuto;
  std::uint16_t rx_queues = 1;
  std::uint16_t tx_queues = 1;
  std::uint16_t rx_descriptors = 1024;  ///< a power of two for the GPU data path
  std::uint16_t tx_descriptors = 1024;
  std::uint16_t burst = 32;
  std::uint32_t total_mbufs = 0;   ///< 0: what the queues need, times 1.5
  std::uint16_t mbuf_size = 2176;  ///< bytes, headroom included; 0: what `strides` need, filled in
  /// GPU data path, and programs that take split packets. Empty: packets are whole.
  std::optional<HeaderBuffers> headers;
  /// GPU data path; then rx_descriptors are strides. Empty: each packet has a buffer of its own.
  std::optional<RxStrides> strides;
  std::uint32_t max_packet_length = 0;        ///< FCS included, 0: 1518; sets the MTU
  std::uint32_t own_buffers = kOwnTxBuffers;  ///< of a queue of the GPU data path
  std::uint32_t own_frame_length = 64;        ///< of the frames of txonly and tx_first, without FCS
  std::uint16_t nb_cores = 1;
  std::uint32_t threads_per_block = 0;  ///< of kernels; 0: what suits the GPU, filled in
  bool promiscuous = true;
  std::string forward_mode = "io";
  /// GPU data path. Ports are counted as the NICs are named; each queue is in one stream at most.
  /// Empty: queue q of a port to queue q of its peer.
  std::vector<StreamQueues> streams;
  std::uint32_t blocks_per_stream = 1;  ///< at most; GPU data path
  /// GPU data path: how often in a row queues that an error has stopped are recovered while kernels
  /// run. Then, and by 0 at once, the stream ends; the next start recovers it.
  std::uint32_t recovery_limit = 5;
  /// GPU data path, by port, counted so too. Empty: RSS over all queues.
  std::vector<PortFlows> flows;
  /// GPU data path: where a run's trace goes when it ends (lib/runtime/trace_file.hpp). Empty:
  /// nothing is traced.
  std::string trace_file;
  std::uint32_t trace_events = 1U << 16;  ///< that each of a stream's two rings holds at least
};

struct PortInfo {
  std::uint16_t port;
  std::string device_name;  ///< PCI address
  std::string driver_name;
  std::string mac_address;  ///< aa:bb:cc:dd:ee:ff, upper case as testpmd prints it
  int socket;
  bool link_up;
  std::uint32_t link_speed_mbps;  ///< 0: none, UINT32_MAX: unknown
  bool full_duplex;
  std::uint16_t mtu;
  bool promiscuous;
  std::uint16_t rx_queues, tx_queues, max_rx_queues, max_tx_queues;
  std::uint16_t rx_descriptors, tx_descriptors;
  std::uint64_t tx_offloads;  ///< RTE_ETH_TX_OFFLOAD_* that its send queues have
  std::string rings;          ///< what drives the queues and where the rings lie, in words
};

/// PMD, kernels and Q counters joined.
struct PortStats {
  std::uint64_t rx_packets, rx_bytes, rx_missed, rx_errors, rx_nombuf;
  std::uint64_t tx_packets, tx_bytes, tx_errors;
};

/// What a stream's kernel counts of its two queues beside packets, since the run began.
struct QueueCounts {
  std::uint64_t rx_batches;    ///< that held at least one packet
  std::uint64_t tx_doorbells;  ///< rung; each hands the NIC a batch
  std::uint64_t tx_cqes;       ///< completions taken; each is of all sends before it
  std::uint64_t tx_waits;      ///< times the send ring was full: packets then wait with the NIC
  std::uint64_t tx_in_flight;  ///< packets, now: posted and not known to be sent
};

/// Of one forwarding run, from start to stop.
struct StreamStats {
  std::uint16_t rx_port, rx_queue, tx_port, tx_queue;
  std::uint64_t rx_packets, rx_bytes, rx_errors;
  std::uint64_t tx_packets, tx_bytes;  ///< without those of tx_errors
  std::uint64_t tx_generated;          ///< frames of the GPU data path's own, sent or lost
  std::uint64_t tx_errors;             ///< posted and lost; among the dropped too
  std::uint64_t consumed;
  std::uint64_t dropped;  ///< sum of the causes
  std::vector<std::pair<std::string, std::uint64_t>> drop_causes;
  std::string error;                                 ///< what stopped the stream, or empty
  std::optional<QueueCounts> queues = std::nullopt;  ///< GPU data path
};

/// Takes what is being done, a literal as "stop the ports".
using CloseStep = std::function<void(const char* step)>;

class Runtime {
 public:
  /// EAL, GPU, pools, ports started and steered. Throws Error.
  static std::unique_ptr<Runtime> create(RuntimeConfig config);
  virtual ~Runtime() = default;

  virtual const RuntimeConfig& config() const = 0;
  virtual std::vector<std::uint16_t> ports() const = 0;
  /// Throws usage_error for an unknown port.
  virtual PortInfo port_info(std::uint16_t port) = 0;
  virtual PortStats port_stats(std::uint16_t port) = 0;
  virtual void clear_port_stats(std::uint16_t port) = 0;

  /// Takes effect at the next start. Throws usage_error for an unknown mode (lists the known ones).
  virtual void set_forward_mode(const std::string& mode) = 0;
  virtual std::vector<std::string> forward_modes() const = 0;
  virtual bool forwarding() const = 0;
  /// Throws Error when already forwarding. `tx_first`: bursts to send on each stream before, in a
  /// mode that receives and sends.
  virtual void start_forwarding(std::uint32_t tx_first) = 0;
  /// Makes a kernel of the application's known to start_programs(), on all GPUs. Throws
  /// usage_error: forwarding has started, the name is taken, or it has no code for a GPU.
  virtual void add_kernel(const UserKernel& kernel) = 0;
  /// Starts kernels by their names, on the GPU data path. Each stream has a block at least, and all
  /// of them run at once. Throws Error.
  virtual void start_programs(const std::vector<ProgramLaunch>& launches) = 0;
  /// Bounded; throws Error naming the block that did not stop, the fault that ended them, or why
  /// the run's trace was not written: close() then tries again.
  virtual void stop_forwarding() = 0;
  /// Of the current run, or the last one.
  virtual std::vector<StreamStats> stream_stats() = 0;
  virtual void clear_stream_stats() = 0;
  /// Of a traced run that has ended: where its time went, once; else empty.
  virtual std::string take_latency_report() { return ""; }
  /// What happened since the last call, each to be printed once: errors that stopped a stream, or
  /// all of them; queues that stand still or go on again; links that went down or up. None but the
  /// errors, which streams and stop_forwarding() have too, is a failure. To be called every few
  /// seconds at least: it also keeps up with counters of 32 bits.
  virtual std::vector<std::string> take_events() = 0;

  /// Whose kernel serves a stream, on the GPU data path. Its memory has to be given back before
  /// close().
  virtual GpuDevice& gpu_of_stream(std::size_t stream) = 0;
  /// Changes a port's flows while packets come, none of which meets neither the former nor the new
  /// ones. GPU data path. Throws Error; the former ones hold then.
  virtual void change_flows(std::uint16_t port, const PortFlows& flows) = 0;
  /// Of a port's flows that count.
  virtual std::vector<FlowHits> flow_counts(std::uint16_t port) = 0;

  /// Sends a frame of the CPU's, which fits the port's MTU, by a queue that no kernel drives.
  /// false: there is no room now. GPU data path; from one thread, any, while the port is started.
  virtual bool send_frame(std::uint16_t port, std::span<const std::uint8_t> frame) = 0;

  virtual void start_port(std::uint16_t port) = 0;
  virtual void stop_port(std::uint16_t port) = 0;
  /// Stops kernels, gives buffers back, closes ports, cleans EAL up. Idempotent. The wait for
  /// kernels is bounded; a driver's commands are not: `tell` hears of each step before it begins.
  /// Throws Error: of a block that did not stop, and then all else is left to the process's end; or
  /// of what failed beside, once all is closed.
  virtual void close(const CloseStep& tell) = 0;
};

}  // namespace ringside
