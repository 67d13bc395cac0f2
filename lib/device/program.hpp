// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet program: what a kernel does with each packet. forward() does the rest.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "lib/device/packet.hpp"
#include "lib/device/stream.hpp"
#include "lib/device/target.hpp"

namespace ringside {

inline constexpr std::uint32_t kEthernetHeader = 14;  ///< bytes

enum class Verdict : std::uint8_t {
  kSend,     ///< as it lies in its slot now
  kDrop,     ///< counted as DropCause::kProgram
  kConsume,  ///< done with; it was meant to end here
};

/// `process` runs in one thread a packet, may change the packet in place, and touches nothing that
/// other threads touch. A program that does not receive makes its own frames (udp_frame.hpp) and
/// has no `process`; one that does not send never answers kSend.
template <class P>
concept Program = requires {
  { P::kName } -> std::convertible_to<std::string_view>;
  { P::kReceives } -> std::convertible_to<bool>;
  { P::kSends } -> std::convertible_to<bool>;
}
&&(!P::kReceives || requires(const Packet& packet, const ProgramArgs& args) {
  { P::process(packet, args) } -> std::same_as<Verdict>;
});

}  // namespace ringside
