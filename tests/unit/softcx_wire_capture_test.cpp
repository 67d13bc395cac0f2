// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "lib/base/error.hpp"
#include "lib/softcx/wire/make_wires.hpp"
#include "lib/softcx/wire/pcap_wire.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

/// Writes pcap files byte by byte, bad ones among them.
class SoftcxCapture : public testing::Test {
 protected:
  SoftcxCapture() {
    const auto* test_info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("softcx_capture_") + test_info->name() + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  ~SoftcxCapture() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name = "test.pcap") const { return folder_ / name; }

  void append32(std::uint32_t value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    file_.insert(file_.end(), bytes, bytes + sizeof(value));
  }
  void header(std::uint32_t link_type = 1) {
    for (const std::uint32_t word : {0xa1b23c4dU, 0x00040002U, 0U, 0U, 65535U, link_type}) {
      append32(word);
    }
  }
  void record(const Bytes& bytes, std::uint32_t on_wire) {
    for (const std::uint32_t word : {1U, 2U, static_cast<std::uint32_t>(bytes.size()), on_wire}) {
      append32(word);
    }
    file_.insert(file_.end(), bytes.begin(), bytes.end());
  }
  void record(const Bytes& bytes) { record(bytes, static_cast<std::uint32_t>(bytes.size())); }
  void write_file() { std::ofstream(path(), std::ios::binary).write(file_.data(), size()); }
  std::streamsize size() const { return static_cast<std::streamsize>(file_.size()); }

  WireConfig replay(std::uint64_t loops = 1, bool pad = false) const {
    WireConfig config;
    config.kind = WireKind::kPcap;
    config.capture_in = path();
    config.loops = loops;
    config.pad = pad;
    return config;
  }
  static std::vector<Bytes> drain(Wire& wire, std::size_t at_most = 1000) {
    std::vector<Bytes> frames;
    for (const Frame* frame = nullptr;
         frames.size() < at_most && (frame = wire.peek()) != nullptr;) {
      EXPECT_EQ(flatten(*frame).size(), frame->length);
      frames.push_back(flatten(*frame));
      wire.pop();
    }
    return frames;
  }
  static std::vector<Bytes> drain(CaptureReader& reader) {
    std::vector<Bytes> records;
    while (const CaptureRecord* record = reader.peek()) {
      records.emplace_back(record->bytes.begin(), record->bytes.end());
      reader.pop();
    }
    return records;
  }

  std::filesystem::path folder_;
  std::vector<char> file_;
};

TEST_F(SoftcxCapture, each_record_arrives_in_order) {
  header();
  for (std::size_t i = 0; i < 5; ++i) record(pattern(60 + i));
  write_file();
  PcapWire wire(replay());
  EXPECT_TRUE(wire.waits_for_receiver());
  EXPECT_EQ(drain(wire, 2).size(), 2U);
  EXPECT_EQ(wire.report().replay->total, 5U);
  EXPECT_EQ(wire.report().replay->left, 3U);
  const auto rest = drain(wire);
  ASSERT_EQ(rest.size(), 3U);
  EXPECT_EQ(rest[2], pattern(64));
  EXPECT_EQ(wire.report().replay->left, 0U);
  EXPECT_EQ(wire.peek(), nullptr);
}

TEST_F(SoftcxCapture, passes_repeat_the_file) {
  header();
  for (std::size_t i = 0; i < 3; ++i) record(pattern(60 + i));
  write_file();
  PcapWire wire(replay(4));
  EXPECT_EQ(wire.report().replay->total, 12U);
  const auto frames = drain(wire);
  ASSERT_EQ(frames.size(), 12U);
  EXPECT_EQ(frames[9], pattern(60));
}

TEST_F(SoftcxCapture, endless_replay_has_no_total) {
  header();
  record(pattern(60));
  write_file();
  PcapWire wire(replay(0));
  EXPECT_EQ(drain(wire, 500).size(), 500U);
  EXPECT_FALSE(wire.report().replay.has_value());
}

