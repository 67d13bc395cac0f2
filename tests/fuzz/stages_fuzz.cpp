// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Every stage on any bytes as a packet: nothing outside it is read or written, what the parse
// claims lies inside, and each stage does what it says. Their parameters come from the packet's own
// last bytes, so that an input is a packet and no more.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/stages/flow_key.hpp"
#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/load_balance.hpp"
#include "kernels/stages/match.hpp"
#include "kernels/stages/police.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/sample.hpp"
#include "kernels/stages/swap.hpp"
#include "kernels/stages/table.hpp"
#include "kernels/stages/user.hpp"

namespace {

using namespace ringside::stages;

constexpr std::uint32_t kFields = static_cast<std::uint32_t>(Field::kMetaLength) + 1;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Numbers from the end of the input, backwards and round again.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size), at_(size) {}
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    if (at_ == 0) at_ = size_;
    return data_[--at_];
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }
  Field field() { return static_cast<Field>(byte() % kFields); }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_;
};

/// A packet in memory of its own size, for AddressSanitizer.
struct Packet {
  explicit Packet(const std::vector<std::uint8_t>& from, const ParseOptions& options = {})
      : bytes(from), view{bytes.data(), static_cast<std::uint32_t>(bytes.size()), 7, 0, {}} {
    bytes.shrink_to_fit();
    view.data = bytes.data();
    parse(view, options);
  }
  std::vector<std::uint8_t> bytes;
  PacketView view;
};

void judge(const Layers& layers, std::size_t length) {
  require(layers.end <= length && layers.payload <= layers.end);
  require(layers.l3 == L3::kNone || layers.l3_offset + 20U <= layers.end);
  require(layers.l4 == L4::kNone ||
          (layers.l3 != L3::kNone && layers.l4_offset + 8U <= layers.end));
  require((layers.items & (item_bit(Item::kTcp) | item_bit(Item::kUdp))) == 0 || !layers.fragment);
}

/// Of the IPv4 header, over which any change is to keep the sum right.
bool header_sum_right(const PacketView& packet) {
  const Layers& layers = packet.headers.outer;
  if (layers.l3 != L3::kIpv4) return false;
  const std::uint8_t* const header = packet.data + layers.l3_offset;
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < 4U * (header[0] & 15U); i += 2) sum += load16(header + i);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

void fields(PacketView& packet) {
  for (std::uint32_t number = 0; number < kFields; ++number) {
    const auto field = static_cast<Field>(number);
    FieldValue value{};
    load_field(packet, field, true, value);
    if (!load_field(packet, field, false, value)) {
      require(!write_field(packet, field, value));
      continue;
    }
    const FieldValue changed{value.high ^ 1U, value.low ^ 1U};
    if (!write_field(packet, field, changed)) continue;
    FieldValue again{};
    require(load_field(packet, field, false, again) && again.low == changed.low);
    write_field(packet, field, value);
  }
}

void match_stage(const PacketView& packet, Choices& choices) {
  Match match{};
  match.outer = choices.byte();
  match.inner = choices.byte() & 3;
  match.count = 1;
  Condition& condition = match.conditions[0];
  condition.inner = (choices.byte() & 1) != 0;
  condition.place = place_of(choices.field());
  condition.mask = {~std::uint64_t{0}, ~std::uint64_t{0}};
  condition.last = condition.mask;
  FieldValue value{};
  const bool has = load_place(packet, condition.place, condition.inner, value);
  const bool headers = (match.outer & ~packet.headers.outer.items) == 0 &&
                       (match.inner & ~packet.headers.inner.items) == 0;
  require(matches(packet, match) == (headers && has));  // of any value
  condition.first = condition.last = value;
  require(matches(packet, match) == (headers && has));  // of this one
  condition.first = condition.last = {value.high, value.low ^ 1};
  require(!matches(packet, match));
}

void table_stage(PacketView& packet) {
  struct {
    TableParameters head;
    BucketTags tags[2];
    TableEntry entries[2 * kBucketEntries];
  } table{};
  table.head = {sizeof table.head, sizeof table.head + sizeof table.tags, 2};
  require(!run_table(packet, table.head));
  FiveTuple key;
  if (!five_tuple(packet, false, key)) return;
  const std::uint64_t hash = tuple_hash(key);
  const std::uint32_t bucket = second_bucket(hash, 2);
  table.tags[bucket].tags[3] = tag_of(hash);
  table.entries[bucket * kBucketEntries + 3] = {key, 42};
  require(run_table(packet, table.head) && packet.tag == 42);
}

