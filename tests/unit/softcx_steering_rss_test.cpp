// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What is hashed, and where the hash leads. The hash function itself: toeplitz_test.cpp.
#include <algorithm>
#include <set>

#include "tests/unit/softcx_steering_fixture.hpp"

namespace softcx {
namespace {

using namespace frames;

constexpr std::uint32_t kAddresses = kHashSourceIp | kHashDestinationIp;
constexpr std::uint32_t kPorts = kHashSourcePort | kHashDestinationPort;
// rx_hash_type: two bits each for source address, destination address, source and destination port.
constexpr std::uint8_t kTypeIpv4 = 0x05, kTypeIpv6 = 0x0a, kTypeTcp = 0x50, kTypeUdp = 0xa0;

class Rss : public SteeringTest {
 protected:
  /// Microsoft's key, a receive table of 4 entries, a rule for everything.
  Tir& make_rss_tir(std::uint32_t fields, bool ipv6, bool udp) {
    queues_ = {&make_rq(), &make_rq(), &make_rq(), &make_rq()};
    rqt_.queues = &queues_;
    Tir& tir = make_tir();
    tir.indirect = true;
    tir.rqt = &rqt_;
    tir.toeplitz = true;
    tir.hash_fields = fields;
    tir.l3_ipv6 = ipv6;
    tir.l4_udp = udp;
    tir.hash_key = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                    0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                    0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                    0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
    return tir;
  }
  void lead_to(Tir& tir) { rule(any_matcher(*root_), {}, {create_target_action(tir)}); }

  static Bytes packet4(std::uint8_t protocol, const Bytes& l4) {
    return ethernet(
        0x0800,
        ipv4({.source = "66.9.149.187", .destination = "161.142.100.80", .protocol = protocol},
             l4));
  }

