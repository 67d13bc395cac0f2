// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Every stage on any bytes as a packet: nothing outside it is read or written, what the parse
// claims lies inside, and a field that was written reads back.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/load_balance.hpp"
#include "kernels/stages/match.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/swap.hpp"

namespace {

using namespace ringside::stages;

void require(bool holds) {
  if (!holds) std::abort();
}

void judge(const Layers& layers, std::size_t length) {
  require(layers.end <= length && layers.payload <= layers.end);
  require(layers.l3 == L3::kNone || layers.l3_offset + 20U <= layers.end);
  require(layers.l4 == L4::kNone ||
          (layers.l3 != L3::kNone && layers.l4_offset + 8U <= layers.end));
  require((layers.items & (item_bit(Item::kTcp) | item_bit(Item::kUdp))) == 0 || !layers.fragment);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65535) return 0;
  std::vector<std::uint8_t> bytes(data, data + size);  // of its own size, for AddressSanitizer
  bytes.shrink_to_fit();
  PacketView packet{bytes.data(), static_cast<std::uint32_t>(size), 0, 0, {}};
  parse(packet, {});
  judge(packet.headers.outer, size);
  judge(packet.headers.inner, size);

  for (int number = 0; number <= static_cast<int>(Field::kMetaLength); ++number) {
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
  for (const bool symmetric : {false, true}) flow_hash(packet, HashOver::kFiveTuple, symmetric);
  LoadBalanceParameters balance{};
  balance.backends[0] = {{0, 2}, {0, 0xc0000201}, 0, true, true, false};
  run_load_balance(packet, balance);
  run_rewrite(packet, {0, true, {}});
  run_swap(packet, {true, true, true});
  run_icmp_echo(packet, {true, 0, {}}, {});
  return 0;
}
