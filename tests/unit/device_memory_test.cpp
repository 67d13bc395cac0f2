// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The named loads and stores, between two threads.
#include "lib/device/memory.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

TEST(DeviceMemory, acquire_sees_what_was_stored_before_the_release) {
  std::uint64_t payload = 0;
  std::uint32_t flag = 0;
  std::uint64_t seen = 0;
  std::thread reader([&] {
    if (wait_until([&] { return load_acquire_system(&flag) == 1; })) seen = payload;
  });
  payload = 42;
  store_release_system(&flag, 1U);
  reader.join();
  EXPECT_EQ(seen, 42U);
}

TEST(DeviceMemory, doorbell_shows_all_that_was_stored_before_it) {
  std::uint64_t payload = 0;
  alignas(8) std::uint64_t doorbell = 0;
  std::uint64_t seen = 0;
  std::thread nic([&] {
    if (wait_until([&] { return load_acquire_system(&doorbell) == 0x1122334455667788U; })) {
      seen = payload;
    }
  });
  payload = 43;
  ring_doorbell(&doorbell, 0x1122334455667788U);
  nic.join();
  EXPECT_EQ(seen, 43U);
}

TEST(DeviceMemory, relaxed_accesses_keep_values_whole) {
  std::uint64_t word = 0;
  std::uint32_t stop = 0;
  std::uint32_t torn = 0;
  std::thread reader([&] {
    while (load_relaxed_system(&stop) == 0) {
      const std::uint64_t value = load_relaxed_system(&word);
      torn += (value >> 32) != (value & 0xffffffffU);
    }
  });
  for (std::uint64_t i = 0; i < 100'000; ++i) store_relaxed_system(&word, (i << 32) | i);
  store_relaxed_system(&stop, 1U);
  reader.join();
  EXPECT_EQ(torn, 0U);
}

}  // namespace
}  // namespace ringside::test
