// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs a fuzz target on each packet of the captures in the folders it is given, whole, cut, and
// with single bits turned: for compilers without libFuzzer. Packets of links other than Ethernet
// are bytes like any others; those that hold IP are run behind an Ethernet header too.
#include <pcap/pcap.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kHeaders = 128;  // bytes, of all that a packet has

/// Bytes before IP's own header. Nothing: the link's packets are not IP's, or Ethernet's already.
std::optional<std::size_t> bytes_before_ip(int link) {
  switch (link) {
    case DLT_RAW:
    case DLT_IPV4:
    case DLT_IPV6:
      return 0;
    case DLT_NULL:
    case DLT_LOOP:
      return 4;
    case DLT_LINUX_SLL:
      return 16;
    default:
      return std::nullopt;
  }
}

/// Empty: it holds no IP.
Bytes over_ethernet(const Bytes& packet, std::size_t before_ip) {
  if (packet.size() <= before_ip) return {};
  const int version = packet[before_ip] >> 4;
  if (version != 4 && version != 6) return {};
  Bytes frame{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0};
  if (version == 6) frame[12] = 0x86, frame[13] = 0xdd;
  frame.insert(frame.end(), packet.begin() + static_cast<std::ptrdiff_t>(before_ip), packet.end());
  return frame;
}

void run(const Bytes& packet) {
  constexpr int kSpoilt = 20;
  for (std::size_t length = 0; length < std::min(packet.size(), kHeaders); ++length) {
    LLVMFuzzerTestOneInput(packet.data(), length);
  }
  LLVMFuzzerTestOneInput(packet.data(), packet.size());
  if (packet.empty()) return;
  std::minstd_rand random(static_cast<unsigned>(packet.size()));
  for (int i = 0; i < kSpoilt; ++i) {
    Bytes spoilt = packet;
    spoilt[random() % std::min(packet.size(), kHeaders)] ^=
        static_cast<std::uint8_t>(1U << random() % 8);
    LLVMFuzzerTestOneInput(spoilt.data(), spoilt.size());
  }
}

/// Returns how many packets it has. A damaged one ends where it is damaged.
int run_capture(const std::filesystem::path& file) {
  char why[PCAP_ERRBUF_SIZE];
  pcap_t* const capture = pcap_open_offline(file.c_str(), why);
  if (capture == nullptr) return 0;
  const auto before_ip = bytes_before_ip(pcap_datalink(capture));
  int packets = 0;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  while (pcap_next_ex(capture, &header, &data) == 1) {
    const Bytes packet(data, data + header->caplen);
    run(packet);
    if (before_ip) run(over_ethernet(packet, *before_ip));
    ++packets;
  }
  pcap_close(capture);
  return packets;
}

}  // namespace

int main(int argc, char** argv) {
  int packets = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i], missing)) {
      if (!entry.path().extension().string().starts_with(".pcap")) continue;
      // The last name printed is that of the capture that ends the program.
      std::puts(entry.path().c_str());
      std::fflush(stdout);
      packets += run_capture(entry.path());
    }
  }
  std::printf("%d packets\n", packets);
  return packets > 0 ? 0 : 1;
}
