// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "lib/base/unique_fd.hpp"
#include "lib/gpu/kernel_cache.hpp"

namespace ringside {
namespace {

namespace fs = std::filesystem;

class GpuKernelCache : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "ringside-cache-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_EQ(setenv("XDG_CACHE_HOME", name.c_str(), 1), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files() const {
    const fs::directory_iterator all(folder_ / "ringside");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  fs::path folder_;
};

TEST_F(GpuKernelCache, code_comes_back_by_its_key_only) {
  const std::vector<char> code{'a', '\0', 'b'};
  EXPECT_FALSE(cached_kernel("key"));
  keep_kernel("key", code);
  EXPECT_EQ(cached_kernel("key"), code);
  EXPECT_FALSE(cached_kernel("other"));
}

TEST_F(GpuKernelCache, a_file_that_is_cut_or_of_another_key_is_none) {
  keep_kernel("key", {'a'});
  const fs::path file = *fs::directory_iterator(folder_ / "ringside");
  std::ofstream(file) << "kez" << 'a';
  EXPECT_FALSE(cached_kernel("key"));
  std::ofstream(file) << "key";
  EXPECT_FALSE(cached_kernel("key"));
}

TEST_F(GpuKernelCache, code_that_was_cut_or_changed_is_none) {
  keep_kernel("key", {'a', 'b', 'c'});
  const fs::path file = *fs::directory_iterator(folder_ / "ringside");
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_FALSE(cached_kernel("key"));
  keep_kernel("key", {'a', 'b', 'c'});
  ASSERT_TRUE(cached_kernel("key"));
  std::fstream changed(file, std::ios::in | std::ios::out | std::ios::binary);
  changed.seekp(-1, std::ios::end);
  changed.put('d').flush();
  EXPECT_FALSE(cached_kernel("key"));
}

TEST_F(GpuKernelCache, a_file_that_others_may_write_is_none) {
  keep_kernel("key", {'a'});
  const fs::path file = *fs::directory_iterator(folder_ / "ringside");
  EXPECT_EQ(fs::status(folder_ / "ringside").permissions(), fs::perms::owner_all);
  ASSERT_TRUE(cached_kernel("key"));
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cached_kernel("key"));
  fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  fs::rename(file, folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", file);
  EXPECT_FALSE(cached_kernel("key"));
}

TEST_F(GpuKernelCache, only_the_newest_are_kept) {
  for (int i = 0; i < 70; ++i) keep_kernel(std::to_string(i), {'a'});
  EXPECT_EQ(files(), 64U);
  EXPECT_TRUE(cached_kernel("69"));
}

/// Makes all that is there so much older.
void age(const fs::path& folder, std::chrono::hours by) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    fs::last_write_time(entry, entry.last_write_time() - by);
  }
}

TEST_F(GpuKernelCache, what_is_used_stays_and_what_is_not_used_goes) {
  keep_kernel("used", {'a'});
  keep_kernel("unused", {'a'});
  for (int day = 0; day < 100; ++day) {
    age(folder_ / "ringside", std::chrono::hours(24));
    ASSERT_TRUE(cached_kernel("used")) << day;
  }
  keep_kernel("other", {'a'});
  EXPECT_TRUE(cached_kernel("used"));
  EXPECT_FALSE(cached_kernel("unused"));
}

TEST_F(GpuKernelCache, large_kernels_are_fewer) {
  const std::vector<char> code(std::size_t{20} << 20);
  for (const char* const key : {"1", "2", "3", "4"}) {
    if (fs::exists(folder_ / "ringside")) age(folder_ / "ringside", std::chrono::hours(1));
    keep_kernel(key, code);
  }
  EXPECT_EQ(files(), 3U);
  EXPECT_FALSE(cached_kernel("1"));
  EXPECT_EQ(cached_kernel("4"), code);
}

TEST_F(GpuKernelCache, one_that_is_larger_than_all_may_be_is_kept_alone) {
  keep_kernel("small", {'a'});
  const std::vector<char> code(std::size_t{65} << 20);
  keep_kernel("large", code);
  EXPECT_EQ(files(), 1U);
  EXPECT_TRUE(cached_kernel("large"));
}

TEST_F(GpuKernelCache, what_a_crash_left_over_is_removed_and_what_is_being_written_is_not) {
  keep_kernel("key", {'a'});
  const fs::path cache = folder_ / "ringside";
  std::ofstream(cache / "0123456789abcdef.kernel.part") << "half";
  const fs::path busy = cache / "fedcba9876543210.kernel.part";
  std::ofstream(busy) << "half";
  const UniqueFd writer(::open(busy.c_str(), O_RDWR));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  keep_kernel("other", {'b'});
  EXPECT_EQ(files(), 3U) << "two kernels and the one that is being written";
  EXPECT_TRUE(fs::exists(busy));
}

TEST_F(GpuKernelCache, a_left_over_of_the_same_kernel_does_not_spoil_it) {
  keep_kernel("key", {'a'});
  const fs::path file = *fs::directory_iterator(folder_ / "ringside");
  fs::rename(file, file.string() + ".part");
  std::ofstream(file.string() + ".part", std::ios::app) << std::string(1000, 'x');
  EXPECT_FALSE(cached_kernel("key"));
  keep_kernel("key", {'b', 'c'});
  EXPECT_EQ(cached_kernel("key"), (std::vector<char>{'b', 'c'}));
  EXPECT_EQ(files(), 1U);
}

/// Writers end at any time: by a signal, as in a crash.
TEST_F(GpuKernelCache, readers_see_whole_kernels_whoever_writes_and_crashes) {
  constexpr int kWriters = 4, kRounds = 25;
  const std::vector<char> code(300'000, 'k');
  for (int round = 0; round < kRounds; ++round) {
    pid_t writers[kWriters];
    for (pid_t& writer : writers) {
      writer = ::fork();
      ASSERT_GE(writer, 0);
      if (writer == 0) {
        while (true) keep_kernel("key", code);
      }
    }
    ::usleep(static_cast<useconds_t>(500 * round));
    const auto found = cached_kernel("key");
    for (const pid_t writer : writers) ::kill(writer, SIGKILL);
    for (const pid_t writer : writers) ::waitpid(writer, nullptr, 0);
    if (found) {
      ASSERT_EQ(found->size(), code.size());
    }
  }
  keep_kernel("key", code);
  EXPECT_EQ(cached_kernel("key"), code);
  EXPECT_EQ(files(), 1U) << "nothing is left over";
}

TEST_F(GpuKernelCache, a_folder_that_cannot_be_made_is_no_error) {
  std::ofstream(folder_ / "ringside") << "a file";
  EXPECT_NO_THROW(keep_kernel("key", {'a'}));
  EXPECT_FALSE(cached_kernel("key"));
}

}  // namespace
}  // namespace ringside
