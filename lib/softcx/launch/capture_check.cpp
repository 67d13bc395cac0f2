// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/capture_check.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "lib/base/error.hpp"
#include "lib/softcx/wire/capture_file.hpp"

namespace softcx {
namespace {

constexpr std::uint32_t kEthernetHeader = 14;

ringside::Error bad_capture(const std::string& path, std::uint64_t records, off_t offset,
                            const std::string& reason, const std::string& remedy) {
  return ringside::usage_error(
      fmt::format(
          "capture '{}' is bad at record {}, byte {} ({}); {} record{} could be read before", path,
          records + 1, offset, reason, records, records == 1 ? "" : "s"),
      remedy);
}

/// The errno value that explains why this is no file to read, or 0.
int unreadable(const std::string& path) {
  struct stat status {};
  if (access(path.c_str(), R_OK) != 0 || stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  return S_ISREG(status.st_mode) ? 0 : ESPIPE;
}

std::string link_type_text(int link_type) {
  const char* name = pcap_datalink_val_to_name(link_type);
  return fmt::format("link type {} ({})", name != nullptr ? name : "unknown", link_type);
}

}  // namespace

CaptureSummary check_capture(const std::string& path) {
  if (const int error = unreadable(path); error != 0) {
    throw ringside::usage_error(
        fmt::format("capture '{}' cannot be read: {}", path, ringside::errno_text(error)),
        "give a pcap or pcapng file");
  }
  std::string reason;
  const PcapHandle capture = open_capture(path, reason);
  if (!capture) {
    throw bad_capture(path, 0, 0, reason, "give a pcap or pcapng file");
  }
  std::FILE* const file = pcap_file(capture.get());
  if (pcap_datalink(capture.get()) != DLT_EN10MB) {
    throw bad_capture(path, 0, ftello(file),
                      fmt::format("{}, not EN10MB", link_type_text(pcap_datalink(capture.get()))),
                      "give a capture of an Ethernet interface");
  }
  CaptureSummary summary;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  off_t offset = ftello(file);
  int result = 0;
  while ((result = pcap_next_ex(capture.get(), &header, &data)) == 1) {
    ++summary.records;
    summary.bytes += header->caplen;
    summary.cut += header->caplen < header->len ? 1 : 0;
    summary.runts += header->caplen < kEthernetHeader ? 1 : 0;
    offset = ftello(file);
  }
  if (result != PCAP_ERROR_BREAK) {
    throw bad_capture(path, summary.records, offset, pcap_geterr(capture.get()),
                      "record it again, or keep the good part with tcpdump -r FILE -w NEW");
  }
  if (summary.records == 0) {
    throw bad_capture(path, 0, offset, "end of file", "give a capture that holds records");
  }
  return summary;
}

std::string remarks(const CaptureSummary& summary) {
  std::string text;
  if (summary.cut != 0) {
    text = fmt::format("{} of {} records were cut when captured and are sent as captured",
                       summary.cut, summary.records);
  }
  if (summary.runts != 0) {
    text += fmt::format(
        "{}{} of {} records are shorter than an Ethernet header and will be "
        "dropped as rx_runt",
        text.empty() ? "" : "; ", summary.runts, summary.records);
  }
  return text;
}

}  // namespace softcx
