// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Transport interface send.
#include "lib/mlx5/format/prm_tis.hpp"

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/lookup.hpp"
#include "lib/softcx/cmd/unsupported.hpp"

namespace softcx {
namespace {

namespace tisc = prm::tisc;

constexpr Unsupported kUnsupported[] = {{tisc::underlay_qpn, "an underlay QP, which is IPoIB's,"}};

/// Ports of a bond count from 1 on; 0 is any.
void check_lag_port(const Device& device, std::uint32_t port) {
  const std::uint32_t ports = lag_ports(device);
  if (port > ports) {
    refuse(Rule::kLagPortUnknown, "TIS: lag_tx_port_affinity {}, the bond has {} ports", port,
           ports);
  }
}

}  // namespace

void create_tis(Command& command) {
  Device& device = command.device();
  constexpr prm::Context kTisc = prm::create_tis_in::ctx;
  const std::uint32_t domain_number = command.get(kTisc / tisc::transport_domain);
  Domain& domain = find_transport_domain(device, domain_number);
  refuse_unsupported(command, "TIS", kTisc, kUnsupported);
  check_lag_port(device, command.get(kTisc / tisc::lag_tx_port_affinity));
  auto tis = std::make_unique<Tis>();
  tis->tisn = new_number(device, device.tises, "TIS");
  tis->transport_domain = domain_number;
  tis->priority = command.get(kTisc / tisc::prio);
  const std::uint32_t tisn = tis->tisn;
  device.tises.emplace(tisn, std::move(tis));
  ++domain.references;
  command.set(prm::create_tis_out::tisn, tisn);
}

void query_tis(Command& command) {
  const Tis& tis = find_tis(command.device(), command.get(prm::command_in::object_id));
  constexpr prm::Context kOut = prm::query_tis_out::tis_context;
  command.set(kOut / tisc::transport_domain, tis.transport_domain);
  command.set(kOut / tisc::prio, tis.priority);
}

void destroy_tis(Command& command) {
  Device& device = command.device();
  const std::uint32_t tisn = command.get(prm::command_in::object_id);
  const Tis& tis = find_tis(device, tisn);
  refuse_if_referenced(tis.references, "TIS", tisn);
  --device.transport_domains.at(tis.transport_domain).references;
  device.tises.erase(tisn);
}

}  // namespace softcx
