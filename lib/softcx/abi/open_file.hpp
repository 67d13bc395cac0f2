// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the kernel keeps for an open device file: the objects that were made through it, and that go
// with it. Contexts that are imported by the file's descriptor share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// Something that an application made and may forget to free.
class FileResource {
 public:
  virtual ~FileResource() = default;
  /// Takes it out of the device. False: something still refers to it.
  virtual bool release() = 0;

 private:
  friend class OpenFile;
  std::uint64_t number_ = 0;  ///< the key of OpenFile::resources_
};

class OpenFile {
 public:
  explicit OpenFile(Device& device) : device_(device) {}
  /// Frees what was left, youngest first, as the kernel does.
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  Device& device() const { return device_; }

  /// Keeps `resource` until drop(). Returns it, for the caller to hand out.
  template <class T>
  T* keep(std::unique_ptr<T> resource) {
    const std::lock_guard lock(mutex_);
    T* const raw = resource.get();
    FileResource& base = *raw;
    base.number_ = next_number_++;
    resources_.emplace(base.number_, std::move(resource));
    return raw;
  }
  /// Forgets and frees it.
  void drop(const FileResource* resource);

  /// Protection domains by handle, for ibv_import_pd.
  std::uint32_t add_pd(std::uint32_t pdn);
  std::optional<std::uint32_t> find_pd(std::uint32_t handle);
  void remove_pd(std::uint32_t handle);

 private:
  Device& device_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<FileResource>> resources_;  ///< oldest first
  std::uint64_t next_number_ = 0;
  std::map<std::uint32_t, std::uint32_t> pds_;  ///< handle -> pdn
  std::uint32_t next_handle_ = 1;
};

}  // namespace softcx
