// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The opaque types of mlx5dv_dr_* are the handles of lib/softcx/steering by another name.
#pragma once

#include <infiniband/mlx5dv.h>

#include <cerrno>
#include <mutex>

#include "lib/softcx/abi/handles.hpp"
#include "lib/softcx/steering/refusal.hpp"
#include "lib/softcx/steering/steering.hpp"

namespace softcx {

inline SteeringDomain* of(mlx5dv_dr_domain* p) {
  return reinterpret_cast<SteeringDomain*>(p);
}
inline Table* of(mlx5dv_dr_table* p) {
  return reinterpret_cast<Table*>(p);
}
inline Matcher* of(mlx5dv_dr_matcher* p) {
  return reinterpret_cast<Matcher*>(p);
}
inline RuleHandle* of(mlx5dv_dr_rule* p) {
  return reinterpret_cast<RuleHandle*>(p);
}
inline Action* of(mlx5dv_dr_action* p) {
  return reinterpret_cast<Action*>(p);
}

/// The steering of a device: its classifier is nothing else.
inline Steering& steering_of(Device& device) {
  return static_cast<Steering&>(*device.classifier);
}

/// Runs a body that makes a handle. A refusal becomes nullptr and errno, as in rdma-core.
template <class Opaque, class Body>
Opaque* made(Body&& body) noexcept {
  return guarded<Opaque*>(nullptr, [&body]() -> Opaque* {
    try {
      return reinterpret_cast<Opaque*>(body());
    } catch (const Refusal& refusal) {
      log_line("steering: {}", refusal.what());
      errno = refusal.error_number;
      return nullptr;
    }
  });
}

/// Runs a body that frees a handle. A refusal becomes the errno value that is returned.
template <class Body>
int freed(Body&& body) noexcept {
  return guarded<int>(ENOMEM, [&body] {
    try {
      body();
      return 0;
    } catch (const Refusal& refusal) {
      log_line("steering: {}", refusal.what());
      return refusal.error_number;
    }
  });
}

using ControlLock = std::lock_guard<std::mutex>;

}  // namespace softcx
