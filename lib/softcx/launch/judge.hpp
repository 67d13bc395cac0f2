// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What `softcx run --sanitize` says when the command has ended.
#pragma once

#include <string>

namespace softcx {

struct Judgement {
  std::string lines;  ///< for stderr
  bool broken;        ///< was a rule?
};

/// `text`: as summarize() takes it. Each rule that was broken is told with the object that broke
/// it, how often, how the first time, what has to hold and where that is written. A process that
/// ended without a report (by SIGKILL) cannot be judged; that there was none at all is said.
Judgement judge(const std::string& text);

}  // namespace softcx
