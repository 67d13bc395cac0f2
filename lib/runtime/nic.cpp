// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/nic.hpp"

#include <fcntl.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include <cerrno>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/dpdk/dpdk_error.hpp"
#include "lib/dpdk/hugepages.hpp"

namespace ringside {
namespace {

constexpr const char* kBus = "pci";

std::uint16_t port_of(const std::string& pci_address) {
  for (std::uint16_t port = 0; port < RTE_MAX_ETHPORTS; ++port) {
    rte_eth_dev_info info{};
    if (rte_eth_dev_is_valid_port(port) != 0 && rte_eth_dev_info_get(port, &info) == 0 &&
        rte_dev_name(info.device) == pci_address) {
      return port;
    }
  }
  throw Error(fmt::format("the mlx5 PMD made no port for {}", pci_address),
              "see its message above");
}

/// Returns the port. The PMD closes its copy of the context's descriptor when it is unplugged.
std::uint16_t plug(const mlx5::Context& context, const mlx5::Pd& pd, const NicArgument& argument,
                   const std::string& devargs) {
  const int command_fd = fcntl(context.get()->cmd_fd, F_DUPFD_CLOEXEC, 0);
  if (command_fd < 0) {
    throw Error(fmt::format("{}: cannot duplicate the verbs context, {}", context.pci_address(),
                            errno_text(errno)),
                "raise the limit of open files (ulimit -n)");
  }
  std::string all = fmt::format("cmd_fd={},pd_handle={}", command_fd, pd.handle());
  if (!devargs.empty()) all += "," + devargs;
  if (!argument.devargs.empty()) all += "," + argument.devargs;
  const std::string& address = context.pci_address();
  if (const int rc = rte_eal_hotplug_add(kBus, address.c_str(), all.c_str()); rc != 0) {
    throw Error(
        fmt::format("the mlx5 PMD refused {} with {}, {}", address, all, dpdk_errno_text(rc)),
        rc == -ENOMEM
            ? hugepage_remedy(list_hugepages())
            : "see its message above; is it installed (librte-net-mlx5), and the user root?");
  }
  try {
    return port_of(address);
  } catch (...) {
    rte_eal_hotplug_remove(kBus, address.c_str());
    throw;
  }
}

}  // namespace

Nic::Nic(const NicArgument& argument, const std::string& devargs)
    : context_(mlx5::Context::open(argument.address.text())),
      pd_(context_),
      port_(plug(context_, pd_, argument, devargs)) {}

Nic::~Nic() {
  rte_eal_hotplug_remove(kBus, pci_address().c_str());
}

}  // namespace ringside
