// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Every order in which the steps of posters and a NIC can fall on one small shared send ring, with
// the lines of TxSharing that kernels run.
//
// A step is one access to memory that others touch. A poster is a scope of one thread, or of two,
// a warp's first and last, that meet at barriers: the first reserves, both write, the last
// publishes. A thread is where it stands between calls (reserve, poll, write, peek, publish: the
// calls of SharedTxQueue::send, in its order) and what its accesses in the call under way have
// returned: to take a step, the call is run anew on those results up to the first access without
// one, which is done on the memory. So states can be copied and compared, and all that can be
// reached are visited once. What is judged in each: no
// slot is written before the NIC has read it, WQEs reach the NIC without gaps and whole, the
// doorbell never goes back nor before the record, no CQE is overwritten; and that from each the end
// can be reached, so no ring is lost. Memory is sequentially consistent here: what weaker memory
// needs is argued in lib/device/impl/tx_sharing.hpp and seen by ThreadSanitizer.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/device/impl/tx_cqe.hpp"
#include "lib/device/impl/tx_sharing.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/tx_send.hpp"

namespace ringside::test {

inline constexpr std::uint32_t kMostDepth = 4;
inline constexpr std::uint32_t kMostAccesses = 16;  // of one call

/// What the parties touch.
struct Memory {
  TxSharedState shared;
  std::uint64_t batch_end[kMostDepth];
  SendWqe wqe[kMostDepth];
  Cqe cqe[kMostDepth];
  DoorbellRecord record;
  CqDoorbellRecord cq_record;
  std::uint64_t rung;      // what the doorbell says, unwrapped
  std::uint64_t nic_read;  // WQEs that the NIC has read
  std::uint64_t nic_done;  // of them, those it has completed
  std::uint64_t cqes_made;
};

/// What the accesses of a call have returned.
struct Accesses {
  std::uint64_t results[kMostAccesses];
  std::uint32_t count;
};

struct StepTaken {};  // the call cannot go on: its next access is another step
struct AtBarrier {};  // nor now: another thread of the scope has not come
struct Broken {
  const char* rule;
};

/// Faults that the search must find.
enum class Mutant { kNone, kTornExchange, kDoorbellFirst, kImpatient, kNoBarrier, kNeverAsks };

struct Setting {
  std::uint32_t log_depth;
  std::uint32_t posters;
  std::uint32_t sends;  // of each poster
  std::uint32_t count;  // WQEs of a send
  std::uint64_t start = 0;
  std::uint64_t cq_start = 0;
  std::uint32_t lanes = 1;  // threads of a poster
  TxNotify (*notify)() = &TxNotify::last;
  Mutant mutant = Mutant::kNone;

  std::uint64_t depth() const { return std::uint64_t{1} << log_depth; }
};

/// Where the state under way lies, so that pointers into it hold.
struct Stage {
  Setting setting;
  Memory memory;
  Accesses accesses;
  std::uint32_t next;  // access of the call that is run
  bool may_step;

