// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A test that types commands to a Session over a FakeRuntime and reads what is printed.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/cli/interpreter.hpp"
#include "tests/unit/cli_fake_runtime.hpp"

namespace ringside::cli {

/// A FILE that collects what is written to it.
class MemoryFile {
 public:
  MemoryFile() : file_(open_memstream(&text_, &size_)) {}
  ~MemoryFile() {
    std::fclose(file_);
    std::free(text_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::FILE* file() const { return file_; }
  /// Since the last call.
  std::string take() {
    std::fflush(file_);
    std::string fresh(text_ + taken_, size_ - taken_);
    taken_ = size_;
    return fresh;
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::size_t taken_ = 0;
  std::FILE* file_;
};

class Dialogue : public testing::Test {
 protected:
  Dialogue() { use({}, 2); }

  void use(RuntimeConfig config, std::uint16_t ports) {
    if (config.mempool == MempoolKind::kNative) config.datapath = Datapath::kCpu;
    now_ns = 1'000'000'000;
    runtime_ = std::make_unique<FakeRuntime>(std::move(config), ports);
    session_ = std::make_unique<Session>(*runtime_, output_, [] { return now_ns; });
  }

  std::string reply(std::string_view line) {
    execute(*session_, line);
    return printed();
  }
  std::string printed() { return file_.take(); }
  static void pass_seconds(std::uint64_t seconds) { now_ns += seconds * 1'000'000'000; }

  FakeRuntime& runtime() { return *runtime_; }
  Session& session() { return *session_; }

 private:
  static inline std::uint64_t now_ns = 0;
  MemoryFile file_;
  Output output_{file_.file()};
  std::unique_ptr<FakeRuntime> runtime_;
  std::unique_ptr<Session> session_;
};

}  // namespace ringside::cli
