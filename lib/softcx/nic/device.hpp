// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One software NIC port (one PCI function): its object tables and identity.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/softcx/nic/engine_control.hpp"
#include "lib/softcx/nic/objects.hpp"
#include "lib/softcx/nic/stamp_format.hpp"
#include "lib/softcx/nic/violations.hpp"
#include "lib/softcx/steering/classify.hpp"

namespace softcx {

/// Counters of a port, written by the engine thread only, readable at any time.
struct PortCounters {
  using Counter = std::atomic<std::uint64_t>;
  Counter rx_wire_packets{0}, rx_wire_bytes{0}, rx_delivered{0}, rx_delivered_bytes{0};
  Counter rx_out_of_buffer{0}, rx_oversize{0}, rx_runt{0}, rx_rule_drop{0}, rx_no_rule{0};
  Counter rx_queue_not_ready{0}, rx_length_error{0}, rx_cq_overrun{0}, rx_protection_error{0};
  Counter rx_injected{0};
  Counter tx_packets{0}, tx_bytes{0}, tx_oversize{0}, tx_runt{0}, tx_wire_full{0};
  Counter tx_queue_errors{0}, tx_failed_wqes{0}, tx_flushed_wqes{0};
};

/// Single-writer increment: the engine thread is the only writer, so no locked instruction.
inline void count(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) noexcept {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}

/// Where an mkey leads to. Memory of a GPU is not the CPU's to read or write.
struct Place {
  std::uint8_t* bytes = nullptr;  ///< nullptr: nowhere
  CopyEngine* copy_engine = nullptr;

  bool on_gpu() const noexcept { return copy_engine != nullptr; }
};

class PostedBuffers;

inline constexpr std::uint32_t kMaxMkeys = 1U << 16;
/// Index 0 is nobody's, 1 is the invalid lkey 0x100 of unused scatter entries.
inline constexpr std::uint32_t kFirstMkey = 2;

class Device {
 public:
  explicit Device(std::uint32_t index_in, std::string bdf_in, std::string ibdev_in,
                  std::string uverbs_in, std::string netdev_in);
  ~Device();

  const std::uint32_t index;
  const std::string bdf, ibdev, uverbs, netdev;

