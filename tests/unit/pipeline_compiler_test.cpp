// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The machine's compiler: how it is found, what it may take, what is told of it.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "lib/base/error.hpp"
#include "lib/pipeline/system_compiler.hpp"
#include "lib/pipeline/user_stages.hpp"

namespace ringside::pipeline {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class PipelineCompiler : public testing::Test {
 protected:
  void SetUp() override {
    const char* const chosen = getenv("CXX");
    real_ = chosen != nullptr ? chosen : "c++";
    std::ofstream(source_) << "#include \"kernels/stage.hpp\"\nint answer() { return ANSWER; }\n";
  }
  void TearDown() override { choose(real_); }

  static void choose(const std::string& command) { setenv("CXX", command.c_str(), 1); }
  /// A program of that name in a folder whose name has a blank.
  std::string script(const std::string& name, const std::string& text) {
    const fs::path folder = folder_.path() / "some tools";
    fs::create_directories(folder);
    const fs::path path = folder / name;
    std::ofstream(path) << "#!/bin/sh\n" << text << '\n';
    chmod(path.c_str(), 0755);
    return path;
  }
  std::string said_of(const std::string& command, milliseconds limit = kCompilerLimit) {
    choose(command);
    try {
      return compile_shared_object(source_, object_, {}, limit).said;
    } catch (const Error& error) {
      return error.problem();
    }
  }

  /// A compiler that starts another process, and does not end.
  std::string endless() {
    return script("endless", "sleep 1000 & echo $! >'" + child_.string() + "'; wait");
  }
  /// That process; 0: not yet.
  pid_t child() const {
    pid_t process = 0;
    std::ifstream(child_) >> process;
    return process;
  }

  std::string real_;
  TemporaryFolder folder_;
  fs::path source_ = folder_.path() / "source.cpp";
  fs::path object_ = folder_.path() / "object.so";
  fs::path child_ = folder_.path() / "child";
};

TEST_F(PipelineCompiler, is_a_command_with_arguments_as_a_shell_has_it) {
  const std::string wrapper = script("wrap", "exec \"$@\"");
  choose("'" + wrapper + "' " + real_ + " -DANSWER=42");
  const Compiled compiled = compile_shared_object(source_, object_);
  EXPECT_TRUE(compiled.done) << compiled.said;
  EXPECT_TRUE(fs::exists(object_));
}

TEST_F(PipelineCompiler, that_is_no_command_is_refused_with_what_is_set) {
  EXPECT_EQ(said_of("g++ 'half"), "CXX is not a command with arguments: 'g++ 'half'");
  EXPECT_EQ(said_of("g++; reboot"), "CXX is not a command with arguments: 'g++; reboot'");
  EXPECT_THROW(compiler_key(), Error);
}

TEST_F(PipelineCompiler, that_is_empty_is_the_machines_own) {
  choose("");
  const std::string empty = compiler_key();
  choose("c++");
  EXPECT_EQ(compiler_key(), empty);
}

TEST_F(PipelineCompiler, behind_a_wrapper_is_a_part_of_the_key) {
  const std::string wrapper = "'" + script("wrap", "") + "' ";
  const std::string first = script("first", ""), second = script("second", "longer");
  choose(wrapper + "'" + first + "' -m64");
  const std::string key = compiler_key();
  EXPECT_EQ(compiler_key(), key);
  choose(wrapper + "'" + first + "'");
  EXPECT_NE(compiler_key(), key);
  std::ofstream(first, std::ios::app) << "another version\n";
  choose(wrapper + "'" + first + "' -m64");
  EXPECT_NE(compiler_key(), key);
}

TEST_F(PipelineCompiler, behind_a_script_is_a_part_of_the_key_by_its_version) {
  const std::string hidden = script("hidden", "echo version 1");
  choose("'" + script("wrap", "exec '" + hidden + "' \"$@\"") + "'");
  const std::string key = compiler_key();
  EXPECT_EQ(compiler_key(), key);
  script("hidden", "echo version 2");
  EXPECT_NE(compiler_key(), key);
}

TEST_F(PipelineCompiler, has_its_environment_in_the_key) {
  for (const char* const name :
       {"COMPILER_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH"}) {
    const char* const set = getenv(name);
    const std::string before = set != nullptr ? set : "";
    const std::string key = compiler_key();
    setenv(name, (before + ":/nowhere/").c_str(), 1);
    EXPECT_NE(compiler_key(), key) << name;
    set != nullptr ? setenv(name, before.c_str(), 1) : unsetenv(name);
    EXPECT_EQ(compiler_key(), key) << name;
  }
}

TEST_F(PipelineCompiler, finds_the_headers_that_were_built_in) {
  const std::string said = said_of(real_);
  EXPECT_NE(first_error(said).find("ANSWER"), std::string::npos) << said;
  const std::string key = compiler_key();
  EXPECT_NE(key.find("kRingsideStageLayout = "), std::string::npos);
  EXPECT_NE(key.find("struct ChainPacket"), std::string::npos);
}

TEST_F(PipelineCompiler, names_headers_by_names_that_are_still_there) {
  std::ofstream(source_) << "#include \"kernels/stage.hpp\"\n"
                            "bool loaded = ringside::stages::load_field(1);\n";
  const std::string said = said_of(real_);
  EXPECT_TRUE(first_error(said).starts_with(source_.string() + ":2:")) << said;
  EXPECT_NE(said.find("kernels/stages/field.hpp:"), std::string::npos) << said;
  EXPECT_EQ(said.find("/kernels/stages"), std::string::npos) << said;
}

/// A process of that number is there, and has not ended.
bool runs(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return status >> number >> name >> state && state != "Z";
}

bool ends(pid_t process) {
  for (int i = 0; i < 500 && runs(process); ++i) std::this_thread::sleep_for(milliseconds(10));
  return !runs(process);
}

TEST_F(PipelineCompiler, that_does_not_end_is_killed_with_its_children) {
  const auto begin = steady_clock::now();
  EXPECT_EQ(said_of("'" + endless() + "'", milliseconds(500)),
            "the compiler " + endless() + " did not end within 0.5 s and was killed");
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(20));
  ASSERT_NE(child(), 0);
  EXPECT_TRUE(ends(child()));
}

