// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

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

TEST_F(GpuKernelCache, only_the_newest_are_kept) {
  for (int i = 0; i < 70; ++i) keep_kernel(std::to_string(i), {'a'});
  EXPECT_EQ(files(), 64U);
  EXPECT_TRUE(cached_kernel("69"));
}

TEST_F(GpuKernelCache, a_folder_that_cannot_be_made_is_no_error) {
  std::ofstream(folder_ / "ringside") << "a file";
  EXPECT_NO_THROW(keep_kernel("key", {'a'}));
  EXPECT_FALSE(cached_kernel("key"));
}

}  // namespace
}  // namespace ringside
