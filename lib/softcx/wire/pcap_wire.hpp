// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port between two capture files: one is replayed into it, the other records what it sends.
#pragma once

#include <array>
#include <memory>

#include "lib/softcx/nic/config.hpp"
#include "lib/softcx/wire/capture_reader.hpp"
#include "lib/softcx/wire/capture_writer.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

class PcapWire final : public Wire {
 public:
  /// Throws ringside::Error.
  explicit PcapWire(const WireConfig& config);

  bool transmit(const Frame& frame) override { return writer_ == nullptr || writer_->write(frame); }
  const Frame* peek() override;
  void pop() override;
  bool waits_for_receiver() const override { return true; }
  void flush() override {
    if (writer_ != nullptr) writer_->flush();
  }
  WireReport report() const override;

 private:
  static constexpr std::uint32_t kShortestFrame = 60;  ///< without the FCS (IEEE 802.3)

  bool pad_;
  std::unique_ptr<CaptureReader> reader_;
  std::unique_ptr<CaptureWriter> writer_;
  std::uint64_t cut_records_ = 0;
  std::array<Segment, 2> segments_{};
  Frame frame_;
};

}  // namespace softcx
