// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// From a pipeline file to a checked configuration. Starts nothing, opens no device.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/pipeline/config.hpp"
#include "lib/pipeline/machine.hpp"
#include "lib/pipeline/problems.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

struct Loaded {
  Config config;                  ///< to be used only when ok()
  std::vector<Problem> problems;  ///< all of them, in the order of the file
  /// No errors; there may be warnings.
  bool ok() const;
};

/// What a file has to fulfil beyond its format. Called last, where the file could be read; every
/// default is filled in where there was no error.
using Judge = std::function<void(const Config&, Problems&)>;

/// `machine`: what to compare with, or null. Files that the file names to be read (tables, users'
/// functions) are relative to it, and absolute in the result; those to be written are relative to
/// the working directory. A file that cannot be read is a problem too, and so is what the format
/// has and the data path has not. See load_runnable() (runnable.hpp).
Loaded load_file(const std::string& file, const Machine* machine, const Judge& judge);
/// By the format alone. `file` names the text in problems, and says what paths in it are relative
/// to.
Loaded load_text(std::string_view text, const std::string& file, const Machine* machine);

/// A configuration as the file has it, with every key that is not left out where it is empty.
Json config_json(const Config& config);
/// A loaded configuration as YAML, complete: load_text() makes the same of it.
std::string resolved_yaml(const Config& config);
/// Of the file format (draft-07), for editors.
std::string json_schema();

}  // namespace ringside::pipeline
