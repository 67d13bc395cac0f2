// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/generator_frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/generator.hpp"
#include "kernels/stages/rewrite.hpp"
#include "lib/pipeline/stage_parameters.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::uint32_t kFcs = 4;
constexpr std::uint32_t kIpAt = 14;
constexpr std::uint32_t kIpHeader = 20;
constexpr std::uint32_t kIpAddressesAt = kIpAt + 12;
constexpr std::uint32_t kUdpAt = kIpAt + kIpHeader;
constexpr std::uint32_t kUdpProtocol = 17;

/// The frame with all that the file sets.
std::vector<std::uint8_t> make_frame(const Generator& generator, std::uint32_t length,
                                     ProgramArgs addresses) {
  std::vector<std::uint8_t> frame(length);
  addresses.packet_length = length;
  write_udp_frame(frame.data(), addresses);
  stages::PacketView view{frame.data(), length, 0, 0, {}};
  stages::parse(view, {.tunnels = false});
  for (const FieldValue& set : generator.set) {
    stages::write_field(view, set.field, kernel_value(set.value));
  }
  return frame;
}

/// Ticks between two frames of a queue.
std::uint64_t pace_of(const Generator& generator, std::uint16_t size) {
  constexpr double kTicksPerSecond = 1e9 * (1U << kPaceTickBits);
  // Half of the clock's numbers are in the past.
  constexpr double kSlowest = static_cast<double>(std::uint64_t{1} << 62);
  double per_second = 0;
  if (generator.packet_rate) per_second = static_cast<double>(*generator.packet_rate);
  if (generator.bit_rate) per_second = static_cast<double>(*generator.bit_rate) / (8.0 * size);
  if (per_second == 0) return 0;
  const double ticks = static_cast<double>(generator.queues.size()) * kTicksPerSecond / per_second;
  return static_cast<std::uint64_t>(std::clamp(std::round(ticks), 1.0, kSlowest));
}

GeneratorSize size_args(const Generator& generator, std::uint16_t size,
                        const ProgramArgs& addresses, std::uint32_t& destination) {
  GeneratorSize args{};
  args.length = size - kFcs;
  args.pace = pace_of(generator, size);
  std::vector<std::uint8_t> frame = make_frame(generator, args.length, addresses);
  std::uint8_t* const to = frame.data() + GeneratorState::kIpDestinationAt;
  destination = stages::load32(to);
  // What the kernel fills in.
  std::fill_n(to, 4, std::uint8_t{0});
  std::fill_n(frame.data() + GeneratorState::kIpChecksumAt, 2, std::uint8_t{0});
  std::fill_n(frame.data() + GeneratorState::kUdpChecksumAt, 2, std::uint8_t{0});
  std::fill_n(frame.data() + kFrameNumberAt, kFrameNumberBytes, std::uint8_t{0});
  const std::uint32_t udp_length = args.length - kUdpAt;
  args.ip_sum = checksum_add(0, frame.data() + kIpAt, kIpHeader);
  args.udp_sum =
      checksum_add(checksum_add(kUdpProtocol + udp_length, frame.data() + kIpAddressesAt, 8),
                   frame.data() + kUdpAt, udp_length);
  std::copy_n(frame.data(), kUdpFrameHeaders, args.headers);
  return args;
}

}  // namespace

GeneratorArgs generator_args(const Generator& generator, std::size_t queue,
                             const ProgramArgs& addresses) {
  const std::uint64_t queues = generator.queues.size();
  GeneratorArgs args{};
  args.first = queue;
  args.step = queues;
  // Numbers below count, from first on by steps.
  args.count = generator.count == 0 ? std::numeric_limits<std::uint64_t>::max()
                                    : (generator.count + queues - 1 - queue) / queues;
  args.flows = generator.flows;
  args.size_count = static_cast<std::uint32_t>(generator.sizes.size());
  for (std::size_t i = 0; i < generator.sizes.size(); ++i) {
    args.sizes[i] = size_args(generator, generator.sizes[i], addresses, args.destination);
  }
  return args;
}

}  // namespace ringside::pipeline
