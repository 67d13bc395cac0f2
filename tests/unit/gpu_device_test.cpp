// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_errno.h>
#include <rte_gpudev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/gpu/gpu_pool.hpp"
#include "lib/gpu/host_driver.hpp"
#include "lib/gpu/vdev_abi.hpp"
#include "tests/unit/eal_environment.hpp"

namespace ringside {
namespace {

constexpr char kGpu[] = "gpu_host0";
constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Text of the Error that opening `gpu_id` gives, or nothing.
std::string error_of_open(int gpu_id) {
  try {
    const auto gpu = GpuDevice::open(gpu_id);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

/// The kernel's flags of the mapping at an address (proc(5), smaps), or nothing.
/// What smaps says of the mapping that begins there: its name in the first line, flags in the last.
std::string mapping_of(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  const std::string begin = fmt::format("{:x}-", reinterpret_cast<std::uintptr_t>(address));
  std::string lines;
  for (std::string line; std::getline(smaps, line);) {
    if (lines.empty() && !line.starts_with(begin)) continue;
    lines += line + " \n";
    if (line.starts_with("VmFlags:")) break;
  }
  return lines;
}

class GpuDeviceTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_EQ(rte_vdev_init(kGpu, GetParam()), 0);
    gpu_ = GpuDevice::open(0);
  }
  void TearDown() override {
    gpu_.reset();
    EXPECT_EQ(rte_vdev_uninit(kGpu), 0);
  }

  GpuPool make_pool(std::uint32_t mbufs, std::uint16_t mbuf_size = 2176) {
    return GpuPool(*gpu_, {.name = "gpu_pool", .mbufs = mbufs, .mbuf_size = mbuf_size});
  }

  std::unique_ptr<GpuDevice> gpu_;
};
INSTANTIATE_TEST_SUITE_P(open, GpuDeviceTest, testing::Values("memory=32M"));
INSTANTIATE_TEST_SUITE_P(opaque, GpuDeviceTest, testing::Values("memory=32M,opaque=1"));

TEST(GpuOpen, no_gpu_at_all_names_the_option_that_makes_one) {
  EXPECT_NE(error_of_open(0).find("--vdev=gpu_host0"), std::string::npos);
}

TEST(GpuOpen, wrong_arguments_of_the_driver_fail_its_probe) {
  EXPECT_NE(rte_vdev_init(kGpu, "opaque=maybe"), 0);
  EXPECT_EQ(rte_gpu_count_avail(), 0);
}

TEST_P(GpuDeviceTest, block_threads_default_to_one_and_are_bounded) {
  EXPECT_EQ(gpu_->block_threads(0), 1U);
  EXPECT_EQ(gpu_->block_threads(32), 32U);
  EXPECT_THROW(gpu_->block_threads(1025), Error);
}

// A sanitizing softcx takes it at both: its NIC reaches the two by paths of their own.
TEST_P(GpuDeviceTest, opaque_memory_is_a_gpus_own_and_what_is_shared_says_so) {
  const bool opaque = std::string_view(GetParam()).ends_with("opaque=1");
  EXPECT_EQ(gpu_->shared_memory_follows_device_memory(), !opaque);
  const GpuMemory memory = gpu_->allocate_shared(10000, 4096);
  EXPECT_EQ(mapping_of(memory.data()).find("/memfd:shared-gpu_host0") != std::string::npos, opaque);
}

TEST_P(GpuDeviceTest, unknown_id_lists_the_known_ones) {
  for (const int id : {-1, 1, 70000}) {
    const std::string text = error_of_open(id);
    EXPECT_NE(text.find("GPU " + std::to_string(id)), std::string::npos) << text;
    EXPECT_NE(text.find("0 (gpu_host0)"), std::string::npos) << text;
  }
}

TEST_P(GpuDeviceTest, properties_are_gpudevs) {
  EXPECT_EQ(gpu_->info().id, 0);
  EXPECT_EQ(gpu_->info().name, kGpu);
  EXPECT_EQ(gpu_->info().driver, "gpu_host");
  EXPECT_EQ(gpu_->info().total_memory, 32 * kMiB);
  EXPECT_EQ(gpu_->info().page_size, 65536U);
  EXPECT_GE(gpu_->info().processor_count, 1U);
}

TEST_P(GpuDeviceTest, what_is_copied_in_kernels_see_and_comes_out_again) {
  const GpuMemory memory = gpu_->allocate(1000, 64);
  const char text[] = "packet";
  gpu_->copy_to_device(memory, 100, text, sizeof text);
  EXPECT_STREQ(memory.kernel_pointer<char>(100), text);
  char back[sizeof text] = {};
  gpu_->copy_from_device(back, memory, 100, sizeof back);
  EXPECT_STREQ(back, text);
}

TEST_P(GpuDeviceTest, copies_stay_within_the_memory) {
  const GpuMemory memory = gpu_->allocate(1000, 64);
  char bytes[16] = {};
  EXPECT_NO_THROW(gpu_->copy_to_device(memory, 984, bytes, 16));
  EXPECT_THROW(gpu_->copy_to_device(memory, 985, bytes, 16), Error);
  EXPECT_THROW(gpu_->copy_from_device(bytes, memory, ~std::size_t{0}, 2), Error);
}

TEST_P(GpuDeviceTest, memory_goes_back_with_its_owner) {
  for (int round = 0; round < 3; ++round) {
    GpuMemory first = gpu_->allocate(20 * kMiB, 2 * kMiB);
    GpuMemory moved = std::move(first);
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(moved.data()) % (2 * kMiB), 0U);
    EXPECT_THROW(gpu_->allocate(20 * kMiB, 0), Error);
  }
}

TEST_P(GpuDeviceTest, memory_freed_under_a_kernel_is_kept) {
  const auto driver_memory = host_memory_of(kGpu);
  driver_memory->kernel_started();
  std::uint8_t* view = nullptr;
  {
    const GpuMemory memory = gpu_->allocate(kMiB, 0);
    view = memory.kernel_pointer<std::uint8_t>();
  }
  view[0] = 1;
  driver_memory->kernel_ended();
}

TEST_P(GpuDeviceTest, large_shared_memory_asks_for_huge_pages_and_stays_with_the_process) {
  const GpuMemory memory = gpu_->allocate_shared(5 * kMiB, 4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % (2 * kMiB), 0U);
  const std::string flags = mapping_of(memory.data());
  EXPECT_NE(flags.find(" dc "), std::string::npos) << flags;
  if (std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    EXPECT_NE(flags.find(" hg "), std::string::npos) << flags;
  }
}

TEST_P(GpuDeviceTest, shared_memory_is_plain_zeroed_and_aligned) {
  const GpuMemory memory = gpu_->allocate_shared(10000, 65536);
  EXPECT_EQ(memory.view_offset(), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 65536, 0U);
  EXPECT_TRUE(std::all_of(memory.data(), memory.data() + 10000, [](auto b) { return b == 0; }));
  memory.data()[9999] = 1;
  std::uint64_t offset = 0;
  std::string why_not;
  EXPECT_FALSE(gpu_->export_dmabuf(memory, offset, why_not));
  EXPECT_FALSE(why_not.empty());
}

TEST_P(GpuDeviceTest, dmabuf_is_the_memory_that_kernels_see) {
  const GpuMemory memory = gpu_->allocate(kMiB, 0);
  memory.kernel_pointer<std::uint8_t>()[12345] = 99;
  std::uint64_t offset = 0;
  std::string why_not;
  const auto fd = gpu_->export_dmabuf(memory, offset, why_not);
  ASSERT_TRUE(fd && *fd);
  void* nic_view =
      ::mmap(nullptr, memory.size(), PROT_READ, MAP_SHARED, fd->get(), static_cast<off_t>(offset));
  ASSERT_NE(nic_view, MAP_FAILED);
  EXPECT_EQ(static_cast<std::uint8_t*>(nic_view)[12345], 99);
  ::munmap(nic_view, memory.size());
}

TEST_P(GpuDeviceTest, unknown_kernel_lists_the_known_ones) {
  LaunchConfig launch;
  launch.kernel = "no_such";
  try {
    gpu_->launch(launch);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("macswap"), std::string::npos) << error.what();
  }
}

