// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Intervals of addresses, which may overlap, and one of them that overlaps another one, found in
// logarithmic time whatever their lengths: a treap (a binary tree by the intervals' begins,
// balanced by random priorities), each node of which knows the last end below it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <tuple>
#include <utility>

namespace softcx {

template <class Value>
class IntervalSet {
 public:
  struct Entry {
    std::uint64_t begin, end;  ///< not empty
    Value value;
  };
  /// Names an entry until it is erased.
  struct Key {
    std::uint64_t begin, number;
  };

  Key insert(const Entry& entry) {
    auto node = std::make_unique<Node>(Node{entry, {entry.begin, next_++}, random_(), entry.end});
    const Key key = node->key;
    auto [before, after] = split(std::move(root_), key);
    root_ = join(join(std::move(before), std::move(node)), std::move(after));
    return key;
  }
  void erase(Key key) {
    Tree* at = &root_;
    while (!equal((*at)->key, key)) at = &(less(key, (*at)->key) ? (*at)->left : (*at)->right);
    *at = join(std::move((*at)->left), std::move((*at)->right));
    // The ends on the way to it may have been its own.
    update_to(root_.get(), key);
  }
  const Entry& at(Key key) const {
    const Node* node = root_.get();
    while (!equal(node->key, key)) {
      node = (less(key, node->key) ? node->left : node->right).get();
    }
    return node->entry;
  }
  /// nullptr: none has a byte of [begin, end).
  const Entry* find(std::uint64_t begin, std::uint64_t end) const {
    const Node* node = root_.get();
    while (node != nullptr && !(node->entry.begin < end && begin < node->entry.end)) {
      // Where something on the left ends behind `begin`, and yet has none of the bytes, it begins
      // behind `end`, and so does all that is on the right.
      const bool left = node->left != nullptr && node->left->last_end > begin;
      node = (left ? node->left : node->right).get();
    }
    return node != nullptr ? &node->entry : nullptr;
  }
  /// The first, by begin, of which `matches(entry)`; nullptr: none. Looks at all.
  template <class Matches>
  const Entry* find_if(Matches matches) const {
    return find_if(root_.get(), matches);
  }

 private:
  struct Node;
  using Tree = std::unique_ptr<Node>;
  struct Node {
    Entry entry;
    Key key;
    std::uint_fast32_t priority;
    std::uint64_t last_end;
    Tree left, right;
  };

  static bool less(const Key& a, const Key& b) {
    return std::tie(a.begin, a.number) < std::tie(b.begin, b.number);
  }
  static bool equal(const Key& a, const Key& b) { return a.number == b.number; }

  static void update(Node& node) {
    node.last_end = node.entry.end;
    for (const Tree* below : {&node.left, &node.right}) {
      if (*below != nullptr) node.last_end = std::max(node.last_end, (*below)->last_end);
    }
  }
  static void update_to(Node* node, const Key& key) {
    if (node == nullptr) return;
    update_to((less(key, node->key) ? node->left : node->right).get(), key);
    update(*node);
  }
  /// Those before `key`, and the others.
  static std::pair<Tree, Tree> split(Tree tree, const Key& key) {
    if (tree == nullptr) return {};
    if (less(tree->key, key)) {
      auto [before, after] = split(std::move(tree->right), key);
      tree->right = std::move(before);
      update(*tree);
      return {std::move(tree), std::move(after)};
    }
    auto [before, after] = split(std::move(tree->left), key);
    tree->left = std::move(after);
    update(*tree);
    return {std::move(before), std::move(tree)};
  }
  /// All of `before` come before those of `after`.
  static Tree join(Tree before, Tree after) {
    if (before == nullptr) return after;
    if (after == nullptr) return before;
    if (before->priority > after->priority) {
      before->right = join(std::move(before->right), std::move(after));
      update(*before);
      return before;
    }
    after->left = join(std::move(before), std::move(after->left));
    update(*after);
    return after;
  }
  template <class Matches>
  static const Entry* find_if(const Node* node, Matches& matches) {
    if (node == nullptr) return nullptr;
    if (const Entry* const found = find_if(node->left.get(), matches)) return found;
    return matches(node->entry) ? &node->entry : find_if(node->right.get(), matches);
  }

  Tree root_;
  std::uint64_t next_ = 0;
  std::minstd_rand random_;
};

}  // namespace softcx
