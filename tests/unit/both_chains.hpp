// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A chain that is walked in memory beside the same one compiled for its shape, each with counters
// and state of its own.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "kernels/stages/chain_function.hpp"
#include "kernels/stages/stored_chain.hpp"
#include "lib/pipeline/chain_image.hpp"

namespace ringside::test {

class BothChains {
 public:
  /// `whole` and `split`: compiled for packets in one part and in two.
  BothChains(pipeline::ChainImage image, stages::ChainFunction whole, stages::ChainFunction split)
      : image_(std::move(image)),
        whole_(whole),
        split_(split),
        walked_(image_),
        compiled_(image_) {}

  /// What becomes of the frame in both, and what they have counted, is the same. `at`: where the
  /// frame is cut in two parts; its length or more: it is whole.
  bool agree(std::span<const std::uint8_t> frame, std::size_t at = SIZE_MAX) {
    return at >= frame.size() ? agree<false>(frame, frame.size(), whole_)
                              : agree<true>(frame, at, split_);
  }
  std::size_t sent() const { return sent_; }

 private:
  using Bytes = std::vector<std::uint8_t>;

  struct Side {
    explicit Side(const pipeline::ChainImage& image)
        : counters(image.stages.size()), words(image.state_words + 1) {}
    std::vector<stages::StageCounters> counters;
    std::vector<std::uint64_t> words;
  };

  /// Parts in memory of just their size, so that a sanitizer sees a look beyond.
  struct Packet {
    Packet(std::span<const std::uint8_t> frame, std::size_t at)
        : size(frame.size()),
          first(new std::uint8_t[at]),
          rest(new std::uint8_t[frame.size() - at]),
          view{first.get(), static_cast<std::uint32_t>(size), 0, 0, {}} {
      std::copy_n(frame.begin(), at, first.get());
      std::copy(frame.begin() + static_cast<std::ptrdiff_t>(at), frame.end(), rest.get());
      view.rest = rest.get();
      view.rest_length = static_cast<std::uint32_t>(frame.size() - at);
    }
    bool operator==(const Packet& other) const {
      const std::size_t at = size - view.rest_length;
      return view.tag == other.view.tag &&
             std::equal(first.get(), first.get() + at, other.first.get()) &&
             std::equal(rest.get(), rest.get() + view.rest_length, other.rest.get());
    }
    std::size_t size;
    std::unique_ptr<std::uint8_t[]> first, rest;
    stages::PacketView view;
  };

  template <bool kSplit>
  bool agree(std::span<const std::uint8_t> frame, std::size_t at, stages::ChainFunction function) {
    auto& chain = *reinterpret_cast<stages::Chain*>(image_.words.data());
    chain.function = reinterpret_cast<std::uint64_t>(function);
    Packet walked(frame, at), compiled(frame, at);
    const stages::Target to = stages::run_stored<kSplit, stages::BuiltInUsers>(
        walked.view, chain, around(walked_), walked_.counters.data(), true);
    const stages::Target also = stages::run_function<kSplit>(
        compiled.view, chain, around(compiled_), compiled_.counters.data(), true);
    if (to == stages::kSendTarget) ++sent_;
    return to == also && walked == compiled &&
           std::memcmp(walked_.counters.data(), compiled_.counters.data(),
                       chain.stages * sizeof(stages::StageCounters)) == 0;
  }

  static stages::Surroundings around(Side& side) {
    return {{}, side.words.data(), {}, nullptr, 0, 0, 0, 0};
  }

  pipeline::ChainImage image_;
  stages::ChainFunction whole_, split_;
  Side walked_, compiled_;
  std::size_t sent_ = 0;
};

}  // namespace ringside::test
