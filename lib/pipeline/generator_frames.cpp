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

/// What all frames have in the fields that may differ.
void set_fields(const std::uint8_t* flow, GeneratorArgs& args) {
  args.ranges[0] = {1, stages::load32(flow)};
  args.ranges[1] = {1, stages::load32(flow + 4)};
  args.ranges[2] = {1, stages::load16(flow + 8)};
  args.ranges[3] = {1, stages::load16(flow + 10)};
}

GeneratorField kernel_field(stages::Field field) {
  switch (field) {
    case stages::Field::kIpv4Src:
      return GeneratorField::kSourceAddress;
    case stages::Field::kIpv4Dst:
      return GeneratorField::kDestinationAddress;
    case stages::Field::kUdpSrc:
      return GeneratorField::kSourcePort;
    default:
      return GeneratorField::kDestinationPort;
  }
}

GeneratorSize size_args(const Generator& generator, std::uint16_t size,
                        const ProgramArgs& addresses, GeneratorArgs& all) {
  GeneratorSize args{};
  args.length = size - kFcs;
  args.pace = pace_of(generator, size);
  std::vector<std::uint8_t> frame = make_frame(generator, args.length, addresses);
  std::uint8_t* const flow = frame.data() + GeneratorState::kFlowAt;
  set_fields(flow, all);
  // What the kernel fills in.
  std::fill_n(flow, GeneratorState::kFlowBytes, std::uint8_t{0});
  std::fill_n(frame.data() + GeneratorState::kIpChecksumAt, 2, std::uint8_t{0});
  std::fill_n(frame.data() + GeneratorState::kUdpChecksumAt, 2, std::uint8_t{0});
  std::fill_n(frame.data() + kFrameNumberAt, kFrameNumberBytes, std::uint8_t{0});
  const std::uint32_t udp_length = args.length - kUdpAt;
  args.ip_sum = checksum_add(0, frame.data() + kIpAt, kIpHeader);
  args.udp_sum = checksum_add(kUdpProtocol + udp_length, frame.data() + kUdpAt, udp_length);
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
  args.seed = generator.seed;
  args.random = generator.order == Generator::Order::kRandom;
  args.size_count = static_cast<std::uint32_t>(generator.sizes.size());
  for (std::size_t i = 0; i < generator.sizes.size(); ++i) {
    args.sizes[i] = size_args(generator, generator.sizes[i], addresses, args);
  }
  const auto range = [&args](GeneratorField field) -> GeneratorRange& {
    return args.ranges[static_cast<std::uint32_t>(field)];
  };
  range(GeneratorField::kDestinationAddress).count = generator.flows;
  for (const FieldRange& vary : generator.vary) {
    const std::uint64_t first = low_bits(vary.first);
    range(kernel_field(vary.field)) = {low_bits(vary.last) - first + 1,
                                       static_cast<std::uint32_t>(first)};
  }
  return args;
}

}  // namespace ringside::pipeline
