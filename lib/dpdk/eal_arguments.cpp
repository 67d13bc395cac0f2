// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/eal_arguments.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "lib/base/error.hpp"

namespace ringside {
namespace {

constexpr std::string_view kPlaceholder = "ffff:ff:1f.7";

/// An option that takes a value, in all spellings that getopt_long knows.
struct Option {
  std::string_view short_name;
  std::string_view long_name;

  /// The value at args[i]; moves i onto the last argument that belongs to it.
  std::optional<std::string> value(const std::vector<std::string>& args, std::size_t& i) const {
    const std::string_view arg = args[i];
    if (arg == short_name || arg == long_name) {
      if (i + 1 >= args.size()) return std::nullopt;  // EAL says what is missing
      return args[++i];
    }
    if (arg.starts_with(long_name) && arg.substr(long_name.size()).starts_with('=')) {
      return std::string{arg.substr(long_name.size() + 1)};
    }
    if (!arg.starts_with("--") && arg.starts_with(short_name)) {
      return std::string{arg.substr(short_name.size())};
    }
    return std::nullopt;
  }
};
constexpr Option kAllow{"-a", "--allow"};
constexpr Option kBlock{"-b", "--block"};

std::string mlx5_nics(const std::vector<PciFunction>& functions) {
  std::string list;
  for (const PciFunction& function : functions) {
    if (!function.is_mlx5_nic()) continue;
    list += (list.empty() ? "" : ", ") + function.address.text();
  }
  return list.empty() ? "this machine has no mlx5 NIC (softcx run gives one in software)"
                      : "mlx5 NICs are at " + list;
}

const PciFunction& find_function(const std::vector<PciFunction>& functions, PciAddress address) {
  const auto found = std::ranges::find(functions, address, &PciFunction::address);
  if (found == functions.end()) {
    throw usage_error(fmt::format("no PCI device at {}", address.text()), mlx5_nics(functions));
  }
  return *found;
}

struct DeviceArgument {
  std::optional<PciAddress> address;  ///< nullopt: of another bus
  std::string devargs;
};

DeviceArgument parse_device(std::string_view text) {
  constexpr std::string_view kBus = "pci:";
  if (text.starts_with(kBus)) text.remove_prefix(kBus.size());
  const std::size_t comma = std::min(text.find(','), text.size());
  return {PciAddress::parse(text.substr(0, comma)),
          std::string{text.substr(std::min(comma + 1, text.size()))}};
}

void add_nic(std::vector<NicArgument>& nics, NicArgument nic) {
  if (std::ranges::find(nics, nic.address, &NicArgument::address) == nics.end()) {
    nics.push_back(std::move(nic));
  }
}

void add_all(EalArguments& result, const std::vector<PciFunction>& functions,
             const std::set<PciAddress>& blocked) {
  for (const PciFunction& function : functions) {
    if (blocked.contains(function.address)) continue;
    if (function.is_mlx5_nic()) add_nic(result.nics, {function.address, ""});
    if (function.is_nvidia_gpu()) {
      result.args.insert(result.args.end(), {"-a", function.address.text()});
    }
  }
}

}  // namespace

EalArguments split_eal_arguments(const std::vector<std::string>& args,
                                 const std::vector<PciFunction>& functions) {
  EalArguments result;
  std::set<PciAddress> blocked;
  bool any_allowed = false;
  result.args.push_back(args.at(0));
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (const auto value = kBlock.value(args, i)) {
      const DeviceArgument device = parse_device(*value);
      if (!device.address) {
        throw usage_error("-b " + *value + " is no PCI address", "write it like 0000:ca:00.0");
      }
      blocked.insert(*device.address);
    } else if (const auto allowed = kAllow.value(args, i)) {
      any_allowed = true;
      const DeviceArgument device = parse_device(*allowed);
      if (!device.address) {
        result.args.insert(result.args.end(), {"-a", *allowed});
        continue;
      }
      const PciFunction& function = find_function(functions, *device.address);
      if (function.is_mlx5_nic()) {
        add_nic(result.nics, {*device.address, device.devargs});
      } else if (function.is_network()) {
        throw usage_error(fmt::format("the NIC at {} (vendor {:04x}, device {:04x}) is not mlx5",
                                      device.address->text(), function.vendor, function.device),
                          mlx5_nics(functions));
      } else {
        result.args.insert(result.args.end(), {"-a", *allowed});
      }
    } else {
      result.args.push_back(args[i]);
    }
  }
  if (any_allowed && !blocked.empty()) {
    throw usage_error("-a and -b were both given", "use one of them");
  }
  if (!any_allowed) add_all(result, functions, blocked);
  result.args.insert(result.args.end(), {"-a", std::string{kPlaceholder}});
  return result;
}

}  // namespace ringside
