// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rings of trace records, by their writer and their reader.
#include "lib/device/trace.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "lib/runtime/trace_reader.hpp"

namespace ringside::test {
namespace {

class Ring {
 public:
  explicit Ring(std::uint32_t log_size) : records_(std::size_t{1} << log_size), log_(log_size) {}
  TraceRing ring() { return {records_.data(), log_, &laps_}; }
  TraceRecord& operator[](std::size_t i) { return records_[i]; }

 private:
  std::vector<TraceRecord> records_;
  std::uint32_t log_;
  std::uint64_t laps_ = 0;
};

/// What a number's event says in all its fields.
TraceEvent event_of(std::uint64_t number) {
  return {static_cast<TraceKind>(number % 8), static_cast<std::uint32_t>(number * 7) & 0xffffffU,
          static_cast<std::uint32_t>(number * 0x9e3779b9U), number, ~number};
}

void expect_same(const TraceEvent& a, const TraceEvent& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.queue, b.queue);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.clock, b.clock);
}

TEST(DeviceTrace, a_record_has_every_bit_of_its_event) {
  for (const std::uint64_t bits : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 47,
                                   std::uint64_t{1} << 48, std::uint64_t{0x0123456789abcdef}}) {
    const TraceEvent event{TraceKind::kStopped, static_cast<std::uint32_t>(bits) & 0xffffffU,
                           static_cast<std::uint32_t>(bits), bits, ~bits};
    const auto found = unpack(trace::pack(event, 0xffff));
    ASSERT_TRUE(found);
    expect_same(*found, event);
  }
}

TEST(DeviceTrace, events_come_in_order_and_each_once) {
  Ring ring(3);
  std::uint64_t next = 0;
  const TraceRing to = ring.ring();
  const TraceWriter writer(to, next);
  TraceReader reader(to);
  std::vector<TraceEvent> events;
  reader.read(events);
  EXPECT_TRUE(events.empty()) << "nothing was written";
  for (std::uint64_t i = 0; i < 100; ++i) {
    writer.note(event_of(i));
    if (i % 5 == 0) reader.read(events);
  }
  reader.read(events);
  EXPECT_EQ(reader.lost(), 0U);
  ASSERT_EQ(events.size(), 100U);
  for (std::uint64_t i = 0; i < 100; ++i) expect_same(events[i], event_of(i));
}

TEST(DeviceTrace, a_reader_that_comes_late_gets_the_last_ones_and_the_number_of_the_others) {
  for (const std::uint64_t count : {9U, 16U, 17U, 1000U}) {
    Ring ring(3);
    std::uint64_t next = 0;
    const TraceRing to = ring.ring();
    for (std::uint64_t i = 0; i < count; ++i) TraceWriter(to, next).note(event_of(i));
    TraceReader reader(to);
    std::vector<TraceEvent> events;
    reader.read(events);
    ASSERT_EQ(events.size(), 8U);
    EXPECT_EQ(reader.lost(), count - 8);
    for (std::uint64_t i = 0; i < 8; ++i) expect_same(events[i], event_of(count - 8 + i));
  }
}

// A record has 16 bits of its lap's number: a reader that comes this late would take one lap for
// another by them.
TEST(DeviceTrace, a_reader_that_comes_late_by_more_laps_than_a_record_tells_apart_knows_how_many) {
  constexpr std::uint64_t kTold = std::uint64_t{1} << 16;
  for (const std::uint64_t count : {kTold / 2 * 4 + 5, kTold * 4 - 5, kTold * 4 - 1, kTold * 4,
                                    kTold * 4 + 3, 3 * kTold * 4 + kTold / 2 * 4 + 2}) {
    Ring ring(2);
    std::uint64_t next = 0;
    const TraceRing to = ring.ring();
    for (std::uint64_t i = 0; i < count; ++i) TraceWriter(to, next).note(event_of(i));
    TraceReader reader(to);
    std::vector<TraceEvent> events;
    reader.read(events);
    ASSERT_EQ(events.size(), 4U) << count;
    EXPECT_EQ(reader.lost(), count - 4);
    for (std::uint64_t i = 0; i < 4; ++i) expect_same(events[i], event_of(count - 4 + i));
  }
}

TEST(DeviceTrace, a_reader_that_fell_behind_by_so_many_laps_goes_on_from_what_is_left) {
  Ring ring(2);
  std::uint64_t next = 0;
  const TraceRing to = ring.ring();
  TraceReader reader(to);
  std::vector<TraceEvent> events;
  std::uint64_t written = 0;
  for (const std::uint64_t by : {3U, 1U << 18, 2U, (1U << 17) + 1, 7U}) {
    for (const std::uint64_t end = written + by; written < end; ++written) {
      TraceWriter(to, next).note(event_of(written));
    }
    reader.read(events);
    EXPECT_EQ(events.size() + reader.lost(), written);
    expect_same(events.back(), event_of(written - 1));
  }
}

// The words of a record may come in any order: here each is the last one once.
TEST(DeviceTrace, a_record_is_taken_when_its_last_word_has_come) {
  for (std::size_t missing = 0; missing < 4; ++missing) {
    Ring ring(2);
    std::uint64_t next = 0;
    const TraceRing to = ring.ring();
    for (std::uint64_t i = 0; i < 4; ++i) TraceWriter(to, next).note(event_of(i));
    TraceReader reader(to);
    std::vector<TraceEvent> events;
    reader.read(events);
    const TraceRecord before = ring[0];
    TraceWriter(to, next).note(event_of(4));
    const std::uint64_t word = ring[0].words[missing];
    ring[0].words[missing] = before.words[missing];
    reader.read(events);
    EXPECT_EQ(events.size(), 4U) << "without word " << missing;
    ring[0].words[missing] = word;
    reader.read(events);
    ASSERT_EQ(events.size(), 5U);
    expect_same(events.back(), event_of(4));
    EXPECT_EQ(reader.lost(), 0U);
  }
}

TEST(DeviceTrace, beside_a_writer_no_event_is_torn_and_all_are_read_or_lost) {
  constexpr std::uint64_t kEvents = 200'000;
  Ring ring(6);
  const TraceRing to = ring.ring();
  std::atomic<bool> done{false};
  std::jthread kernel([&] {
    std::uint64_t next = 0;
    for (std::uint64_t i = 0; i < kEvents; ++i) TraceWriter(to, next).note(event_of(i));
    done = true;
  });
  TraceReader reader(to);
  std::vector<TraceEvent> events;
  while (!done) reader.read(events);
  reader.read(events);
  EXPECT_EQ(events.size() + reader.lost(), kEvents);
  std::uint64_t before = 0;
  for (const TraceEvent& event : events) {
    ASSERT_TRUE(event.index > before || &event == &events.front());
    before = event.index;
    expect_same(event, event_of(event.index));
  }
  EXPECT_EQ(events.back().index, kEvents - 1);
}

}  // namespace
}  // namespace ringside::test
