// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frames for the tests of steering, written from the RFCs and without the code under test.
#pragma once

#include <arpa/inet.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace frames {

using Bytes = std::vector<std::uint8_t>;

inline void put16(Bytes& out, std::size_t at, std::uint32_t value) {
  out[at] = static_cast<std::uint8_t>(value >> 8);
  out[at + 1] = static_cast<std::uint8_t>(value);
}

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::uint16_t internet_checksum(const Bytes& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += i % 2 == 0 ? bytes[i] * 256U : bytes[i];
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

inline Bytes ip_address(const char* text) {
  Bytes bytes(std::string(text).find(':') != std::string::npos ? 16 : 4);
  inet_pton(bytes.size() == 16 ? AF_INET6 : AF_INET, text, bytes.data());
  return bytes;
}

inline Bytes ethernet(std::uint16_t ethertype, const Bytes& payload) {
  Bytes out{0x02, 0, 0, 0, 0, 0xdd, 0x02, 0, 0, 0, 0, 0x55, 0, 0};
  put16(out, 12, ethertype);
  return out + payload;
}

/// A VLAN tag behind its ethertype.
inline Bytes tag(std::uint16_t tci, std::uint16_t ethertype, const Bytes& payload) {
  Bytes out(4);
  put16(out, 0, tci);
  put16(out, 2, ethertype);
  return out + payload;
}

struct Ipv4 {
  const char* source = "10.0.0.1";
  const char* destination = "10.0.0.2";
  std::uint8_t protocol = 17;
  std::uint8_t tos = 0;
  std::uint16_t fragment = 0;  ///< flags and offset
  Bytes options = {};          ///< a multiple of 4 bytes
};

inline Bytes ipv4(const Ipv4& ip, const Bytes& payload) {
  Bytes out(20);
  out = out + ip.options;
  out[0] = static_cast<std::uint8_t>(0x40 | out.size() / 4);
  out[1] = ip.tos;
  put16(out, 2, static_cast<std::uint32_t>(out.size() + payload.size()));
  put16(out, 6, ip.fragment);
  out[8] = 64;
  out[9] = ip.protocol;
  const Bytes source = ip_address(ip.source), destination = ip_address(ip.destination);
  std::copy(source.begin(), source.end(), out.begin() + 12);
  std::copy(destination.begin(), destination.end(), out.begin() + 16);
  put16(out, 10, internet_checksum(out));
  return out + payload;
}

inline Bytes ipv6(std::uint8_t next, const Bytes& payload, const char* source = "2001:db8::1",
                  const char* destination = "2001:db8::2") {
  Bytes out{0x6a, 0xb1, 0x23, 0x45, 0, 0, next, 63};  // traffic class 0xab, flow label 0x12345
  put16(out, 4, static_cast<std::uint32_t>(payload.size()));
  return out + ip_address(source) + ip_address(destination) + payload;
}

/// Fills in the checksum of a TCP (at 16) or UDP (at 6) packet between two addresses.
inline Bytes with_checksum(Bytes l4, std::uint8_t protocol, const char* source,
                           const char* destination) {
  const std::size_t at = protocol == 6 ? 16 : 6;
  put16(l4, at, 0);
  Bytes length(4);
  put16(length, 0, static_cast<std::uint32_t>(l4.size()));
  put16(length, 2, protocol);
  put16(l4, at, internet_checksum(ip_address(source) + ip_address(destination) + length + l4));
  return l4;
}

inline Bytes udp(std::uint16_t source, std::uint16_t destination, const Bytes& payload = Bytes(8)) {
  Bytes out(8);
  put16(out, 0, source);
  put16(out, 2, destination);
  put16(out, 4, static_cast<std::uint32_t>(8 + payload.size()));
  return out + payload;
}

inline Bytes tcp(std::uint16_t source, std::uint16_t destination, std::uint16_t flags = 0x10,
                 const Bytes& payload = {}) {
  Bytes out(20);
  put16(out, 0, source);
  put16(out, 2, destination);
  put16(out, 12, 0x5000U | flags);
  return out + payload;
}

inline Bytes udp4(std::uint16_t source, std::uint16_t destination) {
  return ethernet(0x0800, ipv4({}, udp(source, destination)));
}

}  // namespace frames
