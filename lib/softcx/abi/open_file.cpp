// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/abi/open_file.hpp"

#include <algorithm>

#include "lib/softcx/cmd/execute.hpp"
#include "lib/softcx/nic/log.hpp"

namespace softcx {

OpenFile::~OpenFile() {
  // Rounds: an older object may refer to a younger one after a modify.
  bool progress = true;
  while (!resources_.empty() && progress) {
    progress = false;
    for (std::size_t i = resources_.size(); i-- > 0;) {
      if (!resources_[i]->release()) continue;
      resources_.erase(resources_.begin() + static_cast<std::ptrdiff_t>(i));
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
  // From the end: what is freed is mostly young.
  const auto found =
      std::find_if(resources_.rbegin(), resources_.rend(),
                   [resource](const auto& entry) { return entry.get() == resource; });
  if (found != resources_.rend()) resources_.erase(std::next(found).base());
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
