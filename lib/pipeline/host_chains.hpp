// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Chains as functions of this process, for kernels that run on CPU threads: compiled for their
// shapes by the machine's compiler, in 0.3 to 1.2 s, and kept from run to run.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/pipeline/bounded_command.hpp"

namespace ringside::pipeline {

/// Holds what it has loaded; functions are good for as long as it lives, and until keep_only().
class HostChains {
 public:
  /// `give_up` is for the compiler.
  explicit HostChains(GiveUp give_up = {});
  ~HostChains();

  /// Makes the functions for these shapes, by shape_members() with addresses. Those of `splits` are
  /// for packets in two parts. Throws Error where they cannot be made: no compiler, or one that
  /// does not take them; and Stopped.
  void add(const std::vector<std::string>& shapes, bool splits);
  /// Lets go of what was made in one add() with none of these. No kernel calls others any more.
  void keep_only(const std::set<std::uint64_t>& functions);
  /// For Chain::function; 0: it has none for this shape.
  std::uint64_t function(const std::string& shape, bool splits) const;

 private:
  class Object;
  GiveUp give_up_;
  std::vector<std::unique_ptr<Object>> objects_;
};

}  // namespace ringside::pipeline
