// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packet programs, in one list: tables of kernels, for the host and for CUDA, are made from it.
#pragma once

#include "kernels/io.hpp"
#include "kernels/mac.hpp"
#include "kernels/macswap.hpp"
#include "kernels/rxonly.hpp"
#include "kernels/txonly.hpp"

namespace ringside {

template <Program... P>
struct ProgramList {};

using AllPrograms = ProgramList<Io, Mac, MacSwap, RxOnly, TxOnly>;

}  // namespace ringside
