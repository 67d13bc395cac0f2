// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the opaque pointers of mlx5dv_dr_* lead to: handles of lib/softcx/steering, kept by the open
// file that they were made through, so that closing it leaves no rule behind.
#pragma once

#include <infiniband/mlx5dv.h>

#include <cerrno>
#include <mutex>
#include <type_traits>

#include "lib/softcx/abi/handles.hpp"
#include "lib/softcx/steering/refusal.hpp"
#include "lib/softcx/steering/steering.hpp"

namespace softcx {

using ControlLock = std::lock_guard<std::mutex>;

/// The steering of a device: its classifier is nothing else.
inline Steering& steering_of(Device& device) {
  return static_cast<Steering&>(*device.classifier);
}

/// Runs a body that frees a handle. A refusal becomes the errno value that is returned.
template <class Body>
int freed(Body&& body) noexcept {
  return guarded<int>(ENOMEM, [&body] {
    try {
      body();
      return 0;
    } catch (const Refusal& refusal) {
      log_line("steering refused by {}: {}", refusal.rule.name, refusal.what());
      return refusal.rule.error_number;
    }
  });
}

template <class Object>
struct DrHandle final : FileResource {
  DrHandle(OpenFile* file_in, Object* object_in) : file(file_in), object(object_in) {}

  OpenFile* const file;  ///< null: a plain action, which belongs to no device
  Object* const object;

  /// 0, or the errno value of the refusal.
  int free_object() {
    return freed([this] {
      if constexpr (std::is_same_v<Object, Action>) {
        if (file == nullptr) return Steering::destroy(object);
      }
      const ControlLock lock(file->device().control());
      steering_of(file->device()).destroy(object);
    });
  }
  bool release() override { return free_object() == 0; }
};

using DomainHandle = DrHandle<SteeringDomain>;
using TableHandle = DrHandle<Table>;
using MatcherHandle = DrHandle<Matcher>;
using RuleOfFile = DrHandle<RuleHandle>;
using ActionHandle = DrHandle<Action>;

inline DomainHandle& of(mlx5dv_dr_domain* p) {
  return *reinterpret_cast<DomainHandle*>(p);
}
inline TableHandle& of(mlx5dv_dr_table* p) {
  return *reinterpret_cast<TableHandle*>(p);
}
inline MatcherHandle& of(mlx5dv_dr_matcher* p) {
  return *reinterpret_cast<MatcherHandle*>(p);
}
inline RuleOfFile& of(mlx5dv_dr_rule* p) {
  return *reinterpret_cast<RuleOfFile*>(p);
}
inline ActionHandle& of(mlx5dv_dr_action* p) {
  return *reinterpret_cast<ActionHandle*>(p);
}

/// Runs a body that makes something. A refusal becomes nullptr and errno, as in rdma-core.
template <class Opaque, class Body>
Opaque* made(Body&& body) noexcept {
  return guarded<Opaque*>(nullptr, [&body]() -> Opaque* {
    try {
      return reinterpret_cast<Opaque*>(body());
    } catch (const Refusal& refusal) {
      log_line("steering refused by {}: {}", refusal.rule.name, refusal.what());
      errno = refusal.rule.error_number;
      return nullptr;
    }
  });
}

/// Runs a body that makes an object of steering, under the lock of the file's device, and keeps
/// that in the file.
template <class Opaque, class Body>
Opaque* made_in(OpenFile& file, Body&& body) noexcept {
  return made<Opaque>([&] {
    const auto make = [&] {
      const ControlLock lock(file.device().control());
      auto* const object = body(steering_of(file.device()));
      return std::make_unique<DrHandle<std::remove_pointer_t<decltype(object)>>>(&file, object);
    };
    return file.keep(make());
  });
}

template <class Object>
int destroyed(DrHandle<Object>& handle) noexcept {
  const int error = handle.free_object();
  if (error != 0) return error;
  if (handle.file != nullptr) {
    handle.file->drop(&handle);
  } else {
    delete &handle;
  }
  return 0;
}

}  // namespace softcx
