// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the pointers of the verbs ABI lead to: contexts, protection domains and DevX objects.
#pragma once

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>

#include "lib/softcx/abi/open_file.hpp"
#include "lib/softcx/cmd/object_kind.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {

/// verbs_context ends with the ibv_context that callers see, and libibverbs' inline functions find
/// the rest in front of it. Ours goes in front of that again.
struct Context {
  std::shared_ptr<OpenFile> file;
  /// Doorbell page of all callers that ask for a non-cached one, as in rdma-core. Goes with the
  /// context, or with the open file where queues of that ring on it still.
  mlx5dv_devx_uar* shared_uar = nullptr;
  std::mutex mutex;  ///< guards shared_uar
  verbs_context verbs{};
};

Context& of(ibv_context* context);
const Context& of(const ibv_context* context);
inline OpenFile& file_of(const ibv_context* context) {
  return *of(context).file;
}
/// The device that `context` was opened on.
inline Device& device_of(const ibv_context* context) {
  return file_of(context).device();
}

/// Frees the context's shared doorbell page, if it has one and no queue rings on it.
void free_shared_uar(Context& context);

struct PdHandle : ibv_pd {
  std::uint32_t pdn = 0;
  bool imported = false;
};
inline PdHandle& of(ibv_pd* pd) {
  return *static_cast<PdHandle*>(pd);
}

/// Runs a body that returns T; what it throws becomes `failed`, with errno ENOMEM, and a log line.
/// No exception may leave a C function.
template <class T, class Body>
T guarded(T failed, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    log_line("{}", error.what());
    errno = ENOMEM;
    return failed;
  }
}

/// For functions that return a pointer: nullptr with errno set.
template <class T>
T* failed_with(int error_number) {
  errno = error_number;
  return nullptr;
}

}  // namespace softcx

/// The type that mlx5dv.h leaves incomplete. `id` is an object of `device`: with kind kTir a key of
/// Device::tirs, with kFlowCounter of Device::flow_counters. Valid until mlx5dv_devx_obj_destroy,
/// which is refused while the object has references.
struct mlx5dv_devx_obj final : softcx::FileResource {
  softcx::OpenFile* file = nullptr;
  softcx::Device* device = nullptr;
  softcx::ObjectKind kind = softcx::ObjectKind::kPd;
  std::uint32_t id = 0;

  bool release() override;
};
