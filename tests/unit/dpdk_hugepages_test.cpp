// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/hugepages.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ringside::test {
namespace {

class Hugepages : public testing::Test {
 protected:
  ~Hugepages() override { std::filesystem::remove_all(folder); }

  void add(const std::string& size, unsigned total, unsigned free) {
    const std::string path = folder + "/hugepages-" + size + "kB";
    std::filesystem::create_directories(path);
    std::ofstream(path + "/nr_hugepages") << total << "\n";
    std::ofstream(path + "/free_hugepages") << free << "\n";
  }

  std::string folder = testing::TempDir() + "/hugepages." + std::to_string(::getpid());
};

TEST_F(Hugepages, sizes_are_listed_smallest_first) {
  add("1048576", 2, 1);
  add("2048", 512, 500);
  const auto sizes = list_hugepages(folder);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(sizes[0].page_bytes, 2U << 20);
  EXPECT_EQ(sizes[0].total, 512U);
  EXPECT_EQ(sizes[0].free, 500U);
  EXPECT_EQ(free_hugepage_bytes(sizes), (std::uint64_t{500} << 21) + (std::uint64_t{1} << 30));
}

TEST_F(Hugepages, remedy_says_how_many_are_free_and_how_to_add_some) {
  add("2048", 512, 0);
  const std::string text = hugepage_remedy(list_hugepages(folder));
  EXPECT_NE(text.find("0 of 512 pages of 2048 kB are free"), std::string::npos) << text;
  EXPECT_NE(text.find("echo 768 > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"),
            std::string::npos)
      << text;
}

TEST_F(Hugepages, kernel_without_hugepages_is_told_to_do_without) {
  EXPECT_EQ(free_hugepage_bytes(list_hugepages(folder)), 0U);
  EXPECT_NE(hugepage_remedy(list_hugepages(folder)).find("--no-huge"), std::string::npos);
}

}  // namespace
}  // namespace ringside::test
