// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// EAL's life. A process can have one, once.
#pragma once

#include <string>
#include <vector>

namespace ringside {

class Eal {
 public:
  /// `args`: argv[0] and EAL options. Throws usage errors for options that EAL refuses, Error when
  /// there are no hugepages (says how to add some) or rights.
  explicit Eal(std::vector<std::string> args);
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  /// CPUs of all lcores, ascending.
  static std::vector<unsigned> cpus();
  /// Lcores but for the main one.
  static std::vector<unsigned> workers();

 private:
  std::vector<std::string> args_;  // EAL keeps pointers into them
};

}  // namespace ringside
