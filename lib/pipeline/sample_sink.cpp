// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/sample_sink.hpp"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"

namespace ringside::pipeline {
namespace {

class PcapFile final : public SampleSink {
 public:
  explicit PcapFile(const PcapSink& sink) : name_(sink.file) {
    capture_ = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, static_cast<int>(sink.snaplen),
                                                    PCAP_TSTAMP_PRECISION_NANO);
    dumper_ = pcap_dump_open(capture_, name_.c_str());
    if (dumper_ == nullptr) {
      const std::string cause = pcap_geterr(capture_);
      pcap_close(capture_);
      throw Error(fmt::format("cannot write the capture: {}", cause),
                  "see whether its folder is there and may be written");
    }
  }
  ~PcapFile() override {
    pcap_dump_close(dumper_);
    pcap_close(capture_);
  }
  PcapFile(const PcapFile&) = delete;

  bool write(const SampledPacket& packet) override {
    pcap_pkthdr header{};
    header.ts.tv_sec = static_cast<time_t>(packet.unix_ns / 1'000'000'000);
    header.ts.tv_usec = static_cast<suseconds_t>(packet.unix_ns % 1'000'000'000);  // ns, as opened
    header.caplen = packet.captured;
    header.len = packet.length;
    pcap_dump(reinterpret_cast<u_char*>(dumper_), &header, packet.data);
    return std::ferror(pcap_dump_file(dumper_)) == 0;
  }
  void flush() override { pcap_dump_flush(dumper_); }

 private:
  const std::string name_;
  pcap_t* capture_;
  pcap_dumper_t* dumper_;
};

class TapDevice final : public SampleSink {
 public:
  explicit TapDevice(const std::string& name)
      : tap_(open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)) {
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    if (!tap_ || ioctl(tap_.get(), TUNSETIFF, &request) != 0) {
      throw Error(fmt::format("cannot make the TAP device {}: {}", name, errno_text(errno)),
                  "that takes root (CAP_NET_ADMIN) and the module tun");
    }
    const UniqueFd control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (ioctl(control.get(), SIOCGIFFLAGS, &request) == 0) {
      request.ifr_flags |= IFF_UP;
      if (ioctl(control.get(), SIOCSIFFLAGS, &request) == 0) return;
    }
    throw Error(fmt::format("cannot bring {} up: {}", name, errno_text(errno)), "");
  }

  bool write(const SampledPacket& packet) override {
    return ::write(tap_.get(), packet.data, packet.captured) ==
           static_cast<ssize_t>(packet.captured);
  }

 private:
  UniqueFd tap_;
};

}  // namespace

std::unique_ptr<SampleSink> open_sink(const Sink& sink) {
  if (const auto* const pcap = std::get_if<PcapSink>(&sink.params)) {
    return std::make_unique<PcapFile>(*pcap);
  }
  if (const auto* const cpu = std::get_if<CpuSink>(&sink.params)) {
    return std::make_unique<TapDevice>(cpu->tap);
  }
  return nullptr;
}

}  // namespace ringside::pipeline