  TxQueueHandle queue() {
    return {memory.wqe,        &memory.record,    nullptr, memory.cqe,
            &memory.cq_record, nullptr,           nullptr, 0x77,
            setting.log_depth, setting.log_depth, 0x55};
  }
  /// One access: its result of before, or done now, and no further.
  template <class Access>
  std::uint64_t step(Access access) {
    if (next < accesses.count) return accesses.results[next++];
    if (may_step) accesses.results[accesses.count++] = access();
    throw StepTaken{};
  }
  static void require(bool holds, const char* rule) {
    if (!holds) throw Broken{rule};
  }
};
inline Stage stage;

struct ExploredOps {
  std::uint64_t load_acquire(const std::uint64_t* word) const {
    return stage.step([&] { return *word; });
  }
  std::uint64_t load_relaxed(const std::uint64_t* word) const { return load_acquire(word); }
  void store_release(std::uint64_t* word, std::uint64_t value) const {
    stage.step([&] { return *word = value; });
  }
  void store_relaxed(std::uint64_t* word, std::uint64_t value) const { store_release(word, value); }
  std::uint64_t exchange_acquire(std::uint64_t* word, std::uint64_t expected,
                                 std::uint64_t desired) const {
    return exchange_relaxed(word, expected, desired);
  }
  std::uint64_t exchange_relaxed(std::uint64_t* word, std::uint64_t expected,
                                 std::uint64_t desired) const {
    if (stage.setting.mutant == Mutant::kTornExchange) {
      const std::uint64_t found = load_acquire(word);
      if (found == expected) store_release(word, desired);
      return found;
    }
    return stage.step([&] {
      const std::uint64_t found = *word;
      if (found == expected) *word = desired;
      return found;
    });
  }
  void ring(std::uint64_t end) const {
    if (stage.setting.mutant != Mutant::kDoorbellFirst) write_record(end);
    stage.step([&] {
      const auto record = static_cast<std::uint16_t>(stage.memory.record.send_counter.value());
      Stage::require(end > stage.memory.rung, "the doorbell goes back");
      Stage::require(record == static_cast<std::uint16_t>(end), "the doorbell before its record");
      return stage.memory.rung = end;
    });
    if (stage.setting.mutant == Mutant::kDoorbellFirst) write_record(end);
  }
  TxProgress read_cqes(std::uint64_t completed, std::uint64_t cq_consumed,
                       std::uint32_t most) const {
    // Both as one word: neither reaches 2^32 here.
    const std::uint64_t seen = stage.step([&] {
      const TxProgress now =
          read_send_cqes({stage.memory.cqe, stage.setting.log_depth}, completed, cq_consumed, most);
      return now.completed << 32 | now.cq_consumed;
    });
    return {seen >> 32, seen & 0xffffffffU, false, {}};
  }
  void give_cqes_back(std::uint64_t cq_consumed) const {
    stage.step([&] {
      give_send_cqes_back(stage.queue(), cq_consumed);
      return cq_consumed;
    });
  }

 private:
  static void write_record(std::uint64_t end) {
    stage.step([&] {
      stage.memory.record.send_counter = Be32::of(static_cast<std::uint32_t>(end) & 0xffffU);
      return end;
    });
  }
};

/// A thread of a scope that sends, between two accesses.
class Lane {
 public:
  using Scope = std::vector<Lane>;

  Lane(std::uint32_t rank, const Setting& setting, Memory& memory)
      : sharing_(ExploredOps{}, &memory.shared, memory.batch_end, setting.log_depth),
        rank_(rank),
        left_(setting.sends),
        call_(rank == 0 ? Call::kReserve : Call::kTell) {}

  bool done() const { return left_ == 0; }

  /// Takes one access, and goes on to the next without taking it. false: it waits at a barrier.
  bool advance(const Scope& scope) {
    if (!run_until_step(scope, true)) return false;
    run_until_step(scope, false);
    return true;
  }

  template <class Append>
  void append_to(Append append) const {
    append(sharing_);
    append(std::uint64_t{left_} << 32 | static_cast<std::uint32_t>(call_) << 16 | announce_ << 8 |
           written_);
    append(first_);
    append(peeked_);
    append(barriers_);
    for (std::uint32_t i = 0; i < accesses_.count; ++i) append(accesses_.results[i]);
    append(std::uint64_t{0});
  }

 private:
  enum class Call : std::uint8_t {
    kReserve,
    kPoll,
    kTell,
    kTold,
    kWrite,
    kPeek,
    kMeet,
    kMet,
    kPublish
  };

  /// false: nothing was done, for a barrier.
  bool run_until_step(const Scope& scope, bool may_step) {
    bool moved = false;
    while (!done()) {
      const Lane before = *this;
      stage.accesses = accesses_;
      stage.next = 0;
      stage.may_step = may_step;
      try {
        run_call(scope);
        accesses_.count = 0;
        moved = true;
      } catch (const StepTaken&) {
        *this = before;
        accesses_ = stage.accesses;
        return true;
      } catch (const AtBarrier&) {
        return moved;
      }
    }
    return true;
  }

