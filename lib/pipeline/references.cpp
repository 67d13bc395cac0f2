// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Names, and what refers to them.
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_map>

#include "lib/base/text.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {
namespace {

using Names = std::vector<Reading::Name>;

/// "pipelines[3]" of "pipelines[3].kernels[0].stages[2].mirror.to".
std::string_view root_item(std::string_view path) {
  return path.substr(0, path.find(']') + 1);
}

/// 2 of "interfaces[0].rx.queues[2].name".
std::uint16_t index_in(std::string_view path) {
  const std::size_t open = path.rfind('[');
  std::uint16_t index = 0;
  std::from_chars(path.data() + open + 1, path.data() + path.size(), index);
  return index;
}

const Names& names_in(const Reading& reading, std::string_view scope) {
  static const Names kNone;
  const auto found = reading.names.find(scope);
  return found != reading.names.end() ? found->second : kNone;
}

const Reading::Name* find(const Names& names, std::string_view text) {
  for (const Reading::Name& name : names) {
    if (name.text == text) return &name;
  }
  return nullptr;
}

/// "; did you mean X?", or else what there is to choose from.
std::string choice_text(std::string_view word, const std::vector<std::string_view>& known) {
  std::string text = did_you_mean(word, known);
  if (!text.empty()) return text;
  constexpr std::size_t kListed = 8;
  if (known.empty()) return "; the file has none";
  if (known.size() > kListed) return "";
  return fmt::format("; there is {}", fmt::join(known, ", "));
}

std::vector<std::string_view> texts_of(const Names& names) {
  std::vector<std::string_view> texts;
  for (const Reading::Name& name : names) texts.push_back(name.text);
  return texts;
}

void refuse_duplicates(Reading& reading) {
  for (const auto& [scope, names] : reading.names) {
    std::unordered_map<std::string_view, const Reading::Name*> first;
    for (const Reading::Name& name : names) {
      const auto [found, is_new] = first.try_emplace(name.text, &name);
      if (is_new) continue;
      reading.problems.error(
          name.mark, name.path,
          fmt::format("{} is the name of {} already, line {}", in_quotes(name.text),
                      found->second->path.substr(0, found->second->path.rfind('.')),
                      found->second->mark.line));
    }
  }
}

std::string scope_of_kind(ReferenceKind kind, std::string_view path) {
  switch (kind) {
    case ReferenceKind::kMemoryRegion:
      return "memory_regions";
    case ReferenceKind::kTable:
      return "tables";
    case ReferenceKind::kInterface:
      return "interfaces";
    case ReferenceKind::kOwnRxQueue:
      return fmt::format("{}.rx.queues", root_item(path));
    case ReferenceKind::kRxQueue:
      return fmt::format("{}.rx.queues", root_item(path));
    case ReferenceKind::kTxQueue:
      return fmt::format("{}.tx.queues", root_item(path));
  }
  return {};
}

void refuse_name(Reading& reading, const std::string& path, std::string_view kind,
                 std::string_view text, const std::vector<std::string_view>& known) {
  reading.problems.error(path, fmt::format("{}: no {} has this name{}", in_quotes(text), kind,
                                           choice_text(text, known)));
}

void resolve_references_of_lists(Reading& reading) {
  for (auto& [kind, use] : reading.references) {
    const Names& names = names_in(reading, scope_of_kind(kind, use.path));
    if (const Reading::Name* name = find(names, use.value->name)) {
      use.value->index = index_in(name->path);
    } else {
      refuse_name(reading, use.path, kind_name(kind), use.value->name, texts_of(names));
    }
  }
}

void resolve_queues(Reading& reading) {
  const Names& interfaces = names_in(reading, "interfaces");
  for (auto& [kind, use] : reading.queues) {
    const std::string_view text = use.value->name;
    const std::size_t point = text.find('.');
    const Reading::Name* interface = find(interfaces, text.substr(0, point));
    const Names* queues = nullptr;
    if (interface != nullptr && point != std::string_view::npos) {
      queues = &names_in(reading, scope_of_kind(kind, interface->path));
      if (const Reading::Name* queue = find(*queues, text.substr(point + 1))) {
        use.value->interface = index_in(interface->path);
        use.value->queue = index_in(queue->path);
        continue;
      }
    }
    std::vector<std::string> known;
    for (const Reading::Name& candidate : interfaces) {
      for (const Reading::Name& queue : names_in(reading, scope_of_kind(kind, candidate.path))) {
        known.push_back(candidate.text + "." + queue.text);
      }
    }
    refuse_name(reading, use.path, kind_name(kind), text, {known.begin(), known.end()});
  }
}

std::optional<Target::Kind> keyword_target(std::string_view text) {
  if (text == "next") return Target::Kind::kNext;
  if (text == "drop") return Target::Kind::kDrop;
  if (text == "join") return Target::Kind::kJoin;
  return std::nullopt;
}

bool allows(const TargetChoice& choice, Target::Kind kind) {
  switch (kind) {
    case Target::Kind::kNext:
      return choice.next;
    case Target::Kind::kDrop:
      return choice.drop;
    case Target::Kind::kJoin:
      return choice.join;
    case Target::Kind::kSink:
      return true;
    case Target::Kind::kBranch:
      return choice.branch;
  }
  return false;
}

void resolve_targets(Reading& reading) {
  for (auto& [choice, use] : reading.targets) {
    Target& target = *use.value;
    const Names& names = names_in(reading, fmt::format("{}/targets", root_item(use.path)));
    std::vector<std::string_view> known;
    for (const auto& [word, is_known] : {std::pair<std::string_view, bool>{"next", choice.next},
                                         {"drop", choice.drop},
                                         {"join", choice.join}}) {
      if (is_known) known.push_back(word);
    }
    std::optional<Target::Kind> kind = keyword_target(target.name);
    for (const Reading::Name& name : names) {
      const bool sink = name.path.find("].sinks[") != std::string::npos;
      if (sink || choice.branch) known.push_back(name.text);
      if (!kind && name.text == target.name && (sink || choice.branch)) {
        kind = sink ? Target::Kind::kSink : Target::Kind::kBranch;
        target.index = index_in(name.path);
      }
    }
    if (kind && allows(choice, *kind)) {
      target.kind = *kind;
    } else {
      reading.problems.error(use.path,
                             fmt::format("{}: no packet can go there{}", in_quotes(target.name),
                                         choice_text(target.name, known)));
    }
  }
}

}  // namespace

