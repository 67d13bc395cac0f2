// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// GDRCopy, which maps a GPU's memory to the CPU: its library and kernel module, found at run time.
// No distribution has them, so neither has the build its header; the ABI is that of gdrapi.h 2.x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ringside {

class GdrCopy {
 public:
  static constexpr const char* kLibrary = "libgdrapi.so.2";

  /// nullptr: `why` says what is missing.
  static std::unique_ptr<GdrCopy> open(const char* library, std::string& why);
  /// What is still mapped is unmapped.
  ~GdrCopy();
  GdrCopy(const GdrCopy&) = delete;
  GdrCopy& operator=(const GdrCopy&) = delete;

  /// Of device memory, which may share no 64 KiB page with what is mapped already. Returns 0,
  /// -EEXIST for such an address, or -EPERM where the GPU's driver refuses.
  int map(std::uintptr_t address, std::size_t size, void** cpu_address);
  /// `address`: of the device. -ENOENT: it is not mapped.
  int unmap(std::uintptr_t address);

 private:
  struct Gdr;
  struct Handle {
    unsigned long value;
  };
  struct Calls {
    Gdr* (*open)();
    int (*close)(Gdr*);
    int (*pin_buffer)(Gdr*, unsigned long address, std::size_t size, std::uint64_t token,
                      std::uint32_t va_space, Handle*);
    int (*unpin_buffer)(Gdr*, Handle);
    int (*map)(Gdr*, Handle, void** cpu_address, std::size_t size);
    int (*unmap)(Gdr*, Handle, void* cpu_address, std::size_t size);
  };
  struct Mapped {
    std::uintptr_t address;  ///< that was asked for
    Handle handle;
    void* cpu_page;
    std::size_t size;
  };
  using MappedPages = std::map<std::uintptr_t, Mapped>;  // by their first page

  GdrCopy(void* library, const Calls& calls, Gdr* gdr)
      : library_(library), calls_(calls), gdr_(gdr) {}
  void give_back(const Mapped& mapped) noexcept;

  void* library_;
  Calls calls_;
  Gdr* gdr_;
  MappedPages mapped_;
};

}  // namespace ringside
