// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory keys made by command: over a umem. (ibv_reg_mr makes them without one.)
#include "lib/mlx5/format/prm_mkey.hpp"

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {
namespace {

using prm::Status;
namespace create_in = prm::create_mkey_in;
namespace mkc = prm::mkc;

constexpr prm::Context kMkc = create_in::memory_key_mkey_entry;

}  // namespace

void create_mkey(Command& command) {
  Device& device = command.device();
  const std::uint32_t mode =
      command.get(kMkc / mkc::access_mode_1_0) | command.get(kMkc / mkc::access_mode_4_2) << 2;
  if (mode != static_cast<std::uint32_t>(prm::MkeyAccessMode::kMtt)) {
    refuse(Status::kBadParameter, Rule::kAccessModeUnsupported,
           "mkey: access mode {:#x}, only MTT (1) is there", mode);
  }
  const std::uint32_t pdn = command.get(kMkc / mkc::pd);
  Domain& pd = find_pd(device, pdn);
  Umem& umem = find_umem(device, command.get(create_in::mkey_umem_id));
  const std::uint64_t offset = command.get(create_in::mkey_umem_offset);
  const std::uint64_t length = command.get(kMkc / mkc::len);
  if (offset > umem.memory.length || length > umem.memory.length - offset) {
    refuse(Status::kBadParameter, Rule::kKeyOutsideUmem,
           "mkey: {} bytes at {:#x} of a umem of {} bytes", length, offset, umem.memory.length);
  }
  const bool local_write = command.get(kMkc / mkc::lw) != 0;
  if (local_write && !umem.local_write) {
    refuse(Status::kBadParameter, Rule::kKeyRightsAboveUmem,
           "mkey: local write over a umem without it");
  }

  auto key = std::make_unique<Mkey>();
  key->lkey = command.get(kMkc / mkc::mkey_7_0);
  key->pdn = pdn;
  key->iova = command.get(kMkc / mkc::start_addr);
  key->local_write = local_write;
  key->memory = {umem.memory.base + offset, length, nullptr, 0};
  key->umem = &umem;
  const std::uint32_t lkey = device.add_mkey(std::move(key));
  if (lkey == 0) {
    refuse(Status::kNoResources, Rule::kTableFull, "mkey: all {} are in use", kMaxMkeys);
  }
  ++umem.references;
  ++pd.references;
  command.set(prm::create_mkey_out::mkey_index, lkey >> 8);
}

void destroy_mkey(Command& command) {
  Device& device = command.device();
  const std::uint32_t index = command.get(prm::command_in::object_id);
  const Mkey* key = device.mkey_at(index);
  if (key == nullptr) {
    refuse(Status::kBadResource, Rule::kNoSuchMkey, "no mkey of index {:#x}", index);
  }
  Umem* const umem = key->umem;
  const std::uint32_t pdn = key->pdn;
  device.remove_mkey(key->lkey);
  if (umem != nullptr) --umem->references;
  --device.pds.at(pdn).references;
}

}  // namespace softcx
