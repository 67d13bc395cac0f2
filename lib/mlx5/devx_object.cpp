// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/devx_object.hpp"

#include <infiniband/mlx5dv.h>

#include <cerrno>

namespace ringside::mlx5 {

namespace {

prm::Opcode opcode_of(const std::uint8_t* in) {
  return static_cast<prm::Opcode>(prm::get(in, prm::command_in::opcode));
}

}  // namespace

void DevxObject::Destroy::operator()(mlx5dv_devx_obj* object) const noexcept {
  mlx5dv_devx_obj_destroy(object);
}

void DevxObject::create(const Context& context, const std::uint8_t* in, std::size_t in_size,
                        std::uint8_t* out, std::size_t out_size) {
  object_.reset(mlx5dv_devx_obj_create(context.get(), in, in_size, out, out_size));
  if (object_ == nullptr) throw command_error(opcode_of(in), subject_, out, errno);
}

void DevxObject::change(const std::uint8_t* in, std::size_t in_size, std::uint8_t* out,
                        std::size_t out_size) {
  const int rc = mlx5dv_devx_obj_modify(object_.get(), in, in_size, out, out_size);
  if (rc != 0) throw command_error(opcode_of(in), subject_, out, rc < 0 ? -rc : rc);
}

void DevxObject::ask(const std::uint8_t* in, std::size_t in_size, std::uint8_t* out,
                     std::size_t out_size) const {
  const int rc = mlx5dv_devx_obj_query(object_.get(), in, in_size, out, out_size);
  if (rc != 0) throw command_error(opcode_of(in), subject_, out, rc < 0 ? -rc : rc);
}

}  // namespace ringside::mlx5
