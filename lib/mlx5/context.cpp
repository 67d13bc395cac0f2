// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/context.hpp"

#include <fmt/format.h>
#include <infiniband/mlx5dv.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <vector>

namespace ringside::mlx5 {

namespace {

struct FreeList {
  void operator()(ibv_device** list) const noexcept { ibv_free_device_list(list); }
};

Error no_device(std::string_view pci_address, const std::vector<std::string>& others) {
  std::string remedy = "load mlx5_ib, and check that the address is a ConnectX's (ibv_devinfo)";
  if (!others.empty()) remedy = fmt::format("verbs devices are at {}", fmt::join(others, ", "));
  return usage_error(fmt::format("no verbs device at PCI address {}", pci_address),
                     std::move(remedy));
}

}  // namespace

std::string pci_address_of(const std::string& ibdev_path) {
  constexpr std::string_view kKey = "PCI_SLOT_NAME=";
  std::ifstream uevent(ibdev_path + "/device/uevent");
  for (std::string line; std::getline(uevent, line);) {
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  return "";
}

Context Context::open(std::string_view pci_address) {
  int count = 0;
  const std::unique_ptr<ibv_device*, FreeList> list(ibv_get_device_list(&count));
  if (list == nullptr) {
    throw Error(fmt::format("cannot list the verbs devices, {}", errno_text(errno)),
                "load ib_uverbs and mlx5_ib");
  }
  ibv_device* device = nullptr;
  std::vector<std::string> others;
  for (int i = 0; i < count && device == nullptr; ++i) {
    ibv_device* candidate = list.get()[i];
    std::string address = pci_address_of(candidate->ibdev_path);
    if (address == pci_address) {
      device = candidate;
    } else if (!address.empty()) {
      others.push_back(std::move(address));
    }
  }
  if (device == nullptr) throw no_device(pci_address, others);
  if (!mlx5dv_is_supported(device)) {
    throw usage_error(
        fmt::format("{} at {} is not an mlx5 device", ibv_get_device_name(device), pci_address),
        "give the address of a ConnectX-5 or later");
  }
  mlx5dv_context_attr attributes{};
  attributes.flags = MLX5DV_CONTEXT_FLAGS_DEVX;
  ibv_context* context = mlx5dv_open_device(device, &attributes);
  if (context == nullptr) {
    throw Error(fmt::format("cannot open {} at {} for DevX, {}", ibv_get_device_name(device),
                            pci_address, errno_text(errno)),
                "run as root or with CAP_NET_RAW; a VF needs to be trusted");
  }
  return Context(context, pci_address);
}

std::string_view Context::name() const noexcept {
  return ibv_get_device_name(context_->device);
}

bool Context::is_virtual_function() const {
  // The last two are those of all ConnectX and BlueField generations since 2019.
  static constexpr std::uint32_t kVirtual[] = {0x1014, 0x1016, 0x1018, 0x101a,
                                               0x101c, 0xa2d3, 0x101e};
  ibv_device_attr attributes{};
  if (const int rc = ibv_query_device(context_.get(), &attributes); rc != 0) {
    throw Error(fmt::format("{}: cannot be asked for its attributes, {}", name(), errno_text(rc)),
                "");
  }
  return std::ranges::find(kVirtual, attributes.vendor_part_id) != std::end(kVirtual);
}

std::uint32_t Context::event_queue() const {
  std::uint32_t number = 0;
  if (const int rc = mlx5dv_devx_query_eqn(context_.get(), 0, &number); rc != 0) {
    throw Error(fmt::format("{}: no event queue, {}", name(), errno_text(rc < 0 ? -rc : rc)), "");
  }
  return number;
}

void Context::execute(std::string_view subject, const std::uint8_t* in, std::size_t in_size,
                      std::uint8_t* out, std::size_t out_size) const {
  const int rc = mlx5dv_devx_general_cmd(context_.get(), in, in_size, out, out_size);
  if (rc == 0 && prm::get(out, prm::command_out::status) == 0) return;
  const auto opcode = static_cast<prm::Opcode>(prm::get(in, prm::command_in::opcode));
  throw command_error(opcode, subject, out, rc < 0 ? -rc : rc);
}

}  // namespace ringside::mlx5
