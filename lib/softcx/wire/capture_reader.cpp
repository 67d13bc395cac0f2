// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/capture_reader.hpp"

#include <cstdio>

#include "lib/base/error.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

CaptureReader::CaptureReader(std::string path, std::uint64_t passes, Limits limits)
    : path_(std::move(path)), passes_(passes), limits_(limits), capture_(open()) {
  if (pcap_datalink(capture_.get()) != DLT_EN10MB) {
    throw ringside::usage_error(fmt::format("capture '{}' is not of Ethernet frames", path_),
                                "give a capture of an Ethernet interface");
  }
  fill(limits_.kept);
  complete_ = at_end_;
  in_file_ = complete_ ? records_.size() : count_records();
}

PcapHandle CaptureReader::open() const {
  std::string reason;
  PcapHandle capture = open_capture(path_, reason);
  if (!capture) {
    throw ringside::usage_error(fmt::format("capture '{}' cannot be read: {}", path_, reason),
                                "give a pcap or pcapng file");
  }
  return capture;
}

std::uint64_t CaptureReader::count_records() const {
  const PcapHandle capture = open();
  std::uint64_t records = 0;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  while (pcap_next_ex(capture.get(), &header, &data) == 1) ++records;
  return records;
}

const CaptureRecord* CaptureReader::peek() noexcept {
  if (next_ == records_.size() && !refill()) return nullptr;
  const Extent& extent = records_[next_];
  front_ = {{bytes_.data() + extent.offset, extent.length}, extent.cut};
  return &front_;
}

void CaptureReader::pop() noexcept {
  ++next_;
  ++taken_;
}

std::optional<std::uint64_t> CaptureReader::total() const noexcept {
  if (passes_ == 0) return std::nullopt;
  return in_file_ * passes_;
}

bool CaptureReader::refill() noexcept {
  if (failed_ || in_file_ == 0) return false;
  if (at_end_) {
    if (passes_ != 0 && pass_ >= passes_) return false;
    ++pass_;
    if (complete_) {
      next_ = 0;
      return true;
    }
    std::string reason;
    capture_ = open_capture(path_, reason);
    read_ = 0;
    at_end_ = false;
    if (!capture_) {
      stop_at(0, reason);
      return false;
    }
  }
  fill(limits_.piece);
  return !records_.empty();
}

void CaptureReader::fill(std::size_t limit) noexcept {
  bytes_.clear();
  records_.clear();
  next_ = 0;
  while (bytes_.size() < limit) {
    const off_t offset = ftello(pcap_file(capture_.get()));
    pcap_pkthdr* header = nullptr;
    const u_char* data = nullptr;
    const int result = pcap_next_ex(capture_.get(), &header, &data);
    if (result != 1) {
      at_end_ = true;
      if (result != PCAP_ERROR_BREAK) stop_at(offset, pcap_geterr(capture_.get()));
      return;
    }
    records_.push_back({bytes_.size(), header->caplen, header->caplen < header->len});
    bytes_.insert(bytes_.end(), data, data + header->caplen);
    ++read_;
  }
}

void CaptureReader::stop_at(off_t offset, const std::string& why) noexcept {
  failed_ = true;
  report_violation(fmt::format("capture '{}': the replay ends at record {}, byte {}: {}", path_,
                               read_ + 1, offset, why));
}

}  // namespace softcx
