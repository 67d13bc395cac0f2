// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The state of a program that has none of its own: lib/device/program.hpp
#pragma once

#include <type_traits>

#include "lib/device/block.hpp"
#include "lib/device/program.hpp"

namespace ringside {

template <Program P, Block B>
class NoState {
 public:
  RS_DEVICE NoState(B&, const ProgramArgs& args) : args_(args) {}
  template <Block G>
  RS_DEVICE void begin_batch(G&) const {}
  RS_DEVICE Verdict process(const Packet& packet, std::uint32_t) const {
    return P::process(packet, args_);
  }
  template <Block G>
  RS_DEVICE void end_batch(G&) const {}

 private:
  const ProgramArgs& args_;
};

template <Program P, Block B>
struct StateChoice {
  using Type = NoState<P, B>;
};
template <Program P, Block B>
requires requires {
  typename P::template State<B>;
}
struct StateChoice<P, B> {
  using Type = typename P::template State<B>;
  static_assert(kMakesFrames<P> ||
                ProgramState<Type, B, std::conditional_t<kTakesOver<P>, HandedPacket, Packet>>);
};
template <Program P, Block B>
using StateOf = typename StateChoice<P, B>::Type;

}  // namespace ringside
