// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Device::translate() for many accesses in a row: drivers keep their buffers under few keys.
#pragma once

#include <cstdint>

#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// Bytes at an address of a key.
struct KeyAccess {
  std::uint32_t lkey = 0;
  std::uint64_t address = 0;
  std::uint32_t length = 0;
};

/// Holds what it found of a key until the next one is asked for: it must not outlive a round of the
/// engine. Bounds are checked on every access, the rest of a key once.
class KeyReader {
 public:
  /// For accesses of an object in protection domain `pdn`; `write`: the NIC writes memory.
  KeyReader(const Device& device, std::uint32_t pdn, bool write) noexcept
      : device_(device), pdn_(pdn), write_(write) {}

  /// As Device::translate(), `length` being at least 1.
  Place translate(std::uint32_t lkey, std::uint64_t address, std::uint32_t length) noexcept {
    if (lkey != lkey_ && !look_up(lkey)) [[unlikely]] {
      return {};
    }
    const std::uint64_t offset = address - iova_;
    if (offset > length_ || length > length_ - offset) [[unlikely]] {
      return {};
    }
    return {base_ + offset, copy_engine_};
  }
  bool writes() const noexcept { return write_; }
  /// Does the last key lead to the memory of a GPU?
  bool on_gpu() const noexcept { return copy_engine_ != nullptr; }
  /// The GPU in whose memory the last key lies; 0: none (MemoryHome).
  std::uint32_t gpu() const noexcept { return gpu_; }
  /// Where `address` probably lies, for a prefetch: nothing is checked.
  const std::uint8_t* guess(std::uint64_t address) const noexcept {
    return reinterpret_cast<const std::uint8_t*>(reinterpret_cast<std::uint64_t>(base_) + address -
                                                 iova_);
  }

 private:
  bool look_up(std::uint32_t lkey) noexcept {
    const Mkey* key = device_.find_mkey(lkey);
    if (key == nullptr || key->pdn != pdn_ || !key->allows(write_)) return false;
    lkey_ = lkey;
    iova_ = key->iova;
    length_ = key->memory.length;
    base_ = key->memory.base;
    copy_engine_ = key->memory.copy_engine;
    gpu_ = key->memory.home.gpu;
    return true;
  }

  const Device& device_;
  const std::uint32_t pdn_;
  const bool write_;
  std::uint32_t gpu_ = 0;
  std::uint32_t lkey_ = 0;  ///< nobody's, and its length of 0 refuses every access
  std::uint64_t iova_ = 0, length_ = 0;
  std::uint8_t* base_ = nullptr;
  CopyEngine* copy_engine_ = nullptr;
};

}  // namespace softcx
