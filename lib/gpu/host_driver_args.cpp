// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_driver_args.hpp"

#include <rte_kvargs.h>
#include <unistd.h>

#include <charconv>
#include <limits>
#include <memory>
#include <string_view>

namespace ringside {
namespace {

struct KvargsDeleter {
  void operator()(rte_kvargs* kvargs) const noexcept { rte_kvargs_free(kvargs); }
};

std::uint64_t machine_memory() noexcept {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || value == 0) return std::nullopt;
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  unsigned shift = 0;
  if (unit == "K" || unit == "k") {
    shift = 10;
  } else if (unit == "M" || unit == "m") {
    shift = 20;
  } else if (unit == "G" || unit == "g") {
    shift = 30;
  } else if (!unit.empty()) {
    return std::nullopt;
  }
  if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return value << shift;
}

}  // namespace

std::optional<HostMemoryConfig> parse_host_driver_args(const std::string& name, const char* args,
                                                       std::string& problem) {
  static const char* const kKeys[] = {"opaque", "memory", "iomem", nullptr};
  HostMemoryConfig config{name, machine_memory() / 2};
  const std::unique_ptr<rte_kvargs, KvargsDeleter> kvargs(
      rte_kvargs_parse(args != nullptr ? args : "", kKeys));
  if (!kvargs) {
    problem = std::string("cannot read \"") + args +
              "\"; the arguments are opaque=0|1, memory=SIZE, iomem=allowed|denied";
    return std::nullopt;
  }
  if (const char* opaque = rte_kvargs_get(kvargs.get(), "opaque"); opaque != nullptr) {
    const std::string_view value(opaque);
    if (value != "0" && value != "1") {
      problem = std::string("opaque=") + opaque + " is neither 0 nor 1";
      return std::nullopt;
    }
    config.opaque = value == "1";
  }
  if (const char* memory = rte_kvargs_get(kvargs.get(), "memory"); memory != nullptr) {
    const auto size = parse_size(memory);
    if (!size || *size < HostMemory::kPageSize) {
      problem = std::string("memory=") + memory + " is not a size of 64K or more, like 512M or 4G";
      return std::nullopt;
    }
    config.total = *size;
  }
  if (const char* iomem = rte_kvargs_get(kvargs.get(), "iomem"); iomem != nullptr) {
    const std::string_view value(iomem);
    if (value != "allowed" && value != "denied") {
      problem = std::string("iomem=") + iomem + " is neither allowed nor denied";
      return std::nullopt;
    }
    config.iomem_denied = value == "denied";
  }
  return config;
}

}  // namespace ringside
