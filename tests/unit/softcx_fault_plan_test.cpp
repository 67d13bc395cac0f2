// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/fault/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_faults({text}, 2);
  } catch (const ringside::Error& error) {
    EXPECT_EQ(error.kind(), ringside::ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(SoftcxFaultPlan, every_fault_of_the_nic_is_read_by_its_name_with_its_defaults) {
  for (const FaultEntry& entry : fault_table()) {
    if (!entry.elsewhere.empty()) continue;
    const FaultPlan plan = parse_faults({std::string(entry.name)}, 2);
    const FaultOrder* const order = plan.find(entry.kind, 1);
    ASSERT_NE(order, nullptr) << entry.name;
    for (const FaultKey& key : entry.keys) EXPECT_EQ(order->value(key.name), key.fallback);
  }
}

TEST(SoftcxFaultPlan, help_names_every_fault_and_value) {
  for (const FaultEntry& entry : fault_table()) {
    EXPECT_THAT(fault_help(), HasSubstr(std::string(entry.name)));
    for (const FaultKey& key : entry.keys) {
      EXPECT_THAT(fault_help(), HasSubstr(":" + std::string(key.name) + "=N"));
    }
  }
}

TEST(SoftcxFaultPlan, several_faults_and_values_come_in_one_text_or_in_many) {
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"tx-error:packet=7:syndrome=0x10,bond"},
        std::vector<std::string>{"tx-error:packet=7:syndrome=0x10", "bond"}}) {
    const FaultPlan plan = parse_faults(texts, 1);
    ASSERT_NE(plan.find(FaultKind::kTxError, 0), nullptr);
    EXPECT_EQ(plan.find(FaultKind::kTxError, 0)->value("packet"), 7U);
    EXPECT_EQ(plan.find(FaultKind::kTxError, 0)->value("syndrome"), 0x10U);
    EXPECT_NE(plan.find(FaultKind::kBond, 0), nullptr);
    EXPECT_EQ(plan.find(FaultKind::kRxError, 0), nullptr);
  }
}

TEST(SoftcxFaultPlan, a_fault_of_one_port_is_not_the_other_ports) {
  const FaultPlan plan = parse_faults({"mtu:port=1:value=9000", "mtu:port=0:value=100"}, 2);
  EXPECT_EQ(plan.find(FaultKind::kMtu, 0)->value("value"), 100U);
  EXPECT_EQ(plan.find(FaultKind::kMtu, 1)->value("value"), 9000U);
  EXPECT_EQ(parse_faults({"bond:port=1"}, 2).find(FaultKind::kBond, 0), nullptr);
}

TEST(SoftcxFaultPlan, unknown_name_lists_the_known_and_suggests_the_nearest) {
  EXPECT_THAT(refusal("no-dmabuff"), HasSubstr("did you mean no-dmabuf?"));
  EXPECT_THAT(refusal("frobnicate"), HasSubstr("there are no-dmabuf, no-peermem"));
  EXPECT_THAT(refusal(""), HasSubstr("unknown fault ''"));
}

TEST(SoftcxFaultPlan, fault_of_the_gpu_driver_names_where_it_is_given) {
  EXPECT_THAT(refusal("iomem-denied"), HasSubstr("--vdev=gpu_host0,iomem=denied"));
}

TEST(SoftcxFaultPlan, unknown_value_is_refused_with_the_known_ones) {
  EXPECT_THAT(refusal("tx-error:packets=1"), HasSubstr("did you mean packet?"));
  EXPECT_THAT(refusal("bond:ms=1"), HasSubstr("there are port"));
}

TEST(SoftcxFaultPlan, value_out_of_bounds_or_no_number_is_refused) {
  for (const char* text :
       {"mtu:value=67", "mtu:value=9979", "mtu:value=", "mtu:value", "mtu:value=1500x",
        "mtu:value=0x", "mtu:value=-1", "mtu:port=2", "link-delay:ms=99999999999999999999"}) {
    EXPECT_THAT(refusal(text), HasSubstr("is not a number from")) << text;
  }
}

TEST(SoftcxFaultPlan, fault_given_twice_for_a_port_is_refused) {
  EXPECT_THAT(refusal("bond,bond"), HasSubstr("twice"));
  EXPECT_THAT(refusal("bond:port=0,bond"), HasSubstr("twice"));
  EXPECT_EQ(refusal("bond:port=0,bond:port=1"), "");
}

}  // namespace
}  // namespace softcx
