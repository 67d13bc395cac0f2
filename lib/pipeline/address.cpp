// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/address.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/pipeline/units.hpp"

namespace ringside::pipeline {

std::optional<IpAddress> parse_ip(std::string_view text) {
  const std::string terminated(text);
  IpAddress address;
  address.v6 = text.find(':') != std::string_view::npos;
  const int family = address.v6 ? AF_INET6 : AF_INET;
  if (::inet_pton(family, terminated.c_str(), address.bytes.data()) != 1) return std::nullopt;
  return address;
}

std::string ip_text(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

std::optional<MacAddress> parse_mac(std::string_view text) {
  MacAddress address{};
  if (text.size() != 3 * address.size() - 1) return std::nullopt;
  for (std::size_t i = 0; i < address.size(); ++i) {
    const char* const digits = text.data() + 3 * i;
    const auto [stop, error] = std::from_chars(digits, digits + 2, address[i], 16);
    if (error != std::errc{} || stop != digits + 2) return std::nullopt;
    if (i + 1 < address.size() && digits[2] != ':') return std::nullopt;
  }
  return address;
}

std::string mac_text(const MacAddress& address) {
  return fmt::format("{:02x}", fmt::join(address, ":"));
}

std::optional<Ipv4Prefix> parse_ipv4_prefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = parse_ip(text.substr(0, slash));
  const auto length = parse_quantity(text.substr(slash + 1), Unit::kNone);
  if (!address || address->v6 || !length || *length > 32) return std::nullopt;
  Ipv4Prefix prefix{.length = static_cast<std::uint8_t>(*length)};
  std::copy_n(address->bytes.begin(), prefix.address.size(), prefix.address.begin());
  return prefix;
}

std::string ipv4_prefix_text(const Ipv4Prefix& prefix) {
  return fmt::format("{}/{}", fmt::join(prefix.address, "."), prefix.length);
}

}  // namespace ringside::pipeline
