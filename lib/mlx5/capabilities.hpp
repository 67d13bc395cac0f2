// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What an opened device can do, as far as the rings care.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/mlx5/context.hpp"
#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_wq.hpp"

namespace ringside::mlx5 {

/// What striding receive queues can have: binary logarithms.
struct StrideLimits {
  std::uint32_t min_log_bytes, max_log_bytes;  ///< of a stride
  std::uint32_t min_log_count, max_log_count;  ///< strides of a buffer
  std::uint32_t min_log_buffer;                ///< bytes of a buffer
};

struct Capabilities {
  std::uint32_t max_ring_entries;        ///< of a send or receive queue
  std::uint32_t max_completion_entries;  ///< of a completion queue
  std::uint32_t max_send_queues;
  std::uint32_t max_receive_queues;
  prm::TimestampFormat send_timestamps;  ///< kFreeRunning or kRealTime: what queues ask for
  prm::TimestampFormat receive_timestamps;
  std::optional<StrideLimits> strides;  ///< none: receive queues cannot stride
  prm::InlineMode min_inline;           ///< headers that a send WQE has to carry inline
  bool multi_packet_sends;              ///< enhanced multi-packet WQEs
  bool vlan_insertion;                  ///< send WQEs may ask for a VLAN tag
  bool blue_flame;                      ///< its registers take WQEs
  bool wait_on_time;                    ///< send queues can wait for the clock of send_timestamps
  std::uint32_t clock_khz;              ///< of the free-running counter; 0: not told
  /// A completion never overtakes its packet, also where they lie in different kinds of memory.
  bool completion_follows_data;
  bool bonded;  ///< its ports are one netdev's (LAG)

  /// Throws Error when the device does not answer.
  static Capabilities query(const Context& context);
};

}  // namespace ringside::mlx5
