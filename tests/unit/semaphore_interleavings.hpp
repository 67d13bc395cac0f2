// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Every order in which the steps of a producer and a consumer, one or two threads each, can fall on
// one small ring, with the lines of lib/device/semaphore.hpp that kernels run.
//
// A step is one access to memory that others touch, or an arrival at a barrier. As in
// tests/unit/tx_interleavings.hpp, a thread is where it stands between calls and what its accesses
// in the call under way have returned; to take a step, the call is run anew on those results up to
// the first access without one. What is judged in each state: no item is written before the
// consumer has finished the one that lay there, each is taken whole, once and in order, none is
// collected that is not finished; and that from each the end can be reached. Memory is sequentially
// consistent here: what weaker memory needs is argued in lib/device/impl/semaphore.hpp and seen by
// ThreadSanitizer.
#pragma once

#include <cstdint>

#include "lib/device/semaphore.hpp"

namespace ringside::test {

inline constexpr std::uint32_t kLogMostDepth = 2;
inline constexpr std::uint32_t kMostThreads = 2;  // of an end
inline constexpr std::uint32_t kMostAccesses = 24;

/// Two words that belong together, so that a half-written one is seen.
struct Pair {
  std::uint64_t one, other;
};

/// What the threads of an end meet by. None is ahead of another by more than one barrier, so that
/// few turns suffice, and a loop that finds nothing comes back to a state that is known.
inline constexpr std::uint64_t kTurns = 4;
struct Meeting {
  std::uint64_t arrived[kMostThreads];  ///< mod kTurns
  std::uint64_t told[2][kMostThreads];  ///< in turn, as HostBlock's
};

struct Memory {
  SemaphoreWords words;
  std::uint32_t states[1U << kLogMostDepth];
  Pair items[1U << kLogMostDepth];
  Meeting producer, consumer;
  std::uint64_t finished;  ///< a bit each, as the judge saw it
};

enum class Mutant { kNone, kPostsFirst, kNoBarrier, kFinishesFirst };

struct Setting {
  std::uint32_t log_depth;
  std::uint32_t producers, consumers;  ///< threads of an end
  std::uint32_t items;
  std::uint32_t batch;  ///< posted at once
  std::uint64_t start = 0;
  Mutant mutant = Mutant::kNone;
};

struct StepTaken {};  // the call cannot go on: its next access is another step
struct Blocked {};    // nor can it take that one now
struct Broken {
  const char* rule;
};

struct Accesses {
  std::uint64_t results[kMostAccesses];
  std::uint32_t count;
};

struct Stage {
  Setting setting;
  Memory memory;
  Accesses accesses;
  std::uint32_t next;
  bool may_step;

  SemaphoreHandle<Pair> handle() {
    return {memory.items, memory.states, &memory.words, setting.log_depth};
  }
  template <class Access>
  std::uint64_t step(Access access) {
    if (next < accesses.count) return accesses.results[next++];
    if (may_step) {
      require(accesses.count < kMostAccesses, "the search keeps too few accesses");
      accesses.results[accesses.count] = access();
      ++accesses.count;
    }
    throw StepTaken{};
  }
  static void require(bool holds, const char* rule) {
    if (!holds) throw Broken{rule};
  }
};
inline Stage stage;

struct ExploredOps {
  template <class T>
  T load_acquire(const T* word) const {
    return static_cast<T>(stage.step([&] { return std::uint64_t{*word}; }));
  }
  template <class T>
  void store_release(T* word, T value) const {
    stage.step([&] {
      if constexpr (sizeof(T) == sizeof(std::uint32_t)) note_state(word, value);
      return std::uint64_t{*word = value};
    });
  }
  template <class T>
  T load_relaxed(const T* word) const {
    return load_acquire(word);
  }
  template <class T>
  void store_relaxed(T* word, T value) const {
    store_release(word, value);
  }
  /// An item is what its number says; the judge knows which one may be written.
  void write(Pair* to, const Pair& item) const {
    stage.step([&] {
      const std::uint64_t number = item.one - stage.setting.start;
      const std::uint64_t depth = std::uint64_t{1} << stage.setting.log_depth;
      Stage::require(number < depth || (stage.memory.finished >> (number - depth) & 1U) != 0,
                     "an item is written over one that is not finished");
      return to->one = item.one;
    });
    stage.step([&] { return to->other = item.other; });
  }

