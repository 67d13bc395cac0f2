// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Bits of commands that have to be zero: which they are, written down here a second time from the
// manual's drawings, and that each of them is refused.
#include <random>
#include <vector>

#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/softcx/cmd/layout.hpp"
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

class SoftcxReserved : public CommandTest {
 protected:
  /// `in` with one dword replaced by itself and `bits`.
  template <std::size_t kSize>
  Answer run_and(prm::Mailbox<kSize> in, std::uint32_t offset, std::uint32_t bits) {
    prm::set_dword(in.data(), offset, prm::get_dword(in.data(), offset) | bits);
    return run(in);
  }
  auto modify(Opcode opcode) { return command<prm::modify_sq_in::kSize>(opcode); }
};

TEST_F(SoftcxReserved, header) {
  EXPECT_REFUSED(run_and(command(Opcode::kAllocPd), 0x04, 1U << 31), kBadParameter,
                 kReservedNotZero);
  EXPECT_REFUSED(run_and(command(Opcode::kAllocPd), 0x08, 1), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(command(Opcode::kDestroyCq, cq), 0x08, 1U << 24), kBadParameter,
                 kReservedNotZero);
  EXPECT_REFUSED(run_and(command(Opcode::kDestroyCq, cq), 0x0c, 1), kBadParameter,
                 kReservedNotZero);
  EXPECT_TRUE(device.cqs.contains(cq));
}

TEST_F(SoftcxReserved, user_id_is_the_kernels_to_write) {
  EXPECT_DONE(run_and(command(Opcode::kAllocPd), 0x00, 0xffff));
}

TEST_F(SoftcxReserved, behind_the_layout) {
  std::vector<std::uint8_t> in(0x200);
  const auto valid = cq_command();
  std::copy(valid.data(), valid.data() + valid.size(), in.begin());
  EXPECT_DONE(run(in.data(), in.size()));
  in.back() = 1;
  EXPECT_REFUSED(run(in.data(), in.size()), kBadParameter, kReservedNotZero);
}

TEST_F(SoftcxReserved, cq_context) {
  constexpr std::uint32_t kCqc = 0x10;
  for (const auto& [offset, bits] : {std::pair{0x00U, 1U << 19},
                                     {0x00U, 9U << 8},   // st: only the NIC arms
                                     {0x00U, 9U << 28},  // status
                                     {0x08U, 1U << 5},
                                     {0x08U, 1U << 12},
                                     {0x0cU, 1U << 29},
                                     {0x14U, 1U << 8},
                                     {0x20U, 1U},  // last_notified_index
                                     {0x2cU, 1U},  // producer_counter
                                     {0x34U, 1U}}) {
    EXPECT_REFUSED(run_and(cq_command(), kCqc + offset, bits), kBadParameter, kReservedNotZero);
  }
}

TEST_F(SoftcxReserved, sq_context) {
  constexpr std::uint32_t kSqc = 0x20;
  for (const auto& [offset, bits] : {std::pair{0x00U, 1U << 14},
                                     {0x00U, 1U << 31},  // rlky: not among the capabilities
                                     {0x00U, 1U << 3},
                                     {0x04U, 1U << 24},
                                     {0x08U, 1U << 24},
                                     {0x0cU, 1U},  // hairpin_peer_rq
                                     {0x14U, 1U},
                                     {0x20U, 1U},
                                     {0x2cU, 1U << 24}}) {
    EXPECT_REFUSED(run_and(sq_command(), kSqc + offset, bits), kBadParameter, kReservedNotZero);
    EXPECT_REFUSED(run_and(modify(Opcode::kModifySq), kSqc + offset, bits), kBadParameter,
                   kReservedNotZero);
  }
}

TEST_F(SoftcxReserved, rq_context) {
  constexpr std::uint32_t kRqc = 0x20;
  for (const auto& [offset, bits] : {std::pair{0x00U, 1U << 19},
                                     {0x00U, 1U << 6},
                                     {0x04U, 1U << 31},
                                     {0x0cU, 1U},
                                     {0x10U, 1U},  // rmpn
                                     {0x1cU, 1U}}) {
    EXPECT_REFUSED(run_and(rq_command(), kRqc + offset, bits), kBadParameter, kReservedNotZero);
    EXPECT_REFUSED(run_and(modify(Opcode::kModifyRq), kRqc + offset, bits), kBadParameter,
                   kReservedNotZero);
  }
}

TEST_F(SoftcxReserved, work_queue) {
  constexpr std::uint32_t kWq = 0x50;
  for (const auto& [offset, bits] : {std::pair{0x00U, 1U << 24},
                                     {0x00U, 1U},
                                     {0x04U, 1U << 21},
                                     {0x08U, 1U << 24},
                                     {0x18U, 1U},  // hw_counter
                                     {0x1cU, 1U},  // sw_counter
                                     {0x20U, 1U << 5},
                                     {0x24U, 1U << 29},
                                     {0x38U, 1U},
                                     {0xbcU, 1U}}) {
    EXPECT_REFUSED(run_and(sq_command(), kWq + offset, bits), kBadParameter, kReservedNotZero);
    EXPECT_REFUSED(run_and(rq_command(), kWq + offset, bits), kBadParameter, kReservedNotZero);
  }
}

