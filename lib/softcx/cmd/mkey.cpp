// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory keys made by command: over a umem, or over a part of another key. (ibv_reg_mr makes keys
// of its own without a command.)
#include "lib/mlx5/format/prm_mkey.hpp"

#include <tuple>

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/lookup.hpp"
#include "lib/softcx/cmd/unsupported.hpp"

namespace softcx {
namespace {

using prm::MkeyAccessMode;
namespace create_in = prm::create_mkey_in;
namespace mkc = prm::mkc;
namespace klm = prm::klm;

constexpr prm::Context kMkc = create_in::memory_key_mkey_entry;
constexpr std::uint32_t kLogAdapterPage = 12;
constexpr std::uint32_t kAnyQueuePair = mkc::qpn.max();
constexpr std::uint32_t kPagesPerOctword = 2;  ///< an MTT entry has 8 bytes

constexpr Unsupported kUnsupported[] = {
    {mkc::free, "a key that UMR fills in"},
    {mkc::umr_en, "UMR"},
    {mkc::a, "atomic access"},
    {mkc::bsf_en, "a signature (BSF)"},
    {mkc::length64, "a key over the whole address space"},
    {mkc::en_rinval, "remote invalidation"},
    {mkc::relaxed_ordering_read, "relaxed ordering of reads"},
    {mkc::relaxed_ordering_write, "relaxed ordering of writes"},
};

void check_context(const Command& command) {
  refuse_unsupported(command, "mkey", kMkc, kUnsupported);
  const std::uint32_t qpn = command.get(kMkc / mkc::qpn);
  if (qpn != kAnyQueuePair) {
    refuse(Rule::kKeyOfQueuePair, "mkey: qpn {:#x}, there are no QPs to bind it to but any ({:#x})",
           qpn, kAnyQueuePair);
  }
  if (command.get(kMkc / mkc::rw) != 0 && command.get(kMkc / mkc::lw) == 0) {
    refuse(Rule::kKeyRemoteWriteAlone, "mkey: remote without local write");
  }
  const std::uint64_t length = command.get(kMkc / mkc::len);
  if (length > std::uint64_t{1} << kLogMaxKeyBytes) {
    refuse(Rule::kSizeAboveLimit, "mkey: {} bytes, 1 << {} at most", length, kLogMaxKeyBytes);
  }
  const std::uint32_t room = command.get(kMkc / mkc::translations_octword_size);
  const std::uint32_t used = command.get(create_in::translations_octword_actual_size);
  if (used > room) {
    refuse(Rule::kKeyTranslationTooShort,
           "mkey: a translation of {} octwords, its key has room for {}", used, room);
  }
}

/// The pages of a key over a umem, each with an entry in the key's translation; a command that
/// tells neither leaves both to the umem, as rdma-core's test of CUDA umems does.
void check_pages(const Command& command) {
  const std::uint32_t log_page = command.get(kMkc / mkc::log_page_size);
  const bool told = log_page != 0 || command.get(kMkc / mkc::translations_octword_size) != 0;
  if (!told) return;
  if (log_page < kLogAdapterPage) {
    refuse(Rule::kKeyPageSize, "mkey: pages of 1 << {} bytes, 1 << {} at least", log_page,
           kLogAdapterPage);
  }
  const std::uint64_t page = std::uint64_t{1} << log_page;
  const std::uint64_t in_page = command.get(kMkc / mkc::start_addr) & (page - 1);
  const std::uint64_t pages = (in_page + command.get(kMkc / mkc::len) + page - 1) >> log_page;
  const std::uint64_t entries =
      std::uint64_t{kPagesPerOctword} * command.get(create_in::translations_octword_actual_size);
  if (pages > entries) {
    refuse(Rule::kKeyTranslationTooShort, "mkey: {} pages, the translation has {} entries", pages,
           entries);
  }
}

/// `length` bytes at `offset` of memory that the key's rights must not exceed.
Memory part_of(const Memory& whole, std::uint64_t offset, std::uint64_t length, bool local_write,
               bool whole_local_write, const char* kind) {
  if (offset > whole.length || length > whole.length - offset) {
    refuse(Rule::kKeyOutsideMemory, "mkey: {} bytes at {:#x} of a {} of {}", length, offset, kind,
           whole.length);
  }
  if (local_write && !whole_local_write) {
    refuse(Rule::kKeyRightsAboveMemory, "mkey: local write over a {} without it", kind);
  }
  const std::uint64_t origin = whole.origin != 0 ? whole.origin + offset : 0;
  return {whole.base + offset, length, nullptr, 0, whole.copy_engine, origin, whole.home};
}

void set_umem(const Command& command, Mkey& key) {
  check_pages(command);
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
    refuse(Rule::kAccessModeUnsupported, "mkey: a list of {} parts of keys, only 1 is supported",
           used);
  }
  return entry_at(0);
}

void set_parent(const Command& command, Mkey& key) {
  const prm::Context entry = only_entry(command);
  const std::uint32_t lkey = command.get(entry / klm::mkey);
  Mkey* const parent = command.device().mkey_at(lkey >> 8);
  if (parent == nullptr || parent->lkey != lkey || parent->pdn != key.pdn) {
    refuse(Rule::kNoSuchMkey, "mkey: no key {:#x} in the same domain", lkey);
  }
  const std::uint64_t bytes = command.get(entry / klm::byte_count);
  const std::uint64_t length = command.get(kMkc / mkc::len);
  if (length > bytes) {
    refuse(Rule::kKeyOutsideMemory, "mkey: {} bytes over a list of {}", length, bytes);
  }
  if (key.local_read && !parent->local_read) {
    refuse(Rule::kKeyRightsAboveMemory, "mkey: local read over a key without it");
  }
  key.memory = part_of(parent->memory, command.get(entry / klm::address) - parent->iova, length,
                       key.local_write, parent->local_write, "key");
  key.parent = parent;
}

}  // namespace