  std::vector<Rq*> queues_;
  Rqt rqt_;
};

TEST_F(Rss, hash_goes_to_the_completion_and_selects_the_queue) {
  lead_to(make_rss_tir(kAddresses | kPorts, false, false));
  const Verdict verdict = classify(packet4(6, tcp(2794, 1766)));
  EXPECT_EQ(verdict.rss_hash, 0x51ccc178U);
  EXPECT_EQ(verdict.rss_hash_type, kTypeIpv4 | kTypeTcp);
  EXPECT_EQ(verdict.rq, queues_[0x51ccc178 % 4]);
}

TEST_F(Rss, ports_of_the_other_protocol_are_not_hashed) {
  lead_to(make_rss_tir(kAddresses | kPorts, false, false));
  const Verdict verdict = classify(packet4(17, udp(2794, 1766)));
  EXPECT_EQ(verdict.rss_hash, 0x323e8fc2U);
  EXPECT_EQ(verdict.rss_hash_type, kTypeIpv4);
}

TEST_F(Rss, fragments_are_hashed_by_their_addresses) {
  lead_to(make_rss_tir(kAddresses | kPorts, false, true));
  Bytes frame = packet4(17, udp(2794, 1766));
  EXPECT_EQ(classify(frame).rss_hash, 0x51ccc178U);
  frame[14 + 6] = 0x20;
  EXPECT_EQ(classify(frame).rss_hash, 0x323e8fc2U);
}

TEST_F(Rss, ipv6) {
  lead_to(make_rss_tir(kAddresses | kPorts, true, true));
  const Bytes l3 = ipv6(17, udp(2794, 1766), "3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1");
  const Verdict verdict = classify(ethernet(0x86dd, l3));
  EXPECT_EQ(verdict.rss_hash, 0x40207d3dU);
  EXPECT_EQ(verdict.rss_hash_type, kTypeIpv6 | kTypeUdp);
}

TEST_F(Rss, packet_of_the_other_ip_version_is_not_hashed) {
  lead_to(make_rss_tir(kAddresses, true, false));
  const Verdict verdict = classify(packet4(6, tcp(1, 2)));
  EXPECT_EQ(verdict.rss_hash_type, 0);
  EXPECT_EQ(verdict.rss_hash, 0U);
  EXPECT_EQ(verdict.rq, queues_[0]);
}

TEST_F(Rss, only_selected_fields_count) {
  lead_to(make_rss_tir(kHashSourceIp, false, false));
  const std::uint32_t hash = classify(packet4(6, tcp(1, 2))).rss_hash;
  EXPECT_EQ(classify(packet4(6, tcp(3, 4))).rss_hash, hash);
  EXPECT_EQ(classify(packet4(6, tcp(3, 4))).rss_hash_type, 0x01);
  Bytes other = packet4(6, tcp(1, 2));
  other[14 + 19] ^= 1;  // the destination's last byte
  EXPECT_EQ(classify(other).rss_hash, hash);
  other[14 + 15] ^= 1;  // the source's
  EXPECT_NE(classify(other).rss_hash, hash);
}

TEST_F(Rss, symmetric_hash_is_the_same_in_both_directions) {
  Tir& tir = make_rss_tir(kAddresses | kPorts, false, false);
  tir.symmetric = true;
  lead_to(tir);
  const auto between = [](const char* a, const char* b, std::uint16_t p, std::uint16_t q) {
    return ethernet(0x0800, ipv4({.source = a, .destination = b, .protocol = 6}, tcp(p, q)));
  };
  const std::uint32_t hash = classify(between("10.1.2.3", "10.9.8.7", 1111, 80)).rss_hash;
  EXPECT_EQ(classify(between("10.9.8.7", "10.1.2.3", 80, 1111)).rss_hash, hash);
  EXPECT_NE(classify(between("10.1.2.3", "10.9.8.7", 1111, 81)).rss_hash, hash);
}

TEST_F(Rss, security_parameter_index_of_esp) {
  lead_to(make_rss_tir(kAddresses | kHashIpsecSpi, false, false));
  // The SPI stands where the ports do in Microsoft's vector.
  const Bytes esp{2794 >> 8, 2794 & 0xff, 1766 >> 8, 1766 & 0xff, 0, 0, 0, 1};
  const Verdict verdict = classify(packet4(50, esp));
  EXPECT_EQ(verdict.rss_hash, 0x51ccc178U);
  EXPECT_EQ(verdict.rss_hash_type, kTypeIpv4 | 0xf0);
  EXPECT_EQ(classify(packet4(6, tcp(2794, 1766))).rss_hash, 0x323e8fc2U) << "no ESP, no SPI";
}

TEST_F(Rss, inner_headers_of_a_tunnel) {
  Tir& tir = make_rss_tir(kAddresses | kPorts, false, false);
  tir.hash_inner = true;
  lead_to(tir);
  const Bytes vxlan = Bytes{0x08, 0, 0, 0, 0, 0, 1, 0} + packet4(6, tcp(2794, 1766));
  EXPECT_EQ(classify(ethernet(0x0800, ipv4({}, udp(1, 4789, vxlan)))).rss_hash, 0x51ccc178U);
  EXPECT_EQ(classify(packet4(6, tcp(2794, 1766))).rss_hash_type, 0)
      << "no tunnel, no inner headers";
}

TEST_F(Rss, many_flows_spread_over_all_queues) {
  lead_to(make_rss_tir(kAddresses | kPorts, false, true));
  std::vector<int> hits(4);
  for (std::uint16_t port = 0; port < 1000; ++port) {
    const Rq* rq = classify(packet4(17, udp(port, 80))).rq;
    ++hits[static_cast<std::size_t>(std::find(queues_.begin(), queues_.end(), rq) -
                                    queues_.begin())];
  }
  for (const int packets : hits) EXPECT_GT(packets, 150);
}

TEST_F(Rss, modified_receive_table_is_used_at_once) {
  lead_to(make_rss_tir(kAddresses, false, false));
  std::vector<Rq*> other{&make_rq()};
  rqt_.queues = &other;
  EXPECT_EQ(classify(packet4(6, tcp(1, 2))).rq, other[0]);
}

}  // namespace
}  // namespace softcx
