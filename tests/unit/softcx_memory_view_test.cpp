// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Registered memory as the NIC sees it.
#include "lib/softcx/nic/memory_view.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "lib/base/unique_fd.hpp"

namespace softcx {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 4 * kPage;

/// A mapping that is gone with its scope.
class Mapping {
 public:
  Mapping(std::size_t length, int protection, int flags, int fd = -1)
      : length_(length), at_(::mmap(nullptr, length, protection, flags, fd, 0)) {
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Mapping() { unmap(); }
  void unmap() {
    if (at_ != nullptr) ::munmap(at_, length_);
    at_ = nullptr;
  }
  std::uint8_t* bytes() const { return static_cast<std::uint8_t*>(at_); }

 private:
  std::size_t length_;
  void* at_;
};

ringside::UniqueFd make_file(std::size_t length) {
  ringside::UniqueFd file(::memfd_create("softcx-test", 0));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(length)), 0);
  return file;
}

/// Opening another mapping's file takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
bool can_alias() {
  return ::geteuid() == 0;
}

TEST(SoftcxMemoryView, shared_memory_is_seen_after_the_application_unmapped_it) {
  if (!can_alias()) GTEST_SKIP() << "needs root";
  const ringside::UniqueFd file = make_file(kPages);
  Mapping application(kPages, PROT_READ | PROT_WRITE, MAP_SHARED, file.get());
  Memory memory;
  ASSERT_EQ(map_memory(application.bytes() + 100, kPage, true, memory), 0);
  EXPECT_NE(memory.base, application.bytes() + 100);
  application.bytes()[100] = 0x5a;
  EXPECT_EQ(memory.base[0], 0x5a);
  application.unmap();
  EXPECT_EQ(memory.base[0], 0x5a);
  unmap_memory(memory);
}

TEST(SoftcxMemoryView, shared_memory_is_reached_where_the_application_may_not_touch_it) {
  if (!can_alias()) GTEST_SKIP() << "needs root";
  const ringside::UniqueFd file = make_file(kPages);
  Mapping application(kPages, PROT_NONE, MAP_SHARED, file.get());
  Memory memory;
  ASSERT_EQ(map_memory(application.bytes(), kPages, true, memory), 0);
  memory.base[kPages - 1] = 1;
  unmap_memory(memory);
}

