// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the threads of blocks check of themselves, the same on host threads and on a GPU, and where
// the test reads it. tests/unit/block_run.hpp runs them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/block.hpp"
#include "lib/device/memory.hpp"

namespace ringside::test {

inline constexpr std::uint32_t kMostCheckers = 256;  ///< threads of a block
inline constexpr std::uint32_t kMostBlocks = 3;

/// In memory that the blocks and the test reach.
struct Findings {
  std::uint32_t line;               ///< of a check that failed; 0: none has
  std::uint32_t rank;               ///< of the thread that said so last
  std::uint32_t value;              ///< what it had
  std::uint32_t over[kMostBlocks];  ///< of each block; not 0: it has come to its end
  alignas(64) Cqe cqe;              ///< of 1500 bytes, WQE 7, software's in the odd laps
};

/// The parts of a block (lib/device/block.hpp).
enum class Part : std::uint32_t { kWhole, kFront, kWorkers, kBack };

struct Checks {
  Findings* findings;
  const void* orders;    ///< of a type that What knows
  Part part;             ///< whose threads check
  std::uint32_t number;  ///< of the block
};

/// A thread's.
template <class B>
class Checker {
 public:
  RS_DEVICE Checker(const B& block, const Checks& checks)
      : rank_(block.rank()), checks_(checks), to_(*checks.findings) {}

  RS_DEVICE std::uint32_t number() const { return checks_.number; }
  template <class Orders>
  RS_DEVICE const Orders& orders() const {
    return *static_cast<const Orders*>(checks_.orders);
  }
  template <class T, class U>
  RS_DEVICE void equal(const T& is, const U& right, std::uint32_t line) {
    if (is == right) return;
    store_relaxed_system(&to_.rank, rank_);
    store_relaxed_system(&to_.value, static_cast<std::uint32_t>(is));
    store_relaxed_system(&to_.line, line);
  }
  RS_DEVICE const Cqe* cqe() const { return &to_.cqe; }

 private:
  const std::uint32_t rank_;
  const Checks& checks_;
  Findings& to_;
};

#define RS_EQUAL(is, right) checker.equal(is, right, __LINE__)

struct BroadcastGivesAllWhatRank0Had {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    struct Big {
      std::uint64_t words[kBroadcastBytes / sizeof(std::uint64_t)];
    };
    for (std::uint64_t turn = 0; turn < 100; ++turn) {
      Big big{};
      for (auto& word : big.words) word = turn * 1000 + block.rank();
      for (const auto word : block.broadcast(big).words) RS_EQUAL(word, turn * 1000);
    }
  }
};

struct AnyAndAllDifferWhenOneThreadDiffers {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    for (std::uint32_t one = 0; one < block.size(); ++one) {
      RS_EQUAL(block.any(block.rank() == one), true);
      RS_EQUAL(block.all(block.rank() == one), block.size() == 1);
      RS_EQUAL(block.any(false), false);
      RS_EQUAL(block.all(true), true);
      RS_EQUAL(block.all(block.rank() != one), false);
    }
  }
};

struct MinIsFoundWhereverItIs {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    for (std::uint32_t one = 0; one < block.size(); ++one) {
      RS_EQUAL(block.min(block.rank() == one ? 7U : 100U + block.rank()), 7U);
    }
  }
};

struct ExclusiveScanCountsTheLowerRanks {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    const std::uint32_t rank = block.rank();
    const std::uint32_t size = block.size();
    std::uint32_t total = 0;
    for (std::uint32_t turn = 1; turn < 50; ++turn) {
      RS_EQUAL(block.exclusive_scan(rank + turn, total), rank * turn + rank * (rank - 1) / 2);
      RS_EQUAL(total, size * turn + size * (size - 1) / 2);
      // Counts of 0 and 1 have a way of their own on a GPU.
      RS_EQUAL(block.exclusive_scan((rank + turn) % 3 == 0 ? 1U : 0U, total),
               (rank + turn + 2) / 3 - (turn + 2) / 3);
      RS_EQUAL(total, (size + turn + 2) / 3 - (turn + 2) / 3);
    }
  }
};

struct SumAddsEachValueOverAllThreads {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    const std::uint64_t size = block.size();
    for (std::uint64_t turn = 0; turn < 50; ++turn) {
      std::uint64_t values[3] = {1, block.rank(), turn << 40};
      block.sum(values);
      RS_EQUAL(values[0], size);
      RS_EQUAL(values[1], size * (size - 1) / 2);
      RS_EQUAL(values[2], size * (turn << 40));
    }
  }
};

