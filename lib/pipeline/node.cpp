// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// yaml-cpp's events instead of its nodes: those lose duplicate keys' places, and let a file of
// aliases grow without bound when it is walked.
#include "lib/pipeline/node.hpp"

#include <fmt/core.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

#include "lib/base/text.hpp"

namespace ringside::pipeline {
namespace {

/// What a file asks for that it cannot have.
struct Refusal {
  Mark mark;
  std::string text;
};

Mark mark_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

std::size_t size_of(const Node& node) {
  std::size_t size = 1;
  for (const Node& item : node.items) size += size_of(item);
  return size;
}

std::size_t depth_of(const Node& node) {
  std::size_t depth = 0;
  for (const Node& item : node.items) depth = std::max(depth, depth_of(item));
  return depth + 1;
}

/// What a person may do about what the parser says of the place where it noticed.
std::string remedy_of(std::string_view message) {
  if (message == YAML::ErrorMsg::MAP_VALUE) {
    return ": here or in the line before, a ':' lacks its blank, a value with one lacks its "
           "quotes, "
           "or a line begins in another column";
  }
  if (message == YAML::ErrorMsg::END_OF_MAP || message == YAML::ErrorMsg::END_OF_SEQ) {
    return ": lines of one map or list begin in one column";
  }
  if (message == YAML::ErrorMsg::BLOCK_ENTRY || message == YAML::ErrorMsg::END_OF_MAP_FLOW ||
      message == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
    return ": is each [ and { before it closed?";
  }
  if (message == YAML::ErrorMsg::UNKNOWN_TOKEN) return ": put a value that begins so in quotes";
  return {};
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  Node take_root() { return std::move(root_); }
  Mark document_mark() const { return document_; }

  void OnDocumentStart(const YAML::Mark& mark) override { document_ = mark_of(mark); }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place({.mark = mark_of(mark)}, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    const bool plain = tag == "?";
    if (plain && (value == "null" || value == "~" || value.empty())) {
      return OnNull(mark, anchor);
    }
    place({.kind = Node::Kind::kScalar, .mark = mark_of(mark), .scalar = value}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) {
      throw Refusal{mark_of(mark), "an alias inside of what it stands for"};
    }
    if (open_.size() + depth_of(found->second) > kMaxDepth) refuse_depth(mark_of(mark));
    count(size_of(found->second), mark_of(mark));
    attach(found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open({.kind = Node::Kind::kSequence, .mark = mark_of(mark)}, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open({.kind = Node::Kind::kMap, .mark = mark_of(mark)}, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor;
  };

  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Refusal{mark_of(mark),
                  fmt::format("tag {}: a pipeline file has none, remove it", in_quotes(tag))};
  }
  [[noreturn]] static void refuse_depth(Mark mark) {
    throw Refusal{mark, fmt::format("nested deeper than {} levels", kMaxDepth)};
  }
  void count(std::size_t nodes, Mark mark) {
    nodes_ += nodes;
    if (nodes_ > kMaxNodes) {
      throw Refusal{mark, fmt::format("more than {} values, aliases written out; a table of many "
                                      "entries belongs in a CSV file",
                                      kMaxNodes)};
    }
  }
  void place(Node node, YAML::anchor_t anchor) {
    count(1, node.mark);
    if (anchor != 0) anchored_[anchor] = node;
    attach(std::move(node));
  }
  void open(Node node, YAML::anchor_t anchor) {
    count(1, node.mark);
    if (open_.size() >= kMaxDepth) refuse_depth(node.mark);
    open_.push_back({std::move(node), anchor});
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) {
      count(size_of(done.node), done.node.mark);  // the copy that aliases are made from
      anchored_[done.anchor] = done.node;
    }
    attach(std::move(done.node));
  }
  void attach(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().node.items.push_back(std::move(node));
    }
  }

  Node root_;
  Mark document_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchored_;
  std::size_t nodes_ = 0;
};

}  // namespace

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "no value";
    case Node::Kind::kScalar:
      return in_quotes(node.scalar);
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return {};
}

Node parse_yaml(std::string_view text, Problems& problems) {
  std::istringstream stream{std::string(text)};
  TreeBuilder builder;
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return {};
    Node root = builder.take_root();
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) {
      problems.error(second.document_mark(), "", "a second document: a pipeline file has one");
      return {};
    }
    return root;
  } catch (const Refusal& refusal) {
    problems.error(refusal.mark, "", refusal.text);
  } catch (const YAML::DeepRecursion& error) {
    problems.error(mark_of(error.mark), "", fmt::format("nested deeper than {} levels", kMaxDepth));
  } catch (const YAML::Exception& error) {
    problems.error(mark_of(error.mark), "",
                   fmt::format("no YAML: {}{}", error.msg, remedy_of(error.msg)));
  }
  return {};
}

}  // namespace ringside::pipeline
