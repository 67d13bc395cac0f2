// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Stands in for libgdrapi.so.2: "device memory" is wherever it is told to be, and shows up as
// zeroed memory of the process.
#include <sys/mman.h>

#include <map>

#include "tests/unit/fake_gdrapi.hpp"

namespace {

constexpr std::size_t kGpuPage = 65536;

struct Pinned {
  std::size_t size;
  void* va;
};

ringside::test::FakeGdr state;
std::map<unsigned long, Pinned> pinned;
unsigned long last_handle = 0;

struct Handle {
  unsigned long h;
};

bool wrong(bool is_wrong) {
  if (is_wrong) ++state.wrong_calls;
  return is_wrong;
}

}  // namespace

extern "C" {

ringside::test::FakeGdr* fake_gdr_state() {
  return &state;
}

void* gdr_open() {
  if (state.no_driver) return nullptr;
  ++state.opened;
  return &state;
}

int gdr_close(void*) {
  wrong(!pinned.empty());
  --state.opened;
  return 0;
}

int gdr_pin_buffer(void*, unsigned long address, std::size_t size, std::uint64_t, std::uint32_t,
                   Handle* handle) {
  if (state.refuses_pin) return 12;
  if (wrong(address % kGpuPage != 0 || size % kGpuPage != 0 || size == 0)) return 22;
  handle->h = ++last_handle;
  pinned[last_handle] = {size, nullptr};
  ++state.pinned;
  return 0;
}

int gdr_unpin_buffer(void*, Handle handle) {
  const auto found = pinned.find(handle.h);
  if (wrong(found == pinned.end() || found->second.va != nullptr)) return 22;
  pinned.erase(found);
  --state.pinned;
  return 0;
}

int gdr_map(void*, Handle handle, void** va, std::size_t size) {
  const auto found = pinned.find(handle.h);
  if (state.refuses_map) return 11;
  if (wrong(found == pinned.end() || found->second.size != size)) return 22;
  *va = found->second.va =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ++state.mapped;
  return 0;
}

int gdr_unmap(void*, Handle handle, void* va, std::size_t size) {
  const auto found = pinned.find(handle.h);
  if (wrong(found == pinned.end() || found->second.va != va || found->second.size != size)) {
    return 22;
  }
  ::munmap(va, size);
  found->second.va = nullptr;
  --state.mapped;
  return 0;
}

}  // extern "C"
