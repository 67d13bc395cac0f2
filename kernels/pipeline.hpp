// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// pipeline: sends each packet through a chain of stages. One kernel runs them all, a thread a
// packet from the first stage to the last; the chain may change between two batches.
#pragma once

#include <type_traits>

#include "kernels/pipeline_args.hpp"
#include "kernels/stages/run_stage.hpp"
#include "lib/device/block.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/program.hpp"
#include "lib/device/split_packet.hpp"

namespace ringside {

/// Holds whichever group has a batch, since a thread keeps nothing that it has yet to tell: counts,
/// tokens, and places in the sample ring are words in GPU memory, which all threads change by
/// atomics while they process, and end_batch tells the CPU of them behind a barrier. What the class
/// itself remembers is rank 0's, which every group has, or comes from it by begin_batch's
/// broadcast. The block's barrier between two batches puts what one group stores before what the
/// next does, and a group's last look at a former chain before rank 0 says that it is not used any
/// more.
template <Block B>
class PipelineState {
 public:
  RS_DEVICE PipelineState(B& block, const ProgramArgs& program)
      : args_(share(block, program)),
        alone_(block.size() == 1),
        around_{nullptr, program.source, args_.words, args_.ring, args_.ring_here, 0, 0,
                0,       args_.source} {}

  /// Takes a new chain, if there is one; the batches before are done with the former.
  template <Block G>
  RS_DEVICE void begin_batch(G& group) {
    Begin begin{};
    if (group.rank() == 0) {
      begin.now_ns = group.now_ns();
      begin.chain = look(begin.now_ns);
      begin.batch = batch_ + 1;
    }
    begin = group.broadcast(begin);
    batch_ = begin.batch;
    now_ns_ = begin.now_ns;
    around_.clock_ns = now_ns_;
    around_.ticks = now_ns_ * stages::kPoliceTicksPerNs;
    if (begin.chain == chain_) return;
    chain_ = begin.chain;
    around_.chain = chain_;
  }

  /// The batch's packet number `i`.
  template <class AnyPacket>
  RS_FLATTEN RS_DEVICE Verdict process(const AnyPacket& packet, std::uint32_t i) {
    std::uint32_t tag = 0;
    return verdict(run(packet, tag, i));
  }

  /// Tells the CPU what the batch came to. Collective.
  template <Block G>
  RS_DEVICE void end_batch(G& group) {
    group.sync();  // all counts are made, all samples written
    if (group.rank() == 0) next_ = load_relaxed_system(&args_.control->chain);
    const std::uint32_t words = chain_->stages * kCounterWords;
    auto* const here = reinterpret_cast<std::uint64_t*>(args_.counters_here);
    auto* const to = reinterpret_cast<std::uint64_t*>(args_.counters);
    for (std::uint32_t i = group.rank(); i < words; i += group.size()) {
      store_relaxed_system(to + i, stages::load_shared(here + i));
    }
    if (args_.ring.slots == nullptr || group.rank() != 0) return;
    const std::uint64_t head = stages::load_shared(&args_.ring_here->reserved);
    if (head == published_) return;
    published_ = head;
    store_relaxed_system(&args_.ring.words->clock_ns, now_ns_);
    // Release pairs with the CPU's acquire: the slots before head are complete, those that other
    // threads wrote before the barrier too.
    store_release_system(&args_.ring.words->head, head);
  }

