// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A NIC for tests of lib/device: it plays the hardware's part on one receive and one send queue, a
// step at a time, and judges what a kernel does to the rings. It knows the formats by their byte
// offsets (PRM) and shares no code with softcx.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/device/stream.hpp"

namespace ringside::test {

/// What the NIC says about a packet besides its length.
struct RxFields {
  std::uint64_t timestamp = 0;
  std::uint32_t rss_hash = 0;
  std::uint8_t rss_type = 0;
  std::uint32_t flow_tag = 0;
  std::uint16_t header_type_bits = 0;  ///< bytes 28 and 29 as the PRM's hdr_type_etc
  std::uint16_t vlan_tci = 0;
};

/// A frame as the NIC has read it from the send queue.
struct SentFrame {
  std::vector<std::uint8_t> bytes;
  std::optional<std::uint64_t> rx_index;  ///< the received packet that it is, if it is one
  bool wants_cqe;
};

class FakeNic {
 public:
  struct Config {
    std::uint32_t log_rx = 4;
    std::uint32_t log_rx_cq = 4;
    std::uint32_t log_tx = 4;
    std::uint32_t log_tx_cq = 4;
    std::uint64_t rx_start = 0;     ///< packets that a kernel before this one has received
    std::uint64_t rx_cq_start = 0;  ///< receive CQEs it has consumed
    std::uint64_t tx_start = 0;     ///< and sent
    std::uint64_t tx_cq_start = 0;  ///< send CQEs it has consumed
    std::uint32_t buffer_length = 256;
    /// Header-data split: bytes of a packet that go to the first buffer, all others to a second one
    /// of buffer_length. 0: packets are whole.
    std::uint32_t split_at = 0;
    std::uint32_t tx_buffers = 3;
    bool packets_are_sent = true;  ///< each must have been sent before its slot comes back
    bool batches_ask = true;       ///< the last WQE of each batch for a CQE
    /// What each WQE's Ethernet segment has to be; zeros ask for nothing.
    std::array<std::uint8_t, 16> ethernet_segment = {};
  };

  explicit FakeNic(const Config& config);

  StreamArgs& stream() { return stream_; }
  StreamCounters counters() const;
  BlockPhase phase() const;
  const StreamStatus& status() const { return status_; }

  /// Are so many receive slots posted? Reads and judges the kernel's records.
  bool can_receive(std::uint32_t count = 1);
  /// A packet arrives; a slot must be posted.
  void receive(std::span<const std::uint8_t> frame, const RxFields& fields = {});
  /// The next slot's completion is an error.
  void receive_error(std::uint8_t syndrome, std::uint8_t vendor = 0, std::uint8_t opcode = 0xe);

  /// Reads the WQEs that the doorbell announces. Returns how many.
  std::uint32_t read_sends();
  /// Says that up to `count` of the frames read are sent.
  void complete_sends(std::uint32_t count = ~0U);
  /// The next frame read fails, and the rest is flushed.
  void fail_send(std::uint8_t syndrome, std::uint8_t vendor = 0);

  const std::vector<SentFrame>& sent() const { return sent_; }
  std::uint64_t doorbells() const { return doorbells_; }
  /// Slots that the kernel has given back so far, and CQEs that it says it has consumed.
  std::uint64_t released();
  std::uint64_t rx_cq_consumed() const { return rx_cq_consumed_ - config_.rx_cq_start; }
  std::uint64_t tx_cq_consumed();
  std::uint32_t slots_held() const;

 private:
  /// Buffers under one memory key, as the NIC knows them.
  struct Region {
    std::uint32_t lkey;
    std::vector<std::uint8_t> memory;
    std::vector<std::uint64_t> iova;
  };
  Region make_region(std::uint32_t lkey, std::uint64_t shift, std::size_t buffers) const;
  std::uint8_t* rx_buffer(Region& region, std::uint64_t index);
  /// Appends what a data segment points at to the frame.
  void read_segment(const std::uint8_t* segment, SentFrame& frame);
  void read_records();
  void write_rx_cqe(std::uint8_t (&cqe)[64], std::uint8_t opcode);
  void write_tx_cqe(std::uint64_t wqe_index, std::uint8_t opcode, std::uint8_t syndrome = 0,
                    std::uint8_t vendor = 0);

  Config config_;
  std::vector<Cqe> rx_cqes_;
  std::vector<Cqe> tx_cqes_;
  std::vector<SendWqe> wqes_;
  Region rx_buffers_;
  Region rx_payloads_;
  Region tx_buffers_;
  std::vector<std::uint16_t> references_;
  std::vector<std::uint32_t> wqe_slot_;
  DoorbellRecord rx_record_{};
  DoorbellRecord tx_record_{};
  CqDoorbellRecord rx_cq_record_{};
  CqDoorbellRecord tx_cq_record_{};
  std::uint64_t doorbell_ = 0;
  RxQueueState rx_state_{};
  TxQueueState tx_state_{};
  StreamCounters counters_{};
  StreamControl control_{};
  StreamStatus status_{};
  StreamArgs stream_{};

  std::uint64_t rx_next_;
  std::uint64_t rx_released_;
  std::uint64_t rx_cq_next_;
  std::uint64_t rx_cq_consumed_;
  std::set<std::uint64_t> rx_unsent_;  // indices whose slots may not come back yet
  std::uint64_t tx_seen_;
  std::uint64_t tx_completed_;
  std::uint64_t tx_cq_next_;
  std::uint64_t tx_cq_consumed_;
  std::uint64_t last_doorbell_ = 0;
  std::uint64_t doorbells_ = 0;
  std::vector<SentFrame> sent_;
};

}  // namespace ringside::test
