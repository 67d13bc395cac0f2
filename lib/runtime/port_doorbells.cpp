// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/port_doorbells.hpp"

#include "lib/base/error.hpp"

namespace ringside {

DoorbellTarget PortDoorbells::add(GpuDevice& gpu, std::uint64_t* doorbell) {
  if (choice_ == GpuDoorbells::kCpu) return by_cpu(doorbell, "doorbells by a CPU thread");
  try {
    const DoorbellView view = mapped_.emplace_back(gpu, doorbell).view();
    if (text_.empty()) {
      const std::string how = view.mapped_as;
      text_ = "doorbells by the GPU" + (how.empty() ? "" : fmt::format(" (as {})", how));
    }
    return DoorbellTarget::queue_register(view.kernel_pointer);
  } catch (const Error& error) {
    if (choice_ == GpuDoorbells::kGpu) throw;
    return by_cpu(doorbell, fmt::format("doorbells by a CPU thread ({})", error.problem()));
  }
}

DoorbellTarget PortDoorbells::by_cpu(std::uint64_t* doorbell, const std::string& text) {
  text_ = text;
  return proxy_.add(doorbell);
}

}  // namespace ringside
