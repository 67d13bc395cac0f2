// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/match.hpp"

#include <cstring>

#include "lib/softcx/steering/refusal.hpp"

namespace softcx {
namespace {

using namespace ringside::prm;
using KeyBytes = std::array<std::uint8_t, sizeof(FlowKey)>;

constexpr std::size_t kPartBytes = 64;

constexpr void support(KeyBytes& bytes, Context part, Field field) {
  set(bytes.data(), part / field, field.max());
}
constexpr void support(KeyBytes& bytes, Context part, Context field) {
  const Context place = part / field;
  for (std::uint32_t i = 0; i < place.size; ++i) bytes[place.offset + i] = 0xff;
}

/// All bits that the parser fills in.
constexpr KeyBytes supported_bits() {
  KeyBytes bits{};
  namespace layer = fte_match_set_lyr_2_4;
  for (const Context part : {fte_match_param::outer_headers, fte_match_param::inner_headers}) {
    for (const Field field : {layer::smac_47_16,      layer::smac_15_0, layer::ethertype,
                              layer::dmac_47_16,      layer::dmac_15_0, layer::first_prio,
                              layer::first_cfi,       layer::first_vid, layer::ip_protocol,
                              layer::ip_dscp,         layer::ip_ecn,    layer::cvlan_tag,
                              layer::svlan_tag,       layer::frag,      layer::ip_version,
                              layer::tcp_flags,       layer::tcp_sport, layer::tcp_dport,
                              layer::ipv4_ihl,        layer::l3_ok,     layer::ipv4_checksum_ok,
                              layer::ip_ttl_hoplimit, layer::udp_sport, layer::udp_dport}) {
      support(bits, part, field);
    }
    support(bits, part, layer::src_ipv4_src_ipv6);
    support(bits, part, layer::dst_ipv4_dst_ipv6);
  }
  namespace misc = fte_match_set_misc;
  for (const Field field : {misc::gre_c_present,
                            misc::gre_k_present,
                            misc::gre_s_present,
                            misc::outer_second_prio,
                            misc::outer_second_cfi,
                            misc::outer_second_vid,
                            misc::inner_second_prio,
                            misc::inner_second_cfi,
                            misc::inner_second_vid,
                            misc::outer_second_cvlan_tag,
                            misc::inner_second_cvlan_tag,
                            misc::outer_second_svlan_tag,
                            misc::inner_second_svlan_tag,
                            misc::gre_protocol,
                            misc::gre_key_h,
                            misc::gre_key_l,
                            misc::vxlan_vni,
                            misc::outer_ipv6_flow_label,
                            misc::inner_ipv6_flow_label,
                            misc::inner_esp_spi,
                            misc::outer_esp_spi}) {
    support(bits, fte_match_param::misc_parameters, field);
  }
  namespace misc3 = fte_match_set_misc3;
  for (const Field field :
       {misc3::inner_tcp_seq_num, misc3::outer_tcp_seq_num, misc3::inner_tcp_ack_num,
        misc3::outer_tcp_ack_num, misc3::icmp_header_data, misc3::icmpv6_header_data,
        misc3::icmp_type, misc3::icmp_code, misc3::icmpv6_type, misc3::icmpv6_code}) {
    support(bits, fte_match_param::misc_parameters_3, field);
  }
  return bits;
}
constexpr KeyBytes kSupported = supported_bits();

/// The longest buffer that rdma-core takes: up to misc_parameters_5.
constexpr std::size_t kMaxMatchBytes =
    fte_match_param::misc_parameters_5.offset + fte_match_param::misc_parameters_5.size;

constexpr std::array kIpVersion{fte_match_param::outer_headers / fte_match_set_lyr_2_4::ip_version,
                                fte_match_param::inner_headers / fte_match_set_lyr_2_4::ip_version};

bool enabled(unsigned criteria, std::size_t byte) {
  return (criteria >> (byte / kPartBytes) & 1) != 0;
}

}  // namespace

Match::Match(unsigned criteria, std::span<const std::uint8_t> mask, bool root)
    : criteria_(criteria) {
  if (criteria >= kCriteriaEnd || mask.size() > kMaxMatchBytes) {
    throw Refusal(
        RuleId::kMatchCriteria,
        fmt::format("matcher with criteria 0x{:x} and a mask of {} bytes", criteria, mask.size()));
  }
  KeyBytes bytes{};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (!enabled(criteria, i) || mask[i] == 0) continue;
    if (i >= bytes.size() || (mask[i] & ~kSupported[i]) != 0) {
      throw Refusal(RuleId::kMatchUnsupported,
                    fmt::format("a match on byte 0x{:x} of fte_match_param, mask "
                                "0x{:02x}, is not supported",
                                i, mask[i]));
    }
    bytes[i] = mask[i];
  }
  for (std::size_t i = 0; !root && i < kIpVersion.size(); ++i) {
    ip_version_[i] = get(bytes.data(), kIpVersion[i]);
    if (ip_version_[i] == 0) continue;
    if (ip_version_[i] != 4 && ip_version_[i] != 6) {
      throw Refusal(RuleId::kMatchIpVersion,
                    fmt::format("an ip_version mask of {}, 4 or 6 is needed outside of "
                                "the root table",
                                ip_version_[i]));
    }
    set(bytes.data(), kIpVersion[i], kIpVersion[i].max());
  }
  for (std::uint32_t i = 0; i < FlowKey::kWords; ++i) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + 8 * i, sizeof word);
    if (word != 0) words_[count_++] = {i, word};
  }
}

MatchWords Match::value(std::span<const std::uint8_t> value) const {
  if (value.size() > kMaxMatchBytes || value.size() % 4 != 0) {
    throw Refusal(RuleId::kMatchValueLength,
                  fmt::format("rule with a value of {} bytes", value.size()));
  }
  FlowKey key{};
  std::uint8_t* bytes = reinterpret_cast<std::uint8_t*>(&key);
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (enabled(criteria_, i) && value[i] != 0) {
      if (i >= sizeof key)
        throw Refusal(RuleId::kMatchValueOutsideMask,
                      "rule with a value outside the matcher's mask");
      bytes[i] = value[i];
    }
  }
  for (std::size_t i = 0; i < kIpVersion.size(); ++i) {
    if (ip_version_[i] != 0 && get(bytes, kIpVersion[i]) != ip_version_[i]) {
      throw Refusal(RuleId::kMatchIpVersion,
                    "rule with another ip_version than its matcher's mask");
    }
  }
  MatchWords words;
  apply(key, words);
  FlowKey masked{};
  for (std::uint32_t i = 0; i < count_; ++i) {
    std::memcpy(reinterpret_cast<std::uint8_t*>(&masked) + 8 * words_[i].index, &words.word[i], 8);
  }
  if (std::memcmp(&masked, &key, sizeof key) != 0) {
    throw Refusal(RuleId::kMatchValueOutsideMask, "rule with a value outside the matcher's mask");
  }
  return words;
}

}  // namespace softcx
