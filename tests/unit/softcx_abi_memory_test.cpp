// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory regions, umems and dma-bufs.
#include <sys/mman.h>

#include <memory>

#include "tests/unit/softcx_abi_fixture.hpp"

// The header's macro mixes enumerations, which clang warns of; the function is what is tested.
#undef ibv_reg_mr

namespace softcx::test {
namespace {

TEST_F(SoftcxAbi, memory_regions_take_what_the_kernel_takes) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  alignas(4096) static std::uint8_t buffer[8192];
  ibv_mr* const mr = ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(mr, nullptr);
  EXPECT_EQ(mr->lkey, mr->rkey);
  EXPECT_EQ(mr->addr, buffer);
  EXPECT_EQ(ibv_dealloc_pd(pd), EBUSY);
  EXPECT_EQ(ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_REMOTE_WRITE), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_ON_DEMAND), nullptr);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);

  void* const gone = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(ibv_reg_mr(pd, gone, 4096, IBV_ACCESS_LOCAL_WRITE), nullptr);
  EXPECT_EQ(errno, EFAULT);
  ::munmap(gone, 4096);
  EXPECT_EQ(ibv_dealloc_pd(pd), 0);
}

TEST_F(SoftcxAbi, umem_stays_while_a_key_lies_in_it) {
  alignas(4096) static std::uint8_t buffer[4096];
  mlx5dv_devx_umem* const umem =
      mlx5dv_devx_umem_reg(context, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(umem, nullptr);
  mlx5dv_devx_obj* const pd = create(command(Opcode::kAllocPd));
  constexpr prm::Context kMkc = prm::create_mkey_in::memory_key_mkey_entry;
  auto in = command<prm::create_mkey_in::kSize>(Opcode::kCreateMkey);
  in.set(prm::create_mkey_in::mkey_umem_id, umem->umem_id);
  in.set(kMkc / prm::mkc::access_mode_1_0, static_cast<unsigned>(prm::MkeyAccessMode::kMtt));
  in.set(kMkc / prm::mkc::pd, created_id());
  in.set(kMkc / prm::mkc::qpn, 0xffffff);
  in.set(kMkc / prm::mkc::len, sizeof buffer);
  in.set(kMkc / prm::mkc::log_page_size, 12);
  in.set(kMkc / prm::mkc::translations_octword_size, 1);
  in.set(prm::create_mkey_in::translations_octword_actual_size, 1);
  mlx5dv_devx_obj* const key = create(in);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(mlx5dv_devx_umem_dereg(umem), EBUSY);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(key), 0);
  EXPECT_EQ(mlx5dv_devx_umem_dereg(umem), 0);
  EXPECT_EQ(mlx5dv_devx_obj_destroy(pd), 0);
}

TEST_F(SoftcxAbi, umem_needs_a_page_size_up_to_its_length) {
  alignas(4096) static std::uint8_t buffer[8192];
  mlx5dv_devx_umem_in in{};
  in.addr = buffer;
  in.size = sizeof buffer;
  for (const std::uint64_t sizes : {0x0ULL, 0xfffULL, 0x4000ULL}) {
    in.pgsz_bitmap = sizes;
    EXPECT_EQ(mlx5dv_devx_umem_reg_ex(context, &in), nullptr) << sizes;
    EXPECT_EQ(errno, EINVAL);
  }
  in.pgsz_bitmap = 0x2000;
  mlx5dv_devx_umem* const umem = mlx5dv_devx_umem_reg_ex(context, &in);
  ASSERT_NE(umem, nullptr);
  EXPECT_EQ(mlx5dv_devx_umem_dereg(umem), 0);
  in.size = 0;
  EXPECT_EQ(mlx5dv_devx_umem_reg_ex(context, &in), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(SoftcxAbi, dmabuf_must_have_its_address_at_the_same_place_in_a_page) {
  ibv_pd* const pd = ibv_alloc_pd(context);
  const int file = ::memfd_create("buffer", 0);
  ASSERT_EQ(::ftruncate(file, 16384), 0);
  EXPECT_EQ(ibv_reg_dmabuf_mr(pd, 4096, 4096, 0x10008, file, IBV_ACCESS_LOCAL_WRITE), nullptr);
  EXPECT_EQ(errno, EINVAL);
  ibv_mr* const mr = ibv_reg_dmabuf_mr(pd, 4096, 4096, 0x10000, file, IBV_ACCESS_LOCAL_WRITE);
  ASSERT_NE(mr, nullptr);
  EXPECT_EQ(ibv_dereg_mr(mr), 0);
  ::close(file);
  ibv_dealloc_pd(pd);
}

}  // namespace
}  // namespace softcx::test
