// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/tables.hpp"

#include <algorithm>

namespace softcx {

std::unique_ptr<const MatcherList::Matchers> MatcherList::replace(
    std::unique_ptr<Matchers> matchers) {
  const Matchers* old = matchers_.load(std::memory_order_relaxed);
  matchers_.store(matchers.release(), std::memory_order_release);
  return std::unique_ptr<const Matchers>(old);
}

std::unique_ptr<const MatcherList::Matchers> MatcherList::add(const Matcher& matcher,
                                                              bool newest_first) {
  const Matchers* now = matchers_.load(std::memory_order_relaxed);
  auto matchers = now != nullptr ? std::make_unique<Matchers>(*now) : std::make_unique<Matchers>();
  const auto place = std::find_if(matchers->begin(), matchers->end(),
                                  [&matcher, newest_first](const Matcher* other) {
                                    return newest_first ? other->priority >= matcher.priority
                                                        : other->priority > matcher.priority;
                                  });
  matchers->insert(place, &matcher);
  return replace(std::move(matchers));
}

std::unique_ptr<const MatcherList::Matchers> MatcherList::remove(const Matcher& matcher) {
  auto matchers = std::make_unique<Matchers>(*matchers_.load(std::memory_order_relaxed));
  std::erase(*matchers, &matcher);
  return replace(std::move(matchers));
}

}  // namespace softcx
