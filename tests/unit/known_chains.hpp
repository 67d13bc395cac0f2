// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Chains whose shapes known_shapes.cpp writes out when the tests are built, so that a test runs
// them as a compiler made them.
#pragma once

#include "lib/pipeline/chain_image.hpp"

namespace ringside::test {

inline constexpr int kKnownChains = 3;

/// Number 1 to kKnownChains.
pipeline::ChainImage known_chain(int number);

}  // namespace ringside::test
