// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/unit/fake_nic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace ringside::test {
namespace {

// What the NIC calls an address differs from what the kernel does, and not by the same for both.
constexpr std::uint64_t kRxShift = 0x5000'0000'0000;
constexpr std::uint64_t kTxShift = 0x6000'0000'0000;
constexpr std::uint64_t kPayloadShift = 0x3000'0000'0000;
constexpr std::uint32_t kLkey = 0x00123400;
constexpr std::uint32_t kHeaderLkey = 0x00567800;
constexpr std::uint32_t kSqn = 0x00abcd;

std::uint32_t big32(const std::uint8_t* at) {
  return (std::uint32_t{at[0]} << 24) | (std::uint32_t{at[1]} << 16) | (std::uint32_t{at[2]} << 8) |
         at[3];
}
std::uint64_t big64(const std::uint8_t* at) {
  return (std::uint64_t{big32(at)} << 32) | big32(at + 4);
}
void put_big(std::uint8_t* at, std::uint64_t value, std::uint32_t bytes) {
  for (std::uint32_t i = bytes; i-- > 0; value >>= 8) at[i] = static_cast<std::uint8_t>(value);
}
template <class T>
std::uint64_t address_of(const T* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// A record's word as the NIC fetches it.
std::uint32_t fetch_record(const Be32& word) {
  const std::uint32_t raw = __atomic_load_n(&word.raw, __ATOMIC_ACQUIRE);
  std::uint8_t bytes[4];
  std::memcpy(bytes, &raw, 4);
  return big32(bytes);
}

// The counter that ends in `low` and is the nearest at or above `from`.
std::uint64_t unwrap(std::uint64_t from, std::uint32_t low, std::uint32_t bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  return from + ((low - from) & mask);
}

// A completion queue whose entries up to `start` have been used, and none after.
std::vector<Cqe> make_cq(std::uint32_t log_depth, std::uint64_t start, std::uint8_t opcode) {
  const std::uint64_t depth = std::uint64_t{1} << log_depth;
  std::vector<Cqe> ring(depth);
  for (std::uint64_t i = start; i < start + depth; ++i) {
    const std::uint64_t pass = i >> log_depth;
    ring[i & (depth - 1)].op_own =
        pass == 0 ? 0xf1 : static_cast<std::uint8_t>((opcode << 4) | ((pass - 1) & 1));
  }
  return ring;
}

void publish(Cqe& entry, const std::uint8_t (&bytes)[64]) {
  std::memcpy(&entry, bytes, 63);
  __atomic_store_n(&entry.op_own, bytes[63], __ATOMIC_RELEASE);
}

}  // namespace

FakeNic::Region FakeNic::make_region(std::uint32_t lkey, std::uint64_t shift,
                                     std::size_t buffers) const {
  Region region{lkey, std::vector<std::uint8_t>(buffers * config_.buffer_length), {}};
  for (std::size_t i = 0; i < buffers; ++i) {
    region.iova.push_back(address_of(&region.memory[i * config_.buffer_length]) + shift);
  }
  return region;
}

FakeNic::FakeNic(const Config& config)
    : config_(config),
      rx_cqes_(make_cq(config.log_rx_cq, config.rx_cq_start, 0x2)),
      tx_cqes_(make_cq(config.log_tx_cq, config.tx_cq_start, 0x0)),
      wqes_(std::size_t{1} << config.log_tx),
      rx_buffers_(make_region(config.split_at == 0 ? kLkey : kHeaderLkey, kRxShift,
                              std::size_t{1} << config.log_rx)),
      rx_payloads_(make_region(kLkey, kPayloadShift,
                               config.split_at == 0 ? 0 : std::size_t{1} << config.log_rx)),
      tx_buffers_(make_region(kLkey, kTxShift, config.tx_buffers)),
      references_(std::size_t{1} << config.log_rx),
      wqe_slot_(std::size_t{1} << config.log_tx, 0xdead),
      rx_next_(config.rx_start),
      rx_released_(config.rx_start),
      rx_cq_next_(config.rx_cq_start),
      rx_cq_consumed_(config.rx_cq_start),
      tx_seen_(config.tx_start),
      tx_completed_(config.tx_start),
      tx_cq_next_(config.tx_cq_start),
      tx_cq_consumed_(config.tx_cq_start) {
  rx_state_ = {config.rx_start, config.rx_start};
  tx_state_ = {config.tx_start, config.tx_start, config.tx_cq_start};
  put_big(reinterpret_cast<std::uint8_t*>(&rx_record_),
          (config.rx_start + references_.size()) & 0xffff, 4);
  put_big(reinterpret_cast<std::uint8_t*>(&rx_cq_record_), config.rx_cq_start & 0xffffff, 4);
  put_big(reinterpret_cast<std::uint8_t*>(&tx_record_) + 4, config.tx_start & 0xffff, 4);
  put_big(reinterpret_cast<std::uint8_t*>(&tx_cq_record_), config.tx_cq_start & 0xffffff, 4);

  stream_.rx = {rx_cqes_.data(),
                &rx_cq_record_,
                &rx_record_,
                rx_buffers_.iova.data(),
                -static_cast<std::int64_t>(kRxShift),
                references_.data(),
                &rx_state_,
                config.split_at == 0 ? config.buffer_length : config.split_at,
                config.log_rx,
                config.log_rx_cq,
                0x77,
                config.rx_cq_start - config.rx_start,
                config.split_at == 0 ? nullptr : rx_payloads_.iova.data(),
                -static_cast<std::int64_t>(kPayloadShift)};
  stream_.tx = {wqes_.data(),   &tx_record_,      &doorbell_, tx_cqes_.data(),
                &tx_cq_record_, wqe_slot_.data(), &tx_state_, kLkey,
                config.log_tx,  config.log_tx_cq, kSqn};
  stream_.tx.header_lkey = kHeaderLkey;
  stream_.counters = &counters_;
  stream_.control = &control_;
  stream_.status = &status_;
  stream_.burst = 8;
  stream_.drain_ns = 1'000'000'000;
  stream_.program = {{{2, 0, 0, 0, 0, 1}}, {{2, 0, 0, 0, 0, 2}}, 64};
  stream_.tx_buffers = {tx_buffers_.iova.data(), -static_cast<std::int64_t>(kTxShift),
                        config.buffer_length, config.tx_buffers};
}

StreamCounters FakeNic::counters() const {
  StreamCounters copy{};
  const auto* from = reinterpret_cast<const std::uint64_t*>(&counters_);
  auto* to = reinterpret_cast<std::uint64_t*>(&copy);
  for (std::size_t i = 0; i < sizeof(copy) / sizeof(*to); ++i) {
    to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
  }
  return copy;
}

BlockPhase FakeNic::phase() const {
  BlockPhase phase;
  __atomic_load(&status_.phase, &phase, __ATOMIC_ACQUIRE);
  return phase;
}

std::uint8_t* FakeNic::rx_buffer(Region& region, std::uint64_t index) {
  return &region.memory[(index & (references_.size() - 1)) * config_.buffer_length];
}

void FakeNic::read_records() {
  // The receive record first: whatever it lets in, the completion queue has room for by then.
  const std::uint64_t depth = references_.size();
  const std::uint32_t receive_counter = fetch_record(rx_record_.receive_counter);
  const std::uint32_t consumer_index = fetch_record(rx_cq_record_.consumer_index);
  EXPECT_LE(receive_counter, 0xffffU) << "the receive record holds more than 16 bits";
  EXPECT_LE(consumer_index, 0xffffffU) << "the CQ record holds more than 24 bits";
  const std::uint64_t released = unwrap(rx_released_ + depth, receive_counter, 16) - depth;
  rx_cq_consumed_ = unwrap(rx_cq_consumed_, consumer_index, 24);
  EXPECT_LE(rx_cq_consumed_, rx_cq_next_) << "consumed CQEs that were never written";
  EXPECT_LE(released - config_.rx_start, rx_cq_consumed())
      << "the receive record moved before the CQ's record";
  for (; rx_released_ < released; ++rx_released_) {
    EXPECT_FALSE(rx_unsent_.contains(rx_released_))
        << "slot of packet " << rx_released_ << " given back before its send has completed";
  }
}

bool FakeNic::can_receive(std::uint32_t count) {
  read_records();
  return rx_next_ + count <= rx_released_ + references_.size();
}

std::uint64_t FakeNic::released() {
  read_records();
  return rx_released_;
}

std::uint64_t FakeNic::tx_cq_consumed() {
  const std::uint32_t consumer_index = fetch_record(tx_cq_record_.consumer_index);
  EXPECT_LE(consumer_index, 0xffffffU) << "the CQ record holds more than 24 bits";
  tx_cq_consumed_ = unwrap(tx_cq_consumed_, consumer_index, 24);
  EXPECT_LE(tx_cq_consumed_, tx_cq_next_) << "consumed CQEs that were never written";
  return tx_cq_consumed_;
}

std::uint32_t FakeNic::slots_held() const {
  return static_cast<std::uint32_t>(
      std::count_if(references_.begin(), references_.end(), [](auto n) { return n != 0; }));
}

void FakeNic::write_rx_cqe(std::uint8_t (&cqe)[64], std::uint8_t opcode) {
  ASSERT_TRUE(can_receive()) << "no receive slot is posted";
  const std::uint64_t depth = rx_cqes_.size();
  ASSERT_LT(rx_cq_next_ - rx_cq_consumed_, depth) << "the receive completion queue overruns";
  put_big(cqe + 60, rx_next_ & 0xffff, 2);
  cqe[63] = static_cast<std::uint8_t>((opcode << 4) | ((rx_cq_next_ >> config_.log_rx_cq) & 1));
  publish(rx_cqes_[rx_cq_next_ & (depth - 1)], cqe);
  ++rx_next_;
  ++rx_cq_next_;
}

void FakeNic::receive(std::span<const std::uint8_t> frame, const RxFields& fields) {
  ASSERT_TRUE(can_receive()) << "no receive slot is posted";
  const std::size_t in_first =
      config_.split_at == 0 ? frame.size() : std::min<std::size_t>(frame.size(), config_.split_at);
  ASSERT_LE(std::max(in_first, frame.size() - in_first), config_.buffer_length);
  std::ranges::copy(frame.first(in_first), rx_buffer(rx_buffers_, rx_next_));
  if (in_first < frame.size()) {
    std::ranges::copy(frame.subspan(in_first), rx_buffer(rx_payloads_, rx_next_));
  }
  if (config_.packets_are_sent) rx_unsent_.insert(rx_next_);
  std::uint8_t cqe[64] = {};
  put_big(cqe + 12, fields.rss_hash, 4);
  cqe[16] = fields.rss_type;
  put_big(cqe + 28, fields.header_type_bits, 2);
  put_big(cqe + 30, fields.vlan_tci, 2);
  put_big(cqe + 44, frame.size(), 4);
  put_big(cqe + 48, fields.timestamp, 8);
  put_big(cqe + 56, 0x2a000000U | fields.flow_tag, 4);
  write_rx_cqe(cqe, 0x2);
}

void FakeNic::receive_error(std::uint8_t syndrome, std::uint8_t vendor, std::uint8_t opcode) {
  std::uint8_t cqe[64] = {};
  cqe[54] = vendor;
  cqe[55] = syndrome;
  write_rx_cqe(cqe, opcode);
}

void FakeNic::read_segment(const std::uint8_t* segment, SentFrame& frame) {
  const std::uint32_t length = big32(segment);
  const std::uint32_t lkey = big32(segment + 4);
  const std::uint64_t iova = big64(segment + 8);
  for (const Region* region : {&rx_buffers_, &rx_payloads_, &tx_buffers_}) {
    const auto found = std::ranges::find(region->iova, iova);
    if (found == region->iova.end()) continue;
    const auto slot = static_cast<std::size_t>(found - region->iova.begin());
    EXPECT_EQ(lkey, region->lkey);
    EXPECT_LE(length, config_.buffer_length);
    EXPECT_TRUE(length > 0 || config_.split_at == 0) << "a part of no bytes";
    if (region != &tx_buffers_) {
      // The latest packet that came into this slot.
      const auto index = rx_next_ - 1 - ((rx_next_ - 1 - slot) & (references_.size() - 1));
      EXPECT_TRUE(!frame.rx_index || *frame.rx_index == index) << "parts of two packets";
      frame.rx_index = index;
    }
    const std::uint8_t* const data = &region->memory[slot * config_.buffer_length];
    frame.bytes.insert(frame.bytes.end(), data, data + length);
    return;
  }
  ADD_FAILURE() << "a WQE points at no buffer: " << iova << " + " << length;
}

std::uint32_t FakeNic::read_sends() {
  // Acquire: the doorbell brings the record and the WQEs with it.
  const std::uint64_t value = __atomic_load_n(&doorbell_, __ATOMIC_ACQUIRE);
  if (value == last_doorbell_) return 0;
  last_doorbell_ = value;
  ++doorbells_;
  std::uint8_t rung[8];
  std::memcpy(rung, &value, 8);
  const std::uint32_t rung_index = (big32(rung) >> 8) & 0xffff;
  EXPECT_EQ(big32(rung) & 0xff0000ffU, 0x0aU) << "the doorbell is not a send WQE's first half";
  EXPECT_EQ(big32(rung + 4), (kSqn << 8) | 3U);
  const std::uint64_t end = unwrap(tx_seen_, (rung_index + 1) & 0xffff, 16);
  if (end - tx_seen_ > wqes_.size()) {
    ADD_FAILURE() << "the doorbell goes back";
    return 0;
  }
  const std::uint32_t record = fetch_record(tx_record_.send_counter);
  EXPECT_LE(record, 0xffffU) << "the send record holds more than 16 bits";
  EXPECT_GE(unwrap(tx_seen_, record, 16), end) << "the doorbell was rung before the record";
  EXPECT_LE(unwrap(tx_seen_, record, 16) - tx_completed_, wqes_.size())
      << "the send queue overruns";

  const std::uint64_t first = tx_seen_;
  for (; tx_seen_ < end; ++tx_seen_) {
    const auto* wqe = reinterpret_cast<const std::uint8_t*>(&wqes_[tx_seen_ & (wqes_.size() - 1)]);
    EXPECT_EQ(big32(wqe), ((tx_seen_ & 0xffff) << 8) | 0x0a) << "index and opcode";
    const std::uint32_t segments = big32(wqe + 4) & 0x3f;
    EXPECT_EQ(big32(wqe + 4), (kSqn << 8) | segments) << "queue and segments";
    EXPECT_TRUE(segments == 3 || (segments == 4 && config_.split_at != 0)) << segments;
    EXPECT_TRUE(wqe[11] == 0x08 || wqe[11] == 0) << "completion request";
    EXPECT_TRUE(std::equal(wqe + 16, wqe + 32, config_.ethernet_segment.begin())) << "offloads";
    const bool split = segments == 4;
    EXPECT_TRUE(split || std::all_of(wqe + 48, wqe + 64, [](auto b) { return b == 0; }))
        << "stale bytes";
    SentFrame frame{{}, {}, wqe[11] == 0x08};
    read_segment(wqe + 32, frame);
    if (split) read_segment(wqe + 48, frame);
    sent_.push_back(std::move(frame));
  }
  EXPECT_GT(end, first) << "the doorbell announces nothing new";
  if (config_.batches_ask) {
    EXPECT_TRUE(sent_.back().wants_cqe) << "a batch's last WQE asks for no CQE";
  }
  return static_cast<std::uint32_t>(end - first);
}

void FakeNic::write_tx_cqe(std::uint64_t wqe_index, std::uint8_t opcode, std::uint8_t syndrome,
                           std::uint8_t vendor) {
  ASSERT_LT(tx_cq_next_ - tx_cq_consumed(), tx_cqes_.size())
      << "the send completion queue overruns";
  std::uint8_t cqe[64] = {};
  cqe[54] = vendor;
  cqe[55] = syndrome;
  put_big(cqe + 60, wqe_index & 0xffff, 2);
  cqe[63] = static_cast<std::uint8_t>((opcode << 4) | ((tx_cq_next_ >> config_.log_tx_cq) & 1));
  publish(tx_cqes_[tx_cq_next_ & (tx_cqes_.size() - 1)], cqe);
  ++tx_cq_next_;
}

void FakeNic::complete_sends(std::uint32_t count) {
  for (; count > 0 && tx_completed_ < tx_seen_; --count, ++tx_completed_) {
    const SentFrame& frame = sent_[tx_completed_ - config_.tx_start];
    if (frame.rx_index) rx_unsent_.erase(*frame.rx_index);
    if (frame.wants_cqe) write_tx_cqe(tx_completed_, 0x0);
  }
}

void FakeNic::fail_send(std::uint8_t syndrome, std::uint8_t vendor) {
  ASSERT_LT(tx_completed_, tx_seen_);
  rx_unsent_.clear();  // the queue has stopped and reads no buffer any more
  write_tx_cqe(tx_completed_, 0xd, syndrome, vendor);
  while (++tx_completed_ < tx_seen_) write_tx_cqe(tx_completed_, 0xd, 0x05);
}

}  // namespace ringside::test
