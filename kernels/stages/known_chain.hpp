// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A chain whose shape the compiler knows: which stages it has, what they look at and where packets
// go from them. The values that they compare with and write are those of the chain in memory, so
// that they can change while the kernel runs.
#pragma once

#include "kernels/stages/parse.hpp"
#include "kernels/stages/run_stage.hpp"

namespace ringside::stages {

/// A field that a stage looks at or writes.
struct KnownPlace {
  FieldPlace place;
  bool inner;
};

/// Of one stage; what its op has no use for is left out.
struct KnownParameters {
  std::uint16_t outer = 0;  ///< Match
  std::uint16_t inner = 0;
  std::uint32_t first = 0;  ///< in the shape's kPlaces, of conditions, changes or fields of a key
  std::uint32_t count = 0;
  bool decrement_ttl = false;
  SwapParameters swap{};
  bool arp = false;  ///< IcmpEcho
  HashOver over{};   ///< LoadBalance, FlowKey
  bool symmetric = false;
  Target to = 0;  ///< of all backends; 0: they have several
  PolicePer per{};
  std::uint64_t function = 0;  ///< UserParameters
};

/// KnownParameters::function where only the chain in memory has it.
inline constexpr std::uint64_t kStoredFunction = ~std::uint64_t{0};

// A shape is a struct of
//   static constexpr std::uint32_t kCount;              stages
//   static constexpr bool kParses;
//   static constexpr ParseOptions kParse;
//   static constexpr Stage kStages[kCount];
//   static constexpr KnownParameters kParameters[kCount];
//   static constexpr KnownPlace kPlaces[];

/// Match, of stage `kAt`.
template <class Shape, std::uint32_t kAt>
struct KnownMatch {
  static constexpr KnownParameters kKnown = Shape::kParameters[kAt];
  static constexpr std::uint16_t outer = kKnown.outer;
  static constexpr std::uint16_t inner = kKnown.inner;

  template <std::uint32_t i = 0, class Predicate>
  RS_DEVICE bool all(Predicate holds) const {
    if constexpr (i < kKnown.count) {
      constexpr KnownPlace kPlace = Shape::kPlaces[kKnown.first + i];
      const Condition& value = stored.conditions[i];
      return holds(Condition{value.mask, value.first, value.last, kPlace.place, kPlace.inner}) &&
             all<i + 1>(holds);
    } else {
      return true;
    }
  }

  const Match& stored;
};

/// RewriteParameters, of stage `kAt`.
template <class Shape, std::uint32_t kAt>
struct KnownRewrite {
  static constexpr KnownParameters kKnown = Shape::kParameters[kAt];
  static constexpr bool decrement_ttl = kKnown.decrement_ttl;

  template <std::uint32_t i = 0, class Function>
  RS_DEVICE void each(Function function) const {
    if constexpr (i < kKnown.count) {
      constexpr KnownPlace kPlace = Shape::kPlaces[kKnown.first + i];
      function(FieldChange{stored.changes[i].value, kPlace.place});
      each<i + 1>(function);
    }
  }

  const RewriteParameters& stored;
};

/// FlowKey, of stage `kAt`.
template <class Shape, std::uint32_t kAt>
struct KnownKey {
  static constexpr KnownParameters kKnown = Shape::kParameters[kAt];
  static constexpr HashOver over = kKnown.over;
  static constexpr std::uint32_t count = kKnown.count;

  template <std::uint32_t i = 0, class Function>
  RS_DEVICE void each(Function function) const {
    if constexpr (i < kKnown.count) {
      constexpr KnownPlace kPlace = Shape::kPlaces[kKnown.first + i];
      function(KeyField{kPlace.place, kPlace.inner});
      each<i + 1>(function);
    }
  }
};

template <class Shape, std::uint32_t kAt>
class KnownStage {
 public:
  RS_DEVICE explicit KnownStage(const Chain& chain) : chain_(chain) {}

  RS_DEVICE static constexpr Op op() { return kStage.op; }
  RS_DEVICE static constexpr Target on() { return kStage.on; }
  RS_DEVICE static constexpr Target otherwise() { return kStage.otherwise; }
  RS_DEVICE static constexpr bool counts_bytes() { return kStage.counts_bytes; }
  RS_DEVICE static constexpr std::uint32_t word() { return kStage.word; }

  template <class T>
  RS_DEVICE const T& parameters() const {
    return chain_part<T>(chain_, kStage.parameters);
  }
  RS_DEVICE KnownMatch<Shape, kAt> match() const { return {parameters<Match>()}; }
  RS_DEVICE KnownRewrite<Shape, kAt> rewrite() const { return {parameters<RewriteParameters>()}; }
  RS_DEVICE static constexpr SwapParameters swap() { return kKnown.swap; }
  RS_DEVICE IcmpEcho icmp_echo() const {
    const auto& stored = parameters<IcmpEchoParameters>();
    return {kKnown.arp, stored.count, stored.addresses};
  }
  RS_DEVICE LoadBalance load_balance() const {
    const auto& stored = parameters<LoadBalanceParameters>();
    return {kKnown.over, kKnown.symmetric, stored.of_bucket, stored.backends};
  }
  RS_DEVICE std::uint32_t bucket(const PacketView& packet, std::uint32_t source) const {
    return police_bucket(packet, source, kKnown.per, KnownKey<Shape, kAt>{},
                         parameters<PoliceParameters>().buckets);
  }
  RS_DEVICE static constexpr Target balanced(Target to) { return kKnown.to != 0 ? kKnown.to : to; }
  RS_DEVICE std::uint64_t function() const {
    if constexpr (kKnown.function != kStoredFunction) return kKnown.function;
    return parameters<UserParameters>().function;
  }

 private:
  static constexpr Stage kStage = Shape::kStages[kAt];
  static constexpr KnownParameters kKnown = Shape::kParameters[kAt];
  const Chain& chain_;
};

/// From stage `kAt` on. A stage in the packet's way is run, the others are passed by: each stands
/// in the code once, wherever packets come to it from.
template <class Users, class Shape, std::uint32_t kAt = 0>
RS_DEVICE Target run_known_from(Target at, PacketView& packet, const Chain& chain,
                                const Surroundings& around, StageCounters* counters, bool alone) {
  if constexpr (kAt == Shape::kCount) {
    return at;
  } else {
    if (at == kAt) {
      const KnownStage<Shape, kAt> stage(chain);
      const StageResult result = run_stage<Shape::kStages[kAt].op, Users>(packet, stage, around);
      tally(counters[kAt], stage, result.outcome, packet.length, alone);
      at = result.to;
    }
    return run_known_from<Users, Shape, kAt + 1>(at, packet, chain, around, counters, alone);
  }
}

/// As run_stored().
template <bool kSplit, class Users, class Shape>
RS_DEVICE Target run_known(PacketView& packet, const Chain& chain, const Surroundings& around,
                           StageCounters* counters, bool alone) {
  if constexpr (Shape::kParses) {
    const ParseOptions options = Shape::kParse;
    parse<kSplit>(packet, options);
  }
  return run_known_from<Users, Shape>(0, packet, chain, around, counters, alone);
}

}  // namespace ringside::stages