 private:
  /// Tells the judge which item the consumer has finished.
  static void note_state(const std::uint32_t* word, std::uint32_t value) {
    if (static_cast<ItemState>(value & 3U) != ItemState::kDone) return;
    const auto place = static_cast<std::uint64_t>(word - stage.memory.states);
    // A state has thirty bits of the lap, so that numbers are known up to that many and the place's.
    const std::uint64_t n = std::uint64_t{value >> 2} << stage.setting.log_depth | place;
    const std::uint64_t known = (std::uint64_t{1} << (30 + stage.setting.log_depth)) - 1;
    stage.memory.finished |= std::uint64_t{1} << ((n - stage.setting.start) & known);
  }
};

/// A thread's view of its end.
class ExploredGroup {
 public:
  ExploredGroup(Meeting* meeting, std::uint32_t rank, std::uint32_t size)
      : meeting_(meeting), rank_(rank), size_(size) {}
  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  std::uint64_t now_ns() const { return 0; }
  template <class Ready>
  void poll_until(Ready ready) {
    while (!ready()) {
    }
  }
  void sync() {
    if (size_ == 1) return;
    const std::uint64_t mine = stage.step(
        [this] { return meeting_->arrived[rank_] = (meeting_->arrived[rank_] + 1) % kTurns; });
    stage.step([&] {
      for (std::uint32_t i = 0; i < size_; ++i) {
        if ((meeting_->arrived[i] + 1) % kTurns == mine) throw Blocked{};
      }
      return mine;
    });
  }
  std::uint32_t min(std::uint32_t value) {
    if (size_ == 1) return value;
    stage.step([&] { return meeting_->told[turn_][rank_] = value; });
    sync();
    for (std::uint32_t i = 0; i < size_; ++i) {
      const auto told =
          static_cast<std::uint32_t>(stage.step([&] { return meeting_->told[turn_][i]; }));
      if (told < value) value = told;
    }
    turn_ ^= 1U;
    return value;
  }
  template <class T>
  T broadcast(const T& value) {
    return value;  // waits are not explored: their time is 0
  }
  std::uint32_t turn() const { return turn_; }

 private:
  Meeting* meeting_;
  std::uint32_t rank_;
  std::uint32_t size_;
  std::uint32_t turn_ = 0;
};
static_assert(Scope<ExploredGroup>);

/// What both kinds of thread have in common: taking one step.
template <class Derived>
class Explored {
 public:
  explicit Explored(const ExploredGroup& group) : group_(group) {}

  /// Takes one access, and goes on to the next without taking it. false: it is blocked.
  bool advance() { return run_until_step(true) && run_until_step(false); }

  template <class Append>
  void append_to(Append append) const {
    append(std::uint64_t{group_.turn()} << 32 | static_cast<std::uint64_t>(call_));
    append(std::uint64_t{accesses_.count});
    for (std::uint32_t i = 0; i < accesses_.count; ++i) append(accesses_.results[i]);
    static_cast<const Derived*>(this)->append_own(append);
  }

 protected:
  ExploredGroup group_;
  int call_ = 0;

 private:
  bool run_until_step(bool may_step) {
    auto& self = static_cast<Derived&>(*this);
    while (!self.done()) {
      const Derived before = self;
      stage.accesses = accesses_;
      stage.next = 0;
      stage.may_step = may_step;
      try {
        self.run_call();
        accesses_.count = 0;
      } catch (const StepTaken&) {
        self = before;
        accesses_ = stage.accesses;
        return true;
      } catch (const Blocked&) {
        self = before;
        return false;
      }
    }
    return true;
  }

  Accesses accesses_{};
};

class ProducerThread : public Explored<ProducerThread> {
 public:
  explicit ProducerThread(std::uint32_t rank)
      : Explored({&stage.memory.producer, rank, stage.setting.producers}),
        ring_(make()),
        end_(stage.setting.start + stage.setting.items) {}

