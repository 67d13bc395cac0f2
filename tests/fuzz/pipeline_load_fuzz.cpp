// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The loader of pipeline files on arbitrary text: every error has a place in the text, and what is
// right resolves to a file that is right and resolves to itself.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/pipeline/load.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringside::pipeline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Loaded loaded = load_text(text, "input.yaml", nullptr);

  const auto lines = 1 + std::ranges::count(text, '\n');
  for (const Problem& problem : loaded.problems) {
    require(!problem.text.empty());
    if (problem.file == "input.yaml") require(problem.mark.line <= lines + 1);
  }
  if (!loaded.ok()) return 0;
  const std::string resolved = resolved_yaml(loaded.config);
  const Loaded again = load_text(resolved, "resolved.yaml", nullptr);
  require(again.ok());
  require(resolved_yaml(again.config) == resolved);
  return 0;
}
