// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the NIC does to packets of a send queue of the file.
#pragma once

#include <cstdint>
#include <string>

#include "lib/device/tx_offload.hpp"
#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

TxOffload send_offload(const TxQueue& queue);

/// The first that a device without `capabilities` (RTE_ETH_TX_OFFLOAD_*) does not do, as the file
/// names it; empty: it does all.
std::string missing_offload(const TxOffload& offload, std::uint64_t capabilities);

}  // namespace ringside::pipeline
