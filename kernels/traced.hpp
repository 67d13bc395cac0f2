// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// traced: io, mac, macswap, rxonly or txonly with a trace of its events (lib/device/traced.hpp).
#pragma once

#include "kernels/io.hpp"
#include "kernels/mac.hpp"
#include "kernels/macswap.hpp"
#include "kernels/rxonly.hpp"
#include "kernels/txonly.hpp"
#include "lib/device/traced.hpp"

namespace ringside {

using Traced = TracedOneOf<Io, Mac, MacSwap, RxOnly, TxOnly>;

}  // namespace ringside
