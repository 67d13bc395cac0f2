// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The machine's end of a `netdev:` wire.
#pragma once

#include <string>

#include "lib/base/unique_fd.hpp"

namespace softcx {

/// An AF_PACKET socket bound to `ifname` in the caller's network namespace: promiscuous, blind to
/// what is sent through it. Stays open over exec. Throws a usage error for an interface that is
/// unknown, down or not Ethernet, and without CAP_NET_RAW.
ringside::UniqueFd open_packet_socket(const std::string& ifname);

}  // namespace softcx
