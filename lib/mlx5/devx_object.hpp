// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What all DevX objects have in common: made by one command, changed and asked by others, destroyed
// with their handle. The firmware refuses to destroy what others refer to, so owners declare
// objects in creation order.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/mlx5/context.hpp"

struct mlx5dv_devx_obj;

namespace ringside::mlx5 {

class DevxObject {
 public:
  /// `subject` names the object in errors, e.g. "receive queue of 1024". Throws Error.
  template <std::size_t kIn, std::size_t kOut>
  DevxObject(const Context& context, std::string subject, const prm::Mailbox<kIn>& in,
             prm::Mailbox<kOut>& out)
      : subject_(std::move(subject)) {
    create(context, in.data(), kIn, out.data(), kOut);
  }
  DevxObject(DevxObject&&) noexcept = default;
  DevxObject& operator=(DevxObject&&) noexcept = default;

  template <std::size_t kIn, std::size_t kOut>
  void modify(const prm::Mailbox<kIn>& in, prm::Mailbox<kOut>& out) {
    change(in.data(), kIn, out.data(), kOut);
  }
  template <std::size_t kIn, std::size_t kOut>
  void query(const prm::Mailbox<kIn>& in, prm::Mailbox<kOut>& out) const {
    ask(in.data(), kIn, out.data(), kOut);
  }

 private:
  struct Destroy {
    void operator()(mlx5dv_devx_obj* object) const noexcept;
  };
  void create(const Context& context, const std::uint8_t* in, std::size_t in_size,
              std::uint8_t* out, std::size_t out_size);
  void change(const std::uint8_t* in, std::size_t in_size, std::uint8_t* out, std::size_t out_size);
  void ask(const std::uint8_t* in, std::size_t in_size, std::uint8_t* out,
           std::size_t out_size) const;

  std::string subject_;
  std::unique_ptr<mlx5dv_devx_obj, Destroy> object_;
};

/// A zeroed command with its opcode.
template <std::size_t kSize>
prm::Mailbox<kSize> command(prm::Opcode opcode) {
  prm::Mailbox<kSize> in;
  in.set(prm::command_in::opcode, static_cast<std::uint32_t>(opcode));
  return in;
}

}  // namespace ringside::mlx5