TEST_F(SoftcxReserved, tables_targets_and_keys) {
  const std::uint32_t rq = run(rq_command()).id();
  EXPECT_REFUSED(run_and(rqt_command(rq), 0x20, 1), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(rqt_command(rq), 0x38, 1U << 16), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(rqt_command(rq), 0x110, 1U << 24), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(tir_command(rq), 0x20, 1), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(tir_command(rq), 0x40, 1U << 30), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(tir_command(rq), 0x78, 1), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(tis_command(), 0x20, 1), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(tis_command(), 0x44, 1U << 24), kBadParameter, kReservedNotZero);
  const auto key = command<prm::create_mkey_in::kSize>(Opcode::kCreateMkey);
  EXPECT_REFUSED(run_and(key, 0x10, 1), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(key, 0x48, 1U << 5), kBadParameter, kReservedNotZero);
  EXPECT_REFUSED(run_and(key, 0x70, 1), kBadParameter, kReservedNotZero);
}

TEST_F(SoftcxReserved, counters) {
  EXPECT_REFUSED(run_and(command<0x20>(Opcode::kQueryQCounter), 0x1c, 1U << 8), kBadParameter,
                 kReservedNotZero);
  EXPECT_REFUSED(run_and(command<0x20>(Opcode::kQueryFlowCounter), 0x08, 1), kBadParameter,
                 kReservedNotZero);
  EXPECT_REFUSED(run_and(command(Opcode::kAllocFlowCounter), 0x0c, 1U << 13), kBadParameter,
                 kReservedNotZero);
}

/// Whatever a program sends, the answer is a status: nothing crashes (the sanitizers watch), and a
/// refusal takes no references.
TEST_F(SoftcxReserved, random_commands_of_any_length_are_answered) {
  constexpr Opcode kOpcodes[] = {Opcode::kQueryHcaCap,
                                 Opcode::kCreateMkey,
                                 Opcode::kDestroyMkey,
                                 Opcode::kCreateCq,
                                 Opcode::kModifyCq,
                                 Opcode::kQueryCq,
                                 Opcode::kDestroyCq,
                                 Opcode::kAllocQCounter,
                                 Opcode::kQueryQCounter,
                                 Opcode::kDeallocQCounter,
                                 Opcode::kDeallocPd,
                                 Opcode::kDeallocTransportDomain,
                                 Opcode::kCreateTir,
                                 Opcode::kDestroyTir,
                                 Opcode::kCreateSq,
                                 Opcode::kModifySq,
                                 Opcode::kQuerySq,
                                 Opcode::kDestroySq,
                                 Opcode::kCreateRq,
                                 Opcode::kModifyRq,
                                 Opcode::kQueryRq,
                                 Opcode::kDestroyRq,
                                 Opcode::kCreateTis,
                                 Opcode::kQueryTis,
                                 Opcode::kDestroyTis,
                                 Opcode::kCreateRqt,
                                 Opcode::kModifyRqt,
                                 Opcode::kDestroyRqt,
                                 Opcode::kQueryFlowCounter,
                                 Opcode::kDeallocFlowCounter,
                                 Opcode::kQueryNicVportContext};
  std::mt19937 random(20260);
  std::vector<std::uint8_t> in(0x200);
  for (int i = 0; i < 20000; ++i) {
    const Opcode opcode = kOpcodes[random() % std::size(kOpcodes)];
    // Mostly zeros and small numbers, so that some references exist and some checks are passed.
    for (std::uint8_t& byte : in) {
      byte = static_cast<std::uint8_t>(random() % 8 == 0 ? random() : random() % 16 == 0);
    }
    // Half of them have their reserved bits zero, else only that rule would ever be tried.
    const Layout& layout = layout_of(opcode);
    for (std::size_t at = 0; i % 2 == 0 && at < in.size(); ++at) {
      const std::uint32_t list = layout.list >> (24 - at % 4 * 8);
      in[at] &= static_cast<std::uint8_t>(at < layout.known.size() ? layout.known[at] : list);
    }
    prm::set(in.data(), prm::command_in::opcode, static_cast<std::uint32_t>(opcode));
    prm::set(in.data(), prm::command_in::op_mod, 0);
    const bool known = random() % 2 == 0;
    if (known) prm::set(in.data(), prm::command_in::object_id, 0x100 + random() % 16);
    const std::uint32_t references = device.umems.at(umem)->references;
    const Answer answer = run(in.data(), random() % in.size(), 8 + random() % 0x1000);
    if (answer.status != Status::kOk && device.umems.contains(umem)) {
      ASSERT_EQ(device.umems.at(umem)->references, references);
    }
  }
}

}  // namespace
}  // namespace softcx
