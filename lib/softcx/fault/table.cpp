// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/fault/table.hpp"

#include <fmt/core.h>

namespace softcx {
namespace {

constexpr std::uint64_t kMost = UINT32_MAX;

constexpr FaultKey kInlineKeys[] = {{"mode", 1, 1, 3, "1 L2, 2 IP, 3 TCP and UDP headers"}};
constexpr FaultKey kMtuKeys[] = {{"value", 1400, 68, 9978, "bytes"}};
constexpr FaultKey kDelayKeys[] = {{"ms", 3000, 1, kMost, "until the link is up"}};
constexpr FaultKey kPauseKeys[] = {{"packet", 0, 0, kMost, "packets before it, both ways"},
                                   {"after", 0, 0, kMost, "ms after them"},
                                   {"ms", 0, 0, kMost, "how long; 0 is for ever"}};
constexpr FaultKey kStallKeys[] = {{"packet", 100, 0, kMost, "packets of a queue before it"},
                                   {"ms", 0, 0, kMost, "how long; 0 is for ever"}};
constexpr FaultKey kErrorKeys[] = {
    {"packet", 100, 1, kMost, "packets of a queue before it, and between two"},
    {"count", 1, 1, kMost, "how often"},
    {"seed", 0, 0, kMost, "not 0: distances are random, 'packet' on average"},
    {"syndrome", 0x04, 0x01, 0xff, "of the error CQE"}};
constexpr FaultKey kOverrunKeys[] = {{"packet", 100, 1, kMost, "packets of a queue before it"}};

constexpr FaultEntry kTable[] = {
    {FaultKind::kNoDmabuf, "no-dmabuf", {}, "the kernel takes no dma-buf (EOPNOTSUPP)"},
    {FaultKind::kNoPeermem, "no-peermem", {}, "GPU memory has no address to the NIC (EFAULT)"},
    // Who may map a NIC's registers to a GPU is decided by the GPU's driver: no answer of a NIC,
    // nor a kind of mapping that a NIC's driver could choose, makes it say no.
    {FaultKind::kIomemDenied,
     "iomem-denied",
     {},
     "the GPU may not map doorbell pages",
     "--vdev=gpu_host0,iomem=denied"},
    {FaultKind::kNoBlueFlame,
     "no-blueflame",
     {},
     "no doorbell page can be mapped so that it combines writes (EOPNOTSUPP)"},
    {FaultKind::kNoVlanInsert, "no-vlan-insert", {}, "the NIC puts no VLAN tags into packets"},
    {FaultKind::kMinInline, "min-inline", kInlineKeys, "the NIC wants headers inline in WQEs"},
    {FaultKind::kBond, "bond", {}, "the port is part of a bond (LAG)"},
    {FaultKind::kBadMkey, "bad-mkey", {}, "keys of memory regions are stale: the NIC knows others"},
    {FaultKind::kMtu, "mtu", kMtuKeys, "the netdev takes no MTU above the value"},
    {FaultKind::kVfUntrusted,
     "vf-untrusted",
     {},
     "a VF that gets its own MAC address's frames only"},
    {FaultKind::kLinkDelay, "link-delay", kDelayKeys, "the link comes up late"},
    {FaultKind::kLinkDown, "link-down", kPauseKeys, "the link goes down"},
    {FaultKind::kStalledWire, "stalled-wire", kPauseKeys, "no frame passes the wire, link up"},
    {FaultKind::kStalledNic, "stalled-nic", kStallKeys, "a send queue stands still"},
    {FaultKind::kTxError, "tx-error", kErrorKeys, "error CQEs on send queues"},
    {FaultKind::kRxError, "rx-error", kErrorKeys, "error CQEs on receive queues"},
    {FaultKind::kCqOverrun, "cq-overrun", kOverrunKeys, "completion queues overrun, and are dead"},
};

}  // namespace

std::span<const FaultEntry> fault_table() noexcept {
  return kTable;
}

std::string fault_help() {
  std::string help;
  for (const FaultEntry& entry : kTable) {
    help += fmt::format("  {:<13} {}\n", entry.name, entry.effect);
    if (!entry.elsewhere.empty()) {
      help += fmt::format("  {:<13}   the GPU driver's to say: use {}\n", "", entry.elsewhere);
    }
    for (const FaultKey& key : entry.keys) {
      help += fmt::format("  {:<13}   :{}=N  {} ({})\n", "", key.name, key.meaning, key.fallback);
    }
  }
  return help;
}

}  // namespace softcx
