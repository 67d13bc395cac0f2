// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// IP and MAC addresses as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/pipeline/stages.hpp"

namespace ringside::pipeline {

std::optional<IpAddress> parse_ip(std::string_view text);
std::string ip_text(const IpAddress& address);
/// Six pairs of hexadecimal digits with colons.
std::optional<MacAddress> parse_mac(std::string_view text);
std::string mac_text(const MacAddress& address);
std::optional<Ipv4Prefix> parse_ipv4_prefix(std::string_view text);
std::string ipv4_prefix_text(const Ipv4Prefix& prefix);

}  // namespace ringside::pipeline
