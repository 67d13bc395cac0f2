// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The frame that txonly and a first burst send: UDP from 198.18.0.1 port 9 to 198.18.0.2 port 9
// (RFC 2544's benchmark network, the discard port of RFC 863), payload bytes counting up from 0,
// checksums right (RFC 791, RFC 768).
#pragma once

#include <cstdint>

#include "lib/device/stream.hpp"
#include "lib/device/target.hpp"

namespace ringside {

/// Ethernet, IPv4 and UDP headers.
inline constexpr std::uint32_t kUdpFrameHeaders = 14 + 20 + 8;

/// Writes args.packet_length bytes, at least kUdpFrameHeaders, to `frame`. One thread.
RS_DEVICE_CALL void write_udp_frame(std::uint8_t* frame, const ProgramArgs& args);

}  // namespace ringside

#include "lib/device/impl/udp_frame.hpp"
