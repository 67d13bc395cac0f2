// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "lib/gpu/gdr_copy.hpp"
#include "tests/unit/fake_gdrapi.hpp"

namespace ringside {
namespace {

constexpr std::uintptr_t kDevice = 0x7f0000000000;  // nobody reads it
constexpr std::size_t kPage = 65536;

class GdrCopyTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(library_, nullptr) << ::dlerror();
    fake_ = reinterpret_cast<test::FakeGdrState>(::dlsym(library_, "fake_gdr_state"))();
    *fake_ = {};
  }
  void TearDown() override {
    EXPECT_EQ(fake_->opened + fake_->pinned + fake_->mapped, 0);
    EXPECT_EQ(fake_->wrong_calls, 0);
    ::dlclose(library_);
  }
  std::unique_ptr<GdrCopy> open() {
    auto opened = GdrCopy::open(FAKE_GDRAPI, why_);
    EXPECT_NE(opened, nullptr) << why_;
    return opened;
  }

  void* library_ = ::dlopen(FAKE_GDRAPI, RTLD_NOW);  // the one that GdrCopy finds
  test::FakeGdr* fake_ = nullptr;
  std::string why_;
};

TEST_F(GdrCopyTest, mapped_memory_can_be_written_and_is_given_back) {
  const auto gdr = open();
  void* cpu = nullptr;
  ASSERT_EQ(gdr->map(kDevice, 1024, &cpu), 0);
  std::memset(cpu, 7, 1024);
  EXPECT_EQ(fake_->mapped, 1);
  EXPECT_EQ(gdr->unmap(kDevice), 0);
  EXPECT_EQ(fake_->pinned, 0);
  EXPECT_EQ(gdr->unmap(kDevice), -ENOENT);
  EXPECT_EQ(gdr->map(kDevice, 1024, &cpu), 0);  // again
}

TEST_F(GdrCopyTest, an_address_within_a_page_keeps_its_place_in_it) {
  const auto gdr = open();
  void* cpu = nullptr;
  ASSERT_EQ(gdr->map(kDevice + 4096, kPage, &cpu), 0);  // two pages
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(cpu) % kPage % 4096, 0U);
  static_cast<char*>(cpu)[kPage - 1] = 1;
  EXPECT_EQ(gdr->unmap(kDevice), -ENOENT);  // another address of the page
  EXPECT_EQ(gdr->unmap(kDevice + 4096), 0);
}

TEST_F(GdrCopyTest, pages_are_mapped_once) {
  const auto gdr = open();
  void* cpu = nullptr;
  ASSERT_EQ(gdr->map(kDevice + kPage, 2 * kPage, &cpu), 0);
  EXPECT_EQ(gdr->map(kDevice + kPage, 1, &cpu), -EEXIST);
  EXPECT_EQ(gdr->map(kDevice + 3 * kPage - 1, 1, &cpu), -EEXIST);
  EXPECT_EQ(gdr->map(kDevice, kPage + 1, &cpu), -EEXIST);
  EXPECT_EQ(gdr->map(kDevice, kPage, &cpu), 0);
  EXPECT_EQ(gdr->map(kDevice + 3 * kPage, kPage, &cpu), 0);
}

TEST_F(GdrCopyTest, what_is_mapped_at_the_end_is_unmapped) {
  auto gdr = open();
  void* cpu = nullptr;
  ASSERT_EQ(gdr->map(kDevice, 1, &cpu), 0);
  ASSERT_EQ(gdr->map(kDevice + kPage, 1, &cpu), 0);
  gdr.reset();
  EXPECT_EQ(fake_->mapped, 0);
}

TEST_F(GdrCopyTest, refusals_leave_nothing_behind) {
  const auto gdr = open();
  void* cpu = nullptr;
  fake_->refuses_pin = true;
  EXPECT_EQ(gdr->map(kDevice, 1, &cpu), -EPERM);
  fake_->refuses_pin = false;
  fake_->refuses_map = true;
  EXPECT_EQ(gdr->map(kDevice, 1, &cpu), -EPERM);
  EXPECT_EQ(fake_->pinned, 0);
  fake_->refuses_map = false;
  EXPECT_EQ(gdr->map(kDevice, 1, &cpu), 0);
}

TEST_F(GdrCopyTest, what_is_missing_is_named) {
  EXPECT_EQ(GdrCopy::open("libgdrapi-of-nobody.so", why_), nullptr);
  EXPECT_NE(why_.find("libgdrapi-of-nobody.so"), std::string::npos) << why_;
  EXPECT_EQ(GdrCopy::open("libc.so.6", why_), nullptr);
  EXPECT_NE(why_.find("gdr_open"), std::string::npos) << why_;
  fake_->no_driver = true;
  EXPECT_EQ(GdrCopy::open(FAKE_GDRAPI, why_), nullptr);
  EXPECT_NE(why_.find("gdrdrv"), std::string::npos) << why_;
}

}  // namespace
}  // namespace ringside
