// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a block-scoped send takes and returns.
#pragma once

#include <cstdint>

namespace ringside {

/// A packet to send: where the NIC finds it, and its bytes.
struct TxPacket {
  std::uint64_t iova;
  std::uint32_t length;
};

enum class TxStatus : std::uint32_t {
  kPosted,   ///< or, from a wait: sent
  kFull,     ///< not enough slots came free in time; nothing was written
  kStopped,  ///< by an error CQE: nothing after what is completed is ever sent
};

struct TxSend {
  TxStatus status;
  std::uint64_t end;  ///< kPosted: index after the batch's last WQE, to wait for
};

}  // namespace ringside
