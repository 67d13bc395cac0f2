// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// pipeline: sends each packet through a chain of stages. One kernel runs them all, a thread a
// packet from the first stage to the last; the chain may change between two batches.
#pragma once

#include <type_traits>

#include "kernels/pipeline_args.hpp"
#include "kernels/stages/stored_chain.hpp"
#include "lib/device/block.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/program.hpp"
#include "lib/device/split_packet.hpp"
#if !defined(__CUDACC__)
#include "kernels/stages/chain_function.hpp"
#endif

namespace ringside {

/// Runs chains as they lie in memory, or by the function that was compiled for one.
struct StoredChains {
  /// Where the packet ends up. `shape`: Chain::shape. `kSplit`: packets may be in two parts.
  template <bool kSplit>
  RS_DEVICE static stages::Target run(std::uint32_t /*shape*/, stages::PacketView& packet,
                                      const stages::Chain& chain,
                                      const stages::Surroundings& around,
                                      stages::StageCounters* counters, bool alone) {
#if defined(__CUDACC__)
    return stages::run_stored<kSplit, stages::BuiltInUsers>(packet, chain, around, counters, alone);
#else
    return stages::run_function<kSplit>(packet, chain, around, counters, alone);
#endif
  }
};

/// `Chains` runs a packet through a chain, as StoredChains does.
///
/// Holds whichever group has a batch, since a thread keeps nothing that it has yet to tell: counts,
/// tokens, and places in the sample ring are words in GPU memory, which all threads change by
/// atomics while they process, and end_batch tells the CPU of them behind a barrier. What the class
/// itself remembers is rank 0's, which every group has, or comes from it by begin_batch's
/// broadcast. The block's barrier between two batches puts what one group stores before what the
/// next does, and a group's last look at a former chain before rank 0 says that it is not used any
/// more.
template <Block B, class Chains = StoredChains>
class PipelineState {
 public:
  RS_DEVICE PipelineState(B& block, const ProgramArgs& program)
      : args_(share(block, program)),
        alone_(block.size() == 1),
        around_{program.source, args_.words, args_.ring, args_.ring_here, 0, 0, 0, args_.source} {}

  /// Takes a new chain, if there is one; the batches before are done with the former.
  template <Block G>
  RS_DEVICE void begin_batch(G& group) {
    Begin begin{};
    if (group.rank() == 0) {
      begin.now_ns = group.now_ns();
      begin.chain = look();
      begin.batch = batch_ + 1;
    }
    begin = group.broadcast(begin);
    batch_ = begin.batch;
    now_ns_ = begin.now_ns;
    around_.clock_ns = now_ns_;
    around_.ticks = now_ns_ * stages::kPoliceTicksPerNs;
    if (begin.chain == chain_) return;
    chain_ = begin.chain;
    counter_words_ = chain_->stages * kCounterWords;
    shape_ = chain_->shape;
  }

  /// The batch's packet number `i`.
  template <class AnyPacket>
  RS_FLATTEN RS_DEVICE Verdict process(const AnyPacket& packet, std::uint32_t i) {
    std::uint32_t tag = 0;
    return verdict(run(packet, tag, i));
  }

  RS_DEVICE const TxOffload& offload() const { return args_.offload; }
  RS_DEVICE std::uint64_t gather_ns() const { return args_.gather_ns; }

  /// Tells the CPU what the batch came to. Collective.
  template <Block G>
  RS_DEVICE void end_batch(G& group) {
    group.sync();  // all counts are made, all samples written
    auto* const here = reinterpret_cast<std::uint64_t*>(args_.counters_here);
    auto* const to = reinterpret_cast<std::uint64_t*>(args_.counters);
    for (std::uint32_t i = group.rank(); i < counter_words_; i += group.size()) {
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
    around_.order = batch_ << 32 | i;
    const stages::Target at =
        Chains::template run<kSplit>(shape_, view, *chain_, around_, args_.counters_here, alone_);
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

  /// Acquire pairs with the CPU's store of a new chain: its bytes are there. A new one is told of
  /// before it is read, and looked at again: the CPU sets another and looks then at what is told.
  /// So either it sees that this one is used, or this sees that there is another. Release: the CPU
  /// writes the former chain's memory only after all reads of it.
  RS_DEVICE const stages::Chain* look() const {
    if (load_relaxed_system(&args_.control->chain) == chain_) return chain_;
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

  const PipelineArgs& args_;  // in memory that the block shares
  const bool alone_;
  stages::Surroundings around_;
  const stages::Chain* chain_ = nullptr;
  std::uint32_t shape_ = 0;  // of it
  std::uint32_t counter_words_ = 0;
  std::uint64_t now_ns_ = 0;
  std::uint64_t batch_ = 0;
  std::uint64_t published_ = 0;
};

/// For queues of whole packets.
struct Pipeline {
  static constexpr std::string_view kName = "pipeline";
  static constexpr bool kReceives = true;
  static constexpr bool kSends = true;
  static constexpr bool kOffloads = true;
  static constexpr bool kGathers = true;
  template <Block B, class Chains>
  using StateOf = PipelineState<B, Chains>;
  template <Block B>
  using State = StateOf<B, StoredChains>;
};

/// For striding receive queues.
struct StridedPipeline : Pipeline {
  static constexpr std::string_view kName = "strided_pipeline";
  static constexpr bool kStrides = true;
};

/// For queues that split headers from data: stages look into the first part.
struct SplitPipeline : Pipeline {
  static constexpr std::string_view kName = "split_pipeline";
  static constexpr bool kSplits = true;
};

}  // namespace ringside
