// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One PRM command under way, as its handler sees it.
#pragma once

#include <cstdint>
#include <span>

#include "lib/mlx5/format/prm_command.hpp"
#include "lib/softcx/cmd/rule.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

namespace prm = ringside::prm;

/// Handlers run under Device::control(), with lengths already checked against the command's fixed
/// part and the answer zeroed.
class Command {
 public:
  Command(Device& device, std::span<const std::uint8_t> in, std::span<std::uint8_t> out)
      : device_(device), in_(in), out_(out) {}

  Device& device() const { return device_; }
  std::span<const std::uint8_t> in() const { return in_; }
  std::size_t out_length() const { return out_.size(); }

  std::uint32_t get(prm::Field field) const { return prm::get(in_.data(), field); }
  std::uint64_t get(prm::Field64 field) const { return prm::get(in_.data(), field); }
  std::span<const std::uint8_t> get(prm::Bytes bytes) const {
    return in_.subspan(bytes.offset, bytes.size);
  }
  void set(prm::Field field, std::uint32_t value) { prm::set(out_.data(), field, value); }
  void set(prm::Field64 field, std::uint64_t value) { prm::set(out_.data(), field, value); }

  std::uint8_t* out_bytes(std::uint32_t offset) { return out_.data() + offset; }

  /// For commands whose length depends on what they say.
  void require_in(std::size_t length) const {
    if (in_.size() < length) {
      refuse(Rule::kInputTooShort, "input of {} bytes, {} needed", in_.size(), length);
    }
  }
  void require_out(std::size_t length) const {
    if (out_.size() < length) {
      refuse(Rule::kOutputTooShort, "output of {} bytes, {} needed", out_.size(), length);
    }
  }

 private:
  Device& device_;
  std::span<const std::uint8_t> in_;
  std::span<std::uint8_t> out_;
};

}  // namespace softcx
