// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/capture_writer.hpp"

#include <time.h>

#include <cerrno>
#include <cstdio>

#include "lib/base/error.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {
namespace {

constexpr int kSnapshotLength = 262144;  // what readers accept at most (MAXIMUM_SNAPLEN)

pcap_pkthdr header_now(std::uint32_t length) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  pcap_pkthdr header{};
  header.ts.tv_sec = now.tv_sec;
  header.ts.tv_usec = now.tv_nsec;  // nanoseconds, in a file of that precision
  header.caplen = header.len = length;
  return header;
}

}  // namespace

CaptureWriter::CaptureWriter(std::string path)
    : path_(std::move(path)),
      format_(pcap_open_dead_with_tstamp_precision(DLT_EN10MB, kSnapshotLength,
                                                   PCAP_TSTAMP_PRECISION_NANO)),
      file_(pcap_dump_open(format_.get(), path_.c_str())) {
  if (!file_) {
    throw ringside::usage_error(
        fmt::format("capture '{}' cannot be written: {}", path_, pcap_geterr(format_.get())),
        "give a path in a folder that you may write to");
  }
  bytes_.reserve(kSnapshotLength);
}

bool CaptureWriter::write(const Frame& frame) noexcept {
  if (failed_) return false;
  const std::uint8_t* bytes = frame.segments.empty() ? bytes_.data() : frame.segments[0].data;
  if (frame.segments.size() > 1) {
    bytes_.clear();
    for (const Segment& segment : frame.segments) {
      bytes_.insert(bytes_.end(), segment.data, segment.data + segment.length);
    }
    bytes = bytes_.data();
  }
  const pcap_pkthdr header = header_now(frame.length);
  pcap_dump(reinterpret_cast<u_char*>(file_.get()), &header, bytes);
  ++written_;
  if (std::ferror(pcap_dump_file(file_.get())) != 0) check();
  return !failed_;
}

void CaptureWriter::flush() noexcept {
  if (!failed_ && pcap_dump_flush(file_.get()) != 0) check();
}

void CaptureWriter::check() noexcept {
  failed_ = true;
  report_violation(fmt::format("capture '{}': cannot be written beyond about {} records: {}", path_,
                               written_, ringside::errno_text(errno)));
}

}  // namespace softcx
