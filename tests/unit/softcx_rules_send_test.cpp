// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One send WQE for each rule about them, which breaks that rule only.
#include <gtest/gtest.h>

#include "lib/softcx/data/transmitter.hpp"
#include "lib/softcx/data/watch_posts.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"
#include "tests/unit/broken_rules.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::WqeOpcode;

constexpr std::size_t kEth = sizeof(ringside::EthernetSegment);

class SoftcxSendRules : public testing::Test {
 protected:
  SoftcxSendRules() { device_.posted = &posted_; }

  std::uint16_t post(std::uint32_t lkey, std::uint64_t address) {
    return queue_.post(WqeOpcode::kSend, send_body(lkey, address, 60));
  }
  std::uint16_t post_good() { return post(region_.lkey, region_.address(0)); }
  std::uint8_t* post_to_spoil() { return queue_.block(post_good()); }
  /// The NIC sees what is posted, and executes it.
  void see() {
    queue_.sq.producer = queue_.next;
    watch_posts(queue_.sq);
  }
  void run() {
    see();
    transmitter_.run(queue_.sq, 1000);
  }

  PostedBuffers posted_;
  Device device_{0, "0000:ca:00.0", "mlx5_rules", "uverbs0", ""};
  NicClock clock_;
  RecordingWire wire_;
  Transmitter transmitter_{device_, wire_, clock_};
  CqUnderTest completions_{6};
  SqUnderTest queue_{device_, completions_.cq, 0x1234, 5};
  Region region_{device_, 4096};
  RuleWatch rules_;
};

TEST_F(SoftcxSendRules, good_wqes_of_each_kind_break_none) {
  post_good();
  queue_.post(WqeOpcode::kNop, {});
  queue_.post_wait(0, ~std::uint64_t{0} >> 1);
  queue_.post(WqeOpcode::kEnhancedMpw, send_body(region_.lkey, region_.address(0), 60));
  run();
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
  EXPECT_EQ(wire_.sent.size(), 2U);
}

TEST_F(SoftcxSendRules, opcode) {
  post_to_spoil()[3] = 0x1f;
  run();
  RS_EXPECT_BROKEN(rules_, "send.opcode");
}

TEST_F(SoftcxSendRules, queue_number) {
  post_to_spoil()[6] = 0x77;
  run();
  RS_EXPECT_BROKEN(rules_, "send.queue-number");
}

TEST_F(SoftcxSendRules, wqe_index) {
  post_to_spoil()[2] = 7;
  run();
  RS_EXPECT_BROKEN(rules_, "send.wqe-index");
}

TEST_F(SoftcxSendRules, ds_count_below_what_the_opcode_needs) {
  post_to_spoil()[7] = 1;
  run();
  RS_EXPECT_BROKEN(rules_, "send.ds-count");
}

TEST_F(SoftcxSendRules, wqe_that_passes_the_producer_index) {
  post_to_spoil()[7] = 5;
  run();
  RS_EXPECT_BROKEN(rules_, "send.beyond-producer");
}

TEST_F(SoftcxSendRules, inline_header_longer_than_the_wqe) {
  post_to_spoil()[16 + 12] = 1;  // 256 bytes
  run();
  RS_EXPECT_BROKEN(rules_, "send.inline-header");
}

TEST_F(SoftcxSendRules, inline_data_longer_than_the_wqe) {
  Bytes body(kEth + 16);
  const std::uint32_t count = ringside::byte_swap(ringside::kInlineData | 13U);
  std::memcpy(body.data() + kEth, &count, 4);
  queue_.post(WqeOpcode::kSend, body);
  run();
  RS_EXPECT_BROKEN(rules_, "send.inline-data");
}

TEST_F(SoftcxSendRules, offload_that_is_not_offered) {
  post_to_spoil()[16 + 4] = 0x04;
  run();
  RS_EXPECT_BROKEN(rules_, "send.offload");
}

TEST_F(SoftcxSendRules, wait_whose_mask_has_a_hole) {
  queue_.post_wait(0, 0xff00ff);
  run();
  RS_EXPECT_BROKEN(rules_, "send.wait");
}

