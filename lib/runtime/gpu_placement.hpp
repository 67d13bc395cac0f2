// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which GPU each queue lies with, where ports are spread over several.
//
// A GPU touches its own memory only: no GPU reads or writes another's, so none needs a way to it.
// Packets that a port receives are its GPU's, whose kernel forwards them; so the send queue that a
// stream sends by lies with the GPU of the port that it receives from, whichever port sends. One
// that no stream uses lies with its port's.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "lib/runtime/runtime.hpp"

namespace ringside {

class GpuPlacement {
 public:
  /// Throws usage_error where there are more GPUs than ports.
  GpuPlacement(const RuntimeConfig& config, std::size_t ports);

  /// gpudev's ids. Elsewhere GPUs are counted as they stand here, and ports by position.
  const std::vector<int>& ids() const noexcept { return ids_; }
  std::size_t of_port(std::size_t port) const { return of_port_.at(port); }
  std::size_t of_send_queue(std::size_t port, std::uint16_t queue) const;

  /// The configuration's, or queue q of each port to queue q of its peer.
  const std::vector<StreamQueues>& streams() const noexcept { return streams_; }
  /// Queues that lie with a GPU, in ports of them: of receive or send queues, whichever are more.
  std::size_t ports_on(std::size_t gpu) const;

 private:
  std::size_t queues_a_port_;
  std::vector<int> ids_;
  std::vector<std::size_t> of_port_;
  std::vector<StreamQueues> streams_;
  std::map<std::pair<std::size_t, std::uint16_t>, std::size_t> of_send_queue_;
};

}  // namespace ringside
