// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A software NIC in the test's own process (libsoftcx.so in place of libibverbs and libmlx5), one
// port whose wire gives back what is sent.
#pragma once

#include <gtest/gtest.h>
#include <infiniband/mlx5dv.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "lib/mlx5/devx_object.hpp"
#include "lib/mlx5/format/prm_tir.hpp"
#include "tests/unit/pages.hpp"

namespace ringside::test {

inline constexpr const char* kNicAddress = "0000:ca:00.0";

/// What the launcher would have set up. Register it as a global test environment.
class LoopPort : public testing::Environment {
 public:
  /// `more`: of the NIC's configuration, as `"real_time": true, `.
  explicit LoopPort(std::string more = "") : more_(std::move(more)) {}
  void SetUp() override {
    root_ = testing::TempDir() + "/mlx5_test." + std::to_string(::getpid());
    const std::string device = root_ + "/ib/mlx5_0/device";
    std::filesystem::create_directories(device);
    std::ofstream(device + "/uevent") << "DRIVER=mlx5_core\nPCI_SLOT_NAME=" << kNicAddress << "\n";
    std::ofstream(root_ + "/config.json")
        << "{" << more_ << R"("root": ")" << root_ << R"(", "ports": [{"index": 0, "bdf": ")"
        << kNicAddress << R"(", "ibdev": "mlx5_0", "uverbs": "uverbs0", "netdev": "cx0",)"
        << R"("wire": {"kind": "loop"}}], "sanitize": true})";
    ::setenv("SOFTCX_CONFIG", (root_ + "/config.json").c_str(), 1);
    testing::internal::CaptureStderr();
  }
  /// Fails where another rule of the NIC was broken than those that tests meant to break.
  void TearDown() override {
    const std::string said = testing::internal::GetCapturedStderr();
    std::fputs(said.c_str(), stderr);
    std::set<std::string> broken;
    const std::regex line("softcx: violation: [^\\n]* \\[([a-z.-]+)\\]\\n");
    for (std::sregex_iterator at(said.begin(), said.end(), line), end; at != end; ++at) {
      broken.insert((*at)[1]);
    }
    EXPECT_EQ(broken, to_be_broken());
    for (const std::string& words : to_be_said()) {
      EXPECT_NE(said.find(words), std::string::npos) << words;
    }
    std::filesystem::remove_all(root_);
  }

  /// A test of this program breaks the rule.
  static void expect_broken(const std::string& rule) { to_be_broken().insert(rule); }
  /// The NIC says this on stderr while the tests of this program run.
  static void expect_said(const std::string& words) { to_be_said().insert(words); }

 private:
  static std::set<std::string>& to_be_said() {
    static std::set<std::string> words;
    return words;
  }
  static std::set<std::string>& to_be_broken() {
    static std::set<std::string> rules;
    return rules;
  }

  std::string more_;
  std::string root_;
};

/// Leads all packets to a receive queue, by the calls that the PMD makes.
class AllTraffic {
 public:
  AllTraffic(const mlx5::Context& context, std::uint32_t rqn, std::uint32_t transport_domain) {
    auto in = mlx5::command<prm::create_tir_in::kSize>(prm::Opcode::kCreateTir);
    in.set(prm::create_tir_in::ctx / prm::tirc::inline_rqn, rqn);
    in.set(prm::create_tir_in::ctx / prm::tirc::transport_domain, transport_domain);
    prm::Mailbox<prm::create_tir_out::kSize> out;
    tir_ = mlx5dv_devx_obj_create(context.get(), in.data(), in.size(), out.data(), out.size());
    domain_ = mlx5dv_dr_domain_create(context.get(), MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
    table_ = mlx5dv_dr_table_create(domain_, 0);
    auto* const nothing = reinterpret_cast<mlx5dv_flow_match_parameters*>(match_);
    nothing->match_sz = sizeof(match_) - sizeof(match_[0]);
    matcher_ = mlx5dv_dr_matcher_create(table_, 0, 0, nothing);
    action_ = mlx5dv_dr_action_create_dest_devx_tir(tir_);
    rule_ = mlx5dv_dr_rule_create(matcher_, nothing, 1, &action_);
  }
  ~AllTraffic() {
    mlx5dv_dr_rule_destroy(rule_);
    mlx5dv_dr_action_destroy(action_);
    mlx5dv_dr_matcher_destroy(matcher_);
    mlx5dv_dr_table_destroy(table_);
    mlx5dv_dr_domain_destroy(domain_);
    mlx5dv_devx_obj_destroy(tir_);
  }
  AllTraffic(const AllTraffic&) = delete;
  AllTraffic& operator=(const AllTraffic&) = delete;

  bool steers() const { return rule_ != nullptr; }

 private:
  std::uint64_t match_[1 + 8] = {};
  mlx5dv_devx_obj* tir_;
  mlx5dv_dr_domain* domain_;
  mlx5dv_dr_table* table_;
  mlx5dv_dr_matcher* matcher_;
  mlx5dv_dr_action* action_;
  mlx5dv_dr_rule* rule_;
};

}  // namespace ringside::test
