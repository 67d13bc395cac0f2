// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Flow counters, alone or in bulks.
#include "lib/mlx5/format/prm_flow.hpp"

#include <bit>

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/limits.hpp"
#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {
namespace {

namespace traffic = prm::traffic_counter;

/// Flow counters lie in fours: bulks begin with one, and queries of several name whole ones.
constexpr std::uint32_t kQueryUnit = 4;

/// Bulks are asked for as a bit: bit n stands for 128 << n counters; or by the log of their number.
std::uint32_t requested_count(const Command& command) {
  namespace alloc_in = prm::alloc_flow_counter_in;
  const std::uint32_t bits = command.get(alloc_in::flow_counter_bulk);
  const std::uint32_t log_size = command.get(alloc_in::flow_counter_bulk_log_size);
  if (bits != 0 && !std::has_single_bit(bits)) {
    refuse(Rule::kBulkNotOneBit, "flow_counter_bulk {:#x}: one bit says how many", bits);
  }
  const std::uint64_t count = bits != 0 ? std::uint64_t{bits} * 128 : std::uint64_t{1} << log_size;
  if (count > std::uint64_t{1} << kLogMaxFlowCounterBulk) {
    refuse(Rule::kSizeAboveLimit, "{} flow counters in a bulk, {} at most", count,
           1U << kLogMaxFlowCounterBulk);
  }
  return static_cast<std::uint32_t>(count);
}

/// Counters of a bulk have consecutive numbers, from the bulk's own.
FlowCounterBulk& find_bulk(Device& device, std::uint32_t id) {
  for (auto& [first, bulk] : device.flow_counters) {
    if (id >= first && id - first < bulk->count) return *bulk;
  }
  refuse(Rule::kNoSuchFlowCounter, "no flow counter {:#x}", id);
}

void write_counter(FlowCounter& counter, bool clear, std::uint8_t* out) {
  const std::uint64_t packets = counter.packets.load(std::memory_order_relaxed);
  const std::uint64_t bytes = counter.bytes.load(std::memory_order_relaxed);
  prm::set(out, traffic::packets, packets - counter.packets_cleared_at);
  prm::set(out, traffic::octets, bytes - counter.bytes_cleared_at);
  if (clear) {
    counter.packets_cleared_at = packets;
    counter.bytes_cleared_at = bytes;
  }
}

/// Where the counters go: memory behind an mkey, or the answer itself.
std::uint8_t* destination(Command& command, std::uint32_t count) {
  namespace query_in = prm::query_flow_counter_in;
  const std::uint64_t bytes = std::uint64_t{count} * traffic::kSize;
  if (command.get(query_in::dump_to_memory) == 0) {
    command.require_out(prm::query_flow_counter_out::kSize + bytes);
    return command.out_bytes(prm::query_flow_counter_out::flow_statistics.offset);
  }
  const std::uint32_t lkey = command.get(query_in::mkey);
  const Mkey* const key = command.device().find_mkey(lkey);
  if (key == nullptr) refuse(Rule::kNoSuchMkey, "no mkey {:#x}", lkey);
  const Place at = command.device().translate(lkey, key->pdn, command.get(query_in::address),
                                              static_cast<std::uint32_t>(bytes), true);
  if (at.bytes == nullptr || at.on_gpu()) {
    refuse(Rule::kDumpOutsideKey,
           "flow counters: {} bytes at {:#x} are not writable through mkey {:#x}", bytes,
           command.get(query_in::address), lkey);
  }
  return at.bytes;
}

}  // namespace

void alloc_flow_counter(Command& command) {
  Device& device = command.device();
  const std::uint32_t count = requested_count(command);
  auto bulk = std::make_unique<FlowCounterBulk>();
  bulk->id = device.allocate_counter_ids((count + kQueryUnit - 1) / kQueryUnit * kQueryUnit);
  bulk->count = count;
  bulk->counters = std::make_unique<FlowCounter[]>(count);
  const std::uint32_t id = bulk->id;
  device.flow_counters.emplace(id, std::move(bulk));
  command.set(prm::alloc_flow_counter_out::flow_counter_id, id);
}

void query_flow_counter(Command& command) {
  namespace query_in = prm::query_flow_counter_in;
  const std::uint32_t id = command.get(query_in::flow_counter_id);
  FlowCounterBulk& bulk = find_bulk(command.device(), id);
  const std::uint32_t asked = command.get(query_in::num_of_counters);
  const std::uint32_t count = asked == 0 ? 1 : asked;
  const std::uint32_t first = id - bulk.id;
  if (asked != 0 && (id % kQueryUnit != 0 || asked % kQueryUnit != 0)) {
    refuse(Rule::kBulkQueryUnaligned,
           "{} flow counters from {:#x}: a bulk is queried in multiples of {}", asked, id,
           kQueryUnit);
  }
  if (count > bulk.count - first) {
    refuse(Rule::kCounterOutOfRange, "{} flow counters from {:#x}, the bulk ends {} later", count,
           id, bulk.count - first);
  }
  std::uint8_t* const out = destination(command, count);
  const bool clear = command.get(query_in::clear) != 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    write_counter(bulk.counters[first + i], clear, out + std::size_t{i} * traffic::kSize);
  }
}

void dealloc_flow_counter(Command& command) {
  Device& device = command.device();
  const std::uint32_t id = command.get(prm::dealloc_flow_counter_in::flow_counter_id);
  const auto found = device.flow_counters.find(id);
  if (found == device.flow_counters.end()) {
    refuse(Rule::kNoSuchFlowCounter, "no flow counter {:#x}", id);
  }
  refuse_if_referenced(found->second->references, "flow counter", id);
  device.quiesce();
  device.flow_counters.erase(found);
}

}  // namespace softcx
