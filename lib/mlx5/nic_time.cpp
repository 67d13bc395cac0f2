// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/nic_time.hpp"

#include <bit>

#include "lib/base/error.hpp"
#include "lib/mlx5/devx_object.hpp"
#include "lib/mlx5/format/prm_register.hpp"

namespace ringside::mlx5 {

namespace {

constexpr std::uint32_t kNsPerMs = 1'000'000;

/// The fraction is rounded up: what is whole after all stays so.
TickRate rate(std::uint32_t numerator, std::uint32_t denominator) noexcept {
  if (denominator == 0) return {};
  __extension__ using Wide = unsigned __int128;
  const Wide rest = Wide{numerator % denominator} << 64;
  return {static_cast<std::uint64_t>((rest + denominator - 1) / denominator),
          numerator / denominator};
}

}  // namespace

StampToNs stamp_to_ns(prm::TimestampFormat format, std::uint32_t khz) noexcept {
  return {rate(kNsPerMs, khz), format == prm::TimestampFormat::kRealTime};
}

NsToStamp ns_to_stamp(prm::TimestampFormat format, std::uint32_t khz) noexcept {
  return {rate(khz, kNsPerMs), format == prm::TimestampFormat::kRealTime};
}

std::uint64_t wait_mask(prm::TimestampFormat format, std::uint32_t khz) noexcept {
  constexpr std::uint64_t kCycleMs = 8'000;
  // Of real time three bits of the seconds, which lie above 32 of nanoseconds.
  if (format == prm::TimestampFormat::kRealTime) return (std::uint64_t{kCycleMs / 1000} << 32) - 1;
  return khz == 0 ? 0 : std::bit_ceil(kCycleMs * khz) - 1;
}

bool keeps_real_time(const Context& context) {
  namespace request = prm::access_register_in;
  auto in = command<request::kSize>(prm::Opcode::kAccessRegisterUser);
  in.set(prm::command_in::op_mod, prm::kRegisterRead);
  in.set(request::register_id, prm::kMtutcRegister);
  prm::Mailbox<prm::access_register_out::kData + prm::mtutc::kSize> out;
  constexpr prm::Context kRegister{prm::access_register_out::kData, prm::mtutc::kSize};
  try {
    context.execute(fmt::format("device at {}", context.pci_address()), in, out);
  } catch (const Error&) {
    return false;  // older firmware does not know the register
  }
  return out.get(kRegister / prm::mtutc::time_stamp_mode) ==
         static_cast<std::uint32_t>(prm::TimestampMode::kRealTime);
}

}  // namespace ringside::mlx5
