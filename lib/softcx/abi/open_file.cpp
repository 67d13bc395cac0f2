// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/abi/open_file.hpp"

#include "lib/softcx/cmd/execute.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {

OpenFile::~OpenFile() {
  // Rounds: an older object may refer to a younger one after a modify.
  bool progress = true;
  while (!resources_.empty() && progress) {
    progress = false;
    for (auto next = resources_.end(); next != resources_.begin();) {
      --next;
      if (!next->second->release()) continue;
      next = resources_.erase(next);
      progress = true;
    }
  }
  if (!resources_.empty()) {
    log_line("{}: {} objects could not be freed at close, others refer to them", device_.ibdev,
             resources_.size());
  }
  for (const auto& [handle, pdn] : pds_) destroy(device_, ObjectKind::kPd, pdn);
}

void OpenFile::drop(const FileResource* resource) {
  const std::lock_guard lock(mutex_);
  resources_.erase(resource->number_);
}

std::uint32_t OpenFile::add_pd(std::uint32_t pdn) {
  const std::lock_guard lock(mutex_);
  pds_.emplace(next_handle_, pdn);
  return next_handle_++;
}

std::optional<std::uint32_t> OpenFile::find_pd(std::uint32_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = pds_.find(handle);
  return found == pds_.end() ? std::nullopt : std::optional(found->second);
}

void OpenFile::remove_pd(std::uint32_t handle) {
  const std::lock_guard lock(mutex_);
  pds_.erase(handle);
}

}  // namespace softcx
