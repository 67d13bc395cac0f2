// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "lib/cli/interpreter.hpp"
#include "lib/cli/line_reader.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

constexpr int kNewsPeriodMs = 100;

class StreamReader : public LineReader {
 public:
  StreamReader(int fd, std::string prompt, Output& output, const StopSignal& stop,
               ReaderHooks hooks)
      : fd_(fd),
        prompt_(std::move(prompt)),
        output_(output),
        stop_(stop),
        hooks_(std::move(hooks)) {}

  std::optional<std::string> next() override {
    output_.write(prompt_);
    output_.flush();
    if (!fill_line()) {
      output_.write("\n");
      return std::nullopt;
    }
    std::string line = std::exchange(line_, {});
    if (line.ends_with('\r')) line.pop_back();
    output_.write(printable(line, kMaxLineLength) + '\n');
    return line;
  }

 private:
  /// False: nothing more to run. A last line without a newline counts.
  bool fill_line() {
    for (;;) {
      if (stop_.requested() || output_.lost()) return false;
      while (position_ < end_) {
        const char character = buffer_[position_++];
        if (character == '\n') return true;
        // What is longer will be refused: one byte too many is enough to know.
        if (line_.size() <= kMaxLineLength) line_ += character;
      }
      if (ended_) return !line_.empty();
      read_more();
    }
  }

  void read_more() {
    switch (wait_for_input(fd_, stop_, kNewsPeriodMs)) {
      case Wake::kStop:
        return;
      case Wake::kTimeout:
        show_news();
        return;
      case Wake::kInput:
        break;
    }
    const ssize_t count = read(fd_, buffer_.data(), buffer_.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    ended_ = count <= 0;
    position_ = 0;
    end_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  }

  /// The prompt is not shown again: who waits for one would take it for the end of a command.
  void show_news() {
    const std::string news = hooks_.news();
    if (news.empty()) return;
    output_.write("\n" + news);
    output_.flush();
  }

  int fd_;
  std::string prompt_;
  Output& output_;
  const StopSignal& stop_;
  ReaderHooks hooks_;
  std::string line_;
  std::array<char, 4096> buffer_{};
  std::size_t position_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<LineReader> make_stream_reader(int fd, std::string prompt, Output& output,
                                               const StopSignal& stop, ReaderHooks hooks) {
  return std::make_unique<StreamReader>(fd, std::move(prompt), output, stop, std::move(hooks));
}

}  // namespace ringside::cli