TEST_P(GpuDeviceTest, kernel_on_an_empty_queue_runs_until_it_is_stopped) {
  constexpr std::uint32_t kLogDepth = 4;
  constexpr std::uint32_t kDepth = 1U << kLogDepth;
  struct Shared {
    Cqe cqe[kDepth];
    CqDoorbellRecord cq_record;
    DoorbellRecord record;
    std::uint64_t slot_iova[kDepth];
    std::uint16_t slot_references[kDepth];
    RxQueueState state;
    StreamCounters counters;
    StreamControl control;
    StreamStatus status;
  };
  const GpuMemory memory = gpu_->allocate_shared(sizeof(Shared), 4096);
  auto* shared = memory.kernel_pointer<Shared>();
  std::memset(shared->cqe, 0xff, sizeof shared->cqe);

  StreamArgs stream{};
  stream.rx.cqe = shared->cqe;
  stream.rx.cq_record = &shared->cq_record;
  stream.rx.record = &shared->record;
  stream.rx.slot_iova = shared->slot_iova;
  stream.rx.slot_references = shared->slot_references;
  stream.rx.state = &shared->state;
  stream.rx.log_depth = kLogDepth;
  stream.rx.log_cq_depth = kLogDepth;
  stream.counters = &shared->counters;
  stream.control = &shared->control;
  stream.status = &shared->status;
  stream.burst = 8;
  LaunchConfig launch;
  launch.kernel = "rxonly";
  launch.threads_per_block = 2;
  launch.streams = {stream};

  const auto kernel = gpu_->launch(launch);
  const Deadline deadline = Deadline::after_ms(5000);
  while (load_acquire_system(&shared->status.phase) != BlockPhase::kReceiving) {
    ASSERT_FALSE(deadline.passed());
  }
  EXPECT_TRUE(kernel->running());
  kernel->request_stop();
  EXPECT_NO_THROW(kernel->join(Deadline::after_ms(5000)));
  EXPECT_EQ(load_acquire_system(&shared->status.phase), BlockPhase::kFinished);
}

