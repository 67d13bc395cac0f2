// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/external_memory.hpp"

#include <fmt/format.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_memory.h>

#include <algorithm>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"

namespace ringside {

ExternalMemory::ExternalMemory(void* data, std::size_t size, std::size_t page_size) {
  if (rte_extmem_register(data, size, nullptr, 0, page_size) != 0) {
    throw Error(
        fmt::format("cannot register {} bytes at {} with EAL: {}", size, data,
                    dpdk_errno_text(rte_errno)),
        fmt::format("address and size must be multiples of the page size {}, and the memory "
                    "not be registered already",
                    page_size));
  }
  data_ = static_cast<std::uint8_t*>(data);
  size_ = size;
}

ExternalMemory::ExternalMemory(ExternalMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::move(other.mapped_)) {}

ExternalMemory& ExternalMemory::operator=(ExternalMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

ExternalMemory::~ExternalMemory() {
  if (data_ != nullptr) rte_extmem_unregister(data_, size_);
}

std::optional<std::string> ExternalMemory::map_for(rte_device* device) {
  if (std::find(mapped_.begin(), mapped_.end(), device) != mapped_.end()) return std::nullopt;
  mapped_.reserve(mapped_.size() + 1);
  const auto iova = reinterpret_cast<std::uintptr_t>(data_);
  if (rte_dev_dma_map(device, data_, iova, size_) != 0) {
    return fmt::format("{} cannot map {} bytes at {} for DMA: {}", rte_dev_name(device), size_,
                       fmt::ptr(data_), dpdk_errno_text(rte_errno));
  }
  mapped_.push_back(device);
  return std::nullopt;
}

}  // namespace ringside
