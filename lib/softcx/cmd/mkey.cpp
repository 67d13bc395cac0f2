// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory keys made by command: over a umem, or over a part of another key. (ibv_reg_mr makes keys
// of its own without a command.)
#include "lib/mlx5/format/prm_mkey.hpp"

#include <tuple>

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {
namespace {

using prm::MkeyAccessMode;
using prm::Status;
namespace create_in = prm::create_mkey_in;
namespace mkc = prm::mkc;
namespace klm = prm::klm;

constexpr prm::Context kMkc = create_in::memory_key_mkey_entry;

/// `length` bytes at `offset` of memory that the key's rights must not exceed.
Memory part_of(const Memory& whole, std::uint64_t offset, std::uint64_t length, bool local_write,
               bool whole_local_write, const char* kind) {
  if (offset > whole.length || length > whole.length - offset) {
    refuse(Status::kBadParameter, Rule::kKeyOutsideMemory, "mkey: {} bytes at {:#x} of a {} of {}",
           length, offset, kind, whole.length);
  }
  if (local_write && !whole_local_write) {
    refuse(Status::kBadParameter, Rule::kKeyRightsAboveMemory,
           "mkey: local write over a {} without it", kind);
  }
  return {whole.base + offset, length, nullptr, 0, whole.copy_engine};
}

void set_umem(const Command& command, Mkey& key) {
  Umem& umem = find_umem(command.device(), command.get(create_in::mkey_umem_id));
  key.memory = part_of(umem.memory, command.get(create_in::mkey_umem_offset),
                       command.get(kMkc / mkc::len), key.local_write, umem.local_write, "umem");
  key.umem = &umem;
}

constexpr prm::Context entry_at(std::uint32_t i) {
  return {static_cast<std::uint32_t>(create_in::kSize + i * klm::kSize), klm::kSize};
}

/// The list's only entry; the PMD pads it with empty ones.
prm::Context only_entry(const Command& command) {
  const std::uint32_t entries = command.get(create_in::translations_octword_actual_size);
  command.require_in(create_in::kSize + std::uint64_t{entries} * klm::kSize);
  std::uint32_t used = 0;
  for (std::uint32_t i = 0; i < entries; ++i) {
    if (command.get(entry_at(i) / klm::byte_count) != 0) ++used;
  }
  if (used != 1) {
    refuse(Status::kBadParameter, Rule::kAccessModeUnsupported,
           "mkey: a list of {} parts of keys, only 1 is supported", used);
  }
  return entry_at(0);
}

void set_parent(const Command& command, Mkey& key) {
  const prm::Context entry = only_entry(command);
  const std::uint32_t lkey = command.get(entry / klm::mkey);
  Mkey* const parent = command.device().mkey_at(lkey >> 8);
  if (parent == nullptr || parent->lkey != lkey || parent->pdn != key.pdn) {
    refuse(Status::kBadResource, Rule::kNoSuchMkey, "mkey: no key {:#x} in the same domain", lkey);
  }
  const std::uint64_t bytes = command.get(entry / klm::byte_count);
  const std::uint64_t length = command.get(kMkc / mkc::len);
  if (length > bytes) {
    refuse(Status::kBadParameter, Rule::kKeyOutsideMemory, "mkey: {} bytes over a list of {}",
           length, bytes);
  }
  key.memory = part_of(parent->memory, command.get(entry / klm::address) - parent->iova, length,
                       key.local_write, parent->local_write, "key");
  key.parent = parent;
}

}  // namespace

void create_mkey(Command& command) {
  Device& device = command.device();
  const std::uint32_t mode =
      command.get(kMkc / mkc::access_mode_1_0) | command.get(kMkc / mkc::access_mode_4_2) << 2;
  auto key = std::make_unique<Mkey>();
  key->lkey = command.get(kMkc / mkc::mkey_7_0);
  key->pdn = command.get(kMkc / mkc::pd);
  key->iova = command.get(kMkc / mkc::start_addr);
  key->local_write = command.get(kMkc / mkc::lw) != 0;
  Domain& pd = find_pd(device, key->pdn);
  switch (static_cast<MkeyAccessMode>(mode)) {
    case MkeyAccessMode::kMtt:
      set_umem(command, *key);
      break;
    case MkeyAccessMode::kKlm:
      set_parent(command, *key);
      break;
    default:
      refuse(Status::kBadParameter, Rule::kAccessModeUnsupported,
             "mkey: access mode {:#x}, MTT (1) and KLM (2) are there", mode);
  }

  Umem* const umem = key->umem;
  Mkey* const parent = key->parent;
  const std::uint32_t lkey = device.add_mkey(std::move(key));
  if (lkey == 0) {
    refuse(Status::kNoResources, Rule::kTableFull, "mkey: all {} are in use", kMaxMkeys);
  }
  if (umem != nullptr) ++umem->references;
  if (parent != nullptr) ++parent->references;
  ++pd.references;
  command.set(prm::create_mkey_out::mkey_index, lkey >> 8);
}

void destroy_mkey(Command& command) {
  Device& device = command.device();
  const std::uint32_t index = command.get(prm::command_in::object_id);
  const Mkey* const key = device.mkey_at(index);
  if (key == nullptr) {
    refuse(Status::kBadResource, Rule::kNoSuchMkey, "no mkey of index {:#x}", index);
  }
  refuse_if_referenced(key->references, "mkey", key->lkey);
  const auto [umem, parent, pdn] = std::tuple(key->umem, key->parent, key->pdn);
  device.remove_mkey(key->lkey);
  if (umem != nullptr) --umem->references;
  if (parent != nullptr) --parent->references;
  --device.pds.at(pdn).references;
}

}  // namespace softcx