void create_mkey(Command& command) {
  Device& device = command.device();
  check_context(command);
  const std::uint32_t mode =
      command.get(kMkc / mkc::access_mode_1_0) | command.get(kMkc / mkc::access_mode_4_2) << 2;
  auto key = std::make_unique<Mkey>();
  key->lkey = command.get(kMkc / mkc::mkey_7_0);
  key->pdn = command.get(kMkc / mkc::pd);
  key->iova = command.get(kMkc / mkc::start_addr);
  key->local_write = command.get(kMkc / mkc::lw) != 0;
  key->local_read = command.get(kMkc / mkc::lr) != 0;
  Domain& pd = find_pd(device, key->pdn);
  switch (static_cast<MkeyAccessMode>(mode)) {
    case MkeyAccessMode::kMtt:
      set_umem(command, *key);
      break;
    case MkeyAccessMode::kKlm:
      set_parent(command, *key);
      break;
    default:
      refuse(Rule::kAccessModeUnsupported, "mkey: access mode {:#x}, MTT (1) and KLM (2) are there",
             mode);
  }

  Umem* const umem = key->umem;
  Mkey* const parent = key->parent;
  const std::uint32_t lkey = device.add_mkey(std::move(key));
  if (lkey == 0) {
    refuse(Rule::kTableFull, "mkey: all {} are in use", kMaxMkeys);
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
    refuse(Rule::kNoSuchMkey, "no mkey of index {:#x}", index);
  }
  refuse_if_referenced(key->references, "mkey", key->lkey);
  const auto [umem, parent, pdn] = std::tuple(key->umem, key->parent, key->pdn);
  device.remove_mkey(key->lkey);
  if (umem != nullptr) --umem->references;
  if (parent != nullptr) --parent->references;
  --device.pds.at(pdn).references;
}

}  // namespace softcx