TEST_F(SoftcxCapture, endless_replay_of_an_empty_file_ends) {
  header();
  write_file();
  PcapWire wire(replay(0));
  EXPECT_EQ(wire.peek(), nullptr);
}

TEST_F(SoftcxCapture, long_file_is_read_in_pieces) {
  header();
  for (std::size_t i = 0; i < 200; ++i) record(pattern(60 + i % 7, static_cast<std::uint8_t>(i)));
  write_file();
  CaptureReader whole(path(), 2);
  CaptureReader pieces(path(), 2, {1000, 300});
  EXPECT_EQ(pieces.total(), 400U);
  const auto expected = drain(whole);
  EXPECT_EQ(expected.size(), 400U);
  EXPECT_EQ(drain(pieces), expected);
  EXPECT_EQ(pieces.taken(), 400U);
}

TEST_F(SoftcxCapture, cut_records_are_sent_as_captured_and_counted) {
  header();
  record(pattern(40), 1500);
  record(pattern(60));
  write_file();
  PcapWire wire(replay());
  const auto frames = drain(wire);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0], pattern(40));
  EXPECT_EQ(wire.report().cut_records, 1U);
}

TEST_F(SoftcxCapture, padding_fills_frames_to_60_bytes_and_leaves_runts) {
  header();
  record(pattern(42));
  record(pattern(13));
  record({});
  record(pattern(61));
  write_file();
  PcapWire wire(replay(1, true));
  const auto frames = drain(wire);
  ASSERT_EQ(frames.size(), 4U);
  Bytes padded = pattern(42);
  padded.resize(60);
  EXPECT_EQ(frames[0], padded);
  EXPECT_EQ(frames[1], pattern(13));
  EXPECT_TRUE(frames[2].empty());
  EXPECT_EQ(frames[3], pattern(61));
}

TEST_F(SoftcxCapture, damaged_file_ends_with_the_record_and_its_offset) {
  header();
  record(pattern(60));
  record(pattern(60));
  const auto offset = file_.size();
  record(pattern(60));
  file_.resize(file_.size() - 1);
  write_file();
  PcapWire wire(replay(3));
  EXPECT_EQ(drain(wire).size(), 2U);
  EXPECT_EQ(wire.peek(), nullptr);
  EXPECT_EQ(
      violations_with(path() + "': the replay ends at record 3, byte " + std::to_string(offset)),
      1U);
}

TEST_F(SoftcxCapture, capture_of_another_link_type_is_refused) {
  header(101);
  write_file();
  EXPECT_THROW(PcapWire wire(replay()), ringside::Error);
}

TEST_F(SoftcxCapture, file_that_is_no_capture_is_refused) {
  file_.assign(100, 'x');
  write_file();
  EXPECT_THROW(PcapWire wire(replay()), ringside::Error);
}

TEST_F(SoftcxCapture, sent_frames_are_recorded) {
  WireConfig config;
  config.kind = WireKind::kPcap;
  config.capture_out = path();
  {
    PcapWire wire(config);
    EXPECT_EQ(wire.peek(), nullptr);
    const Bytes bytes = pattern(80);
    const Segment segments[] = {{bytes.data(), 18}, {bytes.data() + 18, 62}};
    EXPECT_TRUE(wire.transmit({segments, 80}));
    EXPECT_TRUE(wire.transmit({{segments + 1, 1}, 62}));
    wire.flush();
    EXPECT_EQ(std::filesystem::file_size(path()), 24U + 2 * 16 + 80 + 62);
  }
  PcapWire wire(replay());
  const auto frames = drain(wire);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0], pattern(80));
  std::uint32_t magic = 0;
  std::ifstream(path(), std::ios::binary).read(reinterpret_cast<char*>(&magic), sizeof(magic));
  EXPECT_EQ(magic, 0xa1b23c4d) << "nanoseconds";
}

