// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/cli/line_reader.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

constexpr int kNewsPeriodMs = 100;
constexpr int kHistoryLines = 500;

std::string common_prefix(const std::vector<std::string>& words) {
  std::string prefix = words.front();
  for (const std::string& word : words) {
    const auto differ = std::mismatch(prefix.begin(), prefix.end(), word.begin(), word.end());
    prefix.erase(differ.first, prefix.end());
  }
  return prefix;
}

class TerminalReader : public LineReader {
 public:
  TerminalReader(std::string prompt, Output& output, const StopSignal& stop, ReaderHooks hooks)
      : prompt_(std::move(prompt)),
        output_(output),
        stop_(stop),
        hooks_(std::move(hooks)),
        history_(history_init(), history_end),
        editor_(el_init("ringside", stdin, output.file(), stderr), el_end) {
    if (history_ == nullptr || editor_ == nullptr) {
      throw Error("cannot edit lines on this terminal", "pipe the commands into standard input");
    }
    HistEvent event{};
    history(history_.get(), &event, H_SETSIZE, kHistoryLines);
    history(history_.get(), &event, H_SETUNIQUE, 1);
    EditLine* const editor = editor_.get();
    el_set(editor, EL_CLIENTDATA, this);
    el_set(editor, EL_PROMPT, show_prompt);
    el_set(editor, EL_EDITOR, "emacs");
    el_set(editor, EL_SIGNAL, 0);
    // What is typed while a command runs is shown at the next prompt, once.
    el_set(editor, EL_SETTY, "-x", "-echo", nullptr);
    el_set(editor, EL_HIST, history, history_.get());
    el_set(editor, EL_GETCFN, read_character);
    // By el_wset: el_set copies both texts and frees neither.
    el_wset(editor, EL_ADDFN, L"complete-command", L"Complete the word", complete_word);
    el_set(editor, EL_BIND, "^I", "complete-command", nullptr);
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  }

  std::optional<std::string> next() override {
    output_.flush();
    // Before the prompt: who waits for it may type at once.
    el_set(editor_.get(), EL_PREP_TERM, 1);
    int length = 0;
    const char* const text = el_gets(editor_.get(), &length);
    if (text == nullptr || length <= 0 || stop_.requested()) {
      output_.write("\n");
      return std::nullopt;
    }
    std::string line(text, static_cast<std::size_t>(length));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    if (!split_words(line).empty()) {
      HistEvent event{};
      history(history_.get(), &event, H_ENTER, line.c_str());
    }
    return line;
  }

 private:
  static TerminalReader& of(EditLine* editor) {
    TerminalReader* reader = nullptr;
    el_get(editor, EL_CLIENTDATA, &reader);
    return *reader;
  }

  static char* show_prompt(EditLine* editor) { return of(editor).prompt_.data(); }

  /// 1: a character, 0: the end of input or a stop signal, -1: an error.
  static int read_character(EditLine* editor, wchar_t* character) {
    TerminalReader& reader = of(editor);
    for (;;) {
      switch (wait_for_input(STDIN_FILENO, reader.stop_, kNewsPeriodMs)) {
        case Wake::kStop:
          return 0;
        case Wake::kTimeout:
          reader.show_news();
          continue;
        case Wake::kInput:
          break;
      }
      unsigned char byte = 0;
      const ssize_t count = read(STDIN_FILENO, &byte, 1);
      if (count <= 0) return static_cast<int>(count);
      if (byte >= 0x80) continue;  // commands are ASCII
      *character = byte;
      return 1;
    }
  }

  static unsigned char complete_word(EditLine* editor, int) {
    TerminalReader& reader = of(editor);
    const LineInfo* const info = el_line(editor);
    const std::string_view line(info->buffer,
                                static_cast<std::size_t>(info->cursor - info->buffer));
    const std::vector<std::string> words = reader.hooks_.complete(line);
    if (words.empty()) return CC_REFRESH_BEEP;
    const std::size_t typed = line.size() - (line.find_last_of(" \t") + 1);
    std::string rest = common_prefix(words).substr(typed);
    if (words.size() == 1) rest += ' ';
    if (!rest.empty()) {
      el_insertstr(editor, rest.c_str());
      return CC_REFRESH;
    }
    reader.output_.print("\n{}\n", fmt::join(words, "  "));
    return CC_REDISPLAY;
  }

  void show_news() {
    const std::string news = hooks_.news();
    if (news.empty()) return;
    output_.write("\n" + news);
    el_set(editor_.get(), EL_REFRESH);
    output_.flush();
  }

  std::string prompt_;
  Output& output_;
  const StopSignal& stop_;
  ReaderHooks hooks_;
  std::unique_ptr<History, decltype(&history_end)> history_;
  std::unique_ptr<EditLine, decltype(&el_end)> editor_;
};

}  // namespace

std::unique_ptr<LineReader> make_terminal_reader(std::string prompt, Output& output,
                                                 const StopSignal& stop, ReaderHooks hooks) {
  return std::make_unique<TerminalReader>(std::move(prompt), output, stop, std::move(hooks));
}

}  // namespace ringside::cli
