// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// EAL for one test program, without hugepages, PCI devices or files left behind. Include once;
// tests plug the virtual devices that they need.
#pragma once

#include <gtest/gtest.h>
#include <rte_eal.h>

#include <vector>

namespace ringside {

class EalEnvironment : public testing::Environment {
  void SetUp() override {
    static char arguments[][16] = {"test",        "--no-huge",      "-m", "64", "--no-pci",
                                   "--no-shconf", "--no-telemetry", "-l", "0"};
    std::vector<char*> argv;
    for (char* argument : arguments) argv.push_back(argument);
    ASSERT_GE(rte_eal_init(static_cast<int>(argv.size()), argv.data()), 0);
  }
  void TearDown() override { rte_eal_cleanup(); }
};

inline const testing::Environment* const kEalEnvironment =
    testing::AddGlobalTestEnvironment(new EalEnvironment);

}  // namespace ringside
