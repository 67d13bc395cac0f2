// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include <array>
#include <string>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"
#include "lib/dpdk/external_memory.hpp"
#include "lib/dpdk/mempool.hpp"
#include "tests/unit/eal_environment.hpp"

namespace ringside {
namespace {

constexpr std::size_t kPage = 4096;

struct Pages {
  alignas(kPage) std::array<std::uint8_t, 4 * kPage> bytes{};
};

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Mempool, mbufs_have_the_size_asked_for) {
  Mempool pool({.name = "native", .mbufs = 32, .mbuf_size = 2176});
  EXPECT_EQ(pool.size(), 32U);
  EXPECT_EQ(rte_pktmbuf_data_room_size(pool.get()), 2176);
}

TEST(Mempool, pool_is_full_only_when_all_mbufs_are_back) {
  Mempool pool({.name = "native", .mbufs = 32, .mbuf_size = 2176});
  const auto mbufs = pool.take(32);
  EXPECT_FALSE(pool.full());
  pool.give_back({mbufs.data(), 31});
  EXPECT_FALSE(pool.full());
  pool.give_back({mbufs.data() + 31, 1});
  EXPECT_TRUE(pool.full());
}

TEST(Mempool, pool_that_has_too_few_gives_none_and_tells_how_many) {
  Mempool pool({.name = "native", .mbufs = 32, .mbuf_size = 2176});
  const std::string text = error_of([&] { pool.take(33); });
  EXPECT_NE(text.find("'native' has 32 of its 32 mbufs free, but 33"), std::string::npos) << text;
  EXPECT_TRUE(pool.full());
}

TEST(Mempool, name_in_use_is_refused_until_its_pool_is_gone) {
  const MempoolConfig config{.name = "native", .mbufs = 32, .mbuf_size = 2176};
  {
    const Mempool first(config);
    const std::string text = error_of([&] { Mempool second(config); });
    EXPECT_NE(text.find("'native'"), std::string::npos) << text;
    EXPECT_NE(text.find("exists"), std::string::npos) << text;
  }
  EXPECT_EQ(error_of([&] { Mempool second(config); }), "");
}

TEST(Mempool, pool_that_eal_has_no_memory_for_names_the_remedies) {
  const std::string text =
      error_of([] { Mempool pool({.name = "native", .mbufs = 200000, .mbuf_size = 2176}); });
  EXPECT_NE(text.find("200000 mbufs"), std::string::npos) << text;
  EXPECT_NE(text.find("--total-num-mbufs"), std::string::npos) << text;
}

TEST(Mempool, area_too_small_for_its_elements_is_refused) {
  Pages pages;
  const Mempool::Area area{pages.bytes.data(), RTE_BAD_IOVA, pages.bytes.size()};
  const std::string text =
      error_of([&] { Mempool pool({.name = "area", .mbufs = 9, .mbuf_size = 2048}, area, 2048); });
  EXPECT_NE(text.find("16384 bytes hold 8 elements of 2048 bytes, not 9"), std::string::npos)
      << text;
}

TEST(Mempool, area_of_unknown_iova_gives_mbufs_of_unknown_iova) {
  Pages pages;
  const ExternalMemory external(pages.bytes.data(), pages.bytes.size(), kPage);
  const Mempool::Area area{pages.bytes.data(), RTE_BAD_IOVA, pages.bytes.size()};
  Mempool pool({.name = "area", .mbufs = 8, .mbuf_size = 2048}, area, 2048);
  const auto mbufs = pool.take(8);
  for (const rte_mbuf* mbuf : mbufs) EXPECT_EQ(mbuf->buf_iova, RTE_BAD_IOVA);
  pool.give_back(mbufs);
}

TEST(ExternalMemory, eal_knows_the_memory_as_long_as_the_object_lives) {
  Pages pages;
  ExternalMemory kept;
  EXPECT_EQ(rte_mem_virt2memseg_list(pages.bytes.data()), nullptr);
  {
    ExternalMemory external(pages.bytes.data(), pages.bytes.size(), kPage);
    kept = std::move(external);
  }
  EXPECT_NE(rte_mem_virt2memseg_list(pages.bytes.data()), nullptr);
  kept = {};
  EXPECT_EQ(rte_mem_virt2memseg_list(pages.bytes.data()), nullptr);
}

TEST(ExternalMemory, memory_off_its_pages_is_refused) {
  Pages pages;
  const auto registered = [&](std::size_t offset, std::size_t size) {
    return error_of([&] { ExternalMemory(pages.bytes.data() + offset, size, kPage); });
  };
  EXPECT_NE(registered(64, kPage).find("multiples of the page size 4096"), std::string::npos);
  EXPECT_NE(registered(0, kPage + 1), "");
  EXPECT_EQ(registered(0, kPage), "");
}

TEST(ExternalMemory, memory_is_registered_once) {
  Pages pages;
  const ExternalMemory external(pages.bytes.data(), pages.bytes.size(), kPage);
  EXPECT_NE(error_of([&] { ExternalMemory(pages.bytes.data(), pages.bytes.size(), kPage); }), "");
}

TEST(DpdkError, texts_are_of_errno_and_of_dpdks_own_numbers) {
  EXPECT_EQ(dpdk_errno_text(-ENOMEM), "ENOMEM (Cannot allocate memory)");
  EXPECT_EQ(dpdk_errno_text(E_RTE_NO_CONFIG), rte_strerror(E_RTE_NO_CONFIG));
}

}  // namespace
}  // namespace ringside
