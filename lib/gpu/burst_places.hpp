// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU's side of a lane of bursts (lib/device/burst.hpp): places in memory that the GPU reaches.
// A place is filled, becomes done, is cleared; that order is the caller's to keep.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "lib/gpu/gpu_device.hpp"

struct rte_gpu_comm_list;
struct rte_mbuf;

namespace ringside {

struct BurstPlacesConfig {
  std::uint32_t count;       ///< of places, 1 to kMaxBurstPlaces
  std::uint32_t capacity;    ///< packets of a burst at most
  std::int64_t view_offset;  ///< of the packets
  ProgramArgs program;
};

class BurstPlaces {
 public:
  virtual ~BurstPlaces() = default;
  BurstPlaces(const BurstPlaces&) = delete;
  BurstPlaces& operator=(const BurstPlaces&) = delete;

  std::uint32_t count() const noexcept { return config_.count; }
  /// As kernels see the places; exit is left open.
  BurstLaneArgs lane_args() const;
  /// Describes up to `capacity` mbufs and makes the place kReady. false: one of them is chained,
  /// and the place stays free.
  [[nodiscard]] bool fill(std::uint32_t place, std::span<rte_mbuf* const> mbufs) noexcept;
  /// The kernel has made it kDone: what it wrote is there.
  virtual bool done(std::uint32_t place) const noexcept = 0;
  virtual void clear(std::uint32_t place) noexcept = 0;
  /// One a packet, once done.
  const Verdict* verdicts(std::uint32_t place) const noexcept;

 protected:
  BurstPlaces(GpuDevice& device, const BurstPlacesConfig& config);

  const BurstPlacesConfig config_;

 private:
  virtual bool put(std::uint32_t place, std::span<rte_mbuf* const> mbufs) noexcept = 0;
  virtual const BurstPacket* kernel_packets(std::uint32_t place) const noexcept = 0;
  virtual BurstState* kernel_state(std::uint32_t place) const noexcept = 0;

  GpuMemory infos_;
  GpuMemory verdicts_;
};

/// Places in pinned memory.
class PinnedPlaces final : public BurstPlaces {
 public:
  PinnedPlaces(GpuDevice& device, const BurstPlacesConfig& config);
  bool done(std::uint32_t place) const noexcept override;
  void clear(std::uint32_t place) noexcept override;

 private:
  bool put(std::uint32_t place, std::span<rte_mbuf* const> mbufs) noexcept override;
  const BurstPacket* kernel_packets(std::uint32_t place) const noexcept override;
  BurstState* kernel_state(std::uint32_t place) const noexcept override;
  BurstPacket* packets(std::uint32_t place) const noexcept;
  BurstState* state(std::uint32_t place) const noexcept;

  GpuMemory packets_;
  GpuMemory states_;
  std::array<std::uint32_t, kMaxBurstPlaces> filled_{};  ///< packets of the last burst
};

/// Items of a gpudev communication list, which only its functions write.
class CommListPlaces final : public BurstPlaces {
 public:
  /// Throws Error when gpudev makes no list.
  CommListPlaces(GpuDevice& device, const BurstPlacesConfig& config);
  bool done(std::uint32_t place) const noexcept override;
  void clear(std::uint32_t place) noexcept override;

 private:
  struct Destroy {
    std::uint32_t items;
    void operator()(rte_gpu_comm_list* list) const noexcept;
  };
  bool put(std::uint32_t place, std::span<rte_mbuf* const> mbufs) noexcept override;
  const BurstPacket* kernel_packets(std::uint32_t place) const noexcept override;
  BurstState* kernel_state(std::uint32_t place) const noexcept override;

  std::unique_ptr<rte_gpu_comm_list, Destroy> list_;
  std::int64_t state_view_offset_;
};

}  // namespace ringside