TEST(SoftcxMemoryView, range_over_several_files_is_one_view) {
  if (!can_alias()) GTEST_SKIP() << "needs root";
  const ringside::UniqueFd first = make_file(kPage), second = make_file(2 * kPage);
  Mapping whole(3 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  ASSERT_NE(
      ::mmap(whole.bytes(), kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, first.get(), 0),
      MAP_FAILED);
  ASSERT_NE(::mmap(whole.bytes() + kPage, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                   second.get(), 0),
            MAP_FAILED);
  Memory memory;
  ASSERT_EQ(map_memory(whole.bytes(), 3 * kPage, true, memory), 0);
  for (std::size_t at = 0; at < 3 * kPage; at += kPage / 2) {
    whole.bytes()[at] = static_cast<std::uint8_t>(at / 256);
    EXPECT_EQ(memory.base[at], static_cast<std::uint8_t>(at / 256)) << at;
  }
  EXPECT_NE(memory.base, whole.bytes());
  unmap_memory(memory);
}

TEST(SoftcxMemoryView, hugepages_are_seen_from_the_middle_of_a_page) {
  if (!can_alias()) GTEST_SKIP() << "needs root";
  constexpr std::size_t kHuge = 2U << 20;
  const ringside::UniqueFd file(::memfd_create("softcx-huge", MFD_HUGETLB));
  if (!file || ::ftruncate(file.get(), kHuge) != 0) GTEST_SKIP() << "no hugetlb memfd";
  void* at = ::mmap(nullptr, kHuge, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) GTEST_SKIP() << "no free hugepage";
  auto* const application = static_cast<std::uint8_t*>(at);
  Memory memory;
  ASSERT_EQ(map_memory(application + 5000, kPage, true, memory), 0);
  EXPECT_NE(memory.base, application + 5000);
  application[5000] = 7;
  EXPECT_EQ(memory.base[0], 7);
  unmap_memory(memory);
  ::munmap(at, kHuge);
}

TEST(SoftcxMemoryView, private_memory_is_used_where_it_lies) {
  const Mapping application(kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  Memory memory;
  ASSERT_EQ(map_memory(application.bytes(), kPages, true, memory), 0);
  EXPECT_EQ(memory.base, application.bytes());
  unmap_memory(memory);
  application.bytes()[0] = 1;  // still mapped
}

TEST(SoftcxMemoryView, inaccessible_private_memory_is_refused) {
  const Mapping application(kPages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS);
  Memory memory;
  EXPECT_EQ(map_memory(application.bytes(), kPages, false, memory), EFAULT);
}

TEST(SoftcxMemoryView, read_only_memory_is_refused_for_writing) {
  const Mapping application(kPages, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS);
  Memory memory;
  EXPECT_EQ(map_memory(application.bytes(), kPages, true, memory), EFAULT);
  EXPECT_EQ(map_memory(application.bytes(), kPages, false, memory), 0);
}

TEST(SoftcxMemoryView, hole_in_the_range_is_refused) {
  const Mapping application(kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  ASSERT_EQ(::munmap(application.bytes() + kPage, kPage), 0);
  Memory memory;
  EXPECT_EQ(map_memory(application.bytes(), kPages, true, memory), EFAULT);
}

TEST(SoftcxMemoryView, empty_and_wrapping_ranges_are_refused) {
  Memory memory;
  const std::uint8_t byte = 0;
  EXPECT_EQ(map_memory(&byte, 0, false, memory), EINVAL);
  EXPECT_EQ(map_memory(&byte, ~std::uint64_t{0}, false, memory), EINVAL);
}

TEST(SoftcxMemoryView, dmabuf_is_mapped_from_its_offset) {
  const ringside::UniqueFd file = make_file(kPages);
  const Mapping application(kPages, PROT_READ | PROT_WRITE, MAP_SHARED, file.get());
  Memory memory;
  ASSERT_EQ(map_dmabuf(file.get(), kPage + 8, kPage, 0, memory), 0);
  application.bytes()[kPage + 8] = 0x77;
  EXPECT_EQ(memory.base[0], 0x77);
  unmap_memory(memory);
}

TEST(SoftcxMemoryView, memory_of_a_gpu_is_told_from_the_applications) {
  const Mapping plain(kPages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
  const Mapping hidden(kPages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS);
  const ringside::UniqueFd file(::memfd_create("gpu_host0", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), kPages), 0);
  const Mapping device(kPages, PROT_READ | PROT_WRITE, MAP_SHARED, file.get());
  EXPECT_FALSE(is_gpu_memory(plain.bytes(), kPages));
  EXPECT_TRUE(is_gpu_memory(hidden.bytes(), kPages));
  EXPECT_TRUE(is_gpu_memory(device.bytes() + kPage, 8));
}

TEST(SoftcxMemoryView, opaque_memory_of_each_gpu_is_a_kind_of_its_own) {
  if (!can_alias()) GTEST_SKIP() << "needs root";
  const auto opaque = [](const char* gpu) {
    ringside::UniqueFd file(::memfd_create(gpu, MFD_CLOEXEC));
    EXPECT_EQ(::ftruncate(file.get(), kPages), 0);
    return file;
  };
  const ringside::UniqueFd first = opaque("gpu_host0"), second = opaque("gpu_host1");
  const Mapping on_first(kPages, PROT_NONE, MAP_SHARED, first.get());
  const Mapping on_second(kPages, PROT_NONE, MAP_SHARED, second.get());
  Memory memory, other, exported;
  ASSERT_EQ(map_memory(on_first.bytes(), kPages, true, memory), 0);
  ASSERT_EQ(map_memory(on_second.bytes(), kPages, true, other), 0);
  ASSERT_EQ(map_dmabuf(first.get(), 0, kPages, 0, exported), 0);
  EXPECT_NE(memory.home.gpu, 0U);
  EXPECT_TRUE(memory.home.kernels_see);
  EXPECT_EQ(memory.home, exported.home);
  EXPECT_NE(memory.home.gpu, other.home.gpu);
  for (const Memory& mapped : {memory, other, exported}) unmap_memory(mapped);
}

TEST(SoftcxMemoryView,
     memory_that_the_cpu_reaches_is_ram_and_kernels_see_what_is_shared_with_them) {
  const ringside::UniqueFd device(::memfd_create("gpu_host0", MFD_CLOEXEC));
  const ringside::UniqueFd shared(::memfd_create("shared-gpu_host0", MFD_CLOEXEC));
  for (const auto* file : {&device, &shared}) {
    ASSERT_EQ(::ftruncate(file->get(), kPages), 0);
    const Mapping application(kPages, PROT_READ | PROT_WRITE, MAP_SHARED, file->get());
    Memory memory, exported;
    ASSERT_EQ(map_memory(application.bytes(), kPages, true, memory), 0);
    ASSERT_EQ(map_dmabuf(file->get(), 0, kPages, 0, exported), 0);
    EXPECT_EQ(memory.home, exported.home);
    EXPECT_EQ(memory.home.gpu, 0U);
    EXPECT_EQ(memory.home.kernels_see, file == &shared);
    unmap_memory(memory);
    unmap_memory(exported);
  }
}

// Each file system counts its inodes by itself: the first files of two have one number.
TEST(SoftcxMemoryView, files_with_one_inode_number_on_two_devices_are_two_files) {
  if (!can_alias() || ::unshare(CLONE_NEWNS) != 0) GTEST_SKIP() << "needs root";
  ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  std::string place = testing::TempDir() + "softcx-devices-XXXXXX";
  ASSERT_NE(::mkdtemp(place.data()), nullptr);
  const auto first_file_of_a_device = [&] {
    EXPECT_EQ(::mount("none", place.c_str(), "tmpfs", 0, nullptr), 0);
    ringside::UniqueFd file(::open((place + "/file").c_str(), O_RDWR | O_CREAT, 0600));
    EXPECT_EQ(::ftruncate(file.get(), kPages), 0);
    return file;
  };
  const ringside::UniqueFd of_gpu = first_file_of_a_device(), plain = first_file_of_a_device();
  struct stat on_gpu {
  }, in_ram{};
  ASSERT_EQ(::fstat(of_gpu.get(), &on_gpu) | ::fstat(plain.get(), &in_ram), 0);
  if (on_gpu.st_ino != in_ram.st_ino) GTEST_SKIP() << "needs a tmpfs that counts by itself";
  const Mapping opaque(kPages, PROT_NONE, MAP_SHARED, of_gpu.get());
  const Mapping application(kPages, PROT_READ | PROT_WRITE, MAP_SHARED, plain.get());
  Memory memory, exported;
  ASSERT_EQ(map_dmabuf(plain.get(), 0, kPages, 0, memory), 0);
  ASSERT_EQ(map_dmabuf(of_gpu.get(), 0, kPages, 0, exported), 0);
  EXPECT_EQ(memory.home.gpu, 0U);
  EXPECT_NE(exported.home.gpu, 0U);
  for (const Memory& mapped : {memory, exported}) unmap_memory(mapped);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(::umount2(place.c_str(), MNT_DETACH), 0);
  EXPECT_EQ(::rmdir(place.c_str()), 0);
}

TEST(SoftcxMemoryView, dmabuf_shorter_than_the_range_is_refused) {
  const ringside::UniqueFd file = make_file(kPage);
  Memory memory;
  EXPECT_EQ(map_dmabuf(file.get(), 0, kPages, 0, memory), EINVAL);
}

}  // namespace
}  // namespace softcx
