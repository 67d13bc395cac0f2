// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the device can do at most: told by QUERY_HCA_CAP, held by the commands.
#pragma once

#include <cstdint>

namespace softcx {

inline constexpr std::uint32_t kLogMaxQueueDepth = 15;  ///< SQ (64-byte blocks) and RQ (WQEs)
inline constexpr std::uint32_t kLogMaxCqDepth = 22;
inline constexpr std::uint32_t kLogMaxObjects = 16;  ///< of each kind, as told
inline constexpr std::uint32_t kLogMaxRqtSize = 9;
inline constexpr std::uint32_t kLogSendStride = 6;
inline constexpr std::uint32_t kLogMinReceiveStride = 4;
inline constexpr std::uint32_t kLogMaxReceiveStride = 9;  ///< 32 scatter entries
inline constexpr std::uint32_t kLogMinStrideBytes = 6;
inline constexpr std::uint32_t kLogMaxStrideBytes = 13;
inline constexpr std::uint32_t kLogMinStrides = 3;
inline constexpr std::uint32_t kLogMaxStrides = 13;  ///< of a WQE: a CQE counts them in 14 bits
/// Bytes of a striding WQE's buffer.
inline constexpr std::uint32_t kLogMinStridingBuffer = kLogMinStrideBytes + kLogMinStrides;
inline constexpr std::uint32_t kMaxSendWqeBytes = 1024;
inline constexpr std::uint32_t kMaxReceiveWqeBytes = 1U << kLogMaxReceiveStride;
inline constexpr std::uint32_t kMaxQCounters = 255;  ///< counter_set_id has 8 bits, 0 is none
inline constexpr std::uint32_t kLogMaxFlowCounterBulk = 17;
inline constexpr std::uint32_t kLogMaxKeyBytes = 40;
inline constexpr std::uint32_t kEventQueueNumber = 1;

}  // namespace softcx
