// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The hash against the vectors that Microsoft publishes ("Verifying the RSS hash calculation").
#include "lib/softcx/steering/toeplitz.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace softcx {
namespace {

constexpr ToeplitzTable::Key kMicrosoftKey = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

struct Vector {
  const char* source;
  std::uint16_t source_port;
  const char* destination;
  std::uint16_t destination_port;
  std::uint32_t addresses_hash;
  std::uint32_t ports_hash;
};

std::vector<std::uint8_t> address(int family, const char* text) {
  std::vector<std::uint8_t> bytes(family == AF_INET ? 4 : 16);
  EXPECT_EQ(inet_pton(family, text, bytes.data()), 1) << text;
  return bytes;
}

void check(int family, const std::vector<Vector>& vectors) {
  const auto table = std::make_unique<ToeplitzTable>(kMicrosoftKey);
  for (const Vector& v : vectors) {
    std::vector<std::uint8_t> input = address(family, v.source);
    const std::vector<std::uint8_t> destination = address(family, v.destination);
    input.insert(input.end(), destination.begin(), destination.end());
    EXPECT_EQ(table->hash(input), v.addresses_hash) << v.source;
    for (const std::uint16_t port : {v.source_port, v.destination_port}) {
      input.push_back(static_cast<std::uint8_t>(port >> 8));
      input.push_back(static_cast<std::uint8_t>(port));
    }
    EXPECT_EQ(table->hash(input), v.ports_hash) << v.source;
  }
}

TEST(Toeplitz, ipv4_vectors_of_microsoft) {
  check(AF_INET, {{"66.9.149.187", 2794, "161.142.100.80", 1766, 0x323e8fc2, 0x51ccc178},
                  {"199.92.111.2", 14230, "65.69.140.83", 4739, 0xd718262a, 0xc626b0ea},
                  {"24.19.198.95", 12898, "12.22.207.184", 38024, 0xd2d0a5de, 0x5c2b394a},
                  {"38.27.205.30", 48228, "209.142.163.6", 2217, 0x82989176, 0xafc7327f},
                  {"153.39.163.191", 44251, "202.188.127.2", 1303, 0x5d1809c5, 0x10e828a2}});
}

TEST(Toeplitz, ipv6_vectors_of_microsoft) {
  check(AF_INET6,
        {{"3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766, 0x2cc18cd5, 0x40207d3d},
         {"3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739, 0x0f0c461c, 0xdde51bbf},
         {"3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, "fe80::200:f8ff:fe21:67cf", 38024,
          0x4b61e985, 0x02d1feef}});
}

/// The definition, bit by bit.
std::uint32_t reference(const ToeplitzTable::Key& key, const std::vector<std::uint8_t>& input) {
  std::uint32_t result = 0;
  for (std::size_t bit = 0; bit < 8 * input.size(); ++bit) {
    if ((input[bit / 8] >> (7 - bit % 8) & 1) == 0) continue;
    for (std::size_t i = 0; i < 32; ++i) {
      const std::size_t at = bit + i;
      result ^= static_cast<std::uint32_t>(key[at / 8] >> (7 - at % 8) & 1) << (31 - i);
    }
  }
  return result;
}

TEST(Toeplitz, any_key_and_length_agree_with_the_definition) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    ToeplitzTable::Key key;
    for (std::uint8_t& byte : key) byte = static_cast<std::uint8_t>(random());
    const auto table = std::make_unique<ToeplitzTable>(key);
    std::vector<std::uint8_t> input(random() % (ToeplitzTable::kMaxInput + 1));
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random());
    EXPECT_EQ(table->hash(input), reference(key, input)) << input.size() << " bytes";
  }
}

}  // namespace
}  // namespace softcx
