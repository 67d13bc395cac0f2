// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frames that say which they are, through the fake NIC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/unit/fake_nic.hpp"
#include "tests/unit/wait.hpp"

namespace ringside::test {

/// Of many lengths; its first byte is the number's low one.
inline std::vector<std::uint8_t> frame_of(std::uint64_t number) {
  std::vector<std::uint8_t> frame(20 + number % 200);
  for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(number + i);
  return frame;
}

inline void receive_frames(FakeNic& nic, std::uint32_t count, std::uint64_t first = 0) {
  for (std::uint32_t i = 0; i < count; ++i) nic.receive(frame_of(first + i));
}

/// Whether so many packets come out in all.
inline bool wait_for_sent(FakeNic& nic, std::size_t count) {
  return step_until([&] { return nic.sent().size() == count; }, [&] { nic.read_sends(); });
}

}  // namespace ringside::test