/// What a barrier shows, in memory that the threads share.
struct SyncShowsEachThreadWhatTheOthersWrote {
  struct Written {
    std::uint32_t of_rank[kMostCheckers];
  };
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    auto& written = block.template shared<Written>();
    for (std::uint32_t turn = 1; turn < 200; ++turn) {
      written.of_rank[block.rank()] = turn;
      block.sync();
      for (std::uint32_t i = 0; i < block.size(); ++i) RS_EQUAL(written.of_rank[i], turn);
      block.sync();
    }
  }
};

struct PrefixEndsAtTheFirstIndexThatFails {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    for (std::uint32_t hole = 0; hole < 70; ++hole) {
      // What comes after the hole does not count.
      const std::uint32_t found = block_prefix(block, 64, [hole](auto i) { return i != hole; });
      RS_EQUAL(found, hole < 64 ? hole : 64U);
    }
    RS_EQUAL(block_prefix(block, 0, [](auto) { return true; }), 0U);
  }
};

struct ThreadsShareOneObjectOfEachType {
  template <class T>
  struct Numbers {
    T of_rank[kMostCheckers];
  };
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    using Small = Numbers<std::uint16_t>;
    using Large = Numbers<std::uint64_t>;
    block.template shared<Small>().of_rank[block.rank()] =
        static_cast<std::uint16_t>(100 + block.rank());
    block.template shared<Large>().of_rank[block.rank()] = 1000 + block.rank();
    block.sync();
    for (std::uint32_t rank = 0; rank < block.size(); ++rank) {
      RS_EQUAL(block.template shared<Small>().of_rank[rank], 100 + rank);
      RS_EQUAL(block.template shared<Large>().of_rank[rank], 1000 + rank);
    }
  }
};

struct ALookTellsOwnerAndLengthOfACqe {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    for (const bool awaits : {false, true}) {
      CqeTail tail;
      const bool knows =
          awaits ? block.await(
                       checker.cqe(), [](std::uint8_t op_own) { return op_own == 0x21; }, tail)
                 : block.look(checker.cqe(), tail);
      // One of so many neighbours.
      RS_EQUAL(knows, block.rank() % B::kLookThreads == B::kLookThreads - 1);
      if (!knows) continue;
      RS_EQUAL(tail.op_own(), 0x21);
      RS_EQUAL(tail.length(), 1500U);
      RS_EQUAL(tail.wqe_counter(), 7U);
    }
  }
};

/// Fails: whoever runs it is to say so.
struct AThreadFindsSomethingWrong {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    RS_EQUAL(block.rank() + 1,
             block.size() == 1 ? 7U : block.rank() + (block.rank() == 1 ? 7U : 1U));
  }
};

struct ThePartsOfABlockAreItsThreads {
  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    if constexpr (WholeBlock<B>) {
      RS_EQUAL(block.in_front() || block.rank() >= block.front().size(), true);
      RS_EQUAL(block.workers().size() <= block.size() && block.back().size() <= block.size(), true);
      std::uint32_t total = 0;
      block.exclusive_scan(block.in_front() ? 1U : 0U, total);
      RS_EQUAL(total, block.front().size());
      block.exclusive_scan(block.in_workers() ? 1U : 0U, total);
      RS_EQUAL(total, block.workers().size());
      block.exclusive_scan(block.in_back() ? 1U : 0U, total);
      RS_EQUAL(total, block.back().size());
      block.exclusive_scan(block.in_ringer() ? 1U : 0U, total);
      RS_EQUAL(total, block.ringer().size());
      if (block.size() > 32) RS_EQUAL(block.in_ringer() && block.in_front(), false);
      if (block.ringer_is_apart()) RS_EQUAL(block.in_ringer() && block.in_back(), false);
    }
  }
};

#undef RS_EQUAL

/// What::run(block, checker) in the threads of a part.
template <class What, WholeBlock B>
RS_DEVICE void check_part(B& block, const Checks& checks) {
  const auto check = [&](auto& scope) {
    Checker<std::remove_reference_t<decltype(scope)>> checker(scope, checks);
    What::run(scope, checker);
  };
  switch (checks.part) {
    case Part::kWhole:
      return check(block);
    case Part::kFront:
      if (block.in_front()) {
        auto&& front = block.front();
        check(front);
      }
      return;
    case Part::kWorkers:
      if (block.in_workers()) check(block.workers());
      return;
    case Part::kBack:
      if (block.in_back()) {
        auto&& back = block.back();
        check(back);
      }
      return;
  }
}

}  // namespace ringside::test
