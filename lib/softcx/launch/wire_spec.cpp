// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/wire_spec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

using ringside::usage_error;

constexpr const char* kForms =
    "use loop, cross:N, pcap:in=FILE[,out=FILE][,loop=N][,pad], netdev:IFNAME or null";

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string absolute_path(std::string_view text, std::string_view wire) {
  if (text.empty()) {
    throw usage_error(fmt::format("wire '{}' has an empty file name", wire), kForms);
  }
  return std::filesystem::absolute(text).lexically_normal().string();
}

CrossSpec parse_cross(std::string_view value, std::string_view wire) {
  const auto peer = parse_number<unsigned>(value);
  if (!peer || *peer >= kMaxPorts) {
    throw usage_error(fmt::format("wire '{}' does not name a port", wire),
                      fmt::format("use cross:N with N the other port, 0 to {}", kMaxPorts - 1));
  }
  return {*peer};
}

void parse_pcap_field(PcapSpec& pcap, std::string_view field, std::string_view wire) {
  const auto equals = field.find('=');
  const auto key = field.substr(0, equals);
  const auto value = equals == field.npos ? std::string_view{} : field.substr(equals + 1);
  if (key == "in" && !pcap.in) {
    pcap.in = absolute_path(value, wire);
  } else if (key == "out" && !pcap.out) {
    pcap.out = absolute_path(value, wire);
  } else if (key == "loop") {
    const auto count = parse_number<std::uint64_t>(value);
    if (!count) {
      throw usage_error(fmt::format("'{}' in wire '{}' is not a count", field, wire),
                        "use loop=N, 0 is for ever");
    }
    pcap.loop = *count;
  } else if (field == "pad") {
    pcap.pad = true;
  } else {
    throw usage_error(fmt::format("'{}' in wire '{}' is unknown or given twice", field, wire),
                      "a pcap wire takes in=FILE, out=FILE, loop=N and pad (no comma in names)");
  }
}

PcapSpec parse_pcap(std::string_view value, std::string_view wire) {
  PcapSpec pcap;
  while (!value.empty()) {
    const auto comma = value.find(',');
    parse_pcap_field(pcap, value.substr(0, comma), wire);
    value = comma == value.npos ? std::string_view{} : value.substr(comma + 1);
  }
  if (!pcap.in && !pcap.out) {
    throw usage_error(fmt::format("wire '{}' names no file", wire), kForms);
  }
  return pcap;
}

void check_crossed(const std::vector<WireSpec>& wires) {
  for (unsigned port = 0; port < wires.size(); ++port) {
    const auto* cross = std::get_if<CrossSpec>(&wires[port]);
    if (cross == nullptr) continue;
    const auto* back =
        cross->peer < wires.size() ? std::get_if<CrossSpec>(&wires[cross->peer]) : nullptr;
    if (cross->peer == port || back == nullptr || back->peer != port) {
      throw usage_error(fmt::format("port {} is cross:{}, but port {} is not cross:{}", port,
                                    cross->peer, cross->peer, port),
                        cross->peer == port
                            ? "use loop for a port that is wired to itself"
                            : fmt::format("give port {} the wire cross:{}", cross->peer, port));
    }
  }
}

/// A pipe that nobody reads, or a terminal that is stopped, would stop the engine, and with it the
/// control path that waits for the engine.
void refuse_special_file(const std::string& path) {
  std::error_code
      ignored;  // what cannot be examined cannot be created either, and is refused there
  if (!std::filesystem::exists(path, ignored)) return;
  if (std::filesystem::is_regular_file(path, ignored)) return;
  throw usage_error(fmt::format("capture '{}' cannot be written: it is not a regular file", path),
                    "give out= a regular file");
}

void check_output_files(const std::vector<WireSpec>& wires) {
  std::set<std::string> inputs;
  std::set<std::string> outputs;
  // Two names may lead to one file: compare what they resolve to.
  const auto resolved = [](const std::string& path) {
    return std::filesystem::weakly_canonical(path).string();
  };
  for (const auto& wire : wires) {
    const auto* pcap = std::get_if<PcapSpec>(&wire);
    if (pcap != nullptr && pcap->in) inputs.insert(resolved(*pcap->in));
  }
  for (const auto& wire : wires) {
    const auto* pcap = std::get_if<PcapSpec>(&wire);
    if (pcap == nullptr || !pcap->out) continue;
    refuse_special_file(*pcap->out);
    const auto path = resolved(*pcap->out);
    if (inputs.contains(path) || !outputs.insert(path).second) {
      throw usage_error(fmt::format("'{}' would be written while another wire uses it", *pcap->out),
                        "give every out= a file of its own");
    }
  }
}

}  // namespace

WireSpec parse_wire(std::string_view text) {
  const auto colon = text.find(':');
  const auto kind = text.substr(0, colon);
  const auto value = colon == text.npos ? std::string_view{} : text.substr(colon + 1);
  if (text == "loop") return LoopSpec{};
  if (text == "null") return NullSpec{};
  if (kind == "cross") return parse_cross(value, text);
  if (kind == "pcap") return parse_pcap(value, text);
  if (kind == "netdev" && !value.empty()) return NetdevSpec{std::string(value)};
  throw usage_error(fmt::format("unknown wire '{}'", text), kForms);
}

std::vector<WireSpec> parse_wires(const std::vector<std::string>& texts) {
  if (texts.empty()) return {LoopSpec{}};
  if (texts.size() > kMaxPorts) {
    throw usage_error(fmt::format("{} ports are too many", texts.size()),
                      fmt::format("give at most {} --port options", kMaxPorts));
  }
  std::vector<WireSpec> wires;
  wires.reserve(texts.size());
  for (const auto& text : texts) wires.push_back(parse_wire(text));
  check_crossed(wires);
  check_output_files(wires);
  return wires;
}

void check_engines(std::size_t engines, const std::vector<WireSpec>& wires) {
  const auto crossed =
      static_cast<std::size_t>(std::count_if(wires.begin(), wires.end(), [](const WireSpec& wire) {
        return std::holds_alternative<CrossSpec>(wire);
      }));
  const std::size_t most = wires.size() - crossed / 2;
  if (engines >= 1 && engines <= most) return;
  throw usage_error(
      fmt::format("--engines={} is out of range for {} port{}", engines, wires.size(),
                  wires.size() == 1 ? "" : "s"),
      fmt::format("give --engines a number from 1 to {}: a port has one engine, and two that are "
                  "cross-wired have the same",
                  most));
}

const char* kind_name(const WireSpec& wire) {
  static constexpr std::array kNames{"loop", "cross", "pcap", "netdev", "null"};
  static_assert(kNames.size() == std::variant_size_v<WireSpec>);
  return kNames[wire.index()];
}

}  // namespace softcx
