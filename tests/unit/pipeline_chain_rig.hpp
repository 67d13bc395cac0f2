// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For tests of chains: a pipeline from its YAML to the kernel that runs it, on the fake NIC.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "kernels/pipeline_args.hpp"
#include "kernels/stages/user.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/one_port.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace ringside::pipeline::test_chains {

using frames::Bytes;
using frames::udp4;
using test::FakeNic;
using test::KernelRun;

inline std::string pipeline(const std::string& rest) {
  return "pipelines:\n  - name: main\n    sources: [port0.rx0]\n" + rest;
}

inline stages::Next drop_odd(stages::PacketView& packet, const std::uint64_t* params) {
  return (packet.data[packet.length - 1] & params[0]) != 0 ? stages::Next::kDrop
                                                           : stages::Next::kOn;
}

inline ChainImage image_of(const std::string& text) {
  const Config config = test::one_port(pipeline(text));
  return build_chain(config.pipelines.at(0), 0, config.tables,
                     [](const UserStage&) { return reinterpret_cast<std::uint64_t>(&drop_odd); });
}

/// A kernel on a fake NIC, and all that it shares with the CPU.
class Running {
 public:
  Running(const ChainImage& image, std::uint32_t threads, std::uint32_t log_slots = 6)
      : image_(image),
        nic_({.packets_are_sent = false}),
        counters_(image.stages.size()),
        here_(image.stages.size()),
        words_(image.state_words + 1),
        slots_((std::size_t{kSlotBytes} << log_slots) / 8) {
    control.chain = chain(image_);
    args_ = {&control,
             &status,
             counters_.data(),
             here_.data(),
             words_.data(),
             &ring_state_,
             {&ring, reinterpret_cast<std::uint8_t*>(slots_.data()), kSlotBytes, log_slots},
             0};
    nic_.stream().program.own = &args_;
    kernel_.emplace("pipeline", nic_.stream(), threads);
  }

  static const stages::Chain* chain(const ChainImage& image) {
    return reinterpret_cast<const stages::Chain*>(image.words.data());
  }

  /// What was sent of these, once the kernel is done with all of them.
  std::vector<Bytes> through(const std::vector<Bytes>& packets) {
    const std::size_t before = nic_.sent().size();
    for (const Bytes& packet : packets) {
      EXPECT_TRUE(test::step_until([&] { return nic_.can_receive(); }, [this] { step(); }));
      nic_.receive(packet);
      ++received_;
    }
    EXPECT_TRUE(test::step_until([this] { return done(); }, [this] { step(); }));
    std::vector<Bytes> out;
    for (std::size_t i = before; i < nic_.sent().size(); ++i) out.push_back(nic_.sent()[i].bytes);
    return out;
  }

  /// Packets, by the stage's outcome.
  std::uint64_t on(const std::string& name, StageRole role = StageRole::kStep) const {
    return find(name, role).on;
  }
  std::uint64_t otherwise(const std::string& name, StageRole role = StageRole::kStep) const {
    return find(name, role).otherwise;
  }
  StreamCounters stop() {
    kernel_->stop();
    return nic_.counters();
  }

  struct Sample {
    std::uint64_t order;
    std::uint32_t length;
    Bytes bytes;
  };
  /// In the order of their slots.
  std::vector<Sample> samples() {
    std::vector<Sample> samples;
    const std::uint64_t head = std::atomic_ref(ring.head).load(std::memory_order_acquire);
    for (std::uint64_t i = ring.tail; i < head; ++i) {
      const auto* const slot = reinterpret_cast<const std::uint8_t*>(slots_.data()) +
                               (i & ((1U << args_.ring.log_slots) - 1)) * kSlotBytes;
      const auto& header = *reinterpret_cast<const stages::SampleHeader*>(slot);
      const std::uint8_t* const bytes = slot + sizeof header;
      samples.push_back({header.order, header.length, {bytes, bytes + header.captured}});
    }
    std::atomic_ref(ring.tail).store(head, std::memory_order_release);
    return samples;
  }

  PipelineControl control{};
  PipelineStatus status{};
  stages::SampleRingWords ring{};

 private:
  static constexpr std::uint32_t kSlotBytes = 256;

  void step() {
    nic_.read_sends();
    nic_.complete_sends();
  }
  bool done() const {
    const StreamCounters counters = nic_.counters();
    return counters.rx_packets == received_ &&
           counters.tx_completed + counters.consumed +
                   counters.dropped[static_cast<std::size_t>(DropCause::kProgram)] ==
               received_;
  }
  stages::StageCounters find(const std::string& name, StageRole role) const {
    for (std::size_t i = 0; i < image_.stages.size(); ++i) {
      if (image_.stages[i].name == name && image_.stages[i].role == role) {
        const auto read = [](const std::uint64_t& word) {
          return __atomic_load_n(&word, __ATOMIC_RELAXED);
        };
        return {read(counters_[i].on), read(counters_[i].otherwise), read(counters_[i].on_bytes)};
      }
    }
    ADD_FAILURE() << "no stage " << name;
    return {};
  }

  const ChainImage& image_;
  FakeNic nic_;
  std::vector<stages::StageCounters> counters_, here_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> slots_;
  stages::SampleRingState ring_state_{};
  PipelineArgs args_{};
  std::uint64_t received_ = 0;
  std::optional<KernelRun> kernel_;  // last: uses all of the above
};

inline std::vector<Bytes> numbered(std::size_t count) {
  std::vector<Bytes> packets;
  for (std::size_t i = 0; i < count; ++i) {
    packets.push_back(udp4(static_cast<std::uint16_t>(i), 9));
    packets.back().back() = static_cast<std::uint8_t>(i);
  }
  return packets;
}

}  // namespace ringside::pipeline::test_chains
