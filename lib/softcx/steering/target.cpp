// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/target.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace softcx {
namespace {

// rx_hash_type: the kinds of source address (bits 1..0), destination address (3..2), source port
// (5..4) and destination port (7..6) that went into the hash.
constexpr unsigned kTypeIpv4 = 1, kTypeIpv6 = 2;
constexpr unsigned kTypeTcp = 1, kTypeUdp = 2, kTypeSpi = 3;

/// The hash's input, in the order of the RSS specification.
class Input {
 public:
  void add(const std::uint8_t* bytes, std::size_t size) noexcept {
    std::memcpy(bytes_.data() + size_, bytes, size);
    size_ += size;
  }
  std::span<const std::uint8_t> bytes() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<std::uint8_t, ToeplitzTable::kMaxInput> bytes_;
  std::size_t size_ = 0;
};

/// Makes both directions of a flow the same: the smaller of the two fields becomes the source.
void sort(std::uint8_t* source, std::uint8_t* destination, std::size_t size) noexcept {
  if (std::memcmp(source, destination, size) > 0) {
    std::swap_ranges(source, source + size, destination);
  }
}

/// Ready and given buffers: a queue that is only there to drop (the PMD steers to one while it
/// probes) does not count. Engine thread.
bool ready(const Rq& rq) noexcept {
  // Pairs with the control path's store-release when MODIFY_RQ makes the queue ready.
  if (rq.state.load(std::memory_order_acquire) != QueueState::kReady) return false;
  // Pairs with the application's release of the doorbell record, after the WQEs.
  const std::atomic_ref posted(rq.record->receive_counter.raw);
  const ringside::Be32 counter{posted.load(std::memory_order_acquire)};
  return static_cast<std::uint16_t>(counter.value()) != rq.consumer;
}

}  // namespace

Target::Target(const Tir& tir_in, std::shared_ptr<const ToeplitzTable> toeplitz)
    : tir(tir_in),
      toeplitz_(std::move(toeplitz)),
      l3_(tir_in.l3_ipv6 ? L3::kIpv6 : L3::kIpv4),
      l4_(tir_in.l4_udp ? L4::kUdp : L4::kTcp) {}

RssHash Target::hash(const ParsedPacket& packet) const noexcept {
  const Layers& layers = tir.hash_inner ? packet.inner : packet.outer;
  if (toeplitz_ == nullptr || layers.l3 != l3_) return {};
  const LayerKey& key = tir.hash_inner ? packet.key.inner : packet.key.outer;
  const std::size_t size = l3_ == L3::kIpv4 ? 4 : 16;
  const unsigned l3_type = l3_ == L3::kIpv4 ? kTypeIpv4 : kTypeIpv6;

  std::array<std::uint8_t, 16> source, destination;
  std::memcpy(source.data(), key.source_ip + 16 - size, size);
  std::memcpy(destination.data(), key.destination_ip + 16 - size, size);
  const bool has_ports = layers.l4 == l4_;
  std::array<std::uint8_t, 4> ports{};
  if (has_ports) {
    std::memcpy(ports.data(), l4_ == L4::kTcp ? &key.tcp_source : &key.udp_source, ports.size());
  }
  if (tir.symmetric) {
    sort(source.data(), destination.data(), size);
    sort(ports.data(), ports.data() + 2, 2);
  }

  Input input;
  unsigned type = 0;
  if ((tir.hash_fields & kHashSourceIp) != 0) {
    input.add(source.data(), size);
    type |= l3_type;
  }
  if ((tir.hash_fields & kHashDestinationIp) != 0) {
    input.add(destination.data(), size);
    type |= l3_type << 2;
  }
  const unsigned l4_type = l4_ == L4::kTcp ? kTypeTcp : kTypeUdp;
  if (has_ports && (tir.hash_fields & kHashSourcePort) != 0) {
    input.add(ports.data(), 2);
    type |= l4_type << 4;
  }
  if (has_ports && (tir.hash_fields & kHashDestinationPort) != 0) {
    input.add(ports.data() + 2, 2);
    type |= l4_type << 6;
  }
  // The parser leaves 0, which no SPI is, where the packet has no ESP header; such a packet has no
  // ports.
  const Be32& spi = tir.hash_inner ? packet.key.misc.inner_esp_spi : packet.key.misc.outer_esp_spi;
  if ((tir.hash_fields & kHashIpsecSpi) != 0 && spi.raw != 0) {
    input.add(reinterpret_cast<const std::uint8_t*>(&spi), sizeof spi);
    type |= kTypeSpi << 4 | kTypeSpi << 6;
  }
  return {toeplitz_->hash(input.bytes()), static_cast<std::uint8_t>(type)};
}

bool Target::ready() const noexcept {
  if (!tir.indirect) return softcx::ready(*tir.rq);
  const std::vector<Rq*>* queues = tir.rqt->queues.load(std::memory_order_acquire);
  if (queues == nullptr) return false;
  for (const Rq* queue : *queues) {
    if (softcx::ready(*queue)) return true;
  }
  return false;
}

}  // namespace softcx
