// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU data path: lcores move mbufs between the PMD's own queues. They touch no packet data, so
// that the buffers may lie in GPU memory.
#pragma once

#include "lib/runtime/pmd_datapath.hpp"

namespace ringside {

class CpuDatapath final : public PmdDatapath {
 public:
  /// Throws a usage error when EAL has fewer worker lcores than `nb_cores`.
  CpuDatapath(const RuntimeConfig& config, const std::vector<std::unique_ptr<EthPort>>& ports)
      : PmdDatapath(config, ports) {}
  ~CpuDatapath() override { end(); }

  void start(const ForwardMode& mode, std::uint32_t tx_first) override;
  std::string describe(std::uint16_t port) const override;

 private:
  bool serve(PmdStream& stream) override;

  bool sends_ = false;
};

}  // namespace ringside