TEST_P(GpuDeviceTest, buffers_of_a_pool_lie_apart_in_gpu_memory) {
  GpuPool pool = make_pool(100, 2100);
  const auto mbufs = pool.take(100);
  std::vector<std::uint8_t*> buffers;
  for (const rte_mbuf* mbuf : mbufs) {
    buffers.push_back(static_cast<std::uint8_t*>(mbuf->buf_addr));
    EXPECT_EQ(mbuf->buf_len, 2100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mbuf->buf_addr) % GpuPool::kElementAlignment, 0U);
  }
  std::sort(buffers.begin(), buffers.end());
  EXPECT_GE(buffers.front(), pool.memory().data());
  EXPECT_LE(buffers.back() + 2100, pool.memory().data() + pool.memory().size());
  for (std::size_t i = 1; i < buffers.size(); ++i) EXPECT_GE(buffers[i] - buffers[i - 1], 2100);
  pool.give_back(mbufs);
}

TEST_P(GpuDeviceTest, pool_is_full_again_when_all_buffers_are_back) {
  GpuPool pool = make_pool(64);
  EXPECT_EQ(pool.size(), 64U);
  EXPECT_TRUE(pool.full());
  const auto mbufs = pool.take(40);
  EXPECT_FALSE(pool.full());
  try {
    pool.take(25);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("24 of its 64 mbufs free, but 25"), std::string::npos)
        << error.what();
  }
  pool.give_back(mbufs);
  EXPECT_TRUE(pool.full());
}

TEST_P(GpuDeviceTest, closed_pool_leaves_nothing_behind) {
  for (int round = 0; round < 3; ++round) {
    GpuPool pool = make_pool(8000);
    EXPECT_THROW(gpu_->allocate(24 * kMiB, 0), Error);
  }
  EXPECT_NO_THROW(gpu_->allocate(32 * kMiB, 0));
  EXPECT_EQ(rte_mempool_lookup("gpu_pool"), nullptr);
}

