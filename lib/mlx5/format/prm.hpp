// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Fields of the PRM's command layouts: big-endian dwords with bits numbered 31 (first) to 0, as the
// manual draws them. The prm_*.hpp files hold the layouts, a namespace each, a line a field.
//
//   prm::Mailbox<create_sq_in::kSize> in;
//   in.set(create_sq_in::ctx / sqc::wq / wq::log_wq_sz, 10);
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace ringside::prm {

/// Bits `high`..`low` of the dword at byte `offset`.
struct Field {
  std::uint32_t offset;
  std::uint8_t high;
  std::uint8_t low;

  constexpr std::uint32_t max() const { return 0xffffffffU >> (31 - (high - low)); }
};

/// A 64-bit number: two dwords, the high one first.
struct Field64 {
  std::uint32_t offset;
};

/// A run of bytes without an order of its own: a MAC address, a hash key.
struct Bytes {
  std::uint32_t offset;
  std::uint32_t size;
};

/// A layout within another: `context / field` is the field's place in the outer one.
struct Context {
  std::uint32_t offset;
  std::uint32_t size;
};

constexpr Field operator/(Context outer, Field f) {
  return {outer.offset + f.offset, f.high, f.low};
}
constexpr Field64 operator/(Context outer, Field64 f) {
  return {outer.offset + f.offset};
}
constexpr Bytes operator/(Context outer, Bytes b) {
  return {outer.offset + b.offset, b.size};
}
constexpr Context operator/(Context outer, Context c) {
  return {outer.offset + c.offset, c.size};
}

constexpr std::uint32_t get_dword(const std::uint8_t* layout, std::uint32_t offset) {
  const std::uint8_t* b = layout + offset;
  return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
}
constexpr void set_dword(std::uint8_t* layout, std::uint32_t offset, std::uint32_t value) {
  for (std::uint32_t i = 0; i < 4; ++i) {
    layout[offset + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
  }
}

constexpr std::uint32_t get(const std::uint8_t* layout, Field f) {
  return get_dword(layout, f.offset) >> f.low & f.max();
}
constexpr std::uint64_t get(const std::uint8_t* layout, Field64 f) {
  return std::uint64_t{get_dword(layout, f.offset)} << 32 | get_dword(layout, f.offset + 4);
}

/// Sets the field and leaves its neighbours. `value` must fit.
constexpr void set(std::uint8_t* layout, Field f, std::uint32_t value) {
  assert(value <= f.max());
  const std::uint32_t others = get_dword(layout, f.offset) & ~(f.max() << f.low);
  set_dword(layout, f.offset, others | value << f.low);
}
constexpr void set(std::uint8_t* layout, Field64 f, std::uint64_t value) {
  set_dword(layout, f.offset, static_cast<std::uint32_t>(value >> 32));
  set_dword(layout, f.offset + 4, static_cast<std::uint32_t>(value));
}

/// A command or an answer, zeroed: reserved bits must be 0.
template <std::size_t kSize>
class Mailbox {
 public:
  constexpr std::uint32_t get(Field f) const { return prm::get(bytes_.data(), f); }
  constexpr std::uint64_t get(Field64 f) const { return prm::get(bytes_.data(), f); }
  constexpr void set(Field f, std::uint32_t value) { prm::set(bytes_.data(), f, value); }
  constexpr void set(Field64 f, std::uint64_t value) { prm::set(bytes_.data(), f, value); }

  constexpr std::uint8_t* at(std::uint32_t offset) { return bytes_.data() + offset; }
  constexpr std::uint8_t* data() { return bytes_.data(); }
  constexpr const std::uint8_t* data() const { return bytes_.data(); }
  static constexpr std::size_t size() { return kSize; }

 private:
  alignas(8) std::array<std::uint8_t, kSize> bytes_{};
};

}  // namespace ringside::prm
