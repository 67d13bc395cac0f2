// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the software NIC says on stderr. Control path only.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace softcx {

/// Is SOFTCX_LOG=1 set? Then every refused command and every call that is not supported is a line.
bool log_enabled();
/// One line "softcx: TEXT", whatever SOFTCX_LOG says.
void print_line(std::string_view text);
/// print_line, but each text once in the life of the process.
void print_once(const std::string& text);

template <class... Args>
void log_line(fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled()) print_line(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace softcx