TEST_P(GpuDeviceTest, pool_that_fails_half_way_leaves_nothing_behind) {
  const GpuPool first = make_pool(64);
  EXPECT_THROW(make_pool(64), Error);  // of the same name: after memory and registration
  EXPECT_NO_THROW(gpu_->allocate(30 * kMiB, 0));
}

TEST_P(GpuDeviceTest, pool_larger_than_the_gpu_says_how_large_that_is) {
  try {
    make_pool(20000);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("33554432 bytes in all"), std::string::npos)
        << error.what();
  }
}

TEST_P(GpuDeviceTest, mbufs_of_impossible_sizes_are_refused) {
  EXPECT_THROW(make_pool(8, 0), Error);
  EXPECT_THROW(make_pool(8, 65500), Error);
}

TEST(GpuPoolSize, pool_may_be_larger_than_a_gibibyte) {
  ASSERT_EQ(rte_vdev_init(kGpu, "memory=2G,opaque=1"), 0);
  {
    const auto gpu = GpuDevice::open(0);
    const GpuPool pool(*gpu, {.name = "gpu_pool", .mbufs = 20000, .mbuf_size = 65408});
    EXPECT_GT(pool.memory().size(), 1024 * kMiB);
    EXPECT_EQ(pool.size(), 20000U);
  }
  EXPECT_EQ(rte_vdev_uninit(kGpu), 0);
}

/// A NIC as far as DMA goes: --vdev=test_nicN.
struct TestNic {
  static constexpr char kName[] = "test_nic0";
  static inline int map_result = 0;
  static inline std::vector<std::uint64_t> mapped;
  static inline unsigned unmaps = 0;

  static int accept(rte_vdev_device*) { return 0; }
  static int map(rte_vdev_device*, void*, std::uint64_t iova, std::size_t) {
    if (map_result != 0) {
      rte_errno = ENOTSUP;
      return -1;
    }
    mapped.push_back(iova);
    return 0;
  }
  static int unmap(rte_vdev_device*, void*, std::uint64_t, std::size_t) {
    ++unmaps;
    return 0;
  }

  static rte_device* plug(int result) {
    static rte_vdev_driver driver = [] {
      rte_vdev_driver made{};
      made.driver.name = "test_nic";
      made.probe = accept;
      made.remove = accept;
      made.dma_map = map;
      made.dma_unmap = unmap;
      return made;
    }();
    static const bool registered = (rte_vdev_register(&driver), true);
    EXPECT_TRUE(registered);
    map_result = result;
    mapped.clear();
    EXPECT_EQ(rte_vdev_init(kName, ""), 0);
    rte_dev_iterator iterator{};
    rte_dev_iterator_init(&iterator, "bus=vdev,name=test_nic0");
    return rte_dev_iterator_next(&iterator);
  }
  static void unplug() { rte_vdev_uninit(kName); }
};

TEST_P(GpuDeviceTest, pool_is_mapped_for_a_nic_once_and_leaves_the_mapping_to_its_unplugging) {
  rte_device* nic = TestNic::plug(0);
  {
    GpuPool pool = make_pool(64);
    EXPECT_FALSE(pool.map_for(nic));
    EXPECT_FALSE(pool.map_for(nic));
    const auto iova = reinterpret_cast<std::uintptr_t>(pool.memory().data());
    EXPECT_EQ(TestNic::mapped, std::vector<std::uint64_t>{iova});
    TestNic::unplug();
  }
  EXPECT_EQ(TestNic::unmaps, 0U);
}

TEST_P(GpuDeviceTest, nic_that_cannot_map_the_pool_says_why_and_the_pool_works_without) {
  rte_device* nic = TestNic::plug(-1);
  GpuPool pool = make_pool(64);
  const auto problem = pool.map_for(nic);
  TestNic::unplug();
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->find("test_nic0 cannot map 2097152 bytes"), std::string::npos) << *problem;
  EXPECT_NE(problem->find("not supported"), std::string::npos) << *problem;
  pool.give_back(pool.take(64));
  EXPECT_TRUE(pool.full());
}

}  // namespace
}  // namespace ringside
