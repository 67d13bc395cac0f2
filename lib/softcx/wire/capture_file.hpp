// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Opens capture files so that libpcap yields every captured byte.
#pragma once

#include <pcap/pcap.h>

#include <memory>
#include <string>

namespace softcx {

struct PcapCloser {
  void operator()(pcap_t* handle) const noexcept { pcap_close(handle); }
};
using PcapHandle = std::unique_ptr<pcap_t, PcapCloser>;

/// Opens a pcap or pcapng file of either byte order with nanosecond timestamps. libpcap cuts
/// records to the snapshot length of the file header, and generators write headers whose length is
/// smaller than their records: the header is read as if it said libpcap's maximum.
/// Returns null with libpcap's or the system's reason in `reason`.
PcapHandle open_capture(const std::string& path, std::string& reason);

}  // namespace softcx
