// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/netdev_receiver.hpp"

#include <linux/if_packet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "lib/base/error.hpp"
#include "lib/softcx/wire/internet_checksum.hpp"

namespace softcx {
namespace {

constexpr std::size_t kAddresses = 12;  // destination and source MAC, before the tag
constexpr std::uint16_t kDefaultTpid = 0x8100;

tpacket_auxdata auxiliary_data(msghdr& header) {
  tpacket_auxdata data{};
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level == SOL_PACKET && part->cmsg_type == PACKET_AUXDATA) {
      std::memcpy(&data, CMSG_DATA(part), sizeof(data));
    }
  }
  return data;
}

/// Moves the addresses forward by the size of a tag and writes the tag behind them.
void put_tag_back(std::uint8_t* frame, const tpacket_auxdata& data) {
  std::memmove(frame - 4, frame, kAddresses);
  const bool known = (data.tp_status & TP_STATUS_VLAN_TPID_VALID) != 0;
  const std::uint16_t tpid = known ? data.tp_vlan_tpid : kDefaultTpid;
  std::uint8_t* tag = frame - 4 + kAddresses;
  tag[0] = static_cast<std::uint8_t>(tpid >> 8);
  tag[1] = static_cast<std::uint8_t>(tpid);
  tag[2] = static_cast<std::uint8_t>(data.tp_vlan_tci >> 8);
  tag[3] = static_cast<std::uint8_t>(data.tp_vlan_tci);
}

}  // namespace

NetdevReceiver::NetdevReceiver(const std::string& interface_name, int socket)
    : socket_(socket),
      bytes_(kBatch * (kHeadroom + kLongest)),
      buffers_(kBatch),
      control_(kBatch),
      messages_(kBatch) {
  const int on = 1;
  if (::setsockopt(socket, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) != 0) {
    throw ringside::Error(fmt::format("socket {} of interface '{}' is no packet socket: {}", socket,
                                      interface_name, ringside::errno_text(errno)),
                          "start the program by 'softcx run'");
  }
  // Beyond the system's limit where that is allowed, else up to it.
  if (::setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &kSocketBuffer, sizeof(int)) != 0) {
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &kSocketBuffer, sizeof(int));
  }
  for (std::size_t i = 0; i < kBatch; ++i) {
    buffers_[i] = {bytes_.data() + i * (kHeadroom + kLongest) + kHeadroom, kLongest};
    messages_[i].msg_hdr.msg_iov = &buffers_[i];
    messages_[i].msg_hdr.msg_iovlen = 1;
  }
}

const Frame* NetdevReceiver::peek() noexcept {
  if (next_ == count_) receive();
  skip_truncated();
  if (next_ == count_) return nullptr;
  if (!presented_) present(next_);
  presented_ = true;
  return &frame_;
}

void NetdevReceiver::pop() noexcept {
  ++next_;
  presented_ = false;
}

void NetdevReceiver::update_lost() noexcept {
  tpacket_stats statistics{};
  socklen_t size = sizeof(statistics);
  if (::getsockopt(socket_, SOL_PACKET, PACKET_STATISTICS, &statistics, &size) == 0) {
    lost_ += statistics.tp_drops;
  }
}

void NetdevReceiver::receive() noexcept {
  for (std::size_t i = 0; i < kBatch; ++i) {
    messages_[i].msg_hdr.msg_control = control_[i].data();
    messages_[i].msg_hdr.msg_controllen = control_[i].size();
  }
  // MSG_TRUNC: the length of the frame, even where it is longer than the buffer.
  const int received =
      ::recvmmsg(socket_, messages_.data(), kBatch, MSG_DONTWAIT | MSG_TRUNC, nullptr);
  next_ = 0;
  count_ = received > 0 ? static_cast<std::size_t>(received) : 0;
}

void NetdevReceiver::skip_truncated() noexcept {
  for (; next_ < count_ && messages_[next_].msg_len > kLongest; ++next_) ++truncated_;
}

void NetdevReceiver::present(std::size_t at) noexcept {
  auto* start = static_cast<std::uint8_t*>(buffers_[at].iov_base);
  auto length = static_cast<std::uint32_t>(messages_[at].msg_len);
  const tpacket_auxdata data = auxiliary_data(messages_[at].msg_hdr);
  const bool tagged = (data.tp_status & TP_STATUS_VLAN_VALID) != 0 && length >= kAddresses;
  if (tagged) {
    put_tag_back(start, data);
    start -= kHeadroom;
    length += kHeadroom;
  }
  if ((data.tp_status & TP_STATUS_CSUMNOTREADY) != 0) write_l4_checksum({start, length});
  segment_ = {start, length};
  frame_ = {{&segment_, 1}, length};
}

}  // namespace softcx
