// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue that the PMD did not make, under an ethdev queue id, so that flow rules can lead
// to it. The port has to run on a verbs context and protection domain of the application's.
#pragma once

#include <cstdint>

namespace ringside {

class ExternalQueue {
 public:
  /// How many a port can have; ids are the highest ones of 16 bits (64536 and above).
  static const std::uint16_t kMaxPerPort;
  static const std::uint16_t kFirstId;

  /// Maps the RQ numbered `rqn` to id kFirstId + index. Throws Error.
  ExternalQueue(std::uint16_t port, std::uint16_t index, std::uint32_t rqn);
  /// No rule may lead to the queue any more.
  ~ExternalQueue();
  ExternalQueue(const ExternalQueue&) = delete;
  ExternalQueue& operator=(const ExternalQueue&) = delete;

  std::uint16_t id() const noexcept { return id_; }

 private:
  std::uint16_t port_;
  std::uint16_t id_;
};

}  // namespace ringside
