// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A block made of host threads: one, or several that meet at a barrier. Waiting threads sleep, so
// that many blocks share few cores.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/device/block.hpp"
#include "lib/device/impl/host_barrier.hpp"
#include "lib/device/impl/host_idle.hpp"
#include "lib/device/memory.hpp"

namespace ringside {

/// What a block's threads share. Outlives them.
class HostBlockTeam {
 public:
  /// `threads`: at least 1.
  explicit HostBlockTeam(std::uint32_t threads) : barrier_(threads), lanes_(threads) {}

 private:
  friend class HostBlock;
  // Two sets of words in turn, so that one barrier a collective suffices: a thread that writes a
  // set again has passed the barrier between, which all threads reach after they read it.
  struct alignas(64) Lane {
    std::uint64_t words[2][kSumValues];
  };
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(lanes_.size()); }

  /// The object of a type, made by the first thread that asks.
  template <class T>
  T& shared() {
    static constexpr char kTypeTag = 0;  // its address is the type
    const std::lock_guard lock(shared_mutex_);
    for (const auto& [tag, object] : shared_) {
      if (tag == &kTypeTag) return *static_cast<T*>(object.get());
    }
    return *static_cast<T*>(shared_.emplace_back(&kTypeTag, std::make_shared<T>()).second.get());
  }

  HostBarrier barrier_;
  std::vector<Lane> lanes_;
  std::mutex shared_mutex_;
  std::vector<std::pair<const char*, std::shared_ptr<void>>> shared_;
};

/// One thread's view of its block. Calls as Block has them (lib/device/block.hpp). With one thread
/// nothing here synchronises or touches memory.
class HostBlock {
 public:
  HostBlock(HostBlockTeam& team, std::uint32_t rank) noexcept
      : team_(team), rank_(rank), size_(team.size()) {}

  std::uint32_t rank() const noexcept { return rank_; }
  std::uint32_t size() const noexcept { return size_; }
  std::uint64_t now_ns() const noexcept { return monotonic_ns(); }

  /// Only rank 0 asks: an idle block of many threads is one thread that looks.
  template <class Ready>
  void idle(Ready ready) noexcept {
    if (rank_ == 0) poll_until(ready);
  }

  template <class Ready>
  void poll_until(Ready ready) noexcept {
    HostIdle wait;
    while (!ready()) wait.step();
  }

  static constexpr std::uint32_t kLookThreads = 1;

  bool look(const Cqe* cqe, CqeTail& tail) noexcept {
    tail = {cqe, load_acquire_system(&cqe->op_own)};
    return true;
  }

  template <class There>
  bool await(const Cqe* cqe, There, CqeTail& tail) noexcept {
    return look(cqe, tail);  // whoever finds nothing goes to sleep: idle()
  }

  HostBlock& front() noexcept { return *this; }
  HostBlock& workers() noexcept { return *this; }
  HostBlock& back() noexcept { return *this; }
  HostBlock& ringer() noexcept { return *this; }
  bool in_front() const noexcept { return true; }
  bool in_workers() const noexcept { return true; }
  bool in_back() const noexcept { return true; }
  bool in_ringer() const noexcept { return true; }
  static constexpr bool ringer_is_apart() noexcept { return false; }
  static constexpr bool kHasParts = false;

  /// Any thread. Those that ask first take a lock and allocate: when a kernel starts.
  template <class T>
  T& shared() {
    return team_.shared<T>();
  }

  void sync() noexcept {
    if (size_ > 1) team_.barrier_.arrive_and_wait();
  }

  template <class T>
  T broadcast(const T& value) noexcept {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kBroadcastBytes);
    if (size_ == 1) return value;
    if (rank_ == 0) std::memcpy(words(0), &value, sizeof(T));
    sync();
    T result;
    std::memcpy(&result, words(0), sizeof(T));
    next();
    return result;
  }

  bool any(bool predicate) noexcept {
    return reduce<std::uint32_t>(predicate, [](auto a, auto b) { return a | b; }) != 0;
  }
  bool all(bool predicate) noexcept {
    return reduce<std::uint32_t>(predicate, [](auto a, auto b) { return a & b; }) != 0;
  }
  template <class T>
  T min(T value) noexcept {
    return reduce<T>(value, [](T a, T b) { return std::min(a, b); });
  }

  std::uint32_t exclusive_scan(std::uint32_t count, std::uint32_t& total) noexcept {
    if (size_ == 1) {
      total = count;
      return 0;
    }
    *words(rank_) = count;
    sync();
    std::uint32_t before = 0;
    total = 0;
    for (std::uint32_t lane = 0; lane < size_; ++lane) {
      if (lane == rank_) before = total;
      total += static_cast<std::uint32_t>(*words(lane));
    }
    next();
    return before;
  }

  template <class T, std::size_t N>
  void sum(T (&values)[N]) noexcept {
    static_assert(N <= kSumValues && sizeof(T) <= sizeof(std::uint64_t));
    if (size_ == 1) return;
    std::copy_n(values, N, words(rank_));
    sync();
    std::fill_n(values, N, T{0});
    for (std::uint32_t lane = 0; lane < size_; ++lane) {
      for (std::size_t i = 0; i < N; ++i) values[i] += static_cast<T>(words(lane)[i]);
    }
    next();
  }

 private:
  template <class T, class Combine>
  T reduce(T value, Combine combine) noexcept {
    if (size_ == 1) return value;
    *words(rank_) = value;
    sync();
    T result = value;
    for (std::uint32_t lane = 0; lane < size_; ++lane) {
      result = combine(result, static_cast<T>(*words(lane)));
    }
    next();
    return result;
  }

  std::uint64_t* words(std::uint32_t lane) noexcept { return team_.lanes_[lane].words[turn_]; }
  void next() noexcept { turn_ ^= 1U; }

  HostBlockTeam& team_;
  const std::uint32_t rank_;
  const std::uint32_t size_;
  std::uint32_t turn_ = 0;
};
static_assert(WholeBlock<HostBlock>);

}  // namespace ringside
