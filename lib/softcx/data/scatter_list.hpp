// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive WQE's list of buffers (PRM, "Data Segments").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/device_writes.hpp"
#include "lib/softcx/data/key_reader.hpp"
#include "lib/softcx/data/late_writes.hpp"
#include "lib/softcx/data/shared_word.hpp"

namespace softcx {

/// An entry of the list, as it lies in the ring.
struct ScatterEntry {
  const std::uint8_t* bytes;

  std::uint32_t lkey() const noexcept { return read_be32(bytes + 4); }
  std::uint64_t address() const noexcept { return read_be64(bytes + 8); }
  std::uint32_t byte_count() const noexcept {
    constexpr std::uint32_t kNone = 0x80000000U;  // byte_count 0 means 2^31 (PRM)
    const std::uint32_t value = read_be32(bytes) & ~kNone;
    return value != 0 ? value : kNone;
  }
};

/// An entry with the invalid lkey ends the list. Each entry is read once for copying: a driver that
/// changes it meanwhile harms only itself.
class ScatterList {
 public:
  /// `writes`: the way to device memory; nullptr: there is none.
  ScatterList(KeyReader& keys, std::span<const std::uint8_t> entries, DeviceWrites* writes,
              LatePath late) noexcept
      : keys_(keys),
        writes_(writes),
        late_(late),
        next_(entries.data()),
        end_(entries.data() + entries.size()) {}

  /// Passes over the first bytes of a list that nothing was written to. False: it has no more than
  /// those.
  bool skip(std::uint32_t bytes) noexcept;
  /// Do so many bytes fit behind what was written or skipped?
  bool holds(std::uint32_t length) const noexcept;
  /// Copies behind what was copied before. False: a key or an address that must not be written.
  bool write(const std::uint8_t* from, std::uint32_t length) noexcept;
  /// Is a part on its way to device memory?
  bool reaches_gpu() const noexcept { return reaches_gpu_; }
  /// Will a part arrive after the completion? Then the GPU whose memory it goes to, 0 being RAM.
  std::optional<std::uint32_t> overtaken_in() const noexcept { return overtaken_in_; }
  /// Why write() has failed.
  Cause cause() const noexcept { return cause_; }
  /// What of it, where that is a key.
  const KeyAccess& refused() const noexcept { return refused_; }

 private:
  bool write_to_gpu(const Place& to, const std::uint8_t* from, std::uint32_t length) noexcept;
  bool advance() noexcept;

  KeyReader& keys_;
  DeviceWrites* const writes_;
  const LatePath late_;
  const std::uint8_t* next_;
  const std::uint8_t* end_;
  std::uint32_t room_ = 0, lkey_ = 0;  ///< of the entry that is being filled
  std::uint64_t address_ = 0;
  bool reaches_gpu_ = false;
  std::optional<std::uint32_t> overtaken_in_;
  Cause cause_ = Cause::kMemoryKey;
  KeyAccess refused_;
};

}  // namespace softcx
