// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The function's own virtual port: what its netdev says.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/softcx/cmd/handlers.hpp"

namespace softcx {
namespace {

constexpr std::uint32_t kEthernetHeader = 14;
constexpr std::uint32_t kLargestMtu = 0xffff;  ///< that the field holds

/// The netdev's MAC address as a number; 0 where there is no such netdev.
std::uint64_t mac_address(const Device& device) {
  std::ifstream file("/sys/class/net/" + device.netdev + "/address");
  std::string text;
  std::getline(file, text);
  unsigned byte[6] = {};
  if (std::sscanf(text.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x", &byte[0], &byte[1], &byte[2], &byte[3],
                  &byte[4], &byte[5]) != 6) {
    return 0;
  }
  std::uint64_t address = 0;
  for (const unsigned b : byte) address = address << 8 | b;
  return address;
}

}  // namespace

std::uint32_t vport_inline_mode(const Device& device) {
  const FaultOrder* const order = device.fault(FaultKind::kMinInline);
  return order == nullptr ? 0 : static_cast<std::uint32_t>(order->value("mode"));
}

void query_nic_vport_context(Command& command) {
  namespace context = prm::nic_vport_context;
  constexpr prm::Context kOut = prm::query_nic_vport_context_out::nic_vport_context;
  constexpr prm::Context kAddress = kOut / context::permanent_address;
  if (command.get(prm::query_nic_vport_context_in::other_vport) != 0) {
    refuse(Rule::kFeatureUnsupported, "vport {}: this function has its own only",
           command.get(prm::query_nic_vport_context_in::vport_number));
  }
  const Device& device = command.device();
  const std::uint64_t mac = mac_address(device);
  const std::uint32_t mtu = device.mtu.load(std::memory_order_relaxed) + kEthernetHeader;
  command.set(kOut / context::min_wqe_inline_mode, vport_inline_mode(device));
  command.set(kOut / context::mtu, std::min(mtu, kLargestMtu));
  command.set(kOut / context::system_image_guid, device.guid());
  command.set(kOut / context::node_guid, device.guid());
  command.set(kOut / context::port_guid, device.guid());
  command.set(kAddress / prm::mac_address_layout::mac_addr_47_32,
              static_cast<std::uint32_t>(mac >> 32));
  command.set(kAddress / prm::mac_address_layout::mac_addr_31_0, static_cast<std::uint32_t>(mac));
}

}  // namespace softcx
