// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Tells `softcx run --sanitize` what error CQEs tell the program: which rule a WQE has broken.
#pragma once

#include <cstdint>

#include "lib/softcx/data/key_reader.hpp"
#include "lib/softcx/data/send_wqe.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// A send WQE that failed at `index`, with `available` posted blocks from there on. What its keys
/// were refused for is told by report_key().
[[gnu::cold]] void report_wqe(const Sq& sq, std::uint16_t index, const WqeControl& control,
                              std::uint32_t available, Fault fault);

/// An access of a queue that `keys` has refused.
[[gnu::cold]] void report_key(const Sq& sq, const KeyReader& keys, const KeyAccess& access);
[[gnu::cold]] void report_key(const Rq& rq, const KeyReader& keys, const KeyAccess& access);

}  // namespace softcx
