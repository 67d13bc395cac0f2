// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Faults of wires, over the loopback interface for a netdev: its carrier is there, its MAC is zero.
#include "lib/softcx/wire/disturbed_wire.hpp"

#include <gtest/gtest.h>

#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

class CountingReceiver final : public Receiver {
 public:
  void receive_batch(std::span<const Frame> frames) override { received += frames.size(); }
  std::size_t received = 0;
};

struct Disturbed {
  explicit Disturbed(const std::string& faults, const char* netdev = "lo") {
    auto inner = std::make_unique<RecordingWire>();
    medium = inner.get();
    wire.emplace(std::move(inner), NetdevLink(netdev, "no-such-end"), parse_faults({faults}, 1), 0);
    front = wire->front(port);
  }
  bool transmit() {
    return with_frame(own, [&](const Frame& frame) { return wire->transmit(frame); });
  }
  void arrive(const Bytes& bytes) {
    with_frame(bytes, [&](const Frame& frame) { return front->receive_batch({&frame, 1}), true; });
  }
  template <class Use>
  static bool with_frame(const Bytes& bytes, Use use) {
    const Segment segment{bytes.data(), static_cast<std::uint32_t>(bytes.size())};
    return use({{&segment, 1}, segment.length});
  }

  CountingReceiver port;
  RecordingWire* medium = nullptr;
  std::optional<DisturbedWire> wire;
  Receiver* front = nullptr;
  const Bytes own = Bytes(60), foreign = pattern(60), broadcast = Bytes(60, 0xff);
};

TEST(SoftcxDisturbedWire, stands_only_where_a_fault_of_its_own_is) {
  const FaultPlan plan = parse_faults({"bond,stalled-wire:port=1"}, 2);
  EXPECT_FALSE(DisturbedWire::wanted(plan, 0));
  EXPECT_TRUE(DisturbedWire::wanted(plan, 1));
}

TEST(SoftcxDisturbedWire, stalled_wire_takes_and_brings_nothing_after_its_packets) {
  Disturbed test("stalled-wire:packet=2");
  test.medium->arriving = {test.own, test.own};
  EXPECT_TRUE(test.transmit());
  ASSERT_NE(test.wire->peek(), nullptr);
  test.wire->pop();
  EXPECT_FALSE(test.transmit());
  EXPECT_EQ(test.wire->peek(), nullptr);
  EXPECT_EQ(test.medium->arriving.size(), 1U);  // it waits
  EXPECT_EQ(test.medium->sent.size(), 1U);
}

TEST(SoftcxDisturbedWire, fault_comes_at_its_packet_within_a_row) {
  Disturbed test("stalled-wire:packet=3");
  const Segment segment{test.own.data(), 60};
  const std::vector<Frame> row(2, Frame{{&segment, 1}, 60});
  EXPECT_EQ(test.wire->transmit_batch(row).packets, 2U);
  test.front->receive_batch(row);
  EXPECT_EQ(test.port.received, 1U);
  EXPECT_EQ(test.wire->report().stalled_in, 1U);
  EXPECT_EQ(test.wire->report().link_down_in, 0U);
  EXPECT_EQ(test.wire->transmit_batch(row).packets, 0U);
}

TEST(SoftcxDisturbedWire, wire_without_carrier_loses_what_comes_by_name) {
  Disturbed test("link-delay", "no-such-netdev");
  test.medium->arriving = {test.own, test.own};
  EXPECT_TRUE(test.transmit());
  test.arrive(test.own);
  EXPECT_EQ(test.wire->peek(), nullptr);
  const WireReport report = test.wire->report();
  EXPECT_EQ(report.link_down_out, 1U);
  EXPECT_EQ(report.link_down_bytes_out, 60U);
  EXPECT_EQ(report.link_down_in, 3U);
  EXPECT_TRUE(test.medium->sent.empty());
  EXPECT_EQ(test.port.received, 0U);
}

TEST(SoftcxDisturbedWire, replay_waits_for_the_link) {
  Disturbed test("link-delay", "no-such-netdev");
  test.medium->waits = true;
  test.medium->arriving = {test.own};
  EXPECT_EQ(test.wire->peek(), nullptr);
  EXPECT_EQ(test.medium->arriving.size(), 1U);
  EXPECT_EQ(test.wire->report().link_down_in, 0U);
}

TEST(SoftcxDisturbedWire, untrusted_function_gets_its_own_frames_and_broadcasts) {
  Disturbed test("vf-untrusted");
  for (const Bytes& frame : {test.own, test.foreign, test.broadcast}) test.arrive(frame);
  EXPECT_EQ(test.port.received, 2U);
  test.medium->arriving = {test.foreign, test.foreign, test.own};
  ASSERT_NE(test.wire->peek(), nullptr);
  EXPECT_EQ(flatten(*test.wire->peek()), test.own);
  EXPECT_EQ(test.wire->report().foreign_packets, 3U);
}

/// As a capture that is replayed for ever.
class EndlessWire final : public Wire {
 public:
  explicit EndlessWire(const Bytes& bytes)
      : segment_{bytes.data(), static_cast<std::uint32_t>(bytes.size())},
        frame_{{&segment_, 1}, segment_.length} {}
  bool transmit(const Frame& /*frame*/) override { return true; }
  const Frame* peek() override { return &frame_; }
  void pop() override { ++popped; }
  std::uint64_t popped = 0;

 private:
  Segment segment_;
  Frame frame_;
};

TEST(SoftcxDisturbedWire, look_at_a_wire_that_never_has_a_frame_for_the_port_ends) {
  const Bytes foreign = pattern(60);
  for (const auto* const faults : {"vf-untrusted", "link-delay"}) {
    auto inner = std::make_unique<EndlessWire>(foreign);
    const EndlessWire& medium = *inner;
    const bool down = std::string_view(faults) == "link-delay";
    DisturbedWire wire(std::move(inner), NetdevLink(down ? "no-such-netdev" : "lo", "no-such-end"),
                       parse_faults({faults}, 1), 0);
    EXPECT_EQ(wire.peek(), nullptr);
    const WireReport report = wire.report();
    EXPECT_GT(medium.popped, 0U);
    EXPECT_EQ(report.foreign_packets + report.link_down_in, medium.popped);
  }
}

}  // namespace
}  // namespace softcx
