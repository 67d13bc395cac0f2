// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The parameters of stages as kernels read them.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/stages/field.hpp"
#include "kernels/stages/user.hpp"
#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// Bytes at the place that a stage's offset names, each part aligned for any of its fields.
class ParameterBytes {
 public:
  /// Returns the part's offset.
  template <class T>
  std::uint32_t add(const T& part) {
    static_assert(std::is_trivially_copyable_v<T>);
    return add(&part, sizeof(T));
  }
  /// A struct that ends in an array of one, with `items` in its place.
  template <class T, class Item>
  std::uint32_t add(const T& head, std::size_t array_offset, const std::vector<Item>& items) {
    std::vector<std::uint8_t> bytes(
        std::max(sizeof(T), array_offset + items.size() * sizeof(Item)));
    std::memcpy(bytes.data(), &head, sizeof(T));
    if (!items.empty()) {
      std::memcpy(bytes.data() + array_offset, items.data(), items.size() * sizeof(Item));
    }
    return add(bytes.data(), bytes.size());
  }
  std::uint32_t add(const void* data, std::size_t size);

  const std::vector<std::uint64_t>& words() const noexcept { return words_; }
  std::vector<std::uint64_t>& words() noexcept { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

stages::FieldValue kernel_value(const FieldBits& bits);

std::uint32_t add_match(ParameterBytes& bytes, const Match& match);
std::uint32_t add_table(ParameterBytes& bytes, const Table& table);
/// In two steps, for tables that are to lie behind all that has a fixed size: room for the head,
/// and then the rest of it.
std::uint32_t add_table_head(ParameterBytes& bytes);
void fill_table(ParameterBytes& bytes, std::uint32_t head, const Table& table);
/// A second head for what `filled` is the head of, which lies behind both.
void share_table(ParameterBytes& bytes, std::uint32_t head, std::uint32_t filled);
std::uint32_t add_rewrite(ParameterBytes& bytes, const RewriteStage& stage);
std::uint32_t add_swap(ParameterBytes& bytes, const SwapStage& stage);
std::uint32_t add_icmp_echo(ParameterBytes& bytes, const IcmpEchoStage& stage);
/// `targets`: of each backend.
std::uint32_t add_load_balance(ParameterBytes& bytes, const LoadBalanceStage& stage,
                               const std::vector<std::uint16_t>& targets);
/// `buckets`: words that the stage has.
std::uint32_t add_police(ParameterBytes& bytes, const PoliceStage& stage, std::uint32_t buckets);
std::uint32_t add_user(ParameterBytes& bytes, const UserStage& stage, std::uint64_t function);

}  // namespace ringside::pipeline
