// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

#include "lib/gpu/host_driver_args.hpp"
#include "lib/gpu/host_memory.hpp"

namespace ringside {
namespace {

constexpr std::size_t kPage = HostMemory::kPageSize;

std::uint8_t* allocate(HostMemory& memory, std::size_t size, std::size_t alignment = 0) {
  void* address = nullptr;
  return memory.allocate(size, alignment, &address) == 0 ? static_cast<std::uint8_t*>(address)
                                                         : nullptr;
}

/// Asks the kernel, which answers EFAULT where an access of ours would fault.
bool cpu_can_read(const void* address) {
  const UniqueFd sink(::open("/dev/null", O_WRONLY));
  int ends[2];
  if (!sink || ::pipe(ends) != 0) return false;
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  return ::write(writer.get(), address, 1) == 1;
}

TEST(HostMemory, allocation_is_zeroed) {
  HostMemory memory({"gpu", 4 * kPage});
  const auto* data = allocate(memory, 1000);
  ASSERT_NE(data, nullptr);
  EXPECT_TRUE(std::all_of(data, data + 1000, [](auto byte) { return byte == 0; }));
}

TEST(HostMemory, alignment_is_64_kib_at_least_and_as_asked) {
  HostMemory memory({"gpu", 64 * kPage});
  for (const std::size_t alignment : {std::size_t{0}, std::size_t{4096}, std::size_t{2} << 20}) {
    const auto* data = allocate(memory, 1, alignment);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % std::max(alignment, kPage), 0U);
  }
}

TEST(HostMemory, device_has_no_more_than_its_size) {
  HostMemory memory({"gpu", 2 * kPage});
  void* address = nullptr;
  EXPECT_EQ(memory.allocate(2 * kPage + 1, 0, &address), -ENOMEM);
  auto* first = allocate(memory, kPage + 1);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(memory.allocate(1, 0, &address), -ENOMEM);
  EXPECT_EQ(memory.free(first), 0);
  EXPECT_EQ(memory.allocate(2 * kPage, 0, &address), 0);
}

TEST(HostMemory, only_the_start_of_an_allocation_can_be_freed_and_once) {
  HostMemory memory({"gpu", 4 * kPage});
  auto* data = allocate(memory, kPage);
  EXPECT_EQ(memory.free(data + 64), -ENOENT);
  EXPECT_EQ(memory.free(data), 0);
  EXPECT_EQ(memory.free(data), -ENOENT);
}

TEST(HostMemory, nothing_is_freed_while_a_kernel_runs) {
  HostMemory memory({"gpu", 4 * kPage});
  auto* data = allocate(memory, kPage);
  int host = 0;
  ASSERT_EQ(memory.register_host(sizeof host, &host), 0);
  memory.kernel_started();
  EXPECT_EQ(memory.free(data), -EBUSY);
  EXPECT_EQ(memory.unregister_host(&host), -EBUSY);
  EXPECT_EQ(memory.free_all(), -EBUSY);
  data[0] = 1;  // still mapped
  memory.kernel_ended();
  EXPECT_EQ(memory.unregister_host(&host), 0);
  EXPECT_EQ(memory.free(data), 0);
}

TEST(HostMemory, memory_can_be_allocated_while_a_kernel_runs) {
  HostMemory memory({"gpu", 4 * kPage});
  memory.kernel_started();
  EXPECT_NE(allocate(memory, kPage), nullptr);
  memory.kernel_ended();
}

TEST(HostMemory, opaque_memory_faults_in_the_application_but_not_in_the_view) {
  HostMemory memory({"gpu", 4 * kPage, true});
  const auto* data = allocate(memory, kPage);
  ASSERT_NE(data, nullptr);
  EXPECT_FALSE(cpu_can_read(data));
  const auto place = memory.find(data + 5);
  ASSERT_TRUE(place);
  EXPECT_NE(place->view, data + 5);
  EXPECT_EQ(place->offset, 5U);
  EXPECT_EQ(place->remaining, kPage - 5);
  EXPECT_TRUE(cpu_can_read(place->view));
}

TEST(HostMemory, memory_is_its_own_view_unless_opaque) {
  HostMemory memory({"gpu", 4 * kPage});
  const auto* data = allocate(memory, kPage);
  EXPECT_TRUE(cpu_can_read(data));
  EXPECT_EQ(memory.find(data)->view, data);
}

TEST(HostMemory, addresses_outside_of_allocations_are_not_found) {
  HostMemory memory({"gpu", 4 * kPage});
  const auto* data = allocate(memory, kPage);
  EXPECT_FALSE(memory.find(data - 1));
  EXPECT_TRUE(memory.find(data + kPage - 1));
  EXPECT_FALSE(memory.find(data + kPage));
  EXPECT_FALSE(memory.export_fd(data + kPage));
}

TEST(HostMemory, exported_file_holds_what_the_view_holds) {
  HostMemory memory({"gpu", 4 * kPage, true});
  const auto* data = allocate(memory, kPage);
  memory.find(data)->view[7] = 42;
  const UniqueFd fd = memory.export_fd(data);
  ASSERT_TRUE(fd);
  std::uint8_t byte = 0;
  EXPECT_EQ(::pread(fd.get(), &byte, 1, 7), 1);
  EXPECT_EQ(byte, 42);
}

TEST(HostMemory, address_space_names_the_device) {
  HostMemory memory({"gpu_host7", 4 * kPage, true});
  ASSERT_NE(allocate(memory, kPage), nullptr);
  std::ifstream maps("/proc/self/maps");
  const std::string text(std::istreambuf_iterator<char>(maps), {});
  EXPECT_NE(text.find("/memfd:gpu_host7"), std::string::npos);
}

TEST(HostMemory, mapping_to_the_cpu_gives_the_view) {
  HostMemory memory({"gpu", 4 * kPage, true});
  auto* data = allocate(memory, 100);
  void* cpu = nullptr;
  EXPECT_EQ(memory.map_to_cpu(100, data + 1, &cpu), -ENOENT);
  EXPECT_EQ(memory.map_to_cpu(kPage + 1, data, &cpu), -E2BIG);
  ASSERT_EQ(memory.map_to_cpu(100, data, &cpu), 0);
  EXPECT_EQ(cpu, memory.find(data)->view);
  EXPECT_EQ(memory.map_to_cpu(100, data, &cpu), -EEXIST);
  EXPECT_EQ(memory.unmap_from_cpu(data), 0);
  EXPECT_EQ(memory.unmap_from_cpu(data), -ENOENT);
}

TEST(HostMemory, host_memory_is_registered_once) {
  HostMemory memory({"gpu", 4 * kPage});
  char host[64] = {};
  ASSERT_EQ(memory.register_host(32, host + 16), 0);
  EXPECT_EQ(memory.register_host(17, host), -EEXIST);
  EXPECT_EQ(memory.register_host(1, host + 47), -EEXIST);
  EXPECT_EQ(memory.register_host(16, host), 0);
  EXPECT_EQ(memory.register_host(16, host + 48), 0);
  EXPECT_EQ(memory.unregister_host(host + 17), -ENOENT);
  EXPECT_EQ(memory.unregister_host(host + 16), 0);
}

TEST(HostMemory, device_memory_is_not_host_memory) {
  HostMemory memory({"gpu", 4 * kPage});
  auto* data = allocate(memory, kPage);
  EXPECT_EQ(memory.register_host(64, data + 64), -EINVAL);
}

TEST(HostDriverArgs, defaults_are_half_of_the_machine_and_not_opaque) {
  std::string problem;
  const auto config = parse_host_driver_args("gpu_host0", nullptr, problem);
  ASSERT_TRUE(config) << problem;
  EXPECT_EQ(config->name, "gpu_host0");
  EXPECT_FALSE(config->opaque);
  const auto ram = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(config->total, ram / 2);
}

TEST(HostDriverArgs, sizes_take_units) {
  std::string problem;
  const auto total = [&](const char* args) {
    return parse_host_driver_args("gpu", args, problem).value().total;
  };
  EXPECT_EQ(total("memory=131072"), 131072U);
  EXPECT_EQ(total("memory=64K"), 65536U);
  EXPECT_EQ(total("memory=512M,opaque=1"), std::uint64_t{512} << 20);
  EXPECT_EQ(total("memory=3g"), std::uint64_t{3} << 30);
}

TEST(HostDriverArgs, doorbells_can_be_forbidden) {
  std::string problem;
  EXPECT_FALSE(parse_host_driver_args("gpu", "iomem=allowed", problem).value().iomem_denied);
  EXPECT_TRUE(parse_host_driver_args("gpu", "opaque=1,iomem=denied", problem)->iomem_denied);
}

TEST(HostDriverArgs, wrong_arguments_are_named) {
  for (const char* args :
       {"iomem=1", "opaque=2", "opaque=", "memory=-1", "memory=0", "memory=1T", "memory=4K",
        "memory=99999999999999999999", "memory=18014398509481984K", "size=4"}) {
    std::string problem;
    EXPECT_FALSE(parse_host_driver_args("gpu", args, problem)) << args;
    EXPECT_NE(problem.find(args), std::string::npos) << problem;
  }
}

}  // namespace
}  // namespace ringside