std::string scope_of(std::string_view path, NameScope scope) {
  switch (scope) {
    case NameScope::kList:
      return std::string(path.substr(0, path.rfind('[')));
    case NameScope::kStages:
      return fmt::format("{}/stages", root_item(path));
    case NameScope::kTargets:
      return fmt::format("{}/targets", root_item(path));
  }
  return {};
}

std::string_view kind_name(ReferenceKind kind) {
  switch (kind) {
    case ReferenceKind::kMemoryRegion:
      return "memory region";
    case ReferenceKind::kTable:
      return "table";
    case ReferenceKind::kInterface:
      return "interface";
    case ReferenceKind::kOwnRxQueue:
      return "receive queue of this interface";
    case ReferenceKind::kRxQueue:
      return "receive queue";
    case ReferenceKind::kTxQueue:
      return "send queue";
  }
  return {};
}

void resolve_references(Reading& reading) {
  refuse_duplicates(reading);
  resolve_references_of_lists(reading);
  resolve_queues(reading);
  resolve_targets(reading);
}

void refuse(const Node& node, const std::string& path, const std::string& allowed,
            Reading& reading) {
  reading.problems.error(node.mark, path, fmt::format("{}: use {}", shown(node), allowed));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view near = nearest(word, candidates);
  return near.empty() ? std::string() : fmt::format("; did you mean {}?", near);
}

}  // namespace ringside::pipeline
