// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/host_chains.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "kernels/stages/chain_function.hpp"
#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/base/write_whole.hpp"
#include "lib/gpu/kernel_cache.hpp"
#include "lib/pipeline/chain_source.hpp"
#include "lib/pipeline/system_compiler.hpp"

namespace ringside::pipeline {
namespace {

constexpr const char* kFunctions = "ringside_chain_functions";

std::vector<char> compile(const std::string& source, const GiveUp& give_up) {
  const TemporaryFolder folder;
  const auto text = folder.path() / "chains.cpp";
  const auto object = folder.path() / "chains.so";
  std::ofstream(text) << source;
  const Compiled compiled = compile_shared_object(text, object, give_up);
  if (!compiled.in_time) throw Error(compiled.said, "set CXX to another one");
  std::ifstream file(object, std::ios::binary);
  std::vector<char> code{std::istreambuf_iterator<char>(file), {}};
  if (!compiled.done || code.empty()) {
    throw Error("the compiler does not take a chain: " + first_error(compiled.said),
                "set CXX to a compiler that knows C++20");
  }
  return code;
}

std::vector<char> code_of(const std::string& source, const GiveUp& give_up) {
  const std::string key = compiler_key(give_up) + source;
  if (auto kept = cached_kernel(key)) return *kept;
  const std::vector<char> code = compile(source, give_up);
  keep_kernel(key, code);
  return code;
}

/// A file in memory: a folder for temporary files may not be one to execute from.
UniqueFd file_of(const std::vector<char>& code) {
  UniqueFd file(::memfd_create("ringside-chains", MFD_CLOEXEC));
  if (!file || !write_whole(file.get(), code)) {
    throw Error(fmt::format("cannot lay out a compiled chain: {}", errno_text(errno)),
                "free some memory");
  }
  return file;
}

void* load(const UniqueFd& file) {
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(fmt::format("cannot load a compiled chain: {}", ::dlerror()),
                "allow memory of the process to be executed");
  }
  return handle;
}

}  // namespace

class HostChains::Object {
 public:
  Object(std::vector<std::string> shapes, bool splits, const GiveUp& give_up)
      : shapes_(std::move(shapes)),
        splits_(splits),
        file_(file_of(code_of(chain_functions_source(kFunctions, shapes_, splits), give_up))),
        handle_(load(file_)),
        functions_(static_cast<const stages::ChainFunction*>(::dlsym(handle_, kFunctions))) {}
  ~Object() { ::dlclose(handle_); }
  Object(const Object&) = delete;

  bool has_one_of(const std::set<std::uint64_t>& functions) const {
    return std::any_of(functions_, functions_ + shapes_.size(), [&](stages::ChainFunction one) {
      return functions.contains(reinterpret_cast<std::uint64_t>(one));
    });
  }

  std::uint64_t function(const std::string& shape, bool splits) const {
    const auto found = std::ranges::find(shapes_, shape);
    if (splits != splits_ || found == shapes_.end()) return 0;
    return reinterpret_cast<std::uint64_t>(functions_[found - shapes_.begin()]);
  }

 private:
  std::vector<std::string> shapes_;
  bool splits_;
  // Open as long as it is loaded: to the dynamic linker, another file of that number would be this.
  UniqueFd file_;
  void* handle_;
  const stages::ChainFunction* functions_;
};

HostChains::HostChains(GiveUp give_up) : give_up_(std::move(give_up)) {}
HostChains::~HostChains() = default;

void HostChains::add(const std::vector<std::string>& shapes, bool splits) {
  objects_.push_back(std::make_unique<Object>(shapes, splits, give_up_));
}

void HostChains::keep_only(const std::set<std::uint64_t>& functions) {
  std::erase_if(objects_, [&](const auto& object) { return !object->has_one_of(functions); });
}

std::uint64_t HostChains::function(const std::string& shape, bool splits) const {
  for (const auto& object : objects_) {
    if (const std::uint64_t function = object->function(shape, splits)) return function;
  }
  return 0;
}

}  // namespace ringside::pipeline
