// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A matcher's mask, compiled to the few 64-bit words of the match key that it looks at.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "lib/softcx/steering/flow_key.hpp"

namespace softcx {

/// match_criteria_enable bits: which parts of fte_match_param a mask uses.
inline constexpr unsigned kCriteriaOuter = 1U << 0;
inline constexpr unsigned kCriteriaMisc = 1U << 1;
inline constexpr unsigned kCriteriaInner = 1U << 2;
inline constexpr unsigned kCriteriaMisc2 = 1U << 3;
inline constexpr unsigned kCriteriaMisc3 = 1U << 4;
inline constexpr unsigned kCriteriaEnd = 1U << 7;

/// A masked key, or a rule's value: as many words as the mask has.
struct MatchWords {
  std::uint64_t hash;
  std::array<std::uint64_t, FlowKey::kWords> word;
};

class Match {
 public:
  /// Compiles the parts of `mask` that `criteria` enables. Refuses with EINVAL what is malformed
  /// and with EOPNOTSUPP what the parser does not extract.
  /// `root`: firmware matches ip_version bit by bit. Elsewhere it is software's to translate: the
  /// mask has to be the version itself, and the whole field is compared.
  Match(unsigned criteria, std::span<const std::uint8_t> mask, bool root);

  /// A rule's value. Refuses with EINVAL one of a wrong size or with bits outside the mask, and
  /// with EOPNOTSUPP an ip_version that is not its mask's (outside of the root).
  MatchWords value(std::span<const std::uint8_t> value) const;

  /// Data path: the masked key.
  void apply(const FlowKey& key, MatchWords& out) const noexcept {
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const std::uint64_t word = key.word(words_[i].index) & words_[i].mask;
      out.word[i] = word;
      hash = mix(hash, word);
    }
    out.hash = hash;
  }

  std::uint32_t count() const noexcept { return count_; }
  /// Does it look at nothing but what the words of a plain packet hold (plain_packet.hpp)?
  bool sees_plain_words_only() const noexcept { return (criteria_ & kCriteriaMisc3) == 0; }

 private:
  struct Word {
    std::uint32_t index;
    std::uint64_t mask;
  };

  /// A multiplication spreads upward only; the shift brings the high bits back down, where the
  /// hash table takes its index from.
  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 32;
  }

  unsigned criteria_;
  /// Outer and inner ip_version that all rules must have; 0: any.
  std::array<std::uint32_t, 2> ip_version_{};
  std::uint32_t count_ = 0;
  std::array<Word, FlowKey::kWords> words_;
};

}  // namespace softcx
