// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// An mlx5 NIC whose verbs context and protection domain are ours, with the PMD plugged onto them:
// only so does the PMD steer packets to queues that Ringside made.
#pragma once

#include <cstdint>
#include <string>

#include "lib/dpdk/eal_arguments.hpp"
#include "lib/mlx5/context.hpp"
#include "lib/mlx5/domain.hpp"

namespace ringside {

class Nic {
 public:
  /// `devargs` for the PMD come before the user's own. Throws Error.
  Nic(const NicArgument& argument, const std::string& devargs);
  /// Unplugs the PMD, then closes the context. The port has to be closed.
  ~Nic();
  Nic(const Nic&) = delete;
  Nic& operator=(const Nic&) = delete;

  const mlx5::Context& context() const noexcept { return context_; }
  const mlx5::Pd& pd() const noexcept { return pd_; }
  /// The ethdev port that the PMD made.
  std::uint16_t port() const noexcept { return port_; }
  const std::string& pci_address() const noexcept { return context_.pci_address(); }

 private:
  mlx5::Context context_;
  mlx5::Pd pd_;
  std::uint16_t port_;
};

}  // namespace ringside
