// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What comes of a run that is told to end, where its kernels or its trace fail.
#include "lib/runtime/run_end.hpp"

#include <gtest/gtest.h>

#include "lib/base/error.hpp"

namespace ringside::test {
namespace {

class FakeDatapath final : public DatapathEngine {
 public:
  void start(const ForwardMode&, std::uint32_t) override {}
  void stop() override {
    running_ = is_stuck;
    if (is_stuck) throw Error("block 3 did not stop", "");
    if (faults) throw Error("the kernel died", "start again");
  }
  bool running() const override { return running_; }
  void save_trace() override {
    ++saves;
    if (is_full) throw Error("cannot write the trace", "make room");
  }
  void port_started(std::uint16_t) override {}
  void port_stopping(std::uint16_t) override {}
  PortStats port_stats(std::uint16_t) override { return {}; }
  std::vector<StreamStats> stream_stats() override { return {}; }
  void clear_stream_stats() override {}
  std::vector<std::string> take_events() override { return {}; }
  std::string describe(std::uint16_t) const override { return {}; }
  std::uint16_t max_queues(std::uint16_t) const override { return 1; }

  bool is_stuck = false, faults = false, is_full = false;
  int saves = 0;

 private:
  bool running_ = true;
};

TEST(RunEnd, all_is_well_when_nothing_fails) {
  FakeDatapath datapath;
  const RunEnd end = end_run(datapath);
  EXPECT_TRUE(end.stopped);
  EXPECT_FALSE(end.failure);
  EXPECT_EQ(datapath.saves, 1);
}

TEST(RunEnd, a_trace_that_cannot_be_written_is_not_taken_for_a_block_that_runs_on) {
  FakeDatapath datapath;
  datapath.is_full = true;
  const RunEnd end = end_run(datapath);
  EXPECT_TRUE(end.stopped);
  EXPECT_STREQ(end.failure.value().what(), "cannot write the trace: make room");
}

TEST(RunEnd, a_block_that_does_not_stop_runs_on_and_its_trace_is_saved) {
  FakeDatapath datapath;
  datapath.is_stuck = true;
  const RunEnd end = end_run(datapath);
  EXPECT_FALSE(end.stopped);
  EXPECT_STREQ(end.failure.value().what(), "block 3 did not stop");
  EXPECT_EQ(datapath.saves, 1);
}

TEST(RunEnd, the_trace_of_a_run_that_died_is_saved) {
  FakeDatapath datapath;
  datapath.faults = true;
  const RunEnd end = end_run(datapath);
  EXPECT_TRUE(end.stopped);
  EXPECT_STREQ(end.failure.value().what(), "the kernel died: start again");
  EXPECT_EQ(datapath.saves, 1);
}

TEST(RunEnd, both_failures_are_told) {
  FakeDatapath datapath;
  datapath.faults = datapath.is_full = true;
  const RunEnd end = end_run(datapath);
  EXPECT_STREQ(end.failure.value().what(),
               "the kernel died: start again; cannot write the trace: make room");
}

}  // namespace
}  // namespace ringside::test
