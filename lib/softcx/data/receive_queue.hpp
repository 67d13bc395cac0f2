// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Puts a frame into a receive queue: scatter list, buffers, completion.
#pragma once

#include <cstdint>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/frame.hpp"
#include "lib/softcx/steering/classify.hpp"

namespace softcx {

enum class Delivery : std::uint8_t {
  kDelivered,
  kNoBuffer,     ///< nothing posted; the queue is as it was
  kNotReady,     ///< the queue is in reset or in error
  kLengthError,  ///< longer than the posted buffers: an error CQE, the queue goes on
  kProtection,   ///< a bad lkey or address: an error CQE, the queue is in error
  kCqOverrun,    ///< the completion queue has failed: the queue is in error
};

/// Delivers into `rq`. Whoever calls counts the outcome.
Delivery deliver(Rq& rq, const Frame& frame, const Verdict& verdict, const HeaderFacts& facts,
                 std::uint64_t timestamp) noexcept;

/// Gives back what is posted to a queue in error: a completion for each WQE.
void flush_in_error(Rq& rq) noexcept;

}  // namespace softcx
