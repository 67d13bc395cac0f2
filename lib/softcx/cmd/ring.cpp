// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/cmd/ring.hpp"

#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {
namespace {

constexpr std::uint64_t kAdapterPage = 4096;
constexpr std::uint64_t kPageOffsetsPerPage = 64;
constexpr std::uint64_t kRecordBytes = sizeof(ringside::DoorbellRecord);

bool fits(const Umem& umem, std::uint64_t offset, std::uint64_t bytes) {
  return offset <= umem.memory.length && bytes <= umem.memory.length - offset;
}

}  // namespace

RingMemory place_ring(Device& device, const RingRequest& request) {
  const auto& [kind, ring, record, ring_bytes, page_offset, log_page_size, nic_writes_ring] =
      request;
  Umem& ring_umem = find_umem(device, ring.umem_id);
  Umem& record_umem = find_umem(device, record.umem_id);

  const std::uint64_t page = kAdapterPage << log_page_size;
  const std::uint64_t into_page = page / kPageOffsetsPerPage * page_offset;
  if (ring.offset % page != into_page) {
    refuse(Rule::kRingMisaligned,
           "{}: ring at {:#x} of its umem, the command says {:#x} into a page of {:#x}", kind,
           ring.offset, into_page, page);
  }
  if (!fits(ring_umem, ring.offset, ring_bytes)) {
    refuse(Rule::kRingOutsideUmem, "{}: ring of {} bytes at {:#x} in a umem of {} bytes", kind,
           ring_bytes, ring.offset, ring_umem.memory.length);
  }
  if (nic_writes_ring && !ring_umem.local_write) {
    refuse(Rule::kRingUmemReadOnly, "{}: the NIC writes the ring, its umem lacks local write",
           kind);
  }
  if (record.offset % kRecordBytes != 0) {
    refuse(Rule::kRecordMisaligned, "{}: doorbell record at {:#x}, a multiple of {} is needed",
           kind, record.offset, kRecordBytes);
  }
  if (!fits(record_umem, record.offset, kRecordBytes)) {
    refuse(Rule::kRecordOutsideUmem, "{}: doorbell record at {:#x} in a umem of {} bytes", kind,
           record.offset, record_umem.memory.length);
  }
  if (&ring_umem == &record_umem && record.offset + kRecordBytes > ring.offset &&
      record.offset < ring.offset + ring_bytes) {
    refuse(Rule::kRecordInsideRing, "{}: doorbell record at {:#x} lies in the ring at {:#x}", kind,
           record.offset, ring.offset);
  }
  return {&ring_umem, &record_umem, ring_umem.memory.base + ring.offset,
          record_umem.memory.base + record.offset};
}

}  // namespace softcx
