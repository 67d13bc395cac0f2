// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Pipelines' kernels through NVRTC, which needs no GPU.
#include <gtest/gtest.h>

#include <string>

#include "lib/base/error.hpp"
#include "lib/gpu/cuda_compiler.hpp"
#include "lib/gpu/nvrtc_api.hpp"
#include "lib/pipeline/chain_source.hpp"
#include "tests/unit/known_chains.hpp"

namespace ringside {
namespace {

using pipeline::kernel_source;
using pipeline::shape_members;

constexpr int kAmpere = 80;

class GpuCudaCompiler : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (nvrtc_api(why) == nullptr) GTEST_SKIP() << why;
  }
};

TEST_F(GpuCudaCompiler, chains_and_a_users_source_become_machine_code) {
  KernelSource source;
  source.files.push_back({"mine.cpp",
                          "#include \"kernels/stage.hpp\"\n"
                          "static int helper() { return 0; }\n"
                          "RINGSIDE_STAGE(mine, packet, params) {\n"
                          "  return packet.length > params[helper()] ? Next::kDrop : Next::kOn;\n"
                          "}\n"});
  source.text = kernel_source("entry", "Pipeline", {shape_members(test::known_chain(3))},
                              {{"mine", "mine.cpp"}, {"in_an_object", ""}});
  std::string why_not;
  const auto code = compile_for_cuda(source, kAmpere, why_not);
  ASSERT_TRUE(code) << why_not;
  ASSERT_GT(code->size(), 4U);
  EXPECT_EQ(std::string(code->begin(), code->begin() + 4),
            "\x7f"
            "ELF");
}

TEST_F(GpuCudaCompiler, an_error_of_the_users_is_shown_by_its_own_line) {
  KernelSource source;
  source.files.push_back({"my/stage.cpp",
                          "#include \"kernels/stage.hpp\"\n"
                          "RINGSIDE_STAGE(mine, packet, params) {\n"
                          "  return Next::kDorp;\n"
                          "}\n"});
  source.text = kernel_source("entry", "Pipeline", {}, {{"mine", "my/stage.cpp"}});
  std::string why_not;
  try {
    compile_for_cuda(source, kAmpere, why_not);
    FAIL() << "it was compiled";
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("my/stage.cpp:3: error: "), std::string::npos) << said;
    EXPECT_NE(said.find("kDorp"), std::string::npos) << said;
  }
}

TEST_F(GpuCudaCompiler, an_unknown_architecture_is_no_error) {
  std::string why_not;
  EXPECT_FALSE(compile_for_cuda({}, 1, why_not));
  EXPECT_NE(why_not.find("sm_1"), std::string::npos) << why_not;
}

}  // namespace
}  // namespace ringside
