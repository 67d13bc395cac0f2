// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For stages of your own. One source file, one function a stage:
//
//   #include "kernels/stage.hpp"
//   RINGSIDE_STAGE(no_telnet, packet, params) {
//     FieldValue port{};
//     const bool tcp = load_field(packet, Field::kTcpDst, false, port);
//     return tcp && port.low == params[0] ? Next::kDrop : Next::kOn;
//   }
//
// and in the pipeline's file
//
//   - user: {source: no_telnet.cpp, function: no_telnet, params: [23]}
//
// It runs once a packet, on any of the block's threads at the same time, so it keeps nothing
// between packets. packet.data has packet.length bytes; where the queue splits headers from data it
// has the first bytes_at_data(packet) of them, and packet.rest the others. packet.headers says
// where the headers lie, all of them at packet.data. Bytes may be changed, the length may not.
// load_field() and write_field() know every field that a pipeline's file can name; write_field()
// keeps checksums right.
#pragma once

#include <cstdint>

#include "kernels/stages/field.hpp"
#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/user.hpp"

/// Of PacketView and of what a stage is called with. An object that was built with another one is
/// refused.
inline constexpr std::uint32_t kRingsideStageLayout = 2;
extern "C" inline __attribute__((used, visibility("default"))) std::uint32_t
ringside_stage_layout() {
  return kRingsideStageLayout;
}

#define RINGSIDE_STAGE(name, packet, params)                                     \
  namespace ringside::stages {                                                   \
  static Next name##_stage(PacketView& packet, const std::uint64_t* params);     \
  }                                                                              \
  extern "C" __attribute__((visibility("default"))) ringside::stages::Next name( \
      ringside::stages::PacketView& view, const std::uint64_t* values) {         \
    return ringside::stages::name##_stage(view, values);                         \
  }                                                                              \
  ringside::stages::Next ringside::stages::name##_stage(                         \
      [[maybe_unused]] PacketView& packet, [[maybe_unused]] const std::uint64_t* params)
