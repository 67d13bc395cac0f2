// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/nic_info.hpp"

#include <fmt/core.h>
#include <infiniband/verbs.h>

#include "lib/mlx5/capabilities.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/uar.hpp"

namespace ringside {
namespace {

NicFact text(std::string name, std::string value) {
  return {std::move(name), std::move(value), true};
}
NicFact number(std::string name, std::uint32_t value) {
  return {std::move(name), std::to_string(value), false};
}
NicFact truth(std::string name, bool value) {
  return {std::move(name), value ? "true" : "false", false};
}

std::string firmware(const mlx5::Context& context) {
  ibv_device_attr attributes{};
  return ibv_query_device(context.get(), &attributes) == 0 ? attributes.fw_ver : "";
}

std::string link(const mlx5::Context& context) {
  ibv_port_attr attributes{};
  if (ibv_query_port(context.get(), 1, &attributes) != 0) return "unknown";
  return attributes.state == IBV_PORT_ACTIVE ? "up" : "down";
}

/// Registers that take WQEs, and a mapping that brings those whole: some virtual machines have
/// none.
bool has_blue_flame(const mlx5::Context& context, const mlx5::Capabilities& can) {
  return can.blue_flame &&
         mlx5::Uar(context, DoorbellKind::kBlueFlame).kind() == DoorbellKind::kBlueFlame;
}

}  // namespace

std::vector<NicFact> query_nic(std::string_view pci_address) {
  const mlx5::Context context = mlx5::Context::open(pci_address);
  const mlx5::Pd pd(context);
  const mlx5::Capabilities can = mlx5::Capabilities::query(context);
  return {
      text("pci_address", context.pci_address()),
      text("device", std::string(context.name())),
      text("firmware", firmware(context)),
      truth("virtual_function", context.is_virtual_function()),
      text("link", link(context)),
      truth("bonded", can.bonded),
      number("min_inline_mode", static_cast<std::uint32_t>(can.min_inline)),
      truth("takes_dmabuf", mlx5::takes_dmabuf(pd)),
      truth("inserts_vlan", can.vlan_insertion),
      truth("blue_flame", has_blue_flame(context, can)),
      number("max_send_queues", can.max_send_queues),
      number("max_receive_queues", can.max_receive_queues),
      number("max_ring_entries", can.max_ring_entries),
      number("max_completion_entries", can.max_completion_entries),
  };
}

std::string as_json(const std::vector<NicFact>& facts) {
  std::string json;
  for (const NicFact& fact : facts) {
    // Names and texts are of a PCI address's kind: nothing in them needs an escape.
    const char* const quote = fact.is_text ? "\"" : "";
    json += fmt::format("{}\"{}\": {}{}{}", json.empty() ? "{" : ", ", fact.name, quote, fact.value,
                        quote);
  }
  return json + "}\n";
}

std::string as_text(const std::vector<NicFact>& facts) {
  std::string lines;
  for (const NicFact& fact : facts) lines += fmt::format("{:<22} {}\n", fact.name, fact.value);
  return lines;
}

}  // namespace ringside
