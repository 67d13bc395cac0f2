// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_residency.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/gpu/cuda_api.hpp"

namespace ringside {

std::size_t check_residency(CUfunction kernel, std::size_t blocks, std::uint32_t threads_per_block,
                            CUdevice device, std::size_t taken) {
  int processors = 0;
  int of_each = 0;
  cuda().check(
      cuda().cuDeviceGetAttribute_(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
      "read a GPU's properties");
  cuda().check(cuda().cuOccupancyMaxActiveBlocksPerMultiprocessor_(
                   &of_each, kernel, static_cast<int>(threads_per_block), 0),
               "compute a kernel's occupancy");
  const std::size_t free =
      static_cast<std::size_t>(processors) - std::min(taken, static_cast<std::size_t>(processors));
  const std::size_t resident = free * static_cast<std::size_t>(of_each);
  if (blocks > resident) {
    throw usage_error(
        fmt::format("{} blocks of {} threads cannot all be resident on the GPU{}", blocks,
                    threads_per_block,
                    taken == 0 ? "" : fmt::format(" beside kernels on {} processors", taken)),
        fmt::format("use at most {} queues, or smaller blocks (--gpu-block-threads)", resident));
  }
  const auto each = static_cast<std::size_t>(of_each);
  return (blocks + each - 1) / each;
}

}  // namespace ringside