  /// nullptr: this port does not have the fault.
  const FaultOrder* fault(FaultKind kind) const noexcept { return faults.find(kind, index); }
  /// EUI-64 of the port: softcx's own, with the port's number.
  std::uint64_t guid() const { return 0x0250'c0ff'fe00'0000U + index; }

  /// Serialises the control path of this device. Never held by the engine thread.
  std::mutex& control() { return control_; }

  /// Data path: the mkey that `lkey` names, or nullptr. Pointers stay valid until the engine's next
  /// quiescent point.
  const Mkey* find_mkey(std::uint32_t lkey) const noexcept {
    const Mkey* key = mkeys_[(lkey >> 8) & (kMaxMkeys - 1)].load(std::memory_order_acquire);
    return key != nullptr && key->lkey == lkey ? key : nullptr;
  }
  /// Was it a key that has been removed, and no later one has taken its index and was removed too?
  bool was_mkey(std::uint32_t lkey) const noexcept {
    return lkey != 0 &&
           removed_mkeys_[(lkey >> 8) & (kMaxMkeys - 1)].load(std::memory_order_relaxed) == lkey;
  }
  /// Data path: `length` bytes at `address` through `lkey`; nowhere when the key is unknown, of
  /// another protection domain, too short, or lacks the right (write: the NIC writes memory).
  Place translate(std::uint32_t lkey, std::uint32_t pdn, std::uint64_t address,
                  std::uint32_t length, bool write) const noexcept {
    const Mkey* key = find_mkey(lkey);
    if (key == nullptr || key->pdn != pdn || !key->allows(write)) return {};
    const std::uint64_t offset = address - key->iova;
    if (offset > key->memory.length || length > key->memory.length - offset) return {};
    return {key->memory.base + offset, key->memory.copy_engine};
  }

  /// UAR pages whose doorbells the engine polls. Replaced as a whole by the control path.
  std::atomic<const std::vector<Uar*>*> uars{nullptr};
  /// Receive queues, in which the engine looks for those in error. Replaced as `uars`.
  std::atomic<const std::vector<Rq*>*> receive_queues{nullptr};
  /// Receive side of steering. Set before the engine starts.
  Classifier* classifier = nullptr;
  /// The netdev's MTU in bytes (without the 14-byte header), refreshed by the engine.
  std::atomic<std::uint32_t> mtu{1500};
  PortCounters counters;
  /// Set before the device is opened.
  FaultPlan faults;
  /// Of the port's line, set before the engine starts; 0: frames take no time on it.
  std::uint64_t line_bits_per_s = 0;
  Clocks clocks;
  EngineControl* engine = nullptr;
  /// A completion waits until its packet is there, wherever the two are written: what copy engines
  /// do. Where not, order is PCIe's: on one path only. Set before the engine starts.
  bool completion_follows_data = true;
  /// What is posted to the queues of all ports, where somebody sanitizes; else nullptr. Set before
  /// the engine starts.
  PostedBuffers* posted = nullptr;

  // Control path, under control().
  std::unordered_map<std::uint32_t, Domain> pds;
  std::unordered_map<std::uint32_t, Domain> transport_domains;
  std::unordered_map<std::uint32_t, std::unique_ptr<Tis>> tises;
  std::unordered_map<std::uint32_t, std::unique_ptr<Umem>> umems;
  std::unordered_map<std::uint32_t, std::unique_ptr<Cq>> cqs;
  std::unordered_map<std::uint32_t, std::unique_ptr<Sq>> sqs;
  std::unordered_map<std::uint32_t, std::unique_ptr<Rq>> rqs;
  std::unordered_map<std::uint32_t, std::unique_ptr<Tir>> tirs;
  std::unordered_map<std::uint32_t, std::unique_ptr<Rqt>> rqts;
  std::unordered_map<std::uint32_t, std::unique_ptr<QCounter>> q_counters;
  std::unordered_map<std::uint32_t, std::unique_ptr<FlowCounterBulk>> flow_counters;
  std::unordered_map<std::uint32_t, std::unique_ptr<Uar>> uar_pages;

  /// Links a key into the table; its index is chosen here, its variant is the lowest byte of
  /// key->lkey. Returns the lkey, 0 when the table is full.
  std::uint32_t add_mkey(std::unique_ptr<Mkey> key);
  /// Unlinks the key, synchronizes, and frees it. False: there is none of that number.
  bool remove_mkey(std::uint32_t lkey);
  /// A number for a new CQ, SQ, RQ, TIR... Unique among all objects of the device, so that a mix-up
  /// of kinds is found.
  std::uint32_t allocate_id();
  /// The first of `count` consecutive numbers for flow counters, which have 32 bits.
  std::uint32_t allocate_counter_ids(std::uint32_t count) {
    return std::exchange(next_counter_id_, next_counter_id_ + count);
  }
  /// The key of an index, whatever its variant.
  Mkey* mkey_at(std::uint32_t key_index) const noexcept {
    return key_index < kMaxMkeys ? mkeys_[key_index].load(std::memory_order_acquire) : nullptr;
  }
  /// Waits until the engine thread holds nothing that was unlinked before. Nothing to wait for
  /// where the engine has not started.
  void quiesce() {
    if (engine != nullptr) engine->synchronize();
  }
  void wake_engine() {
    if (engine != nullptr) engine->wake();
  }

 private:
  static constexpr std::uint32_t kFirstId = 0x100, kLastId = 0xffffff;  ///< fields have 24 bits
  bool in_use(std::uint32_t id) const;

  std::mutex control_;
  std::unique_ptr<std::atomic<Mkey*>[]> mkeys_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> removed_mkeys_;  ///< the last lkey of each index
  std::uint32_t next_mkey_ = kFirstMkey;
  std::uint32_t next_id_ = kFirstId;
  std::uint32_t next_counter_id_ = 0x1000;
};

}  // namespace softcx
