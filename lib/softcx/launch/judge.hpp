// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What `softcx run --sanitize` says when the command has ended.
#pragma once

#include <string>

namespace softcx {

struct Judgement {
  std::string lines;     ///< for stderr
  bool broken = false;   ///< was a rule?
  bool complete = true;  ///< every process that opened a port was judged
};

/// `text`: as summarize() takes it. Each rule that was broken is told with the object that broke
/// it, how often, how the first time, what has to hold and where that is written. A process that
/// opened a port and ended without a report (by a signal, or _exit()) cannot be judged: that is
/// said, and so is that no port was opened at all, where there is nothing to judge.
Judgement judge(const std::string& text);

}  // namespace softcx
