// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The file of a traced run.
#include "lib/runtime/trace_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "lib/base/error.hpp"
#include "lib/runtime/trace_json.hpp"

namespace ringside::test {
namespace {

TracedStream stream_of(std::uint64_t batches) {
  TracedStream stream{.queues = {.rx_port = 0, .rx_queue = 1, .tx_port = 2, .tx_queue = 3}};
  for (std::uint64_t i = 0; i < batches; ++i) {
    const std::uint64_t at = 1'000'000 + 7 * i;
    stream.batches.push_back({i, 2, 1, {at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6}});
  }
  stream.latency = latency_of(stream.batches);
  return stream;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator(file), {}};
}

/// Of what it is called with, or an empty text.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class TraceFile : public testing::Test {
 protected:
  TraceFile() : folder_(testing::TempDir() + "trace_file_" + std::to_string(getpid())) {
    std::filesystem::create_directory(folder_);
  }
  ~TraceFile() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }

 private:
  const std::filesystem::path folder_;
};

TEST_F(TraceFile, a_file_that_cannot_be_made_is_refused_with_its_path_and_the_cause) {
  const std::string missing = path("no such folder/trace.json");
  EXPECT_EQ(error_of([&] { check_trace_file(missing); }),
            "cannot write the trace to " + missing +
                ": ENOENT (No such file or directory): make it writable, or name another file by "
                "--trace");
  EXPECT_NE(error_of([&] { check_trace_file(path("")); }).find("EISDIR"), std::string::npos);
}

TEST_F(TraceFile, the_check_makes_the_file_and_leaves_one_that_is_there_as_it_is) {
  check_trace_file(path("new.json"));
  EXPECT_TRUE(std::filesystem::is_regular_file(path("new.json")));
  std::ofstream(path("old.json")) << "the run before";
  check_trace_file(path("old.json"));
  EXPECT_EQ(text_of(path("old.json")), "the run before");
}

TEST_F(TraceFile, a_pipe_that_nobody_reads_is_refused_at_once) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(error_of([&] { check_trace_file(path("pipe")); }).find("ENXIO"), std::string::npos);
}

TEST_F(TraceFile, a_run_is_written_in_place_of_the_one_before) {
  const TracedStream many = stream_of(100), few = stream_of(2);
  write_trace(path("trace.json"), {&many, 1});
  EXPECT_EQ(nlohmann::json::parse(text_of(path("trace.json")))["latency"][0]["batches"], 100);
  write_trace(path("trace.json"), {&few, 1});
  EXPECT_EQ(nlohmann::json::parse(text_of(path("trace.json")))["latency"][0]["batches"], 2);
}

TEST_F(TraceFile, a_disk_that_is_full_is_told_however_much_there_is_to_write) {
  for (const std::uint64_t batches : {0U, 10'000U}) {
    const TracedStream stream = stream_of(batches);
    EXPECT_NE(error_of([&] {
                write_trace("/dev/full", {&stream, 1});
              }).find("cannot write the trace to /dev/full: ENOSPC"),
              std::string::npos);
  }
}

TEST_F(TraceFile, pieces_do_not_grow_with_the_run) {
  const auto longest = [](std::uint64_t batches) {
    const TracedStream stream = stream_of(batches);
    std::size_t most = 0;
    write_trace_json({&stream, 1},
                     [&](std::string_view text) { most = std::max(most, text.size()); });
    return most;
  };
  EXPECT_LE(longest(10'000), longest(10) + 64);  // longer numbers
}

}  // namespace
}  // namespace ringside::test
