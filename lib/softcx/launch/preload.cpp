// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/preload.hpp"

#include <cstdlib>
#include <filesystem>

#include "lib/base/error.hpp"

namespace softcx {

namespace fs = std::filesystem;

std::string find_preload_library() {
  if (const char* path = std::getenv("SOFTCX_PRELOAD"); path != nullptr) {
    if (fs::is_regular_file(path)) return fs::canonical(path).string();
    throw ringside::usage_error(fmt::format("SOFTCX_PRELOAD names no file: '{}'", path),
                                "unset it, or name the preload library");
  }
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path in_build_tree = here / "../lib/softcx/libsoftcx.so";
  const fs::path installed = here / SOFTCX_LIBDIR / "libsoftcx.so";
  for (const auto& path : {in_build_tree, installed}) {
    if (fs::is_regular_file(path)) return fs::canonical(path).string();
  }
  throw ringside::Error(
      fmt::format("libsoftcx.so is neither at '{}' nor at '{}'",
                  in_build_tree.lexically_normal().string(), installed.lexically_normal().string()),
      "build it, or install the project");
}

}  // namespace softcx