void police_stage(const PacketView& packet, Choices& choices) {
  constexpr std::uint64_t kDay = 86'400ULL * 1'000'000'000 * kPoliceTicksPerNs;
  PoliceParameters parameters{choices.number() % kDay, choices.number() >> 18,
                              choices.number() % kDay, PolicePer::kFlow,
                              1U + choices.byte(),     {}};
  parameters.key.over = static_cast<HashOver>(choices.byte() & 3);
  parameters.key.count = choices.byte() & 1;
  parameters.key.fields[0] = {place_of(choices.field()), (choices.byte() & 1) != 0};
  const std::uint32_t bucket = police_bucket(packet, 0, parameters.per, parameters.key, parameters.buckets);
  require(bucket < parameters.buckets && bucket == police_bucket(packet, 1, parameters.per, parameters.key, parameters.buckets));
  const std::uint64_t now = choices.number();
  std::uint64_t word = choices.number();
  const std::uint64_t before = word;
  if (!run_police(&word, now, packet.length, parameters)) return require(word == before);
  require(word - now <= parameters.burst_ticks);
}

void sample_stage(const PacketView& packet, Choices& choices) {
  constexpr std::uint32_t kSlotBytes = 128;
  constexpr std::uint32_t kSlots = 2;
  alignas(16) std::array<std::uint8_t, kSlots * kSlotBytes> slots{};
  SampleRingWords words{};
  SampleRingState state{};
  const SampleRing ring{&words, slots.data(), kSlotBytes, 1};
  const SampleParameters parameters{1, 1U + choices.byte(), 3};
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    require(run_sample(packet, parameters, &seen, ring, state, i, 5) == Sampled::kYes);
  }
  require(run_sample(packet, parameters, &seen, ring, state, kSlots, 5) == Sampled::kLost);
  for (std::uint32_t i = 0; i < kSlots; ++i) {
    SampleHeader header{};
    std::memcpy(&header, slots.data() + i * kSlotBytes, sizeof header);
    require(header.order == i && header.length == packet.length && header.sink == 3);
    require(header.captured <= parameters.snaplen && header.captured <= packet.length);
    if (header.captured == 0) continue;
    require(std::memcmp(slots.data() + i * kSlotBytes + sizeof header, packet.data,
                        header.captured) == 0);
  }
}

void load_balance_stage(PacketView& packet, Choices& choices) {
  LoadBalanceParameters balance{};
  balance.over = static_cast<HashOver>(choices.byte() & 3);
  balance.symmetric = (choices.byte() & 1) != 0;
  const std::uint8_t with = choices.byte();
  balance.backends[0] = {{0, choices.number() >> 16},
                         {choices.number(), choices.number()},
                         9,
                         (with & 1) != 0,
                         (with & 2) != 0,
                         (with & 4) != 0};
  require(run_load_balance(packet, {balance.over, balance.symmetric, balance.of_bucket,
                                    balance.backends}) == 9);
  FieldValue mac{};
  if ((with & 1) == 0 || !load_field(packet, Field::kEthDst, false, mac)) return;
  require(mac.low == balance.backends[0].mac.low);
}

void rewrite_stage(PacketView& packet, Choices& choices) {
  RewriteParameters rewrite{};
  rewrite.count = 1;
  rewrite.decrement_ttl = (choices.byte() & 1) != 0;
  rewrite.changes[0] = {{choices.number(), choices.number()}, place_of(choices.field())};
  run_rewrite(packet, rewrite);
}

/// Looks at all that a user's stage can.
Next look(PacketView& packet, const std::uint64_t* params) {
  std::uint64_t sum = params[0];
  for (std::uint32_t i = 0; i < packet.length; ++i) sum += packet.data[i];
  for (std::uint32_t number = 0; number < kFields; ++number) {
    FieldValue value{};
    if (load_field(packet, static_cast<Field>(number), (sum & 1) != 0, value)) sum ^= value.low;
  }
  return (sum & 1) != 0 ? Next::kDrop : Next::kOn;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65535) return 0;
  const std::vector<std::uint8_t> input(data, data + size);
  Choices choices(data, size);
  ParseOptions options;
  options.tunnels = (choices.byte() & 7) != 0;
  {
    Packet packet(input, options);
    judge(packet.view.headers.outer, size);
    judge(packet.view.headers.inner, size);
    fields(packet.view);
  }
  Packet packet(input);
  match_stage(packet.view, choices);
  table_stage(packet.view);
  police_stage(packet.view, choices);
  sample_stage(packet.view, choices);
  const auto function = reinterpret_cast<std::uint64_t>(&look);
  const std::uint64_t params[] = {choices.number()};
  require(BuiltInUsers::call(function, packet.view, params) ==
          BuiltInUsers::call(function, packet.view, params));
  for (const bool symmetric : {false, true}) {
    flow_hash(packet.view, HashOver::kFiveTuple, symmetric);
  }

  const bool right = header_sum_right(packet.view);
  load_balance_stage(packet.view, choices);
  rewrite_stage(packet.view, choices);
  run_rewrite(packet.view, RewriteParameters{0, true, {}});
  run_swap(packet.view, {true, true, true});
  run_icmp_echo(packet.view, {true, 0, nullptr}, {});
  // Whatever was changed, a sum that was right is right.
  if (right) require(header_sum_right(packet.view));
  require(packet.bytes.size() == size && packet.view.length == size);
  return 0;
}
