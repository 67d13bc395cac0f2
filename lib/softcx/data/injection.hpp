// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Faults of single queues, which `softcx run --fault` asks for.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/softcx/data/receive_queue.hpp"
#include "lib/softcx/data/transmitter.hpp"

namespace softcx {

/// Transmitter::run() for a queue with faults: what is due strikes, and no more is sent than up to
/// the next. 0 while the queue stands still.
std::uint32_t run_with_faults(Transmitter& transmitter, Sq& sq, std::uint32_t budget) noexcept;

/// A packet has come for a queue with faults that has a buffer. An outcome: the packet met a fault.
std::optional<Delivery> strike_receive(Rq& rq) noexcept;

}  // namespace softcx