 protected:
  /// Where the chain leads the packet. `tag`: what was said of it before, and then what is now.
  template <class AnyPacket>
  RS_DEVICE stages::Target run(const AnyPacket& packet, std::uint32_t& tag, std::uint32_t i) {
    constexpr bool kSplit = std::is_same_v<AnyPacket, SplitPacket>;
    stages::PacketView view{
        packet.data(), packet.length(), packet.has_flow_mark() ? packet.flow_mark() : 0, tag, {}};
    if constexpr (kSplit) {
      view.rest = packet.payload();
      view.rest_length = packet.payload_length();
    }
    // By value: a store into the packet could else be one into these, for all that the compiler
    // knows, and each stage would read them again.
    const stages::Chain* const chain = chain_;
    const std::uint32_t count = chain->stages;
    stages::StageCounters* const counters = args_.counters_here;
    const bool alone = alone_;
    if (chain->parses) stages::parse<kSplit>(view, chain->parse);
    around_.order = batch_ << 32 | i;
    stages::Target at = 0;
    // Ends: targets are behind the stage that names them.
    while (at < count) {
      const stages::Stage stage = chain->stage[at];
      const stages::StageResult result = stages::run_stage(view, stage, around_);
      tally(counters[at], stage, result.outcome, view.length, alone);
      at = result.to;
    }
    tag = view.tag;
    return at;
  }
  RS_DEVICE static Verdict verdict(stages::Target at) {
    if (at == stages::kSendTarget) return Verdict::kSend;
    return at == stages::kConsumeTarget ? Verdict::kConsume : Verdict::kDrop;
  }

 private:
  /// The arguments may lie across PCIe and are looked at once; in registers they would be too many.
  RS_DEVICE static const PipelineArgs& share(B& block, const ProgramArgs& program) {
    auto& args = block.template shared<PipelineArgs>();
    if (block.rank() == 0) args = *static_cast<const PipelineArgs*>(program.own);
    block.sync();
    return args;
  }

  struct Begin {
    const stages::Chain* chain;
    std::uint64_t now_ns;
    std::uint64_t batch;
  };
  /// How long ago a batch may have begun whose look at the chain's word holds. Between batches that
  /// follow each other none waits for a read over PCIe: the one at the end of the last batch has
  /// come by then.
  static constexpr std::uint64_t kFreshNs = 20'000;

  /// Acquire pairs with the CPU's release of a new chain: its bytes are there. A new one is told of
  /// before it is read, and looked at again: the CPU sets another and looks then at what is told.
  /// So either it sees that this one is used, or this sees that there is another. Release: the CPU
  /// writes the former chain's memory only after all reads of it.
  RS_DEVICE const stages::Chain* look(std::uint64_t now_ns) const {
    const bool fresh = now_ns - now_ns_ < kFreshNs;
    if (fresh && next_ == chain_) return chain_;
    const stages::Chain* chain = load_acquire_system(&args_.control->chain);
    if (chain == chain_) return chain_;
    for (;;) {  // ends: once more for each that the CPU sets meanwhile
      const stages::Chain* const now =
          store_then_load_system(&args_.status->chain, chain, &args_.control->chain);
      if (now == chain) return chain;
      chain = now;
    }
  }

  static constexpr std::uint32_t kCounterWords =
      sizeof(stages::StageCounters) / sizeof(std::uint64_t);

  RS_DEVICE static void tally(stages::StageCounters& counters, const stages::Stage& stage,
                              stages::Outcome outcome, std::uint32_t length, bool alone) {
    if (outcome == stages::Outcome::kOn) {
      stages::add_shared(&counters.on, 1, alone);
      if (stage.counts_bytes) stages::add_shared(&counters.on_bytes, length, alone);
    } else if (outcome == stages::Outcome::kOtherwise) {
      stages::add_shared(&counters.otherwise, 1, alone);
    }
  }

  const PipelineArgs& args_;  // in memory that the block shares
  const bool alone_;
  stages::Surroundings around_;
  const stages::Chain* chain_ = nullptr;
  const stages::Chain* next_ = nullptr;  // as rank 0 saw it after a batch
  std::uint64_t now_ns_ = 0;
  std::uint64_t batch_ = 0;
  std::uint64_t published_ = 0;
};

/// For queues of whole packets.
struct Pipeline {
  static constexpr std::string_view kName = "pipeline";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  template <Block B>
  using State = PipelineState<B>;
};

/// For queues that split headers from data: stages look into the first part.
struct SplitPipeline : Pipeline {
  static constexpr std::string_view kName = "split_pipeline";
  static constexpr bool kSplits = true;
};

}  // namespace ringside
