// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Interfaces, their queues and flows.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <span>

#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

void check_queues(const RuleContext& context, const Interface& interface, const std::string& path) {
  if (interface.rx.queues.empty() && interface.tx.queues.empty() &&
      !context.problems.any_error_in(path)) {
    context.problems.error(path, "no queues: add some to rx or tx, or remove the interface");
  }
  for (std::size_t i = 0; i < interface.rx.queues.size(); ++i) {
    const RxQueue& queue = interface.rx.queues[i];
    const std::string queue_path = fmt::format("{}.rx.queues[{}]", path, i);
    if (queue.batch_size > queue.num_desc) {
      context.problems.error(queue_path + ".batch_size",
                             fmt::format("a batch of {}: the ring holds {} (num_desc)",
                                         queue.batch_size, queue.num_desc));
    }
    if (queue.timeout_us != 0 && queue.batch_size == 1 &&
        !context.problems.any_error_in(queue_path)) {
      context.problems.error(queue_path + ".timeout_us",
                             "a batch of 1 is full with its first packet, none waits: raise "
                             "batch_size, or remove it");
    }
    const auto& regions = queue.memory_regions;
    if (regions.size() == 2 && regions[0].index == regions[1].index &&
        regions[0].index != kUnresolved) {
      context.problems.error(queue_path + ".memory_regions[1]",
                             fmt::format("{} twice: headers and data go to two regions, or name "
                                         "one for whole packets",
                                         regions[1].name));
    }
  }
}

void check_send_queues(const RuleContext& context, const Interface& interface,
                       const std::string& path) {
  for (std::size_t i = 0; i < interface.tx.queues.size(); ++i) {
    const TxQueue& queue = interface.tx.queues[i];
    const std::string queue_path = fmt::format("{}.tx.queues[{}]", path, i);
    if (queue.vlan_priority != 0 && !queue.vlan &&
        !context.problems.any_error_in(queue_path + ".vlan")) {
      context.problems.error(queue_path + ".vlan_priority",
                             "there is no tag to put it into: add vlan");
    }
    for (std::size_t j = 1; j < queue.offloads.size(); ++j) {
      if (queue.offloads[j] == queue.offloads[0]) {
        context.problems.error(fmt::format("{}.offloads[{}]", queue_path, j),
                               "given twice: remove one");
      }
    }
  }
}

/// The PMD looks only at the first queue of a list to tell its own from exported ones.
void refuse_mixture(const RuleContext& context, const std::vector<const RxQueue*>& queues,
                    const std::string& path) {
  for (const RxQueue* const queue : queues) {
    if (is_for_cpu(context.config, *queue) == is_for_cpu(context.config, *queues[0])) continue;
    context.problems.error(
        path, fmt::format("queues of the CPU and of kernels in one list: {} and {} have memory of "
                          "kind huge and of another kind",
                          queues[0]->name, queue->name));
    return;
  }
}

bool decides(const FlowAction& action) {
  return !std::holds_alternative<FlowMark>(action) && !std::holds_alternative<FlowCount>(action);
}

void check_rss_queues(const RuleContext& context, const RxSide& rx, const FlowRss& rss,
                      const std::string& path) {
  std::vector<const RxQueue*> queues;
  for (const Reference& queue : rss.queues) {
    if (queue.index < rx.queues.size()) queues.push_back(&rx.queues[queue.index]);
  }
  refuse_mixture(context, queues, path + ".rss.queues");
  for (std::size_t i = 0; i < rss.queues.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (rss.queues[i].index != rss.queues[j].index || rss.queues[i].index == kUnresolved) {
        continue;
      }
      context.problems.error(
          fmt::format("{}.rss.queues[{}]", path, i),
          fmt::format("{} is in the list already: name it once", rss.queues[i].name));
      break;
    }
  }
  for (std::size_t i = 0; i < rss.types.size(); ++i) {
    const std::span<const FlowRss::Type> before(rss.types.data(), i);
    if (std::ranges::find(before, rss.types[i]) == before.end()) continue;
    context.problems.error(fmt::format("{}.rss.types[{}]", path, i),
                           "is in the list already: name it once");
  }
}

