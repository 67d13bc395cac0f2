// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A kernel as source text, which a GPU compiles for itself.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace ringside {

struct KernelSource {
  struct File {
    std::string name;  ///< as #include and the compiler's messages have it
    std::string text;
  };
  /// Machine code that the kernel calls: a fat binary of relocatable device code.
  struct Object {
    std::string name;
    std::span<const char> code;
  };

  std::string text;                  ///< may include what is in kernels/ and lib/device/
  std::string entry;                 ///< the __global__ function's name, extern "C"
  std::vector<File> files;           ///< what it may include besides
  std::vector<std::string> folders;  ///< where else it may find what it includes
  std::vector<Object> objects;
};

}  // namespace ringside
