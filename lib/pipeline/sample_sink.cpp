// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/sample_sink.hpp"

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"
#include "lib/pipeline/address.hpp"

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
  std::string finish() override {
    if (pcap_dump_flush(dumper_) == 0) return {};
    return fmt::format("the capture {} is not complete: {}", name_, errno_text(errno));
  }

 private:
  const std::string name_;
  pcap_t* capture_;
  pcap_dumper_t* dumper_;
};

class TapDevice final : public SampleSink {
 public:
  TapDevice(const CpuSink& sink, const std::optional<TapPort>& port)
      : name_(sink.tap), tap_(open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)) {
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (!tap_ || set(tap_, TUNSETIFF, request) != 0) {
      throw Error(fmt::format("cannot make the TAP device {}: {}", name_, errno_text(errno)),
                  "that takes root (CAP_NET_ADMIN) and the module tun");
    }
    const UniqueFd control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (port) stand_for(*port, control);
    if (sink.address) set_address(*sink.address, control);
    request = {};
    const bool known = set(control, SIOCGIFFLAGS, request) == 0;
    request.ifr_flags |= IFF_UP;
    if (!known || set(control, SIOCSIFFLAGS, request) != 0) {
      throw Error(fmt::format("cannot bring {} up: {}", name_, errno_text(errno)), "");
    }
  }

  bool write(const SampledPacket& packet) override {
    return ::write(tap_.get(), packet.data, packet.captured) ==
           static_cast<ssize_t>(packet.captured);
  }
  std::size_t read(std::span<std::uint8_t> into) override {
    const ssize_t bytes = ::read(tap_.get(), into.data(), into.size());
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }

 private:
  int set(const UniqueFd& control, unsigned long what, ifreq& request) const {
    name_.copy(request.ifr_name, IFNAMSIZ - 1);
    return ioctl(control.get(), what, &request);
  }

  /// Peers answer to the port's address, and it takes frames of its MTU.
  void stand_for(const TapPort& port, const UniqueFd& control) {
    ifreq request{};
    request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    std::ranges::copy(port.mac, reinterpret_cast<std::uint8_t*>(request.ifr_hwaddr.sa_data));
    if (set(control, SIOCSIFHWADDR, request) != 0) {
      throw Error(fmt::format("{} cannot have the address {}: {}", name_, mac_text(port.mac),
                              errno_text(errno)),
                  "see whether the port's address is one of a single device");
    }
    request = {};
    request.ifr_mtu = port.mtu;
    if (set(control, SIOCSIFMTU, request) != 0) {
      throw Error(fmt::format("the MTU of {} cannot be {}: {}", name_, port.mtu, errno_text(errno)),
                  "");
    }
  }

  void set_address(const Ipv4Prefix& prefix, const UniqueFd& control) {
    const auto tell = [&](unsigned long what, const void* bytes) {
      ifreq request{};
      sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}};
      std::memcpy(&address.sin_addr, bytes, sizeof address.sin_addr);
      std::memcpy(&request.ifr_addr, &address, sizeof address);
      return set(control, what, request) == 0;
    };
    const std::uint32_t mask =
        htonl(static_cast<std::uint32_t>(~((std::uint64_t{1} << (32 - prefix.length)) - 1)));
    if (!tell(SIOCSIFADDR, prefix.address.data()) || !tell(SIOCSIFNETMASK, &mask)) {
      throw Error(fmt::format("{} cannot have the address {}: {}", name_, ipv4_prefix_text(prefix),
                              errno_text(errno)),
                  "");
    }
  }

  const std::string name_;
  UniqueFd tap_;
};

}  // namespace

std::unique_ptr<SampleSink> open_sink(const Sink& sink, const std::optional<TapPort>& port) {
  if (const auto* const pcap = std::get_if<PcapSink>(&sink.params)) {
    return std::make_unique<PcapFile>(*pcap);
  }
  if (const auto* const cpu = std::get_if<CpuSink>(&sink.params)) {
    return std::make_unique<TapDevice>(*cpu, port);
  }
  return nullptr;
}

}  // namespace ringside::pipeline
