// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where commands come from: a terminal with editing, a pipe, or a file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cli/output.hpp"
#include "lib/cli/stop_signal.hpp"

namespace ringside::cli {

class LineReader {
 public:
  virtual ~LineReader() = default;
  /// Shows the prompt and waits for a line. Empty at the end of input and on a stop signal.
  virtual std::optional<std::string> next() = 0;
};

struct ReaderHooks {
  /// Text that came up while the user was not typing; called several times a second.
  std::function<std::string()> news;
  /// The words that may stand where this line ends.
  std::function<std::vector<std::string>(std::string_view line)> complete;
};

/// Reads `fd` as it is and shows each line after the prompt, so that a log reads like a dialogue.
std::unique_ptr<LineReader> make_stream_reader(int fd, std::string prompt, Output& output,
                                               const StopSignal& stop, ReaderHooks hooks);

/// Standard input is a terminal: history, editing and completion by libedit.
std::unique_ptr<LineReader> make_terminal_reader(std::string prompt, Output& output,
                                                 const StopSignal& stop, ReaderHooks hooks);

}  // namespace ringside::cli
