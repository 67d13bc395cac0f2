// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/device.hpp"

#include <utility>

#include "lib/softcx/nic/memory_view.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"

namespace softcx {

Device::Device(std::uint32_t index_in, std::string bdf_in, std::string ibdev_in,
               std::string uverbs_in, std::string netdev_in)
    : index(index_in),
      bdf(std::move(bdf_in)),
      ibdev(std::move(ibdev_in)),
      uverbs(std::move(uverbs_in)),
      netdev(std::move(netdev_in)),
      mkeys_(std::make_unique<std::atomic<Mkey*>[]>(kMaxMkeys)),
      removed_mkeys_(std::make_unique<std::atomic<std::uint32_t>[]>(kMaxMkeys)) {
  // Firmware takes transport domain 0 without anyone having allocated it, and the PMD's drop queue
  // counts on that. The device's own reference keeps it.
  transport_domains.emplace(0, Domain{.references = 1});
}

Device::~Device() {
  for (std::uint32_t i = 0; i < kMaxMkeys; ++i) delete mkeys_[i].load(std::memory_order_relaxed);
  for (const auto& [rqtn, rqt] : rqts) delete rqt->queues.load(std::memory_order_relaxed);
  for (const auto& [page_id, uar] : uar_pages) {
    delete uar->send_queues.load(std::memory_order_relaxed);
  }
  delete uars.load(std::memory_order_relaxed);
  delete receive_queues.load(std::memory_order_relaxed);
}

bool Device::in_use(std::uint32_t id) const {
  return pds.contains(id) || transport_domains.contains(id) || tises.contains(id) ||
         umems.contains(id) || cqs.contains(id) || sqs.contains(id) || rqs.contains(id) ||
         tirs.contains(id) || rqts.contains(id) || uar_pages.contains(id);
}

std::uint32_t Device::allocate_id() {
  do {
    next_id_ = next_id_ == kLastId ? kFirstId : next_id_ + 1;
  } while (in_use(next_id_));
  return next_id_;
}

std::uint32_t Device::add_mkey(std::unique_ptr<Mkey> key) {
  for (std::uint32_t tries = kFirstMkey; tries < kMaxMkeys; ++tries) {
    const std::uint32_t at = next_mkey_;
    // Round robin: a stale lkey names no key for as long as possible.
    next_mkey_ = at + 1 == kMaxMkeys ? kFirstMkey : at + 1;
    if (mkeys_[at].load(std::memory_order_relaxed) != nullptr) continue;
    key->lkey = at << 8 | (key->lkey & 0xffU);
    const std::uint32_t lkey = key->lkey;
    // Release pairs with the acquire in find_mkey(): the engine sees the whole key.
    mkeys_[at].store(key.release(), std::memory_order_release);
    return lkey;
  }
  return 0;
}

bool Device::remove_mkey(std::uint32_t lkey) {
  if (find_mkey(lkey) == nullptr) return false;
  if (posted != nullptr) posted->key_goes(*this, lkey);
  removed_mkeys_[lkey >> 8].store(lkey, std::memory_order_relaxed);
  const std::unique_ptr<Mkey> key(mkeys_[lkey >> 8].exchange(nullptr, std::memory_order_acq_rel));
  quiesce();
  unmap_memory(key->memory);
  return true;
}

}  // namespace softcx
