// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which backend has which bucket of flows (kernels/stages/load_balance.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/stages/load_balance.hpp"
#include "lib/pipeline/stages.hpp"

namespace ringside::pipeline {

/// By weighted rendezvous hashing over what identifies a backend: a bucket changes hands only when
/// its backend goes, or one comes or gains weight that takes it.
std::array<std::uint8_t, stages::kBackendBuckets> fill_buckets(
    std::span<const LoadBalanceStage::Backend> backends);

}  // namespace ringside::pipeline
