// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port without a control path: queues in plain memory, a scripted classifier and a wire that
// records what it is given.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes flatten(const Frame& frame) {
  Bytes bytes;
  for (const Segment& segment : frame.segments) {
    bytes.insert(bytes.end(), segment.data, segment.data + segment.length);
  }
  return bytes;
}

/// A frame whose bytes count up, with an ethertype that means nothing.
inline Bytes pattern(std::size_t length, std::uint8_t first = 1) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  if (length >= 14) bytes[12] = 0x88, bytes[13] = 0xb5;
  return bytes;
}

inline std::size_t violations_with(const std::string& part) {
  const auto all = violations();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& text) {
    return text.find(part) != std::string::npos;
  }));
}

class RecordingWire final : public Wire {
 public:
  bool transmit(const Frame& frame) override {
    if (full) return false;
    sent.push_back(flatten(frame));
    left_ns.push_back(frame.left_ns);
    return true;
  }
  const Frame* peek() override {
    if (arriving.empty()) return nullptr;
    segment_ = {arriving.front().data(), static_cast<std::uint32_t>(arriving.front().size())};
    frame_ = {{&segment_, 1}, segment_.length};
    return &frame_;
  }
  void pop() override { arriving.pop_front(); }
  bool waits_for_receiver() const override { return waits; }
  void flush() override { ++flushes; }

  std::vector<Bytes> sent;
  std::vector<std::uint64_t> left_ns;  ///< of `sent`
  std::deque<Bytes> arriving;
  bool full = false;
  bool waits = false;
  int flushes = 0;

 private:
  Segment segment_{};
  Frame frame_;
};

class ScriptedClassifier final : public Classifier {
 public:
  Verdict classify(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                   HeaderFacts& facts) override {
    ++calls;
    last_headers.assign(headers.begin(), headers.end());
    last_length = frame_length;
    facts = facts_to_give;
    return verdict;
  }
  bool reaches_ready_queue() const override { return ready; }

  Verdict verdict;
  HeaderFacts facts_to_give;
  bool ready = true;
  int calls = 0;
  Bytes last_headers;
  std::uint32_t last_length = 0;
};

/// Owns the rings that a NIC object points into.
struct CqUnderTest {
  std::vector<ringside::Cqe> ring;
  ringside::CqDoorbellRecord record{};
  Cq cq;
  std::uint32_t consumer = 0;

  explicit CqUnderTest(std::uint32_t log_depth) : ring(std::size_t{1} << log_depth) {
    for (auto& entry : ring) entry.op_own = ringside::kCqeInitialOpOwn;
    cq.cqn = 0x77;
    cq.log_depth = log_depth;
    cq.ring = ring.data();
    cq.record = &record;
  }
  /// The next completion as a driver sees it, or nullptr.
  const ringside::Cqe* poll() {
    const auto& entry = ring[consumer & (ring.size() - 1)];
    const auto op_own = std::atomic_ref<std::uint8_t>(const_cast<std::uint8_t&>(entry.op_own))
                            .load(std::memory_order_acquire);
    if (!ringside::cqe_is_ready(op_own, consumer, cq.log_depth)) return nullptr;
    ++consumer;
    return &entry;
  }
  void give_back() {
    std::atomic_ref<std::uint32_t>(record.consumer_index.raw)
        .store(ringside::byte_swap(consumer & 0xffffffU), std::memory_order_release);
  }
};

inline std::uint8_t syndrome(const ringside::Cqe& cqe) {
  return reinterpret_cast<const std::uint8_t*>(&cqe)[ringside::kErrorCqeSyndromeOffset];
}
inline std::uint8_t vendor_syndrome(const ringside::Cqe& cqe) {
  return reinterpret_cast<const std::uint8_t*>(&cqe)[ringside::kErrorCqeVendorSyndromeOffset];
}

/// Memory that the NIC may read and write by `lkey`.
struct Region {
  static constexpr std::uint32_t kPdn = 5;
  Bytes bytes;
  std::uint32_t lkey = 0;

  Region(Device& device, std::size_t size, bool local_write = true) : bytes(size) {
    auto key = std::make_unique<Mkey>();
    key->pdn = kPdn;
    key->iova = address(0);
    key->local_write = local_write;
    key->memory.base = bytes.data();
    key->memory.length = size;
    lkey = device.add_mkey(std::move(key));
  }
  std::uint64_t address(std::size_t offset) const {
    return reinterpret_cast<std::uint64_t>(bytes.data()) + offset;
  }
};

inline void put_data_segment(std::uint8_t* at, std::uint32_t byte_count, std::uint32_t lkey,
                             std::uint64_t address) {
  const ringside::DataSegment segment{ringside::Be32::of(byte_count), ringside::Be32::of(lkey),
                                      ringside::Be64::of(address)};
  std::memcpy(at, &segment, sizeof(segment));
}

/// A send queue as a driver uses it.
struct SqUnderTest {
  std::vector<std::uint8_t> storage;
  ringside::DoorbellRecord record{};
  Sq sq;
  std::uint16_t next = 0;

