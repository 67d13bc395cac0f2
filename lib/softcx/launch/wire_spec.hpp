// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The text forms of a port's wire, as `softcx run --port` takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace softcx {

/// What is sent comes back.
struct LoopSpec {};
/// What is sent arrives at the port `peer`, which must name this port in turn.
struct CrossSpec {
  unsigned peer;
};
/// Receives the records of a capture file, sends into another; both paths are absolute.
struct PcapSpec {
  std::optional<std::string> in;
  std::optional<std::string> out;
  std::uint64_t loop = 1;  ///< times the input is replayed; 0 is for ever
  bool pad = false;        ///< pad frames to Ethernet's minimum of 60 bytes
};
/// An interface of the machine, through an AF_PACKET socket.
struct NetdevSpec {
  std::string ifname;
};
/// Receives nothing, sends into nothing.
struct NullSpec {};

using WireSpec = std::variant<LoopSpec, CrossSpec, PcapSpec, NetdevSpec, NullSpec>;

/// PCI functions of one device.
inline constexpr unsigned kMaxPorts = 16;

/// Throws a usage error that names the text and the form that would be right.
WireSpec parse_wire(std::string_view text);

/// All wires of a run, one loop wire if `texts` is empty. Checks what concerns several ports:
/// their number, that crossed ports name each other, that no file is written twice or while read,
/// and that what is written is a regular file.
std::vector<WireSpec> parse_wires(const std::vector<std::string>& texts);

/// The kind as in WIRE and in the configuration file: "loop", "cross", ...
const char* kind_name(const WireSpec& wire);

/// Refuses (usage_error) a number of engine threads that the wires cannot keep busy: 0, or more
/// than there are groups of ports, cross-wired ones being one.
void check_engines(std::size_t engines, const std::vector<WireSpec>& wires);

}  // namespace softcx
