// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/doorbell_proxy.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kPatienceMs = 20'000;

/// Has ordinary memory and nothing else.
class PlainGpu final : public GpuDevice {
 public:
  PlainGpu() : GpuDevice(GpuInfo{0, "plain", "test", 0, 1, 4096}) {}

  std::uint32_t block_threads(std::uint32_t asked) const override { return asked; }
  bool shared_memory_follows_device_memory() const override { return true; }
  bool runs_host_functions() const override { return true; }
  std::int64_t view_offset(std::uint8_t*) override { return 0; }
  std::optional<UniqueFd> export_dmabuf(const GpuMemory&, std::uint64_t&, std::string&) override {
    return std::nullopt;
  }
  void store_to_device(const GpuMemory&, std::size_t, std::uint64_t) override {}
  void copy_to_device(const GpuMemory&, std::size_t, const void*, std::size_t) override {}
  void copy_from_device(void*, const GpuMemory&, std::size_t, std::size_t) override {}
  bool add_kernel(const KernelSource&, std::string&) override { return false; }
  void add_kernel(const UserKernel&) override {}
  std::unique_ptr<PersistentKernel> launch(const LaunchConfig&) override { return nullptr; }
  std::unique_ptr<BurstRun> start_bursts(const BurstRunConfig&) override { return nullptr; }

 private:
  DoorbellView map_doorbell(std::uint64_t* doorbell) override { return {doorbell, ""}; }
  void unmap_doorbell(std::uint64_t*) noexcept override {}
  std::uint8_t* allocate_shared_raw(std::size_t size, std::size_t alignment) override {
    auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, size));
    std::memset(memory, 0, size);
    return memory;
  }
  void free_shared_raw(std::uint8_t* data, std::size_t) noexcept override { std::free(data); }
};

class DoorbellProxyTest : public testing::Test {
 protected:
  /// Is the register written with this value, in time?
  static bool comes_to(const std::uint64_t& doorbell, std::uint64_t value) {
    const Deadline deadline = Deadline::after_ms(kPatienceMs);
    Relax relax;
    while (load_acquire_system(&doorbell) != value) {
      if (deadline.passed()) return false;
      relax.relax();
    }
    return true;
  }

  PlainGpu gpu_;
  DoorbellProxy proxy_{gpu_, {}};
};

TEST_F(DoorbellProxyTest, each_value_reaches_the_register) {
  std::uint64_t doorbell = 0;
  std::uint64_t* const request = proxy_.add(&doorbell).kernel_pointer();
  proxy_.start();
  for (std::uint64_t value : {7ULL, 8ULL, 7ULL, 0xffffffffffffffffULL}) {
    ring_doorbell(request, value);
    EXPECT_TRUE(comes_to(doorbell, value)) << value;
  }
  proxy_.stop();
}

TEST_F(DoorbellProxyTest, what_was_asked_for_before_the_stop_is_rung) {
  std::uint64_t doorbell = 0;
  std::uint64_t* const request = proxy_.add(&doorbell).kernel_pointer();
  for (std::uint64_t value = 1; value <= 200; ++value) {
    proxy_.start();
    ring_doorbell(request, value);
    proxy_.stop();
    ASSERT_EQ(doorbell, value);
  }
}

TEST_F(DoorbellProxyTest, a_queue_that_was_reset_rings_with_the_value_of_before) {
  std::uint64_t doorbell = 0;
  std::uint64_t* const request = proxy_.add(&doorbell).kernel_pointer();
  for (int start = 0; start < 3; ++start) {
    doorbell = 0;
    proxy_.start();
    ring_doorbell(request, 31);
    proxy_.stop();
    EXPECT_EQ(doorbell, 31U) << start;
  }
}

TEST_F(DoorbellProxyTest, a_queue_that_is_reset_while_it_runs_rings_with_the_value_of_before) {
  std::uint64_t doorbells[2] = {};
  std::uint64_t* const request = proxy_.add(&doorbells[0]).kernel_pointer();
  std::uint64_t* const other = proxy_.add(&doorbells[1]).kernel_pointer();
  proxy_.start();
  ring_doorbell(other, 5);
  for (int reset = 0; reset < 200; ++reset) {
    ring_doorbell(request, 31);
    ASSERT_TRUE(comes_to(doorbells[0], 31)) << reset;
    // Where nothing is said of the reset, the same value is no ring.
    const Deadline deadline = Deadline::after_ms(kPatienceMs);
    Relax relax;
    while (!proxy_.forget(request)) {
      ASSERT_FALSE(deadline.passed());
      relax.relax();
    }
    EXPECT_TRUE(proxy_.forget(request)) << "forgotten already";
    ASSERT_EQ(doorbells[0], 31U) << "nothing is rung by it";
    store_relaxed_system(&doorbells[0], std::uint64_t{0});
  }
  EXPECT_TRUE(comes_to(doorbells[1], 5));
  EXPECT_TRUE(proxy_.forget(&doorbells[0])) << "no word of its own";
  proxy_.stop();
}

TEST_F(DoorbellProxyTest, nothing_is_rung_that_was_not_asked_for) {
  std::uint64_t doorbell = 99;
  EXPECT_FALSE(proxy_.add(&doorbell).is_register());
  proxy_.start();
  proxy_.stop();
  EXPECT_EQ(doorbell, 99U);
}

TEST_F(DoorbellProxyTest, registers_beyond_a_page_of_words_keep_apart) {
  std::array<std::uint64_t, 150> doorbells{};
  std::vector<std::uint64_t*> requests;
  for (std::uint64_t& doorbell : doorbells)
    requests.push_back(proxy_.add(&doorbell).kernel_pointer());
  proxy_.start();
  for (std::size_t i = 0; i < requests.size(); i += 2) ring_doorbell(requests[i], i + 1);
  proxy_.stop();
  for (std::size_t i = 0; i < doorbells.size(); ++i) {
    EXPECT_EQ(doorbells[i], i % 2 == 0 ? i + 1 : 0) << i;
  }
}

/// The NIC that is rung reads the record, and what it says is there: under ThreadSanitizer too.
TEST_F(DoorbellProxyTest, whoever_sees_the_ring_sees_the_record_and_the_wqe_before_it) {
  constexpr std::uint64_t kRings = 2000;
  std::uint64_t doorbell = 0;
  std::uint64_t record = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t wqe = 0;  // plain, as a ring's memory is
  std::uint64_t* const request = proxy_.add(&doorbell).kernel_pointer();
  proxy_.start();
  std::thread kernel([&] {
    for (std::uint64_t index = 1; index <= kRings; ++index) {
      wqe = 1000 + index;
      store_release_system(&record, index);
      ring_doorbell(request, index);
      if (!comes_to(acknowledged, index)) return;
    }
  });
  std::uint64_t seen = 0;
  for (std::uint64_t index = 1; index <= kRings; ++index) {
    if (!comes_to(doorbell, index)) break;
    EXPECT_EQ(load_relaxed_system(&record), index);
    EXPECT_EQ(wqe, 1000 + index);
    seen = index;
    store_release_system(&acknowledged, index);
  }
  kernel.join();
  proxy_.stop();
  EXPECT_EQ(seen, kRings);
}

}  // namespace
}  // namespace ringside
