// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs a fuzz target on each packet of the captures in the folders it is given, whole and cut: for
// compilers without libFuzzer.
#include <pcap/pcap.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

/// Returns how many inputs it made of the file. A damaged one ends where it is damaged.
int run_capture(const std::filesystem::path& file) {
  constexpr std::uint32_t kCuts = 128;  // all headers
  char why[PCAP_ERRBUF_SIZE];
  pcap_t* const capture = pcap_open_offline(file.c_str(), why);
  if (capture == nullptr) return 0;
  int inputs = 0;
  pcap_pkthdr* header = nullptr;
  const u_char* packet = nullptr;
  while (pcap_next_ex(capture, &header, &packet) == 1) {
    for (std::uint32_t length = 0; length < std::min(header->caplen, kCuts); ++length) {
      LLVMFuzzerTestOneInput(packet, length);
    }
    LLVMFuzzerTestOneInput(packet, header->caplen);
    ++inputs;
  }
  pcap_close(capture);
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  int inputs = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i], missing)) {
      if (!entry.path().extension().string().starts_with(".pcap")) continue;
      // The last name printed is that of the capture that ends the program.
      std::puts(entry.path().c_str());
      std::fflush(stdout);
      inputs += run_capture(entry.path());
    }
  }
  std::printf("%d packets\n", inputs);
  return inputs > 0 ? 0 : 1;
}
