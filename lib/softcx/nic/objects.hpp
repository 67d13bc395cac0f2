// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The objects of the software NIC that its data path touches. The command engine (lib/softcx/cmd)
// creates, changes and destroys them under Device::control(); the engine thread (lib/softcx/data)
// reads them without a lock.
//
// Lifetime: the control path unlinks an object from every table that leads to it, then waits in
// EngineControl::synchronize() until the engine thread has passed a point where it holds no
// pointer, then frees it (quiescent-state reclamation). The engine thread never frees. Ordering:
// pointers and states that change while the engine runs are std::atomic; publication is a
// store-release by the control path that pairs with the load-acquire of the engine thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/fault/point.hpp"
#include "lib/softcx/nic/memory_home.hpp"
#include "lib/softcx/nic/stamp_format.hpp"
#include "lib/softcx/nic/strides.hpp"

namespace softcx {

class CopyEngine;
class Device;
class DeviceWrites;
struct SendBatch;

/// Queue states as the PRM numbers them in SQ and RQ contexts.
enum class QueueState : std::uint8_t { kReset = 0, kReady = 1, kError = 3 };

/// Memory that the application registered. `base` is the NIC's own view of it: a mapping that stays
/// valid whatever the application unmaps, and that works where the application's own is PROT_NONE.
struct Memory {
  std::uint8_t* base = nullptr;
  std::uint64_t length = 0;
  /// What to unmap at deregistration: whole pages around `base`. Empty where the application's own
  /// mapping is used.
  void* mapping = nullptr;
  std::uint64_t mapping_length = 0;
  /// Not nullptr: memory of a GPU. `base` is the GPU's address, and only this reaches it.
  CopyEngine* copy_engine = nullptr;
  /// The application's address of it, or 0: not known. The same for memory registered twice.
  std::uint64_t origin = 0;
  MemoryHome home;
};

/// A protection domain or a transport domain: no more than a number that others name.
struct Domain {
  std::uint32_t references = 0;
};

struct Mkey {
  std::uint32_t lkey = 0;  ///< index << 8 | variant
  std::uint32_t pdn = 0;
  std::uint64_t iova = 0;  ///< address that WQEs use for base[0]
  bool local_write = false;
  bool local_read = true;  ///< a memory region's always: ibv_reg_mr(3) has no flag for it
  Memory memory;
  /// CREATE_MKEY: the umem or the key that it is a part of.
  struct Umem* umem = nullptr;
  Mkey* parent = nullptr;
  std::uint32_t references = 0;  ///< keys that are a part of this one

