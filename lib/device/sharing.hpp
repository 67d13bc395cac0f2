// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

namespace ringside {

/// Who uses a queue at the same time.
enum class Sharing {
  kExclusive,  ///< one scope, a thread, a warp or a block: nothing but its own barriers
  kBlock,      ///< any number of scopes of one block: its words need not leave the SM's order
  kGpu,        ///< any number of scopes of any blocks of one GPU
};

}  // namespace ringside
