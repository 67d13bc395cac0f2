// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/chain_source.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "kernels/stages/known_chain.hpp"

namespace ringside::pipeline {
namespace {

using stages::Op;

template <class Enum>
int number(Enum value) {
  return static_cast<int>(value);
}

class ShapeWriter {
 public:
  ShapeWriter(const stages::Chain& chain, UserFunctionKind functions)
      : chain_(chain), functions_(functions) {
    for (std::uint32_t i = 0; i < chain.stages; ++i) add(chain.stage[i]);
  }

  std::string text() const {
    const stages::ParseOptions& parse = chain_.parse;
    // An array cannot be empty.
    const std::string places = places_.empty() ? "    {},\n" : places_;
    return fmt::format(
        "  static constexpr std::uint32_t kCount = {};\n"
        "  static constexpr bool kParses = {};\n"
        "  static constexpr ParseOptions kParse{{{}, {}, {}, {}}};\n"
        "  static constexpr Stage kStages[] = {{\n{}  }};\n"
        "  static constexpr KnownParameters kParameters[] = {{\n{}  }};\n"
        "  static constexpr KnownPlace kPlaces[] = {{\n{}  }};\n",
        chain_.stages, chain_.parses, parse.vxlan_port, parse.gtpu_port, parse.ecpri_ethertype,
        parse.tunnels, stages_, parameters_, places);
  }

 private:
  void add(const stages::Stage& stage) {
    stages_ += fmt::format("    {{Op{{{}}}, {}, {}, {}, {}, {}}},\n", number(stage.op), stage.on,
                           stage.otherwise, stage.counts_bytes, stage.parameters, stage.word);
    parameters_ += fmt::format("    {{{}}},\n", parameters(stage));
  }

  std::string parameters(const stages::Stage& stage) {
    switch (stage.op) {
      case Op::kMatch: {
        const auto& match = stored<stages::Match>(stage);
        std::string text = places(match.count);
        for (std::uint32_t i = 0; i < match.count; ++i) {
          place(match.conditions[i].place, match.conditions[i].inner);
        }
        return fmt::format(".outer = {}, .inner = {}, {}", match.outer, match.inner, text);
      }
      case Op::kRewrite: {
        const auto& rewrite = stored<stages::RewriteParameters>(stage);
        std::string text = places(rewrite.count);
        for (std::uint32_t i = 0; i < rewrite.count; ++i) place(rewrite.changes[i].place, false);
        return fmt::format("{}, .decrement_ttl = {}", text, rewrite.decrement_ttl);
      }
      case Op::kSwap: {
        const auto& swap = stored<stages::SwapParameters>(stage);
        return fmt::format(".swap = {{{}, {}, {}}}", swap.macs, swap.ips, swap.ports);
      }
      case Op::kIcmpEcho:
        return fmt::format(".arp = {}", stored<stages::IcmpEchoParameters>(stage).arp);
      case Op::kLoadBalance: {
        const auto& balance = stored<stages::LoadBalanceParameters>(stage);
        return fmt::format(".over = HashOver{{{}}}, .symmetric = {}, .to = {}",
                           number(balance.over), balance.symmetric, common_target(balance));
      }
      case Op::kPolice: {
        const auto& police = stored<stages::PoliceParameters>(stage);
        std::string text = places(police.key.count);
        for (std::uint32_t i = 0; i < police.key.count; ++i) {
          place(police.key.fields[i].place, police.key.fields[i].inner);
        }
        return fmt::format("{}, .over = HashOver{{{}}}, .per = PolicePer{{{}}}", text,
                           number(police.key.over), number(police.per));
      }
      case Op::kUser:
        return functions_ == UserFunctionKind::kAddress
                   ? ".function = kStoredFunction"
                   : fmt::format(".function = {}", stored<stages::UserParameters>(stage).function);
      default:
        return "";
    }
  }

  template <class T>
  const T& stored(const stages::Stage& stage) const {
    return stages::chain_part<T>(chain_, stage.parameters);
  }

