// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_compiler.hpp"

#include <algorithm>
#include <regex>

#include "kernels/embedded_sources.hpp"
#include "lib/base/error.hpp"
#include "lib/gpu/kernel_cache.hpp"
#include "lib/gpu/nvrtc_api.hpp"

namespace ringside {
namespace {

/// One source on its way through NVRTC.
class Compilation {
 public:
  Compilation(const NvrtcApi& api, const KernelSource& source) : api_(api), source_(source) {
    std::vector<const char*> names, texts;
    for (const auto files : {embedded_sources(), embedded_cuda_library()}) {
      for (const SourceFile& file : files) {
        names.push_back(file.name);
        texts.push_back(file.text);
      }
    }
    for (const KernelSource::File& file : source.files) {
      names.push_back(file.name.c_str());
      texts.push_back(file.text.c_str());
    }
    check(api_.nvrtcCreateProgram_(&program_, source.text.c_str(), "pipeline.cu",
                                   static_cast<int>(names.size()), texts.data(), names.data()));
  }
  ~Compilation() { api_.nvrtcDestroyProgram_(&program_); }
  Compilation(const Compilation&) = delete;

  std::vector<char> run(int architecture) {
    // What is not marked is for the GPU: constants, and helpers of the user's.
    std::vector<std::string> options{"--std=c++20", fmt::format("-arch=sm_{}", architecture),
                                     "-default-device", "-rdc=true"};
    for (const std::string& folder : source_.folders) options.push_back("-I" + folder);
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    const nvrtcResult result =
        api_.nvrtcCompileProgram_(program_, static_cast<int>(words.size()), words.data());
    if (result == NVRTC_ERROR_COMPILATION) {
      throw usage_error("a stage does not compile for the GPU", "\n" + log());
    }
    check(result);
    std::size_t size = 0;
    check(api_.nvrtcGetCUBINSize_(program_, &size));
    std::vector<char> code(size);
    check(api_.nvrtcGetCUBIN_(program_, code.data()));
    return code;
  }

 private:
  void check(nvrtcResult result) const {
    if (result == NVRTC_SUCCESS) return;
    throw Error(fmt::format("NVRTC cannot compile a kernel: {}", api_.nvrtcGetErrorString_(result)),
                "");
  }

  /// As compilers for CPUs write it: FILE:LINE: in place of FILE(LINE):
  std::string log() const {
    std::size_t size = 0;
    check(api_.nvrtcGetProgramLogSize_(program_, &size));
    std::string text(size, '\0');
    check(api_.nvrtcGetProgramLog_(program_, text.data()));
    text.resize(std::min(text.find('\0'), text.size()));
    static const std::regex place(R"((^|\n)([^\n()]+)\((\d+)\): )");
    return std::regex_replace(text, place, "$1$2:$3: ");
  }

  const NvrtcApi& api_;
  const KernelSource& source_;
  nvrtcProgram program_ = nullptr;
};

/// All that the code depends on.
std::string key_of(const NvrtcApi& api, const KernelSource& source, int architecture) {
  int major = 0, minor = 0;
  api.nvrtcVersion_(&major, &minor);
  constexpr int kOptions = 1;  // of Compilation::run(): count on when they change
  std::string key =
      fmt::format("{}.{} sm_{} options {}\n{}", major, minor, architecture, kOptions, source.text);
  for (const auto files : {embedded_sources(), embedded_cuda_library()}) {
    for (const SourceFile& file : files) key += fmt::format("\n{}\n{}", file.name, file.text);
  }
  return key;
}

}  // namespace

std::optional<std::vector<char>> compile_for_cuda(const KernelSource& source, int architecture,
                                                  std::string& why_not) {
  const NvrtcApi* const api = nvrtc_api(why_not);
  if (api == nullptr) return std::nullopt;
  int count = 0;
  api->nvrtcGetNumSupportedArchs_(&count);
  std::vector<int> known(static_cast<std::size_t>(count));
  api->nvrtcGetSupportedArchs_(known.data());
  if (std::ranges::find(known, architecture) == known.end()) {
    why_not = fmt::format("libnvrtc does not know the architecture sm_{}", architecture);
    return std::nullopt;
  }
  // A source of the user's may include what nobody knows here.
  if (!source.files.empty()) return Compilation(*api, source).run(architecture);
  const std::string key = key_of(*api, source, architecture);
  if (auto kept = cached_kernel(key)) return kept;
  std::vector<char> code = Compilation(*api, source).run(architecture);
  keep_kernel(key, code);
  return code;
}

}  // namespace ringside
