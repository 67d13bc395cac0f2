// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The reader of five-tuple tables on arbitrary text: what it takes can be an entry, each once, and
// its complaints are bounded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "lib/pipeline/table_file.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringside::pipeline;
  Problems problems("input.csv");
  const auto entries =
      read_table_text({reinterpret_cast<const char*>(data), size}, "input.csv", problems);
  std::set<std::string> keys;
  for (const TableEntry& entry : entries) {
    require(complaint_of(entry).empty());
    require(keys.insert(key_of(entry)).second);
  }
  require(problems.take().size() <= 21);
  return 0;
}
