// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Reads the records of a capture file (pcap, pcapng), over and over if asked. A file that fits into
// memory is read once; of a longer one small pieces are read as the replay goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/softcx/wire/capture_file.hpp"

namespace softcx {

struct CaptureRecord {
  std::span<const std::uint8_t> bytes;
  bool cut = false;  ///< the frame on the wire was longer than what was captured
};

class CaptureReader {
 public:
  struct Limits {
    std::size_t kept = std::size_t{64} << 20;    ///< bytes of a file that are kept in memory
    std::size_t piece = std::size_t{256} << 10;  ///< bytes read at once of a longer file
  };

  /// `passes`: over the file, 0 for ever. Throws ringside::Error if it is no Ethernet capture.
  CaptureReader(std::string path, std::uint64_t passes, Limits limits);
  CaptureReader(std::string path, std::uint64_t passes)
      : CaptureReader(std::move(path), passes, Limits()) {}

  /// The record at the front, or nullptr at the end: of all passes, or where the file turns out to
  /// be damaged, which is reported with the record's number and offset. Valid until pop().
  const CaptureRecord* peek() noexcept;
  void pop() noexcept;

  /// Records of all passes; nothing if there is no end.
  std::optional<std::uint64_t> total() const noexcept;
  std::uint64_t taken() const noexcept { return taken_; }

 private:
  struct Extent {
    std::size_t offset;
    std::uint32_t length;
    bool cut;
  };

  PcapHandle open() const;
  void fill(std::size_t limit) noexcept;
  bool refill() noexcept;
  void stop_at(off_t offset, const std::string& why) noexcept;
  std::uint64_t count_records() const;

  std::string path_;
  std::uint64_t passes_;
  Limits limits_;
  PcapHandle capture_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Extent> records_;  ///< those that bytes_ holds
  std::size_t next_ = 0;         ///< into records_
  bool complete_ = false;        ///< records_ is the whole file
  bool at_end_ = false;          ///< records_ ends where the file ends
  bool failed_ = false;
  std::uint64_t pass_ = 1;
  std::uint64_t read_ = 0;     ///< records read from the file in this pass
  std::uint64_t in_file_ = 0;  ///< records of a pass
  std::uint64_t taken_ = 0;
  CaptureRecord front_;
};

}  // namespace softcx
