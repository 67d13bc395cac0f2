// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes frames to a pcap file with nanosecond time stamps.
#pragma once

#include <pcap/pcap.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/unique_fd.hpp"
#include "lib/softcx/nic/frame.hpp"

namespace softcx {

class CaptureWriter {
 public:
  /// Begins an empty file, goes on with one that a process before has begun (the launcher leaves
  /// it empty at the start of a run). Throws ringside::Error if it cannot be written, is no such
  /// capture, or is being written by another process.
  explicit CaptureWriter(std::string path);

  /// False once the file cannot take more (a full disk), which is reported once.
  bool write(const Frame& frame) noexcept;
  void flush() noexcept;

 private:
  struct Closer {
    void operator()(pcap_t* handle) const noexcept { pcap_close(handle); }
    void operator()(pcap_dumper_t* dumper) const noexcept { pcap_dump_close(dumper); }
  };
  void check() noexcept;
  pcap_pkthdr header_of(const Frame& frame) const noexcept;

  std::string path_;
  ringside::UniqueFd lock_;  ///< held while the file is written
  std::unique_ptr<pcap_t, Closer> format_;
  std::unique_ptr<pcap_dumper_t, Closer> file_;
  std::vector<std::uint8_t> bytes_;  ///< a frame of several segments
  std::uint64_t written_ = 0;
  /// UTC minus the NIC's time when the writer was made. Kept: what lies between two frames that the
  /// NIC sent at given times is exact then, whoever adjusts the machine's clock.
  std::uint64_t utc_offset_ns_;
  bool failed_ = false;
};

}  // namespace softcx
