// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// An mlx5 device opened for DevX, by PCI address. Several ports of one runtime have one each.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "lib/mlx5/command_error.hpp"
#include "lib/mlx5/format/prm_command.hpp"

namespace ringside::mlx5 {

class Context {
 public:
  /// `pci_address`: domain:bus:device.function in full, lower case. Throws usage errors: no verbs
  /// device at that address, or one that is not mlx5; Error when it cannot be opened.
  static Context open(std::string_view pci_address);

  ibv_context* get() const noexcept { return context_.get(); }
  const std::string& pci_address() const noexcept { return pci_address_; }
  /// Name of the verbs device, e.g. mlx5_0.
  std::string_view name() const noexcept;
  /// A function of an SR-IOV device that a host gives away. Throws Error.
  bool is_virtual_function() const;
  /// Event queue that completion queues are bound to.
  std::uint32_t event_queue() const;

  /// A command that makes no object. `in` has its opcode set. Throws Error.
  template <std::size_t kIn, std::size_t kOut>
  void execute(std::string_view subject, const prm::Mailbox<kIn>& in,
               prm::Mailbox<kOut>& out) const {
    execute(subject, in.data(), kIn, out.data(), kOut);
  }

 private:
  struct Close {
    void operator()(ibv_context* context) const noexcept { ibv_close_device(context); }
  };
  Context(ibv_context* context, std::string_view pci_address)
      : context_(context), pci_address_(pci_address) {}
  void execute(std::string_view subject, const std::uint8_t* in, std::size_t in_size,
               std::uint8_t* out, std::size_t out_size) const;

  std::unique_ptr<ibv_context, Close> context_;
  std::string pci_address_;
};

/// PCI address of a verbs device by its sysfs folder; empty when it is no PCI device.
std::string pci_address_of(const std::string& ibdev_path);

}  // namespace ringside::mlx5
