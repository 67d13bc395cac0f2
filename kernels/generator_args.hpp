// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the program generator makes and how fast, laid out by the CPU (ProgramArgs::own). It lies in
// GPU memory and does not change while a kernel runs.
#pragma once

#include <cstdint>

#include "lib/device/tx_offload.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

inline constexpr std::uint32_t kMaxGeneratorSizes = 64;
/// Bytes of a frame's number, big-endian, behind its headers.
inline constexpr std::uint32_t kFrameNumberBytes = 8;
inline constexpr std::uint32_t kFrameNumberAt = kUdpFrameHeaders;
struct GeneratorSize {
  std::uint32_t length;   ///< bytes without FCS, at least kFrameNumberAt + kFrameNumberBytes
  std::uint32_t ip_sum;   ///< RFC 1071's, not folded, of all but what changes from frame to frame
  std::uint32_t udp_sum;  ///< with that of the pseudo header
  std::uint8_t headers[kUdpFrameHeaders];  ///< fields of GeneratorField and checksums: 0
  std::uint64_t pace;  ///< ticks from a frame of this size to the next one; 0: none
  bool operator==(const GeneratorSize&) const = default;
};

/// Fields that may differ from frame to frame.
enum class GeneratorField : std::uint32_t {
  kSourceAddress,
  kDestinationAddress,
  kSourcePort,
  kDestinationPort,
  kCount,
};
inline constexpr std::uint32_t kGeneratorFields =
    static_cast<std::uint32_t>(GeneratorField::kCount);

/// first to first + count - 1; `count` is 1 to 2^32.
struct GeneratorRange {
  std::uint64_t count;
  std::uint32_t first;
  bool operator==(const GeneratorRange&) const = default;
};

/// A queue's share: it makes the frames number first, first + step, ... Number n has size
/// n % size_count, and value n % count of each range, or one that is drawn by n and the seed.
struct GeneratorArgs {
  std::uint64_t first;
  std::uint64_t step;
  std::uint64_t count;  ///< of frames to make
  std::uint64_t seed;
  GeneratorRange ranges[kGeneratorFields];
  bool random;
  TxOffload offload;  ///< of the queue
  std::uint32_t size_count;
  GeneratorSize sizes[kMaxGeneratorSizes];
  bool operator==(const GeneratorArgs&) const = default;
};

}  // namespace ringside
