// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a send's packets may be made of, judged by what softcx puts on the wire: it refuses any WQE
// that a NIC would refuse.
#include <gtest/gtest.h>

#include "tests/unit/softcx_send_rig.hpp"

namespace ringside::test {
namespace {

using softcx::test::Bytes;

class DeviceSendContent : public SendContent {};
RS_FOR_SEND_QUEUES(DeviceSendContent);

/// Bytes of the rig's memory.
Bytes part(const SoftcxSendRig& rig, std::size_t at, std::size_t length) {
  const auto from = rig.memory.bytes.begin() + static_cast<std::ptrdiff_t>(at);
  return {from, from + static_cast<std::ptrdiff_t>(length)};
}

TEST_P(DeviceSendContent, parts_are_sent_as_one_packet) {
  // The ring has 64 blocks, a packet of up to 6 parts two of them: they go over its end.
  for (const std::uint64_t start : {0U, 59U, 0xfff5U}) {
    SoftcxSendRig rig(6, start);
    send(rig, 14, [&](std::uint32_t i) {
      TxGather<6> packet;
      for (std::uint32_t j = 0; j <= i % 6; ++j) {
        packet.add({rig.memory.address(1000 * i + 100 * j), 20 + j});
      }
      return packet;
    });
    ASSERT_EQ(rig.sent().size(), 14U);
    for (std::uint32_t i = 0; i < 14; ++i) {
      Bytes expected;
      for (std::uint32_t j = 0; j <= i % 6; ++j) {
        const Bytes more = part(rig, 1000 * i + 100 * j, 20 + j);
        expected.insert(expected.end(), more.begin(), more.end());
      }
      EXPECT_EQ(rig.sent()[i], expected) << i;
    }
  }
}

TEST_P(DeviceSendContent, the_longest_wqe_is_one_packet) {
  SoftcxSendRig rig(6, 55);
  send(rig, 1, [&](std::uint32_t) {
    TxGather<61> packet;
    for (std::uint32_t j = 0; j < 61; ++j) packet.add({rig.memory.address(64 * j), 64});
    return packet;
  });
  ASSERT_EQ(rig.sent().size(), 1U);
  EXPECT_EQ(rig.sent()[0], part(rig, 0, 61 * 64));
}

TEST_P(DeviceSendContent, a_part_may_lie_in_another_memory_region) {
  SoftcxSendRig rig;
  std::fill(rig.other.bytes.begin(), rig.other.bytes.end(), std::uint8_t{0x5a});
  send(rig, 3, [&](std::uint32_t i) {
    return TxGather<2>{}
        .add({rig.memory.address(0), 14 + i})
        .add({rig.other.address(0), 50, rig.other.lkey});
  });
  ASSERT_EQ(rig.sent().size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) {
    Bytes expected = part(rig, 0, 14 + i);
    expected.insert(expected.end(), 50, 0x5a);
    EXPECT_EQ(rig.sent()[i], expected);
  }
}

TEST_P(DeviceSendContent, vlan_tag_is_inserted) {
  SoftcxSendRig rig;
  send(rig, 5, [&](std::uint32_t i) {
    return TxGather<1>{
        .offload = {.insert_vlan = true, .vlan_tci = static_cast<std::uint16_t>(0x2005 + i)}}
        .add({rig.memory.address(0), 60});
  });
  ASSERT_EQ(rig.sent().size(), 5U);
  for (std::uint8_t i = 0; i < 5; ++i) {
    Bytes expected = part(rig, 0, 12);
    expected.insert(expected.end(), {0x81, 0x00, 0x20, static_cast<std::uint8_t>(0x05 + i)});
    const Bytes rest = part(rig, 12, 48);
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(rig.sent()[i], expected);
  }
}

/// Made with scapy: Ether/IP/GRE(key_present=1)/IP/UDP(53, 54)/'ring'.
const Bytes kTunnel = {0x02, 0,    0,    0,    0,    2,    0x02, 0,    0,    0,    0,    1,    0x08,
                       0x00, 0x45, 0x00, 0x00, 0x3c, 0x00, 0x01, 0x00, 0x00, 0x40, 0x2f, 0xf9, 0x3e,
                       192,  168,  0,    1,    192,  168,  0,    2,    0x20, 0x00, 0x08, 0x00, 0,
                       0,    0,    5,    0x45, 0x00, 0x00, 0x20, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11,
                       0x66, 0xca, 10,   0,    0,    1,    10,   0,    0,    2,    0,    53,   0,
                       54,   0,    12,   0x0a, 0x98, 'r',  'i',  'n',  'g'};
constexpr std::size_t kOuterIp = 24, kInnerIp = 52, kInnerUdp = 68;  // their checksums

/// The tunnel packet with zeros for checksums, but for those at `kept`.
Bytes without_checksums(std::initializer_list<std::size_t> kept) {
  Bytes frame = kTunnel;
  for (const std::size_t at : {kOuterIp, kInnerIp, kInnerUdp}) {
    if (std::find(kept.begin(), kept.end(), at) == kept.end()) frame[at] = frame[at + 1] = 0;
  }
  return frame;
}

TEST_P(DeviceSendContent, each_checksum_is_computed_where_it_is_asked_for) {
  SoftcxSendRig rig;
  const Bytes bare = without_checksums({});
  std::copy(bare.begin(), bare.end(), rig.memory.bytes.begin());
  constexpr std::uint8_t kAsked[] = {0, kCsL3, kCsInnerL3, kCsInnerL4, kCsL3 | kCsInnerL4};
  send(rig, 5, [&](std::uint32_t i) {
    return TxGather<1>{.offload = {.checksums = kAsked[i]}}.add(
        {rig.memory.address(0), static_cast<std::uint32_t>(bare.size())});
  });
  ASSERT_EQ(rig.sent().size(), 5U);
  EXPECT_EQ(rig.sent()[0], bare);
  EXPECT_EQ(rig.sent()[1], without_checksums({kOuterIp}));
  EXPECT_EQ(rig.sent()[2], without_checksums({kInnerIp}));
  EXPECT_EQ(rig.sent()[3], without_checksums({kInnerUdp}));
  EXPECT_EQ(rig.sent()[4], without_checksums({kOuterIp, kInnerUdp}));
}

TEST_P(DeviceSendContent, inline_packets_need_no_memory_once_send_has_returned) {
  SoftcxSendRig rig(6, 57);
  const Bytes before = rig.memory.bytes;
  run(rig, [&](auto& scope, auto& queue) {
    const TxBatch sent = queue.send(
        scope, 20,
        [&](std::uint32_t i) {
          return TxInline<92>{&rig.memory.bytes[100 * i], 73 + i};
        },
        kEver);
    ASSERT_EQ(sent.status, TxStatus::kOk);
    scope.sync();
    if (scope.rank() == 0) std::fill_n(rig.memory.bytes.begin(), 2000, std::uint8_t{0});
    ASSERT_EQ(queue.poll_at(scope, sent.ticket(), kEver), TxStatus::kOk);
  });
  ASSERT_EQ(rig.sent().size(), 20U);
  rig.memory.bytes = before;
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(rig.sent()[i], part(rig, 100 * i, 73 + i));
}

TEST_P(DeviceSendContent, inline_packets_of_every_length_and_with_offloads) {
  SoftcxSendRig rig(9);
  send(rig, 100, [&](std::uint32_t i) { return TxInline<113>{&rig.memory.bytes[i], 14 + i}; });
  ASSERT_EQ(rig.sent().size(), 100U);
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_EQ(rig.sent()[i], part(rig, i, 14 + i));
  const Bytes bare = without_checksums({});
  send(rig, 1, [&](std::uint32_t) {
    return TxInline<100>{bare.data(),
                         static_cast<std::uint32_t>(bare.size()),
                         {.checksums = kCsL3 | kCsInnerL3 | kCsInnerL4}};
  });
  EXPECT_EQ(rig.sent().back(), kTunnel);
}

TEST_P(DeviceSendContent, inline_header_is_joined_with_what_lies_in_memory) {
  SoftcxSendRig rig;
  send(rig, 9, [&](std::uint32_t i) {
    return TxInlineHeader<18>{&rig.memory.bytes[100 * i], {rig.memory.address(5000), 40 + i}};
  });
  send(rig, 2, [&](std::uint32_t) {
    return TxInlineHeader<54>{&rig.memory.bytes[100], {rig.memory.address(5000), 10}};
  });
  ASSERT_EQ(rig.sent().size(), 11U);
  const auto joined = [&](std::size_t at, std::size_t header, std::size_t rest) {
    Bytes all = part(rig, at, header);
    const Bytes more = part(rig, 5000, rest);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(rig.sent()[i], joined(100 * i, 18, 40 + i));
  EXPECT_EQ(rig.sent()[9], joined(100, 54, 10));
}

TEST_P(DeviceSendContent, packets_share_wqes) {
  for (const std::uint32_t count : {1U, 2U, 29U, 30U, 31U, 100U}) {
    SoftcxSendRig rig(6, 61);
    send(rig, count, [&](std::uint32_t i) {
      return TxGrouped<>{{rig.memory.address(50 * i), 60 + i}};
    });
    ASSERT_EQ(rig.sent().size(), count);
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(rig.sent()[i], part(rig, 50 * i, 60 + i));
  }
}

TEST_P(DeviceSendContent, inline_packets_share_wqes_whatever_their_lengths) {
  for (const std::uint32_t count : {1U, 11U, 12U, 13U, 40U}) {
    SoftcxSendRig rig(7, 125);
    const auto length = [](std::uint32_t i) { return 14 + i * 11 % 50; };
    send(rig, count, [&](std::uint32_t i) {
      return TxGroupedInline<64>{&rig.memory.bytes[70 * i], length(i)};
    });
    ASSERT_EQ(rig.sent().size(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(rig.sent()[i], part(rig, 70 * i, length(i))) << i << " of " << count;
    }
  }
}

TEST_P(DeviceSendContent, packets_that_share_wqes_get_checksums) {
  SoftcxSendRig rig;
  const Bytes bare = without_checksums({});
  std::copy(bare.begin(), bare.end(), rig.memory.bytes.begin());
  const auto length = static_cast<std::uint32_t>(bare.size());
  send(rig, 3, [&](std::uint32_t) {
    return TxGrouped<kCsL3 | kCsInnerL3 | kCsInnerL4>{{rig.memory.address(0), length}};
  });
  send(rig, 2, [&](std::uint32_t) { return TxGroupedInline<80, kCsL3>{bare.data(), length}; });
  ASSERT_EQ(rig.sent().size(), 5U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rig.sent()[i], kTunnel);
  for (std::size_t i = 3; i < 5; ++i) EXPECT_EQ(rig.sent()[i], without_checksums({kOuterIp}));
}

TEST_P(DeviceSendContent, all_kinds_follow_each_other_round_the_ring) {
  SoftcxSendRig rig(5, 0xffe0);
  run(rig, [&](auto& scope, auto& queue) {
    for (std::uint32_t turn = 0; turn < 30; ++turn) {
      const std::uint64_t iova = rig.memory.address(20 * turn);
      const std::uint8_t* const bytes = &rig.memory.bytes[20 * turn];
      ASSERT_EQ(queue
                    .send(
                        scope, 3,
                        [&](std::uint32_t) {
                          return TxPacket{iova, 60};
                        },
                        kEver)
                    .status,
                TxStatus::kOk);
      ASSERT_EQ(queue
                    .send(
                        scope, 2,
                        [&](std::uint32_t) {
                          return TxInline<92>{bytes, 60};
                        },
                        kEver)
                    .status,
                TxStatus::kOk);
      ASSERT_EQ(queue
                    .send(
                        scope, 4,
                        [&](std::uint32_t) {
                          return TxGrouped<>{{iova, 60}};
                        },
                        kEver)
                    .status,
                TxStatus::kOk);
      const TxBatch sent = queue.send(
          scope, 2,
          [&](std::uint32_t) {
            return TxGather<4>{}.add({iova, 30}).add({iova + 30, 30});
          },
          kEver);
      ASSERT_EQ(sent.status, TxStatus::kOk);
      ASSERT_EQ(queue.poll_at(scope, sent.ticket(), kEver), TxStatus::kOk);
    }
  });
  ASSERT_EQ(rig.sent().size(), 30U * 11);
  for (std::uint32_t i = 0; i < rig.sent().size(); ++i) {
    ASSERT_EQ(rig.sent()[i], part(rig, 20 * (i / 11), 60)) << i;
  }
}

TEST_P(DeviceSendContent, a_chosen_packet_tells_that_it_is_sent) {
  SoftcxSendRig rig(7);
  const auto check = [&](auto packet_of) {
    using Content = PacketType<decltype(packet_of)>;
    run(rig, [&](auto& scope, auto& queue) {
      const TxBatch sent = queue.send(scope, 9, packet_of, kEver, TxNotify::packet(4));
      ASSERT_EQ(sent.status, TxStatus::kOk);
      ASSERT_EQ(queue.poll_at(scope, ticket_of<Content>(sent, 4), kEver), TxStatus::kOk);
      EXPECT_LT(queue.completed(), sent.end());
      const TxBatch last = queue.send(scope, 1, packet_of, kEver);
      ASSERT_EQ(queue.poll_at(scope, last.ticket(), kEver), TxStatus::kOk);
      EXPECT_EQ(queue.completed(), last.end());
    });
  };
  const std::uint64_t iova = rig.memory.address(0);
  check([&](std::uint32_t) { return TxGather<4>{}.add({iova, 60}); });
  check([&](std::uint32_t) { return TxInline<92>{rig.memory.bytes.data(), 60}; });
  EXPECT_EQ(rig.sent().size(), 20U);
}

TEST_P(DeviceSendContent, a_lone_wqe_goes_by_blueflame_in_turns) {
  SoftcxSendRig rig(6, 60);
  rig.doorbell_kind = DoorbellKind::kBlueFlame;
  const bool shared = GetParam().sharing != Sharing::kExclusive;
  const auto same = [&](std::size_t buffer, std::uint64_t index) {
    return std::ranges::equal(rig.blue_flame(buffer).subspan(8, 40), rig.wqe(index).subspan(8, 40));
  };
  for (std::uint64_t index = 60; index < 70; ++index) {  // 48 bytes of WQE, 8 of them the doorbell
    send(rig, 1, [&](std::uint32_t) { return TxPacket{rig.memory.address(100 * index), 60}; });
    EXPECT_EQ(same(index & 1, index), !shared);
    EXPECT_FALSE(same(1 - (index & 1), index));
  }
  send(rig, 2, [&](std::uint32_t i) { return TxPacket{rig.memory.address(200 * i), 60}; });
  send(rig, 1, [&](std::uint32_t) { return TxInline<92>{rig.memory.bytes.data(), 80}; });
  ASSERT_EQ(rig.sent().size(), 13U);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(rig.sent()[i], part(rig, 100 * (60 + i), 60));
  EXPECT_EQ(softcx::test::violations_with(rig.device.ibdev + ":"), 0U);
}

TEST_P(DeviceSendContent, a_ring_too_full_for_the_blocks_is_said) {
  SoftcxSendRig rig(4);
  const auto packet = [&](std::uint32_t) { return TxInline<92>{rig.memory.bytes.data(), 60}; };
  run_scope(rig, GetParam(), [&](auto& scope, auto& queue) {
    EXPECT_EQ(queue.send(scope, 8, packet, kSecond / 1000).status, TxStatus::kFull);
    EXPECT_EQ(queue.send(scope, 7, packet, 0).status, TxStatus::kOk);
    EXPECT_EQ(queue.send(scope, 1, packet, 0).status, TxStatus::kFull);
  });
  rig.serve();
  EXPECT_EQ(rig.sent().size(), 7U);
}

}  // namespace
}  // namespace ringside::test
