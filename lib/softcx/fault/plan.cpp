// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/fault/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/base/error.hpp"
#include "lib/base/text.hpp"

namespace softcx {
namespace {

using ringside::usage_error;

/// Cuts `text` at the first `separator`; the rest stays in `text`.
std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  return part;
}

std::string one_of(const std::vector<std::string_view>& known, std::string_view word) {
  const std::string_view near = ringside::nearest(word, known);
  return (near.empty() ? "" : fmt::format("did you mean {}? ", near)) +
         fmt::format("there are {}", fmt::join(known, ", "));
}

const FaultEntry& find_entry(std::string_view name) {
  std::vector<std::string_view> known;
  for (const FaultEntry& entry : fault_table()) {
    if (entry.name == name && entry.elsewhere.empty()) return entry;
    if (entry.name == name) {
      throw usage_error(fmt::format("fault {} is none of the NIC: {}", name, entry.effect),
                        fmt::format("give the GPU's driver {}", entry.elsewhere));
    }
    known.push_back(entry.name);
  }
  throw usage_error(fmt::format("unknown fault '{}'", name), one_of(known, name));
}

std::uint64_t number(std::string_view text, std::string_view setting, std::uint64_t least,
                     std::uint64_t most) {
  const bool hexadecimal = text.starts_with("0x");
  const char* const begin = text.data() + (hexadecimal ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || stop != end || begin == end || value < least || value > most) {
    throw usage_error(
        fmt::format("fault: '{}' is not a number from {} to {}", setting, least, most),
        "correct the value");
  }
  return value;
}

void set(FaultOrder& order, std::string_view setting, std::uint32_t ports) {
  std::string_view text = setting;
  const std::string_view key = take(text, '=');
  if (key == kPortKey) {
    order.port = static_cast<std::uint32_t>(number(text, setting, 0, ports - 1));
    return;
  }
  std::vector<std::string_view> known{kPortKey};
  for (const FaultKey& candidate : order.entry->keys) {
    if (candidate.name == key) {
      order.values[candidate.name] = number(text, setting, candidate.least, candidate.most);
      return;
    }
    known.push_back(candidate.name);
  }
  throw usage_error(fmt::format("fault {} has no '{}'", order.entry->name, key),
                    one_of(known, key));
}

FaultOrder parse_order(std::string_view text, std::uint32_t ports) {
  FaultOrder order{.entry = &find_entry(take(text, ':')), .port = {}, .values = {}};
  for (const FaultKey& key : order.entry->keys) order.values[key.name] = key.fallback;
  while (!text.empty()) set(order, take(text, ':'), ports);
  return order;
}

bool overlap(const FaultOrder& a, const FaultOrder& b) {
  return a.entry == b.entry && (!a.port || !b.port || a.port == b.port);
}

}  // namespace

const FaultOrder* FaultPlan::find(FaultKind kind, std::uint32_t port) const noexcept {
  const auto found = std::find_if(orders_.begin(), orders_.end(), [&](const FaultOrder& order) {
    return order.entry->kind == kind && order.port.value_or(port) == port;
  });
  return found == orders_.end() ? nullptr : &*found;
}

FaultPlan parse_faults(const std::vector<std::string>& texts, std::uint32_t ports) {
  std::vector<FaultOrder> orders;
  for (std::string_view text : texts) {
    do {
      FaultOrder order = parse_order(take(text, ','), ports);
      if (std::any_of(orders.begin(), orders.end(),
                      [&](const FaultOrder& other) { return overlap(order, other); })) {
        throw usage_error(fmt::format("fault {} is given twice for a port", order.entry->name),
                          "give it once, or each with a :port=N of its own");
      }
      orders.push_back(std::move(order));
    } while (!text.empty());
  }
  return FaultPlan(std::move(orders));
}

}  // namespace softcx
