// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the benchmarks of the software NIC's data path share.
#pragma once

#include <time.h>

#include <algorithm>

#include "lib/softcx/steering/classify.hpp"
#include "lib/softcx/wire/internet_checksum.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx::test {

/// Everything goes to one queue: what the data path costs without steering.
class OneQueue final : public Classifier {
 public:
  explicit OneQueue(Rq& rq) : rq_(rq) {}
  Verdict classify(std::span<const std::uint8_t> /*headers*/, std::uint32_t /*frame_length*/,
                   HeaderFacts& /*facts*/) override {
    return {Verdict::Kind::kDeliver, &rq_, false, 0, 0, 0};
  }
  bool reaches_ready_queue() const override { return true; }

 private:
  Rq& rq_;
};

/// UDP over IPv4, with right checksums. `flow`: its source port.
inline Bytes udp_frame(std::uint32_t length, std::uint16_t flow) {
  Bytes frame(length);
  const Bytes headers = {2, 0,  0,  0, 0, 2,  2, 0, 0, 0,  0, 1, 8, 0, 0x45, 0,    0,  0, 0, 1, 0,
                         0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 9,    0x27, 16, 0, 0, 0, 0};
  std::copy(headers.begin(), headers.end(), frame.begin());
  frame[16] = static_cast<std::uint8_t>((length - 14) >> 8);
  frame[17] = static_cast<std::uint8_t>(length - 14);
  frame[38] = static_cast<std::uint8_t>((length - 34) >> 8);
  frame[39] = static_cast<std::uint8_t>(length - 34);
  frame[34] = static_cast<std::uint8_t>(flow >> 8);
  frame[35] = static_cast<std::uint8_t>(flow);
  write_l4_checksum(frame);
  write_ipv4_checksum(frame);
  return frame;
}

/// CPU time, so that neighbours on a shared machine do not count.
inline double thread_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace softcx::test