  SqUnderTest(Device& device, Cq& cq, std::uint32_t sqn, std::uint32_t log_depth)
      : storage((std::size_t{1} << log_depth) * ringside::kWqeBasicBlock) {
    sq.device = &device;
    sq.sqn = sqn;
    sq.log_depth = log_depth;
    sq.ring = storage.data();
    sq.record = &record;
    sq.pdn = Region::kPdn;
    sq.user_index = 0x010203;
    sq.flush_in_error = true;
    sq.multi_packet_wqe = true;
    sq.cq = &cq;
    sq.state.store(QueueState::kReady);
    sq.consumer = 1U << 16;
  }
  /// Puts a WQE into the ring at `next`; returns its index.
  std::uint16_t post(ringside::WqeOpcode opcode, const Bytes& after_control,
                     std::uint8_t completion = ringside::kCeAlways) {
    Bytes wqe(16 + (after_control.size() + 15) / 16 * 16);
    std::copy(after_control.begin(), after_control.end(), wqe.begin() + 16);
    const auto segments = static_cast<std::uint32_t>(wqe.size() / 16);
    ringside::ControlSegment control{};
    control.opmod_idx_opcode = ringside::Be32::of(ringside::opmod_idx_opcode(next, opcode));
    control.qpn_ds = ringside::Be32::of(ringside::qpn_ds(sq.sqn, segments));
    control.fm_ce_se = completion;
    std::memcpy(wqe.data(), &control, sizeof(control));
    const std::uint16_t index = next;
    for (std::size_t at = 0; at < wqe.size(); at += ringside::kWqeBasicBlock, ++next) {
      std::memcpy(block(next), wqe.data() + at,
                  std::min<std::size_t>(ringside::kWqeBasicBlock, wqe.size() - at));
    }
    return index;
  }
  /// A wait for the NIC's time, in the bits of a mask.
  std::uint16_t post_wait(std::uint64_t until_ns, std::uint64_t mask);
  std::uint8_t* block(std::uint16_t index) {
    const std::size_t mask = (std::size_t{1} << sq.log_depth) - 1;
    return storage.data() + (index & mask) * ringside::kWqeBasicBlock;
  }
  /// The producer index goes into the record, as a driver does it before it rings.
  void write_record(std::uint16_t index) {
    std::atomic_ref<std::uint32_t>(record.send_counter.raw)
        .store(ringside::byte_swap(std::uint32_t{index}), std::memory_order_release);
  }
  /// What the driver rings with for the WQE at `index`.
  std::uint64_t doorbell(std::uint16_t index) {
    std::uint64_t word = 0;
    std::memcpy(&word, block(index), sizeof(word));
    return word;
  }
};

/// Waits until the NIC's clock has reached a time.
inline Bytes wait_body(std::uint64_t until_ns, std::uint64_t mask) {
  ringside::WaitSegment segment{};
  segment.operation =
      ringside::Be32::of(static_cast<std::uint32_t>(ringside::WaitCondition::kCyclicSmaller));
  segment.value = ringside::Be64::of(until_ns & mask);
  segment.mask = ringside::Be64::of(mask);
  Bytes body(sizeof(segment));
  std::memcpy(body.data(), &segment, sizeof(segment));
  return body;
}

inline std::uint16_t SqUnderTest::post_wait(std::uint64_t until_ns, std::uint64_t mask) {
  const std::uint16_t index =
      post(ringside::WqeOpcode::kWait, wait_body(until_ns, mask), ringside::kCeOnError);
  block(index)[0] = ringside::kWaitOnTime;
  return index;
}

/// Ethernet segment without orders, then a data segment.
inline Bytes send_body(std::uint32_t lkey, std::uint64_t address, std::uint32_t length) {
  Bytes body(sizeof(ringside::EthernetSegment) + sizeof(ringside::DataSegment));
  put_data_segment(body.data() + sizeof(ringside::EthernetSegment), length, lkey, address);
  return body;
}

/// A receive queue as a driver uses it.
struct RqUnderTest {
  std::vector<std::uint8_t> storage;
  ringside::DoorbellRecord record{};
  Rq rq;
  QCounter counter;
  std::uint16_t next = 0;

  RqUnderTest(Device& device, Cq& cq, std::uint32_t log_depth, std::uint32_t log_stride = 4)
      : storage(std::size_t{1} << (log_depth + log_stride)) {
    rq.device = &device;
    rq.rqn = 0x99;
    rq.log_depth = log_depth;
    rq.log_stride = log_stride;
    rq.ring = storage.data();
    rq.record = &record;
    rq.pdn = Region::kPdn;
    rq.user_index = 0x0a0b0c;
    rq.flush_in_error = true;
    rq.cq = &cq;
    rq.counter = &counter;
    rq.state.store(QueueState::kReady);
  }
  std::uint8_t* wqe(std::uint16_t index) {
    const std::size_t mask = (std::size_t{1} << rq.log_depth) - 1;
    return storage.data() + ((index & mask) << rq.log_stride);
  }
  void post(std::uint32_t byte_count, std::uint32_t lkey, std::uint64_t address) {
    put_data_segment(wqe(next++), byte_count, lkey, address);
    write_record(next);
  }
  void write_record(std::uint16_t index) {
    std::atomic_ref<std::uint32_t>(record.receive_counter.raw)
        .store(ringside::byte_swap(std::uint32_t{index}), std::memory_order_release);
  }
};

}  // namespace softcx::test