TEST_F(PipelineCompiler, that_nobody_waits_for_is_killed_with_its_children) {
  choose("'" + endless() + "'");
  const auto begin = steady_clock::now();
  const GiveUp once_started = [this] { return child() != 0; };
  EXPECT_THROW(compile_shared_object(source_, object_, once_started), Stopped);
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_TRUE(ends(child()));
}

TEST_F(PipelineCompiler, that_does_not_tell_its_version_is_killed_too) {
  choose("'" + endless() + "'");
  EXPECT_THROW(compiler_key({}, milliseconds(500)), Error);
  EXPECT_TRUE(ends(child()));
  fs::remove(child_);
  EXPECT_THROW(compiler_key([this] { return child() != 0; }), Stopped);
  EXPECT_TRUE(ends(child()));
}

TEST_F(PipelineCompiler, ends_with_its_children_when_the_process_is_killed) {
  choose("'" + endless() + "'");
  const pid_t process = fork();
  if (process == 0) {
    setenv("TMPDIR", folder_.path().c_str(), 1);  // its folder stays
    compile_shared_object(source_, object_);
    _exit(0);
  }
  for (int i = 0; i < 2000 && child() == 0; ++i) std::this_thread::sleep_for(milliseconds(10));
  ASSERT_TRUE(runs(child()));
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  EXPECT_TRUE(ends(child()));
}

TEST_F(PipelineCompiler, that_is_too_slow_for_a_users_stage_is_told_with_what_helps) {
  choose("'" + endless() + "'");
  UserStages stages({}, milliseconds(200));
  try {
    stages.function({.object = {}, .source = source_, .function = "f", .params = {}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), source_.string() + ": the compiler " + endless() +
                                   " did not end within 0.2 s and was killed");
    EXPECT_EQ(error.remedy(), "simplify it, or build it yourself and name it by object:");
  }
}

TEST_F(PipelineCompiler, that_fails_without_a_word_is_told_by_its_end) {
  EXPECT_EQ(said_of("false"), "false ended with exit code 1 and said nothing");
  const std::string killed = script("killed", "kill -9 $$");
  EXPECT_EQ(said_of("'" + killed + "'"), killed + " was ended by signal 9");
  EXPECT_EQ(said_of("/nowhere/c++"),
            "there is no compiler: cannot start /nowhere/c++: ENOENT (No such file or directory)");
}

TEST_F(PipelineCompiler, prints_nothing_of_its_own) {
  const std::string talking = script("talks", "echo out; echo err >&2");
  testing::internal::CaptureStdout();
  EXPECT_EQ(said_of("'" + talking + "'"), "out\nerr\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(PipelineCompilerError, is_the_first_line_with_an_error_in_it) {
  EXPECT_EQ(first_error("In file included from a.cpp:1:\nb.hpp:2:3: warning: w\n"
                        "b.hpp:4:5: error: e\nb.hpp:6:7: error: f\n"),
            "b.hpp:4:5: error: e");
  EXPECT_EQ(first_error("In file included from a.cpp:1:\nb.hpp:2:3: fatal error: none\n"),
            "b.hpp:2:3: fatal error: none");
  EXPECT_EQ(first_error("\nKilled\nmore\n"), "Killed");
  EXPECT_EQ(first_error(""), "");
}

}  // namespace
}  // namespace ringside::pipeline
