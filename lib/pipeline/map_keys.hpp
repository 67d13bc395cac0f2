// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Walking over the keys of a map.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/pipeline/node.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

/// "PATH.KEY", or just the key at the top.
std::string joined(const std::string& path, std::string_view key);

/// Visits each key that is known, the first time that it is there. Complains of all others.
void for_each_key(const Node& map, const std::string& path,
                  const std::vector<std::string_view>& known, Reading& reading,
                  const std::function<void(const Node& key, const Node& value)>& visit);

}  // namespace ringside::pipeline