  /// May the NIC write the memory, or else read it?
  bool allows(bool write) const noexcept { return write ? local_write : local_read; }
};

struct Umem {
  std::uint32_t id = 0;
  bool local_write = false;
  Memory memory;
  std::uint32_t references = 0;  ///< queues that lie in it; deregistration is refused while not 0
};

/// Transport interface send.
struct Tis {
  std::uint32_t tisn = 0;
  std::uint32_t transport_domain = 0;
  std::uint32_t priority = 0;
  std::uint32_t references = 0;  ///< send queues
};

struct Sq;

/// A UAR page: plain memory that the application writes and the engine polls. The engine takes a
/// doorbell word by exchanging it for 0, so that two equal rings in a row (the first one after a
/// reset, a reused queue number) are two rings.
struct Uar {
  std::uint32_t page_id = 0;
  std::uint8_t* page = nullptr;  ///< 4096 bytes
  /// Send queues bound to the page. Replaced as a whole by the control path, then synchronized.
  std::atomic<const std::vector<Sq*>*> send_queues{nullptr};
  std::uint32_t references = 0;  ///< completion queues
};

struct Cq {
  std::uint32_t cqn = 0;
  std::uint32_t log_depth = 0;
  ringside::Cqe* ring = nullptr;
  ringside::CqDoorbellRecord* record = nullptr;
  MemoryHome home;  ///< of the ring
  bool overrun_ignore = false;
  std::uint32_t producer = 0;       ///< engine thread only
  std::uint32_t seen_consumer = 0;  ///< engine thread only: for --sanitize
  std::atomic<bool> failed{false};  ///< overrun: no more completions are written
  /// Engine thread only: where `held` completions wait for copies to end; the next ones wait behind
  /// them. nullptr while there are none.
  DeviceWrites* holder = nullptr;
  std::uint32_t held = 0;
  std::uint32_t references = 0;  ///< queues that complete here
  Uar* uar = nullptr;
  Umem* ring_umem = nullptr;
  Umem* record_umem = nullptr;
};

struct Sq {
  Device* device = nullptr;
  std::uint32_t sqn = 0;
  std::uint32_t log_depth = 0;  ///< in basic blocks of 64 bytes
  std::uint8_t* ring = nullptr;
  ringside::DoorbellRecord* record = nullptr;
  std::atomic<QueueState> state{QueueState::kReset};
  /// Engine thread: basic blocks consumed, counted from 1 << 16 on; 0 while the queue has not been
  /// rung since its last reset. The control path sets it to 0 in kReset, and only then.
  std::uint64_t consumer = 0;
  std::uint16_t producer = 0;  ///< engine thread only: the record when last looked at
  /// Engine thread only: the NIC's time at which the next WQE executes, as far as that is known,
  /// the blocks that were posted before this turn (others execute now at the earliest), and until
  /// when the queue has nothing to do (0: it has).
  std::uint64_t time_ns = 0;
  std::uint32_t backlog = 0;
  std::uint64_t resume_ns = 0;
  bool timed = false;  ///< it has waited for a time: what it sends has one
  /// Engine thread only: what is being fetched from device memory, from `consumer` on.
  SendBatch* oldest_batch = nullptr;
  SendBatch* newest_batch = nullptr;
  std::uint32_t pdn = 0;
  std::uint32_t user_index = 0;
  std::uint8_t min_inline_mode = 0;
  bool flush_in_error = false;
  bool multi_packet_wqe = false;
  StampFormat stamps;  ///< of completions and of waits
  Cq* cq = nullptr;
  Uar* uar = nullptr;
  Tis* tis = nullptr;
  Umem* ring_umem = nullptr;
  Umem* record_umem = nullptr;
  std::unique_ptr<QueueFaults> faults;  ///< mostly none; engine thread only
};

/// A Q counter set: receive queues that name it count here. Written by the engine thread.
struct QCounter {
  std::uint32_t id = 0;
  std::atomic<std::uint64_t> out_of_buffer{0};
  /// What a clearing query read last. The engine thread is the only writer of the counter itself.
  std::uint64_t cleared_at = 0;
  std::uint32_t references = 0;
};

struct Rq {
  Device* device = nullptr;
  std::uint32_t rqn = 0;
  std::uint32_t log_depth = 0;   ///< in WQEs
  std::uint32_t log_stride = 0;  ///< bytes of a WQE: 16 << (scatter entries' log)
  std::uint8_t* ring = nullptr;
  ringside::DoorbellRecord* record = nullptr;
  std::atomic<QueueState> state{QueueState::kReset};
  std::uint16_t consumer = 0;  ///< engine thread; reset by the control path in kReset only
  Strides strides;             ///< `used` as `consumer`
  std::uint32_t pdn = 0;
  std::uint32_t user_index = 0;
  std::atomic<bool> vlan_strip_disable{true};  ///< MODIFY_RQ changes it while the queue runs
  StampFormat stamps;                          ///< of completions
  bool flush_in_error = false;
  Cq* cq = nullptr;
  QCounter* counter = nullptr;
  std::unique_ptr<QueueFaults> faults;  ///< mostly none; engine thread only
  Umem* ring_umem = nullptr;
  Umem* record_umem = nullptr;
  std::uint32_t references = 0;  ///< TIRs and RQTs that name it
};

/// Receive table: RSS indirection. `queues` is replaced as a whole by MODIFY_RQT.
struct Rqt {
  std::uint32_t rqtn = 0;
  std::atomic<const std::vector<Rq*>*> queues{nullptr};  ///< power-of-two size
  std::uint32_t max_size = 0;                            ///< of that list, for good
  std::uint32_t references = 0;
};

/// rx_hash_field_select, selected_fields bits (PRM, TIR context).
inline constexpr std::uint32_t kHashSourceIp = 1U << 0;
inline constexpr std::uint32_t kHashDestinationIp = 1U << 1;
inline constexpr std::uint32_t kHashSourcePort = 1U << 2;
inline constexpr std::uint32_t kHashDestinationPort = 1U << 3;
inline constexpr std::uint32_t kHashIpsecSpi = 1U << 4;

/// Transport interface receive: where a steering rule sends a packet.
struct Tir {
  std::uint32_t tirn = 0;
  bool indirect = false;
  Rq* rq = nullptr;    ///< direct
  Rqt* rqt = nullptr;  ///< indirect
  bool toeplitz = false;
  bool symmetric = false;
  bool l3_ipv6 = false;           ///< l3_prot_type of the hash selector
  bool l4_udp = false;            ///< l4_prot_type of the hash selector
  std::uint32_t hash_fields = 0;  ///< kHash* bits
  bool hash_inner = false;        ///< the selector is of the inner headers of a tunnel
  std::array<std::uint8_t, 40> hash_key{};
  std::uint32_t transport_domain = 0;
  std::uint32_t references = 0;  ///< steering rules that lead to it
};

/// Flow counters come in bulks; an action names one by offset.
struct FlowCounter {
  std::atomic<std::uint64_t> packets{0};
  std::atomic<std::uint64_t> bytes{0};
  std::uint64_t packets_cleared_at = 0;  ///< as QCounter::cleared_at
  std::uint64_t bytes_cleared_at = 0;
};
struct FlowCounterBulk {
  std::uint32_t id = 0;
  std::unique_ptr<FlowCounter[]> counters;
  std::uint32_t count = 0;
  std::uint32_t references = 0;  ///< steering actions that name one of them
};

}  // namespace softcx
