// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How the kernels of a port ring its NIC's doorbells: by the registers, which the GPU has to be
// allowed to write, or by a CPU thread's hand.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "lib/gpu/doorbell_proxy.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/mlx5/format/doorbell_target.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

class PortDoorbells {
 public:
  /// `proxy` outlives it.
  PortDoorbells(DoorbellProxy& proxy, GpuDoorbells choice) : proxy_(proxy), choice_(choice) {}

  /// The register of a queue whose kernels run on `gpu`. Throws Error where the choice is the GPU
  /// and it may not.
  DoorbellTarget add(GpuDevice& gpu, std::uint64_t* doorbell);
  /// "doorbells by the GPU", or why they are not.
  const std::string& text() const noexcept { return text_; }

 private:
  DoorbellTarget by_cpu(std::uint64_t* doorbell, const std::string& text);

  DoorbellProxy& proxy_;
  const GpuDoorbells choice_;
  std::deque<DoorbellMapping> mapped_;
  std::string text_;
};

}  // namespace ringside
