// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Kernels of unit tests on a GPU: those that ship, from the very image that ships, and programs
// that tests bring along.
#pragma once

#include <cstdint>
#include <string_view>

#include "lib/device/stream.hpp"

namespace ringside::test::gpu {

/// Loads all kernels, since nothing can be loaded while one of them runs. Empty, or what is wrong.
std::string_view load_kernels();

/// A launch that runs. Whoever has one asks it to end, by words of its own, before it goes.
class Launch {
 public:
  Launch() = default;
  /// Takes a kernel and its one argument, which the GPU copies.
  Launch(const void* kernel, std::uint32_t blocks, std::uint32_t threads, void* argument);
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  /// Until it has ended. Where it does not in ten seconds, or has faulted, nothing that it uses can
  /// be freed: says so and ends the program.
  ~Launch();

 private:
  void* stream_ = nullptr;
};

/// The kernel of a packet program: its one argument is a pointer to a StreamArgs. Ends the program
/// if there is none of that name.
const void* program_kernel(std::string_view name);

/// Of a program that a test brings along; nullptr: it is none.
const void* own_kernel(std::string_view name);

/// Lets the GPU write a doorbell page that is no memory of allocate_pinned(), while this lives.
class DoorbellPage {
 public:
  explicit DoorbellPage(std::uint64_t* doorbell);
  DoorbellPage(const DoorbellPage&) = delete;
  DoorbellPage& operator=(const DoorbellPage&) = delete;
  ~DoorbellPage();

 private:
  void* page_ = nullptr;
};

}  // namespace ringside::test::gpu
