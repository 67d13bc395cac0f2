// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Devices and contexts: list, open, import, close.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/softcx/abi/handles.hpp"
#include "lib/softcx/abi/nic.hpp"
#include "lib/softcx/abi/verbs_ops.hpp"

using namespace softcx;

namespace softcx {

Context& of(ibv_context* context) {
  auto* const verbs = reinterpret_cast<verbs_context*>(reinterpret_cast<char*>(context) -
                                                       offsetof(verbs_context, context));
  return *reinterpret_cast<Context*>(reinterpret_cast<char*>(verbs) - offsetof(Context, verbs));
}
const Context& of(const ibv_context* context) {
  return of(const_cast<ibv_context*>(context));
}

namespace {

struct DeviceEntry : ibv_device {
  Device* device = nullptr;
};

template <std::size_t kSize>
void copy_text(char (&to)[kSize], const std::string& from) {
  std::snprintf(to, kSize, "%s", from.c_str());
}

DeviceEntry make_entry(Device& device, const std::string& root) {
  DeviceEntry entry;
  entry.device = &device;
  entry.node_type = IBV_NODE_CA;
  entry.transport_type = IBV_TRANSPORT_IB;
  copy_text(entry.name, device.ibdev);
  copy_text(entry.dev_name, device.uverbs);
  copy_text(entry.dev_path, root + "/ib/" + device.uverbs);
  copy_text(entry.ibdev_path, root + "/ib/" + device.ibdev);
  return entry;
}

/// Live as long as the process, as pointers to devices outlive the list that they came in.
std::vector<DeviceEntry>& entries_of(const Nic& nic) {
  static std::vector<DeviceEntry>& entries = *new auto([&nic] {
    std::vector<DeviceEntry> made;
    for (const auto& device : nic.devices()) made.push_back(make_entry(*device, nic.root()));
    return made;
  }());
  return entries;
}

ibv_context* make_context(std::shared_ptr<OpenFile> file, ibv_device* device,
                          ringside::UniqueFd descriptor) {
  // No asynchronous event ever happens here, but it can be waited for.
  ringside::UniqueFd events(::eventfd(0, EFD_CLOEXEC));
  if (!events) {
    throw ringside::Error("no event descriptor, " + ringside::errno_text(errno),
                          "raise the limit of open files (ulimit -n)");
  }
  auto context = std::make_unique<Context>();
  context->file = std::move(file);
  verbs_context& verbs = context->verbs;
  verbs.sz = sizeof verbs;
  set_verbs_ops(verbs);
  verbs.context.device = device;
  verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  verbs.context.num_comp_vectors = 1;
  pthread_mutex_init(&verbs.context.mutex, nullptr);
  verbs.context.cmd_fd = descriptor.release();
  verbs.context.async_fd = events.release();
  return &context.release()->verbs.context;
}

ibv_context* open_context(ibv_device* device) {
  return guarded<ibv_context*>(nullptr, [&]() -> ibv_context* {
    Nic* const nic = Nic::get();
    if (nic == nullptr) return failed_with<ibv_context>(ENODEV);
    try {
      int descriptor = -1;
      auto file = nic->open(*static_cast<DeviceEntry*>(device)->device, descriptor);
      return make_context(std::move(file), device, ringside::UniqueFd(descriptor));
    } catch (const ringside::Error& error) {
      print_line(error.what());
      return failed_with<ibv_context>(EIO);
    }
  });
}

}  // namespace
}  // namespace softcx

ibv_device** ibv_get_device_list(int* num_devices) {
  if (num_devices != nullptr) *num_devices = 0;
  return guarded<ibv_device**>(nullptr, [&] {
    Nic* const nic = Nic::get();
    const std::size_t count = nic == nullptr ? 0 : entries_of(*nic).size();
    auto** const list = new ibv_device* [count + 1] {};
    for (std::size_t i = 0; i < count; ++i) list[i] = &entries_of(*nic)[i];
    if (num_devices != nullptr) *num_devices = static_cast<int>(count);
    return list;
  });
}

void ibv_free_device_list(ibv_device** list) {
  delete[] list;
}

const char* ibv_get_device_name(ibv_device* device) {
  return device->name;
}

__be64 ibv_get_device_guid(ibv_device* device) {
  return ringside::byte_swap(std::uint64_t{static_cast<DeviceEntry*>(device)->device->guid()});
}

bool mlx5dv_is_supported(ibv_device* device) {
  return static_cast<DeviceEntry*>(device)->device != nullptr;
}

ibv_context* ibv_open_device(ibv_device* device) {
  return open_context(device);
}

ibv_context* mlx5dv_open_device(ibv_device* device, mlx5dv_context_attr* attributes) {
  constexpr std::uint32_t kKnown = MLX5DV_CONTEXT_FLAGS_DEVX;
  if (attributes != nullptr && (attributes->flags & ~kKnown) != 0) {
    return failed_with<ibv_context>(EOPNOTSUPP);
  }
  return open_context(device);
}

ibv_context* ibv_import_device(int cmd_fd) {
  return guarded<ibv_context*>(nullptr, [&]() -> ibv_context* {
    Nic* const nic = Nic::get();
    if (nic == nullptr) return failed_with<ibv_context>(ENODEV);
    std::shared_ptr<OpenFile> file = nic->find_file(cmd_fd);
    if (file == nullptr) return failed_with<ibv_context>(EINVAL);
    ibv_device* const device = &entries_of(*nic).at(file->device().index);
    // The descriptor is the context's from now on, as in libibverbs.
    return make_context(std::move(file), device, ringside::UniqueFd(cmd_fd));
  });
}

int ibv_close_device(ibv_context* context) {
  std::unique_ptr<Context> owned(&of(context));
  free_shared_uar(*owned);
  ::close(context->cmd_fd);
  ::close(context->async_fd);
  pthread_mutex_destroy(&context->mutex);
  return 0;
}
