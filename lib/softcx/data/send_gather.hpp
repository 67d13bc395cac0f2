// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Looks ahead in a send queue for what its WQEs read from device memory, and has it fetched. WQEs
// are judged when they are executed, not here: the look ends at what cannot be understood.
#pragma once

#include <array>
#include <cstdint>

#include "lib/softcx/data/device_dma.hpp"
#include "lib/softcx/data/send_wqe.hpp"

namespace softcx {

class SendGather {
 public:
  SendGather(const Device& device, DeviceDma& dma) : device_(device), dma_(dma) {}

  /// What became of the look: how far execution may go without a batch, or how far it looked.
  struct Result {
    SendBatch* batch = nullptr;  ///< its copies have begun
    std::uint64_t end = 0;       ///< Sq::consumer up to which nothing, or the batch, is to be read
    bool starved = false;        ///< no batch is free now
  };
  /// Looks at WQEs from `begin`, a value of Sq::consumer, to `end`.
  Result look(Sq& sq, std::uint64_t begin, std::uint64_t end) noexcept;

 private:
  /// What one WQE reads from device memory, of one GPU.
  struct Reads {
    struct Read {
      const std::uint8_t* address;
      std::uint32_t length;
      bool wanted;  ///< not of a frame that is longer than any that is sent
    };
    std::array<Read, ringside::kMaxSegmentsPerWqe> all;
    std::uint32_t count = 0;
    CopyEngine* engine = nullptr;
  };

  /// Fetches plain sends from the batch's GPU, at most `most`; returns how many.
  std::uint32_t add_plain_sends(const Sq& sq, KeyReader& keys, std::uint64_t begin,
                                std::uint32_t most, SendBatch& batch) noexcept;
  void list(const Sq& sq, KeyReader& keys, std::uint16_t index, const WqeControl& control) noexcept;
  void judge(std::uint32_t first, std::uint64_t frame_length) noexcept;
  /// A batch of the GPU that has the listed reads. False: the look ends before them.
  bool find_batch(Result& result) noexcept;
  bool fits(const SendBatch& batch) const noexcept;
  void stage(SendBatch& batch) noexcept;
  static void stage(SendBatch& batch, const std::uint8_t* on_gpu, std::uint32_t length) noexcept;

  const Device& device_;
  DeviceDma& dma_;
  Reads reads_;
  FrameBatch scratch_;
  alignas(64) WrappedWqe wrapped_{};
};

}  // namespace softcx
