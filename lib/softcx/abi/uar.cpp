// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Doorbell pages, shared as rdma-core shares them: all callers of a context that ask for a
// non-cached page get the same one.
#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/abi/handles.hpp"
#include "lib/softcx/nic/uar_table.hpp"

using namespace softcx;

namespace {

/// A page that only the caller has (rdma-core 45 and later; its header's constant is newer than
/// Debian 12's).
constexpr std::uint32_t kNonCachedDedicated = 1U << 31;

struct UarHandle final : mlx5dv_devx_uar, FileResource {
  OpenFile* file = nullptr;
  bool shared = false;

  bool release() override {
    Device& device = file->device();
    const std::lock_guard lock(device.control());
    return remove_uar(device, page_id);
  }
};

UarHandle* make_uar(OpenFile& file, bool shared) {
  Device& device = file.device();
  auto handle = std::make_unique<UarHandle>();
  handle->file = &file;
  handle->shared = shared;
  {
    const std::lock_guard lock(device.control());
    const Uar* const uar = add_uar(device);
    if (uar == nullptr) return failed_with<UarHandle>(ENOMEM);
    handle->page_id = uar->page_id;
    handle->base_addr = uar->page;
    handle->reg_addr = uar->page + ringside::kUarDoorbellOffset;
  }
  return file.keep(std::move(handle));
}

void report_freed_in_use(Device& device, std::uint32_t page_id) {
  const auto [send_queues, completion_queues] = [&] {
    const std::lock_guard lock(device.control());
    const Uar& uar = *device.uar_pages.at(page_id);
    const auto* const queues = uar.send_queues.load(std::memory_order_relaxed);
    return std::pair(queues != nullptr ? queues->size() : 0, uar.references);
  }();
  report_broken(RuleId::kUarFreedInUse, object_name(device, "UAR page", page_id),
                fmt::format("freed with {} send queues and {} completion queues that name it",
                            send_queues, completion_queues));
}

}  // namespace

void softcx::free_shared_uar(Context& context) {
  auto* const handle = static_cast<UarHandle*>(context.shared_uar);
  if (handle != nullptr && handle->release()) handle->file->drop(handle);
}

mlx5dv_devx_uar* mlx5dv_devx_alloc_uar(ibv_context* context, std::uint32_t flags) {
  return guarded<mlx5dv_devx_uar*>(nullptr, [&]() -> mlx5dv_devx_uar* {
    Context& opened = of(context);
    switch (flags) {
      case MLX5DV_UAR_ALLOC_TYPE_BF:
        if (opened.file->device().fault(FaultKind::kNoBlueFlame) != nullptr) {
          return failed_with<mlx5dv_devx_uar>(EOPNOTSUPP);
        }
        [[fallthrough]];
      case kNonCachedDedicated:
        return make_uar(*opened.file, false);
      case MLX5DV_UAR_ALLOC_TYPE_NC: {
        const std::lock_guard lock(opened.mutex);
        if (opened.shared_uar == nullptr) opened.shared_uar = make_uar(*opened.file, true);
        return opened.shared_uar;
      }
      default:
        return failed_with<mlx5dv_devx_uar>(EOPNOTSUPP);
    }
  });
}

void mlx5dv_devx_free_uar(mlx5dv_devx_uar* uar) {
  auto* const handle = static_cast<UarHandle*>(uar);
  if (handle->shared) return;  // other callers have it too
  if (handle->release()) {
    handle->file->drop(handle);
  } else {
    report_freed_in_use(handle->file->device(), handle->page_id);
  }
}