TEST_F(SoftcxCapture, frames_are_recorded_at_the_times_at_which_they_left) {
  WireConfig config;
  config.kind = WireKind::kPcap;
  config.capture_out = path();
  {
    PcapWire wire(config);
    const Bytes bytes = pattern(60);
    const Segment segment{bytes.data(), 60};
    EXPECT_TRUE(wire.transmit({{&segment, 1}, 60, 1'000'000'000'000}));
    EXPECT_TRUE(wire.transmit({{&segment, 1}, 60, 1'002'000'000'123}));
  }
  std::uint32_t first[2] = {}, second[2] = {};  // seconds, nanoseconds
  std::ifstream file(path(), std::ios::binary);
  file.seekg(24).read(reinterpret_cast<char*>(first), sizeof(first));
  file.seekg(24 + 16 + 60).read(reinterpret_cast<char*>(second), sizeof(second));
  const auto ns = [](const std::uint32_t(&time)[2]) {
    return std::uint64_t{time[0]} * 1'000'000'000 + time[1];
  };
  EXPECT_EQ(ns(second) - ns(first), 2'000'000'123U);
}

TEST_F(SoftcxCapture, writers_one_after_the_other_share_the_file) {
  WireConfig config;
  config.kind = WireKind::kPcap;
  config.capture_out = path();
  for (std::uint8_t i = 0; i < 3; ++i) {
    PcapWire wire(config);
    const Bytes bytes = pattern(60, i);
    const Segment segment{bytes.data(), 60};
    EXPECT_TRUE(wire.transmit({{&segment, 1}, 60}));
  }
  PcapWire wire(replay());
  const auto frames = drain(wire);
  ASSERT_EQ(frames.size(), 3U);
  for (std::uint8_t i = 0; i < 3; ++i) EXPECT_EQ(frames[i], pattern(60, i));
}

TEST_F(SoftcxCapture, second_writer_at_the_same_time_is_refused) {
  WireConfig config;
  config.kind = WireKind::kPcap;
  config.capture_out = path();
  PcapWire first(config);
  try {
    PcapWire second(config);
    ADD_FAILURE() << "two writers";
  } catch (const ringside::Error& error) {
    EXPECT_NE(std::string(error.what()).find("being written by another process"),
              std::string::npos);
  }
}

TEST_F(SoftcxCapture, file_of_another_kind_is_not_written_to) {
  file_.assign(100, 'x');
  write_file();
  WireConfig config;
  config.kind = WireKind::kPcap;
  config.capture_out = path();
  EXPECT_THROW(PcapWire wire(config), ringside::Error);
  EXPECT_EQ(std::filesystem::file_size(path()), 100U);
}

TEST_F(SoftcxCapture, full_disk_is_reported_and_the_wire_takes_no_more) {
  WireConfig config;
  config.kind = WireKind::kPcap;
  config.capture_out = "/dev/full";
  PcapWire wire(config);
  const Bytes bytes = pattern(1000);
  const Segment segment{bytes.data(), 1000};
  bool taken = true;
  for (int i = 0; i < 1000 && taken; ++i) taken = wire.transmit({{&segment, 1}, 1000});
  EXPECT_FALSE(taken);
  EXPECT_EQ(violations_with("capture '/dev/full': cannot be written"), 1U);
}

TEST_F(SoftcxCapture, file_that_cannot_be_written_is_refused) {
  WireConfig config;
  config.kind = WireKind::kPcap;
  config.capture_out = path("no/such/folder.pcap");
  EXPECT_THROW(PcapWire wire(config), ringside::Error);
}

TEST(SoftcxWires, cross_wires_must_lead_to_each_other) {
  Config config;
  config.ports.resize(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    config.ports[i].wire.kind = WireKind::kCross;
    config.ports[i].wire.peer = 1 - i;
  }
  EXPECT_EQ(make_wires(config).size(), 2U);
  config.ports[1].wire.peer = 1;
  EXPECT_THROW(make_wires(config), ringside::Error);
  config.ports[0].wire.peer = 7;
  EXPECT_THROW(make_wires(config), ringside::Error);
}

}  // namespace
}  // namespace softcx
