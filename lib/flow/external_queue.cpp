// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/flow/external_queue.hpp"

#include <rte_errno.h>
#include <rte_pmd_mlx5.h>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"

namespace ringside {
namespace {

// Renamed after 22.11.
#ifdef RTE_PMD_MLX5_EXTERNAL_RX_QUEUE_ID_MIN
constexpr std::uint16_t kIdMin = RTE_PMD_MLX5_EXTERNAL_RX_QUEUE_ID_MIN;
#else
constexpr std::uint16_t kIdMin = MLX5_EXTERNAL_RX_QUEUE_ID_MIN;
#endif

}  // namespace

const std::uint16_t ExternalQueue::kFirstId = kIdMin;
const std::uint16_t ExternalQueue::kMaxPerPort = UINT16_MAX - kIdMin + 1;

ExternalQueue::ExternalQueue(std::uint16_t port, std::uint16_t index, std::uint32_t rqn)
    : port_(port), id_(static_cast<std::uint16_t>(kFirstId + index)) {
  if (index >= kMaxPerPort) {
    throw usage_error(fmt::format("port {}: exported receive queue {}", port, index),
                      fmt::format("a port can export {}", kMaxPerPort));
  }
  if (rte_pmd_mlx5_external_rx_queue_id_map(port, id_, rqn) != 0) {
    throw Error(fmt::format("port {}: receive queue {:#x} cannot be mapped to id {}, {}", port, rqn,
                            id_, dpdk_errno_text(rte_errno)),
                "the PMD has to run on Ringside's verbs context; was the port probed by EAL?");
  }
}

ExternalQueue::~ExternalQueue() {
  rte_pmd_mlx5_external_rx_queue_id_unmap(port_, id_);
}

}  // namespace ringside
