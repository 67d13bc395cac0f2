// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packet memory as DPDK has it, in pages of 2 MiB where the system gives them: with small pages a
// benchmark measures page walks.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx::test {

/// Memory that the NIC may read and write by `lkey`.
class LargeRegion {
 public:
  LargeRegion(Device& device, std::size_t size) {
    constexpr std::size_t kPage = std::size_t{2} << 20;
    const std::size_t rounded = (size + kPage - 1) / kPage * kPage;
    bytes_.reset(static_cast<std::uint8_t*>(std::aligned_alloc(kPage, rounded)));
    if (bytes_ == nullptr) throw std::bad_alloc();
    ::madvise(bytes_.get(), rounded, MADV_HUGEPAGE);  // refused: small pages, slower
    std::memset(bytes_.get(), 0, rounded);
    auto key = std::make_unique<Mkey>();
    key->pdn = Region::kPdn;
    key->iova = address(0);
    key->local_write = true;
    key->memory.base = bytes_.get();
    key->memory.length = size;
    lkey_ = device.add_mkey(std::move(key));
  }
  std::uint8_t* at(std::size_t offset) noexcept { return bytes_.get() + offset; }
  std::uint64_t address(std::size_t offset) const noexcept {
    return reinterpret_cast<std::uint64_t>(bytes_.get()) + offset;
  }
  std::uint32_t lkey() const noexcept { return lkey_; }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const noexcept { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::uint32_t lkey_ = 0;
};

}  // namespace softcx::test