  void run_call(const Scope& scope) {
    const Setting& setting = stage.setting;
    const bool is_last = rank_ + 1 == setting.lanes;
    switch (call_) {
      case Call::kReserve:
        first_ = sharing_.try_reserve(setting.count);
        call_ = first_ == sharing_.kNone ? Call::kPoll : Call::kTell;
        return;
      case Call::kPoll:
        sharing_.poll(kAllCqes);
        call_ = Call::kReserve;
        return;
      case Call::kTell:
        ++barriers_;
        call_ = Call::kTold;
        return;
      case Call::kTold:
        require_all(scope);
        first_ = scope[0].first_;
        written_ = rank_;
        call_ = Call::kWrite;
        return;
      case Call::kWrite:
        if (written_ < setting.count) {
          stage.step([&] { return write(first_, written_); });
          written_ += setting.lanes;
          return;
        }
        call_ = is_last ? Call::kPeek : Call::kMeet;
        return;
      case Call::kPeek:
        peeked_ = sharing_.peek(first_ + setting.count);
        call_ = Call::kMeet;
        return;
      case Call::kMeet:
        ++barriers_;
        call_ = Call::kMet;
        return;
      case Call::kMet:
        if (setting.mutant != Mutant::kNoBarrier) require_all(scope);
        announce_ = true;
        if (is_last) {
          call_ = Call::kPublish;
        } else {
          end_batch();
        }
        return;
      case Call::kPublish: {
        const std::uint64_t end = first_ + setting.count;
        const bool published = sharing_.try_publish(first_, end, peeked_, announce_);
        announce_ = false;
        if (!published && setting.mutant != Mutant::kImpatient) return;
        if (published) {
          Stage::require(stage.memory.rung >= end, "published without a ring");
        }
        end_batch();
        return;
      }
    }
  }

  void end_batch() {
    --left_;
    call_ = rank_ == 0 ? Call::kReserve : Call::kTell;
  }

  void require_all(const Scope& scope) const {
    for (const Lane& lane : scope) {
      if (lane.barriers_ < barriers_) throw AtBarrier{};
    }
  }

  static std::uint64_t write(std::uint64_t first, std::uint32_t i) {
    const Setting& setting = stage.setting;
    const TxBatch batch(first, setting.count, setting.notify(), setting.log_depth);
    const bool asks = batch.asks(i) && setting.mutant != Mutant::kNeverAsks;
    Stage::require(first + i < stage.memory.nic_done + setting.depth(), "the ring overruns");
    write_wqe(stage.queue(), first + i, {first + i, 64}, asks ? kCeAlways : kCeOnError);
    return first + i;
  }

  TxSharing<ExploredOps> sharing_;
  std::uint64_t first_ = 0;
  std::uint64_t peeked_ = 0;
  std::uint64_t barriers_ = 0;  // come to
  Accesses accesses_{};
  std::uint32_t rank_;
  std::uint32_t left_;
  std::uint32_t written_ = 0;
  Call call_;
  bool announce_ = false;
};

/// The NIC on the stage: reads a WQE, or completes one.
class Nic {
 public:
  static bool can_read() { return stage.memory.nic_read < stage.memory.rung; }
  static void read() {
    Memory& memory = stage.memory;
    const SendWqe& wqe = *wqe_at(stage.queue(), memory.nic_read);
    Stage::require(wqe.data.address.value() == memory.nic_read, "a WQE is stale or missing");
    ++memory.nic_read;
  }
  static bool can_complete() { return stage.memory.nic_done < stage.memory.nic_read; }
  static void complete() {
    Memory& memory = stage.memory;
    const TxQueueHandle queue = stage.queue();
    if (wqe_at(queue, memory.nic_done)->control.fm_ce_se == kCeAlways) {
      const std::uint32_t consumed = memory.cq_record.consumer_index.value();
      const std::uint32_t held =
          (static_cast<std::uint32_t>(memory.cqes_made) - consumed) & 0xffffffU;
      Stage::require(held < stage.setting.depth(), "the CQ overruns");
      Cqe& cqe = memory.cqe[memory.cqes_made & (stage.setting.depth() - 1)];
      cqe.wqe_counter = Be16::of(static_cast<std::uint16_t>(memory.nic_done));
      cqe.op_own = static_cast<std::uint8_t>(memory.cqes_made >> queue.log_cq_depth & 1U);
      ++memory.cqes_made;
    }
    ++memory.nic_done;
  }
};

}  // namespace ringside::test
