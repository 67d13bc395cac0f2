// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the control path asks of the engine thread.
#pragma once

#include <string>

namespace softcx {

class CopyEngine;

class EngineControl {
 public:
  virtual ~EngineControl() = default;
  /// Returns when the engine thread holds no pointer to anything that was unlinked before the call.
  /// A sleeping engine thread counts as quiescent. Never called from the engine thread.
  virtual void synchronize() = 0;
  /// Something changed that the engine may be asleep for (a queue became ready, a rule was added).
  virtual void wake() = 0;
  /// Before the first key to the memory of a GPU: makes its copy engine known to the engine thread.
  /// A second call makes nothing new. False: `why` says what failed.
  virtual bool attach(CopyEngine& copy_engine, std::string& why) = 0;
};

}  // namespace softcx
