// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/capture_writer.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <cstdio>

#include "lib/base/error.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/nic_clock.hpp"

namespace softcx {
namespace {

constexpr int kSnapshotLength = 262144;  // what readers accept at most (MAXIMUM_SNAPLEN)

ringside::Error cannot_write(const std::string& path, const std::string& reason) {
  return ringside::usage_error(fmt::format("capture '{}' cannot be written: {}", path, reason),
                               "give a path in a folder that you may write to");
}

ringside::UniqueFd open_locked(const std::string& path) {
  ringside::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666));
  if (!file) throw cannot_write(path, ringside::errno_text(errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    throw ringside::usage_error(
        fmt::format("capture '{}' is being written by another process of this run", path),
        "run the programs one after the other, or each by a 'softcx run' of its own");
  }
  return file;
}

pcap_dumper_t* open_records(pcap_t* format, const std::string& path, int file) {
  struct stat status {};
  const bool begun = ::fstat(file, &status) == 0 && status.st_size != 0;
  return begun ? pcap_dump_open_append(format, path.c_str()) : pcap_dump_open(format, path.c_str());
}

}  // namespace

CaptureWriter::CaptureWriter(std::string path)
    : path_(std::move(path)),
      lock_(open_locked(path_)),
      format_(pcap_open_dead_with_tstamp_precision(DLT_EN10MB, kSnapshotLength,
                                                   PCAP_TSTAMP_PRECISION_NANO)),
      file_(open_records(format_.get(), path_, lock_.get())),
      utc_offset_ns_(utc_offset_ns()) {
  if (!file_) throw cannot_write(path_, pcap_geterr(format_.get()));
  bytes_.reserve(kSnapshotLength);
}

pcap_pkthdr CaptureWriter::header_of(const Frame& frame) const noexcept {
  const std::uint64_t ns = frame.left_ns != 0 ? frame.left_ns + utc_offset_ns_ : utc_ns();
  pcap_pkthdr header{};
  header.ts.tv_sec = static_cast<time_t>(ns / kNsPerSecond);
  header.ts.tv_usec = static_cast<suseconds_t>(ns % kNsPerSecond);  // a file of that precision
  header.caplen = header.len = frame.length;
  return header;
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
  const pcap_pkthdr header = header_of(frame);
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
