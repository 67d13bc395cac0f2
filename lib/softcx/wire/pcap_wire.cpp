// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/pcap_wire.hpp"

namespace softcx {
namespace {

constexpr std::uint32_t kEthernetHeader = 14;  // a record below it is a runt, padded or not
constexpr std::array<std::uint8_t, 64> kZeros{};

}  // namespace

PcapWire::PcapWire(const WireConfig& config) : pad_(config.pad) {
  if (!config.capture_in.empty()) {
    reader_ = std::make_unique<CaptureReader>(config.capture_in, config.loops);
  }
  if (!config.capture_out.empty()) writer_ = std::make_unique<CaptureWriter>(config.capture_out);
}

const Frame* PcapWire::peek() {
  const CaptureRecord* record = reader_ != nullptr ? reader_->peek() : nullptr;
  if (record == nullptr) return nullptr;
  const auto length = static_cast<std::uint32_t>(record->bytes.size());
  const bool pad = pad_ && length >= kEthernetHeader && length < kShortestFrame;
  const std::uint32_t padding = pad ? kShortestFrame - length : 0;
  segments_ = {Segment{record->bytes.data(), length}, Segment{kZeros.data(), padding}};
  frame_ = {{segments_.data(), pad ? 2U : 1U}, length + padding};
  return &frame_;
}

void PcapWire::pop() {
  if (reader_->peek()->cut) ++cut_records_;
  reader_->pop();
}

WireReport PcapWire::report() const {
  WireReport report;
  report.cut_records = cut_records_;
  if (reader_ == nullptr) return report;
  if (const auto total = reader_->total()) report.replay = {*total, *total - reader_->taken()};
  return report;
}

}  // namespace softcx
