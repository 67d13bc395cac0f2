// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a value in a pipeline file may be. One definition serves three ends: reading the value,
// writing it back, and saying in JSON Schema (draft-07) what is allowed. Types are immutable and
// erased; TypeOf<T> says what they read into. Who defines types includes typed_value.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/pipeline/node.hpp"
#include "lib/pipeline/problems.hpp"
#include "lib/pipeline/reference.hpp"

namespace ringside::pipeline {

using Json = nlohmann::ordered_json;

/// Which names a reference chooses from.
enum class ReferenceKind : std::uint8_t {
  kMemoryRegion,
  kTable,
  kInterface,
  kOwnRxQueue,  ///< of the interface around it
  kRxQueue,     ///< INTERFACE.QUEUE
  kTxQueue,     ///< INTERFACE.QUEUE
};

/// "memory region"
std::string_view kind_name(ReferenceKind kind);

/// What a Target may be besides a sink's name.
struct TargetChoice {
  bool next = true;
  bool drop = true;
  bool join = false;
  bool branch = true;
};

/// Within what a name is unique.
enum class NameScope : std::uint8_t { kList, kStages, kTargets };

/// State of one reading: what is wrong, and the names that were given and used. References are
/// resolved when all names are known, so what was read into must not move until then.
struct Reading {
  struct Name {
    std::string text;
    std::string path;
    Mark mark;
  };
  template <class T>
  struct Use {
    T* value;
    std::string path;
  };

  Problems& problems;
  std::map<std::string, std::vector<Name>, std::less<>> names;  ///< by scope, see scope_of()
  std::vector<std::pair<ReferenceKind, Use<Reference>>> references;
  std::vector<std::pair<ReferenceKind, Use<QueueReference>>> queues;
  std::vector<std::pair<TargetChoice, Use<Target>>> targets;
};

/// The key of `names` for the name at `path`.
std::string scope_of(std::string_view path, NameScope scope);
/// Complains of dangling references and of names given twice, and fills in the indices.
void resolve_references(Reading& reading);

/// Types that others refer to by "#/definitions/NAME".
using Definitions = std::map<std::string, Json>;

class ValueType {
 public:
  virtual ~ValueType() = default;
  /// Fills `into` with what `node` says. What is wrong goes to `reading`, and `into` stays as it
  /// is, or partly so.
  virtual void read(const Node& node, const std::string& path, void* into,
                    Reading& reading) const = 0;
  virtual Json write(const void* from) const = 0;
  virtual Json schema(Definitions& definitions) const = 0;
};

template <class T>
struct TypeOf {
  std::shared_ptr<const ValueType> type;
};

/// "VALUE: not ALLOWED" for the value at `path`.
void refuse(const Node& node, const std::string& path, const std::string& allowed,
            Reading& reading);

/// ", did you mean X?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace ringside::pipeline
