// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/field_name_type.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "lib/pipeline/typed_value.hpp"

namespace ringside::pipeline {
namespace {

std::string text_of(const FieldName& name) {
  const FieldInfo& info = field_info(name.field);
  return fmt::format("{}{}.{}", name.inner ? "inner." : "", item_info(info.item).name, info.name);
}

class FieldNameType final : public Typed<FieldName> {
 public:
  FieldNameType() {
    for (const bool inner : {false, true}) {
      for (const FieldInfo& info : all_fields()) {
        if (inner && info.item == Item::kMeta) continue;  // of the packet as a whole
        values_.push_back({info.field, inner});
        texts_.push_back(text_of(values_.back()));
      }
    }
  }

 private:
  void read_value(const Node& node, const std::string& path, FieldName& into,
                  Reading& reading) const override {
    std::string allowed = "a field such as ipv4.src or inner.udp.dst";
    if (node.is_scalar()) {
      const auto found = std::ranges::find(texts_, node.scalar);
      if (found != texts_.end()) {
        into = values_[static_cast<std::size_t>(found - texts_.begin())];
        return;
      }
      allowed += did_you_mean(node.scalar, {texts_.begin(), texts_.end()});
    }
    refuse(node, path, allowed, reading);
  }
  Json write_value(const FieldName& from) const override { return text_of(from); }
  Json schema(Definitions&) const override { return {{"enum", texts_}}; }

  std::vector<FieldName> values_;
  std::vector<std::string> texts_;
};

}  // namespace

TypeOf<FieldName> field_name() {
  return {std::make_shared<FieldNameType>()};
}

}  // namespace ringside::pipeline