  std::string places(std::uint32_t count) {
    std::string text = fmt::format(".first = {}, .count = {}", place_count_, count);
    place_count_ += count;
    return text;
  }
  void place(const stages::FieldPlace& place, bool inner) {
    places_ += fmt::format(
        "    {{{{Field{{{}}}, Item{{{}}}, Base{{{}}}, {}, {}, {}, {}, Covered{{{}}}}}, {}}},\n",
        number(place.field), number(place.item), number(place.base), place.offset, place.bytes,
        place.shift, place.bits, number(place.covered), inner);
  }

  /// 0: they have several. No target is 0, since targets are behind the stage that names them.
  static stages::Target common_target(const stages::LoadBalanceParameters& balance) {
    const stages::Target first = balance.backends[balance.of_bucket[0]].to;
    const bool same = std::ranges::all_of(balance.of_bucket, [&](std::uint8_t backend) {
      return balance.backends[backend].to == first;
    });
    return same ? first : stages::Target{0};
  }

  const stages::Chain& chain_;
  const UserFunctionKind functions_;
  std::string stages_, parameters_, places_;
  std::uint32_t place_count_ = 0;
};

/// Shape1 and on.
std::string shape_structs(const std::vector<std::string>& shapes) {
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    text += fmt::format("struct Shape{} {{\n{}}};\n", i + 1, shapes[i]);
  }
  return text;
}

}  // namespace

std::string shape_members(const ChainImage& image, UserFunctionKind functions) {
  return ShapeWriter(*reinterpret_cast<const stages::Chain*>(image.words.data()), functions).text();
}

std::string kernel_source(const std::string& entry, const std::string& program,
                          const std::vector<std::string>& shapes,
                          const std::vector<KernelFunction>& functions) {
  std::string text =
      "#include \"kernels/cuda_known_pipeline.hpp\"\n"
      "#include \"kernels/stage.hpp\"\n";
  std::set<std::string> includes;
  std::string calls;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const KernelFunction& function = functions[i];
    if (function.include.empty()) {
      text += fmt::format(
          "extern \"C\" __device__ ringside::stages::Next {}(ringside::stages::PacketView&, "
          "const std::uint64_t*);\n",
          function.name);
    } else if (includes.insert(function.include).second) {
      text += fmt::format("#include \"{}\"\n", function.include);
    }
    calls +=
        fmt::format("      case {}:\n        return ::{}(packet, parameters);\n", i, function.name);
  }
  text += fmt::format(
      "namespace ringside::stages {{\n"
      "struct Users {{\n"
      "  RS_DEVICE static Next call(std::uint64_t function, PacketView& packet,\n"
      "                             const std::uint64_t* parameters) {{\n"
      "    switch (function) {{\n{}"
      "      default:\n        return Next::kDrop;\n    }}\n  }}\n}};\n",
      calls);
  std::string names;
  for (std::size_t i = 1; i <= shapes.size(); ++i) names += fmt::format(", Shape{}", i);
  return text + shape_structs(shapes) +
         fmt::format(
             "}}  // namespace ringside::stages\n"
             "RINGSIDE_KNOWN_PIPELINE({}, ringside::{}, Users{})\n",
             entry, program, names);
}

std::string chain_functions_source(const std::string& name, const std::vector<std::string>& shapes,
                                   bool splits) {
  std::string functions;
  for (std::size_t i = 1; i <= shapes.size(); ++i) {
    functions += fmt::format("    chain_function<{}, Shape{}>,\n", splits, i);
  }
  return fmt::format(
      "#include \"kernels/stages/chain_function.hpp\"\n"
      "namespace ringside::stages {{\n"
      // Else what two objects say of a Shape1 would be one, to the dynamic linker.
      "namespace {{\n{}}}\n"
      "extern \"C\" const ChainFunction {}[];\n"
      "const ChainFunction {}[] = {{\n{}}};\n"
      "}}  // namespace ringside::stages\n",
      shape_structs(shapes), name, name, functions);
}

}  // namespace ringside::pipeline