void check_actions(const RuleContext& context, const RxSide& rx, const Flow& flow,
                   const std::string& path) {
  const FlowAction* fate = nullptr;
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < flow.actions.size(); ++i) {
    const FlowAction& action = flow.actions[i];
    const std::string action_path = fmt::format("{}.actions[{}]", path, i);
    if (fate != nullptr) {
      context.problems.error(
          action_path, decides(action) ? "a second action that decides where packets go: a "
                                         "flow has one of queue, rss and drop"
                                       : "an action behind the one that decides where packets "
                                         "go: put it before that");
    } else if (std::ranges::find(kinds, action.index()) != kinds.end()) {
      context.problems.error(action_path, "an action that this flow has already: remove it");
    }
    kinds.push_back(action.index());
    if (decides(action)) fate = &action;
    if (const auto* const rss = std::get_if<FlowRss>(&action)) {
      check_rss_queues(context, rx, *rss, action_path);
    }
  }
  if (fate == nullptr && !context.problems.any_error_in(path)) {
    context.problems.error(path + ".actions",
                           "nothing decides where packets go: add one of queue, rss and drop");
  }
}

void check_shadows(const RuleContext& context, const std::vector<Flow>& flows,
                   const std::string& path) {
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!covers(flows[j].match, flows[i].match)) continue;
      const std::string before = fmt::format("{}.flows[{}]", path, j);
      if (context.problems.any_error_in(before + ".match")) continue;
      context.problems.error(
          fmt::format("{}.flows[{}].match", path, i),
          fmt::format("no packet gets here, {} (line {}) has them all: put {} before it, or remove "
                      "it",
                      flows[j].name, context.problems.mark_of(before).line, flows[i].name));
      break;
    }
  }
}

bool leads_to(const FlowAction& action, std::size_t queue) {
  if (const auto* const one = std::get_if<FlowQueue>(&action)) return one->queue.index == queue;
  const auto* const rss = std::get_if<FlowRss>(&action);
  return rss != nullptr && std::ranges::any_of(rss->queues, [queue](const Reference& reference) {
           return reference.index == queue;
         });
}

void check_unmatched(const RuleContext& context, const RxSide& rx, const std::string& path) {
  if (rx.unmatched == RxSide::Unmatched::kRss) {
    std::vector<const RxQueue*> queues;
    for (const RxQueue& queue : rx.queues) queues.push_back(&queue);
    return refuse_mixture(context, queues, path + ".unmatched");
  }
  if (rx.flows.empty() && !rx.queues.empty()) {
    context.problems.error(path + ".unmatched",
                           "drop without any flows: the interface would receive nothing");
    return;
  }
  for (std::size_t i = 0; i < rx.queues.size(); ++i) {
    const bool reached = std::ranges::any_of(rx.flows, [i](const Flow& flow) {
      return std::ranges::any_of(flow.actions,
                                 [i](const FlowAction& action) { return leads_to(action, i); });
    });
    if (!reached) {
      context.problems.warn(fmt::format("{}.queues[{}]", path, i),
                            "no flow leads to this queue, and unmatched packets are dropped");
    }
  }
}

}  // namespace

void check_interfaces(const RuleContext& context) {
  std::map<std::string, std::string> addresses;
  for (std::size_t i = 0; i < context.config.interfaces.size(); ++i) {
    const Interface& interface = context.config.interfaces[i];
    const std::string path = fmt::format("interfaces[{}]", i);
    check_queues(context, interface, path);
    check_send_queues(context, interface, path);
    if (interface.address.empty()) continue;
    const std::string address = lower(interface.address);
    const auto [first, is_new] = addresses.try_emplace(address, interface.name);
    if (!is_new) {
      context.problems.error(path + ".address",
                             fmt::format("{} is the address of {} already: put the queues there",
                                         interface.address, first->second));
    } else if (context.machine != nullptr && !context.machine->pci_devices.empty() &&
               !std::ranges::binary_search(context.machine->pci_devices, address)) {
      context.problems.warn(path + ".address",
                            fmt::format("{}: this machine has no such PCI device; under softcx "
                                        "run there is 0000:ca:00.0",
                                        interface.address));
    }
  }
}

void check_flows(const RuleContext& context) {
  for (std::size_t i = 0; i < context.config.interfaces.size(); ++i) {
    const RxSide& rx = context.config.interfaces[i].rx;
    const std::string path = fmt::format("interfaces[{}].rx", i);
    for (std::size_t j = 0; j < rx.flows.size(); ++j) {
      check_actions(context, rx, rx.flows[j], fmt::format("{}.flows[{}]", path, j));
    }
    check_shadows(context, rx.flows, path);
    check_unmatched(context, rx, path);
  }
}

}  // namespace ringside::pipeline
