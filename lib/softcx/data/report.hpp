// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The report that the preload library writes at its end for the launcher: one JSON object,
// and another before it when a port is opened.
#pragma once

#include <span>
#include <string>

#include "lib/softcx/data/engine.hpp"

namespace softcx {

/// received == delivered + the sum of rx_dropped, for each port.
std::string report_json(std::span<const PortReport> ports);

/// Tells `fd` that the process has opened a port: it owes a report from here on.
void write_opened(int fd);

/// Writes report_json() to `fd`; what the other end refuses is lost, as nobody could be told.
void write_report(int fd, std::span<const PortReport> ports);

}  // namespace softcx
