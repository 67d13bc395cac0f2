// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Reads a whole capture file before it is replayed, so that a bad one is refused at once.
#pragma once

#include <cstdint>
#include <string>

namespace softcx {

struct CaptureSummary {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  ///< captured
  std::uint64_t cut = 0;    ///< records that hold less than was on the wire ('cut by snaplen')
  std::uint64_t runts = 0;  ///< records too short for an Ethernet header
};

/// Accepts Ethernet captures, pcap and pcapng. Throws a usage error that names the file, the record
/// (counted from 1), its offset in bytes and how many records could be read before it, if the file
/// is something else, damaged, cut, of another or of mixed link types, or holds no record.
CaptureSummary check_capture(const std::string& path);

/// What a user must know of an accepted file's cut records and runts; empty if there are none.
std::string remarks(const CaptureSummary& summary);

}  // namespace softcx
