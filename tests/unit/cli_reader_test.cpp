// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Commands from a pipe: in order with the output, whatever the bytes are.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "lib/cli/line_reader.hpp"
#include "tests/unit/cli_dialogue.hpp"

namespace {

using namespace ringside;
using cli::MemoryFile;

class Reader : public testing::Test {
 protected:
  Reader() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    read_end_ = UniqueFd(ends[0]);
    write_end_ = UniqueFd(ends[1]);
    stop_.started_up();
    reader_ = cli::make_stream_reader(
        read_end_.get(), "> ", output_, stop_,
        {.news = [this] { return std::exchange(news_, {}); }, .complete = {}});
  }

  void type(std::string_view text) {
    ASSERT_EQ(write(write_end_.get(), text.data(), text.size()), ssize_t(text.size()));
  }
  void hang_up() { write_end_.reset(); }

  MemoryFile file_;
  cli::Output output_{file_.file()};
  cli::StopSignal stop_;
  UniqueFd read_end_, write_end_;
  std::string news_;
  std::unique_ptr<cli::LineReader> reader_;
};

TEST_F(Reader, line_is_shown_behind_its_prompt) {
  type("start\nstop\n");
  EXPECT_EQ(reader_->next(), "start");
  EXPECT_EQ(file_.take(), "> start\n");
  output_.write("a reply\n");
  EXPECT_EQ(reader_->next(), "stop");
  EXPECT_EQ(file_.take(), "a reply\n> stop\n");
}

TEST_F(Reader, prompt_is_out_before_the_wait) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::FILE* const screen = fdopen(ends[1], "w");
  cli::Output output(screen);
  const auto reader = cli::make_stream_reader(read_end_.get(), "> ", output, stop_,
                                              {.news = [] { return ""; }, .complete = {}});
  std::thread typist([this, &ends] {
    char prompt[2] = {};
    EXPECT_EQ(read(ends[0], prompt, 2), 2);
    EXPECT_EQ(std::string_view(prompt, 2), "> ");
    type("late\n");
  });
  EXPECT_EQ(reader->next(), "late");
  typist.join();
  std::fclose(screen);
  close(ends[0]);
}

TEST_F(Reader, end_of_input_ends_it) {
  hang_up();
  EXPECT_EQ(reader_->next(), std::nullopt);
  EXPECT_EQ(file_.take(), "> \n");
}

TEST_F(Reader, last_line_needs_no_newline) {
  type("quit");
  hang_up();
  EXPECT_EQ(reader_->next(), "quit");
  EXPECT_EQ(reader_->next(), std::nullopt);
}

TEST_F(Reader, lines_of_another_system_end_alike) {
  type("start\r\n\r\n");
  EXPECT_EQ(reader_->next(), "start");
  EXPECT_EQ(reader_->next(), "");
}

TEST_F(Reader, bytes_that_are_no_text_stay_in_the_line_and_off_the_screen) {
  type(std::string_view("\x01\0\xff\033[2J\n", 8));
  EXPECT_EQ(reader_->next(), std::string_view("\x01\0\xff\033[2J", 7));
  EXPECT_EQ(file_.take(), "> \\x01\\x00\\xff\\x1b[2J\n");
}

TEST_F(Reader, endless_line_takes_no_endless_memory) {
  std::thread typist([this] {
    const std::string block(4096, 'x');
    for (int i = 0; i < 256; ++i) type(block);
    type("\nstop\n");
  });
  const auto line = reader_->next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->size(), cli::kMaxLineLength + 1);
  EXPECT_EQ(reader_->next(), "stop");
  typist.join();
}

TEST_F(Reader, news_come_while_it_waits_without_a_second_prompt) {
  news_ = "port 0 stopped\n";
  std::thread typist([this] {
    usleep(300'000);
    type("stop\n");
  });
  EXPECT_EQ(reader_->next(), "stop");
  typist.join();
  EXPECT_EQ(file_.take(), "> \nport 0 stopped\nstop\n");
}

TEST_F(Reader, stop_signal_ends_a_wait) {
  std::thread signaller([] {
    usleep(100'000);
    kill(getpid(), SIGTERM);
  });
  EXPECT_EQ(reader_->next(), std::nullopt);
  EXPECT_TRUE(stop_.requested());
  signaller.join();
}

TEST_F(Reader, stop_signal_leaves_lines_unread) {
  type("start\nstop\n");
  kill(getpid(), SIGINT);
  EXPECT_EQ(reader_->next(), std::nullopt);
}

}  // namespace
