// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A pipeline's kernel as source text, made for the chains that it starts with.
#pragma once

#include <string>
#include <vector>

#include "lib/pipeline/chain_image.hpp"

namespace ringside::pipeline {

/// A longer chain is not worth a compiler's time.
inline constexpr std::size_t kMostKnownStages = 64;

/// What UserParameters::function is. Numbers are a part of the shape; addresses differ from run to
/// run and are values.
enum class UserFunctionKind : std::uint8_t { kNumber, kAddress };

/// The members of the struct that tells the compiler a chain's shape
/// (kernels/stages/known_chain.hpp). Chains of which this is the same differ in values only, and
/// one kernel is right for both.
std::string shape_members(const ChainImage& image,
                          UserFunctionKind functions = UserFunctionKind::kNumber);

/// A function of the user's that a kernel calls, by its number in the vector that holds it.
struct KernelFunction {
  std::string name;
  std::string include;  ///< the file that defines it; empty: it is in an object that is linked
};

/// A kernel named `entry` that does what the kernel `program` does (its type in kernels/), for
/// chains whose Chain::shape is 1 and on: of `shapes`, by shape_members(); and any others.
std::string kernel_source(const std::string& entry, const std::string& program,
                          const std::vector<std::string>& shapes,
                          const std::vector<KernelFunction>& functions);

/// A shared object's source: an array named `name` of a ChainFunction (kernels/stages) for each of
/// `shapes`, by shape_members() with addresses. `splits`: for packets in two parts.
std::string chain_functions_source(const std::string& name, const std::vector<std::string>& shapes,
                                   bool splits);

}  // namespace ringside::pipeline
