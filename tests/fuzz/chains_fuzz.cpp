// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Chains of stages on any bytes as a packet, in one part and in two: walked in memory, they do what
// they do when a compiler knows their shape, and neither looks or writes outside of the packet.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tests/unit/both_chains.hpp"
#include "tests/unit/known_chains.hpp"
#include "tests/unit/known_shapes.hpp"

namespace {

using namespace ringside;

template <class Shape, int kNumber>
void agree(std::span<const std::uint8_t> packet, std::size_t at) {
  static test::BothChains chains(test::known_chain(kNumber), stages::chain_function<false, Shape>,
                                 stages::chain_function<true, Shape>);
  if (!chains.agree(packet) || !chains.agree(packet, at)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65535) return 0;
  static_assert(test::kKnownChains == 3);
  const std::size_t at = size == 0 ? 0 : data[size - 1] % size;
  agree<stages::Shape1, 1>({data, size}, at);
  agree<stages::Shape2, 2>({data, size}, at);
  agree<stages::Shape3, 3>({data, size}, at);
  return 0;
}
