// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/uar_table.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "lib/softcx/nic/posted_buffers.hpp"

namespace softcx {
namespace {

/// Publishes a changed copy of a list; the old one is freed when the engine thread has left it.
/// Release pairs with the engine's acquire of the list pointer.
template <class T, class Change>
void replace_list(Device& device, std::atomic<const std::vector<T*>*>& list, Change&& change) {
  const std::vector<T*>* const before = list.load(std::memory_order_relaxed);
  auto after = before == nullptr ? std::make_unique<std::vector<T*>>()
                                 : std::make_unique<std::vector<T*>>(*before);
  change(*after);
  list.store(after.release(), std::memory_order_release);
  device.quiesce();
  delete before;
}

bool has_queues(const Uar& uar) {
  const auto* const queues = uar.send_queues.load(std::memory_order_relaxed);
  return queues != nullptr && !queues->empty();
}

}  // namespace

Uar* add_uar(Device& device) {
  // Shared, so that a child of fork() rings the same page.
  void* page =
      ::mmap(nullptr, kUarPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  auto uar = std::make_unique<Uar>();
  uar->page_id = device.allocate_id();
  uar->page = static_cast<std::uint8_t*>(page);
  Uar* const made = uar.get();
  device.uar_pages.emplace(made->page_id, std::move(uar));
  replace_list(device, device.uars, [made](std::vector<Uar*>& list) { list.push_back(made); });
  return made;
}

bool remove_uar(Device& device, std::uint32_t page_id) {
  Uar* const uar = device.uar_pages.at(page_id).get();
  if (has_queues(*uar) || uar->references != 0) return false;
  replace_list(device, device.uars, [uar](std::vector<Uar*>& list) { std::erase(list, uar); });
  delete uar->send_queues.load(std::memory_order_relaxed);
  ::munmap(uar->page, kUarPageBytes);
  device.uar_pages.erase(page_id);
  return true;
}

void bind_send_queue(Device& device, Sq& sq) {
  replace_list(device, sq.uar->send_queues, [&sq](std::vector<Sq*>& list) { list.push_back(&sq); });
}

void unbind_send_queue(Device& device, Sq& sq) {
  replace_list(device, sq.uar->send_queues,
               [&sq](std::vector<Sq*>& list) { std::erase(list, &sq); });
  if (device.posted != nullptr) device.posted->forget(&sq);
}

void add_receive_queue(Device& device, Rq& rq) {
  replace_list(device, device.receive_queues,
               [&rq](std::vector<Rq*>& list) { list.push_back(&rq); });
}

void remove_receive_queue(Device& device, Rq& rq) {
  replace_list(device, device.receive_queues,
               [&rq](std::vector<Rq*>& list) { std::erase(list, &rq); });
  if (device.posted != nullptr) device.posted->forget(&rq);
}

}  // namespace softcx