  bool done() const { return ring_.collected() == end_; }

  void run_call() {
    const std::uint32_t batch = stage.setting.batch;
    switch (static_cast<Call>(call_)) {
      case Call::kChoose:
        first_ = ring_.posted();
        call_ = Call::kCollect;
        if (first_ < end_ && ring_.room() >= batch) call_ = posts_first() ? kPost : kWrite;
        return;
      case Call::kWrite:
        // Not by the threads that post them, so that the barrier between counts.
        for (std::uint32_t i = group_.rank(); i < batch; i += group_.size()) {
          const std::uint64_t n = first_ + batch - 1 - i;
          ring_.write(static_cast<std::uint32_t>(n - ring_.posted()), {n, ~n});
        }
        call_ = Call::kMeet;
        return;
      case Call::kMeet:
        if (stage.setting.mutant != Mutant::kNoBarrier) group_.sync();
        call_ = posts_first() ? Call::kChoose : Call::kPost;
        return;
      case Call::kPost:
        ring_.post(group_, batch);
        call_ = posts_first() ? Call::kWrite : Call::kChoose;
        return;
      case Call::kCollect: {
        const SemaphoreBatch back = ring_.collect(group_, ring_.depth(), 0);
        for (std::uint32_t i = 0; i < back.count; ++i) {
          const std::uint64_t number = back.first + i - stage.setting.start;
          Stage::require((stage.memory.finished >> number & 1U) != 0,
                         "an item is collected that is not finished");
        }
        call_ = Call::kChoose;
        return;
      }
    }
  }

  template <class Append>
  void append_own(Append append) const {
    append(ring_.posted());
    append(ring_.collected());
    append(first_);
  }

 private:
  enum Call { kChoose, kWrite, kMeet, kPost, kCollect };
  using Ring = SemaphoreProducer<Pair, Reach::kDevice, ExploredOps>;
  static bool posts_first() { return stage.setting.mutant == Mutant::kPostsFirst; }

  static Ring make() {
    stage.accesses = {{stage.setting.start, stage.setting.start}, 2};
    stage.next = 0;
    return Ring(stage.handle());
  }

  Ring ring_;
  std::uint64_t end_;
  std::uint64_t first_ = 0;  ///< of the batch in hand
};

class ConsumerThread : public Explored<ConsumerThread> {
 public:
  explicit ConsumerThread(std::uint32_t rank)
      : Explored({&stage.memory.consumer, rank, stage.setting.consumers}),
        ring_(make()),
        end_(stage.setting.start + stage.setting.items) {}

  bool done() const { return call_ == kTake && ring_.taken() == end_; }

  void run_call() {
    if (call_ == kTake) {
      const SemaphoreBatch batch = ring_.take(group_, ring_.depth(), 0);
      first_ = batch.first;
      count_ = batch.count;
      next_ = group_.rank();
    } else {
      const std::uint64_t n = first_ + next_;
      const bool early = stage.setting.mutant == Mutant::kFinishesFirst;
      if (early) ring_.done(n);
      const std::uint64_t one = stage.step([&] { return ring_.item(n).one; });
      const std::uint64_t other = stage.step([&] { return ring_.item(n).other; });
      Stage::require(one == n && other == ~n, "an item is torn, stale or another one");
      if (!early) ring_.done(n);
      next_ += group_.size();
    }
    call_ = next_ < count_ ? kWork : kTake;
  }

  template <class Append>
  void append_own(Append append) const {
    append(ring_.taken());
    append(first_);
    append(std::uint64_t{count_} << 32 | next_);
  }

 private:
  enum Call { kTake, kWork };
  using Ring = SemaphoreConsumer<Pair, Reach::kDevice, ExploredOps>;

  static Ring make() {
    stage.accesses = {{stage.setting.start}, 1};
    stage.next = 0;
    return Ring(stage.handle());
  }

  Ring ring_;
  std::uint64_t end_;
  std::uint64_t first_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace ringside::test