TEST_F(SoftcxSendRules, reserved_fields_of_the_control_segment) {
  for (const std::size_t at : {8U, 9U, 12U}) {
    const RuleWatch rules;
    std::uint8_t* const wqe = post_to_spoil();
    wqe[at] = 1;
    run();
    RS_EXPECT_BROKEN(rules, "send.reserved");
  }
  EXPECT_EQ(wire_.sent.size(), 3U);
  const RuleWatch rules;
  post_to_spoil()[7] |= 0x40;
  run();
  RS_EXPECT_BROKEN(rules, "send.reserved");
}

TEST_F(SoftcxSendRules, wqe_that_is_written_while_it_is_the_nics) {
  std::uint8_t* const wqe = post_to_spoil();
  post_good();
  see();
  wqe[47] ^= 1;  // another address of the same key: nothing else can find it
  run();
  RS_EXPECT_BROKEN(rules_, "send.wqe-changed");
}

TEST_F(SoftcxSendRules, what_is_behind_the_last_segment_of_a_wqe_is_the_programs) {
  std::uint8_t* const wqe = post_to_spoil();
  see();
  wqe[48] ^= 1;
  wqe[63] ^= 1;
  run();
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxSendRules, wqes_that_go_over_the_end_of_the_ring_break_none) {
  for (int round = 0; round < 9; ++round) {
    Bytes body(kEth + 4 + 400);  // 7 blocks of a ring of 32
    const std::uint32_t count = ringside::byte_swap(ringside::kInlineData | 400U);
    std::memcpy(body.data() + kEth, &count, 4);
    queue_.post(WqeOpcode::kSend, body);
    run();
  }
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
  EXPECT_EQ(wire_.sent.size(), 9U);
}

TEST_F(SoftcxSendRules, key_that_is_deregistered_while_a_wqe_names_it) {
  post_good();
  see();
  device_.remove_mkey(region_.lkey);
  RS_EXPECT_BROKEN(rules_, "key.in-use");
}

TEST_F(SoftcxSendRules, key_that_is_deregistered_when_all_is_sent_breaks_none) {
  post_good();
  run();
  device_.remove_mkey(region_.lkey);
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxSendRules, key_that_never_was) {
  post(region_.lkey + 0x100, region_.address(0));
  run();
  RS_EXPECT_BROKEN(rules_, "key.unknown");
}

TEST_F(SoftcxSendRules, key_that_was_deregistered) {
  device_.remove_mkey(region_.lkey);
  post_good();
  run();
  RS_EXPECT_BROKEN(rules_, "key.deregistered");
}

TEST_F(SoftcxSendRules, key_of_another_protection_domain) {
  queue_.sq.pdn = Region::kPdn + 1;
  post_good();
  run();
  RS_EXPECT_BROKEN(rules_, "key.domain");
}

TEST_F(SoftcxSendRules, key_without_local_read) {
  device_.mkey_at(region_.lkey >> 8)->local_read = false;
  post_good();
  run();
  RS_EXPECT_BROKEN(rules_, "key.local-read");
}

TEST_F(SoftcxSendRules, segment_that_ends_one_byte_behind_its_key) {
  post(region_.lkey, region_.address(4096 - 59));
  run();
  RS_EXPECT_BROKEN(rules_, "key.bounds");
}

TEST_F(SoftcxSendRules, what_an_error_cqe_tells_is_reported_where_somebody_sanitizes) {
  g_sanitizing.store(false);
  post_to_spoil()[2] = 7;
  run();
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
  EXPECT_EQ(queue_.sq.state.load(), QueueState::kError);
}

TEST_F(SoftcxSendRules, first_values_and_count_are_kept_for_each_object) {
  for (int i = 0; i < 3; ++i) {
    queue_.sq.sqn = 0x4321;
    post_to_spoil()[2] = static_cast<std::uint8_t>(7 + i);
    run();
    queue_.sq.state.store(QueueState::kReady);
  }
  const auto all = all_violations();
  const auto found = std::find_if(all.begin(), all.end(), [](const Violation& violation) {
    return violation.object == "mlx5_rules: send queue 0x4321";
  });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->times, 3U);
  EXPECT_NE(found->text.find("WQE at 0: opmod 0x0, opcode 0xa, index 7, queue 0x4321, ds 3"),
            std::string::npos)
      << found->text;
}

}  // namespace
}  // namespace softcx
