// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For files that define value types: these have to have the whole of JSON, which takes the compiler
// longer than all else there.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

/// A value type of T with the casts done.
template <class T>
class Typed : public ValueType {
 public:
  void read(const Node& node, const std::string& path, void* into, Reading& reading) const final {
    read_value(node, path, *static_cast<T*>(into), reading);
  }
  Json write(const void* from) const final { return write_value(*static_cast<const T*>(from)); }

 protected:
  virtual void read_value(const Node& node, const std::string& path, T& into,
                          Reading& reading) const = 0;
  virtual Json write_value(const T& from) const = 0;
};

}  // namespace ringside::pipeline
