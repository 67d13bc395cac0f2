// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a test sees of the fake libgdrapi.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside::test {

struct FakeGdr {
  bool no_driver;    ///< gdr_open() finds no kernel module
  bool refuses_pin;  ///< as where nvidia_p2p_get_pages() fails
  bool refuses_map;
  int opened, pinned, mapped;  ///< now
  int wrong_calls;             ///< that the library would punish
};
using FakeGdrState = FakeGdr* (*)();

}  // namespace ringside::test
