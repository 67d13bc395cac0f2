// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A veth pair in a network namespace of the test's own: one end is the wire, the test holds the
// other.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/softcx/wire/netdev_wire.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

int open_socket(const char* interface) {
  const int fd = ::socket(AF_PACKET, SOCK_RAW, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface));
  EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

class SoftcxNetdev : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    usable_ = ::unshare(CLONE_NEWNET) == 0 &&
              std::system(
                  "ip link add wire0 mtu 9000 type veth peer name far0 mtu 9000 && "
                  "sysctl -qw net.ipv6.conf.wire0.disable_ipv6=1 "
                  "net.ipv6.conf.far0.disable_ipv6=1; "
                  "ip link set wire0 up && ip link set far0 up") == 0;
  }
  void SetUp() override {
    if (!usable_) GTEST_SKIP() << "needs the right to make network interfaces";
    wire_ = std::make_unique<NetdevWire>("wire0", open_socket("wire0"));
    far_ = std::make_unique<NetdevWire>("far0", open_socket("far0"));
  }
  static bool send(Wire& wire, const Bytes& bytes) {
    const Segment segments[] = {{bytes.data(), 10},
                                {bytes.data() + 10, static_cast<std::uint32_t>(bytes.size()) - 10}};
    return wire.transmit({segments, static_cast<std::uint32_t>(bytes.size())});
  }
  static Bytes receive(Wire& wire) {
    const auto deadline = ringside::Deadline::after_ms(2000);
    const Frame* frame = nullptr;
    while ((frame = wire.peek()) == nullptr && !deadline.passed()) sched_yield();
    if (frame == nullptr) return {};
    Bytes bytes = flatten(*frame);
    wire.pop();
    return bytes;
  }

  static inline bool usable_ = false;
  std::unique_ptr<NetdevWire> wire_, far_;
};

TEST_F(SoftcxNetdev, frames_cross_the_interface_in_both_directions) {
  for (std::size_t length : {60U, 1514U, 9014U}) {
    EXPECT_TRUE(send(*wire_, pattern(length)));
    wire_->push();
    EXPECT_EQ(receive(*far_), pattern(length));
    EXPECT_TRUE(send(*far_, pattern(length, 7)));
    far_->push();
    EXPECT_EQ(receive(*wire_), pattern(length, 7));
  }
}

TEST_F(SoftcxNetdev, more_than_a_batch_arrives_in_order) {
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(send(*wire_, pattern(60, static_cast<std::uint8_t>(i))));
  }
  wire_->flush();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(receive(*far_), pattern(60, static_cast<std::uint8_t>(i))) << i;
  }
  EXPECT_EQ(wire_->report().failed_packets, 0U);
}

TEST_F(SoftcxNetdev, vlan_tag_arrives_in_its_place) {
  Bytes tagged = pattern(64);
  tagged[12] = 0x81, tagged[13] = 0x00, tagged[14] = 0x20, tagged[15] = 0x05;
  EXPECT_TRUE(send(*wire_, tagged));
  wire_->push();
  EXPECT_EQ(receive(*far_), tagged);
}

TEST_F(SoftcxNetdev, frame_above_the_interfaces_mtu_is_counted_as_failed) {
  EXPECT_TRUE(send(*wire_, pattern(9100)));
  EXPECT_TRUE(send(*wire_, pattern(60)));
  wire_->push();
  EXPECT_EQ(receive(*far_), pattern(60));
  EXPECT_EQ(wire_->report().failed_packets, 1U);
  EXPECT_EQ(wire_->report().failed_bytes, 9100U);
}

TEST_F(SoftcxNetdev, checksum_that_a_local_sender_left_open_is_filled_in) {
  ASSERT_EQ(std::system("ip addr replace 10.9.9.1/24 dev far0 && "
                        "ip neigh replace 10.9.9.2 lladdr 02:00:00:00:00:02 dev far0"),
            0);
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  to.sin_addr.s_addr = inet_addr("10.9.9.2");
  ASSERT_EQ(::sendto(fd, "checksum me", 11, 0, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 11);
  ::close(fd);
  const Bytes frame = receive(*wire_);
  ASSERT_EQ(frame.size(), 14U + 20 + 8 + 11);
  std::uint32_t sum = 17 + 8 + 11;  // pseudo header: protocol and length, then the addresses
  const auto add = [&](std::size_t at, std::size_t end) {
    for (; at < end; ++at) sum += at % 2 == 0 ? frame[at] << 8U : frame[at];
  };
  add(26, 34);
  add(34, frame.size());
  while ((sum >> 16) != 0) sum = (sum & 0xffff) + (sum >> 16);
  EXPECT_EQ(sum, 0xffffU);
}

TEST_F(SoftcxNetdev, frames_that_the_socket_had_no_room_for_are_counted) {
  const Bytes jumbo = pattern(9014);
  constexpr std::uint64_t kSent = 4000;  // more than twice what the socket holds
  for (std::uint64_t i = 0; i < kSent; ++i) {
    ASSERT_TRUE(send(*far_, jumbo));
    far_->push();
  }
  std::uint64_t received = 0;
  for (; wire_->peek() != nullptr; ++received) wire_->pop();
  wire_->flush();
  EXPECT_GT(wire_->report().lost_packets, 0U);
  EXPECT_EQ(received + wire_->report().lost_packets, kSent);
}

TEST_F(SoftcxNetdev, long_frames_arrive_whole_or_are_counted_as_truncated) {
  ASSERT_EQ(std::system("ip link set wire0 mtu 65535 && ip link set far0 mtu 65535"), 0);
  const int fd = open_socket("far0");
  const Bytes whole = pattern(30000);
  const Bytes too_long = pattern(65535 + 14);
  EXPECT_EQ(::send(fd, too_long.data(), too_long.size(), 0), static_cast<ssize_t>(too_long.size()));
  EXPECT_EQ(::send(fd, whole.data(), whole.size(), 0), static_cast<ssize_t>(whole.size()));
  ::close(fd);
  EXPECT_EQ(receive(*wire_), whole);
  EXPECT_EQ(wire_->report().truncated_packets, 1U);
  ASSERT_EQ(std::system("ip link set wire0 mtu 9000 && ip link set far0 mtu 9000"), 0);
}

TEST_F(SoftcxNetdev, received_frames_that_nobody_took_are_counted) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(send(*far_, pattern(60)));
  far_->push();
  ::usleep(20'000);  // one batch of the receiver
  EXPECT_EQ(receive(*wire_), pattern(60));
  EXPECT_EQ(wire_->report().waiting_packets, 2U);
}

/// A socket that takes a few messages and no more until they are read.
TEST(SoftcxNetdevSender, batch_sent_in_part_takes_frames_again_and_counts_the_rest) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends.data()), 0);
  const int smallest = 1;  // that the system allows
  ASSERT_EQ(::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &smallest, sizeof(smallest)), 0);
  NetdevSender sender(ends[0]);
  std::uint8_t added = 0;
  const auto add = [&] {
    const Bytes bytes = pattern(60, added);
    const Segment segment{bytes.data(), 60};
    const bool taken = sender.add({{&segment, 1}, 60});
    if (taken) ++added;
    return taken;
  };
  while (added < 64) ASSERT_TRUE(add());
  sender.push();
  const std::uint64_t left = sender.unsent_packets();
  ASSERT_GT(left, 0U);
  ASSERT_LT(left, 64U);
  EXPECT_EQ(sender.unsent_bytes(), 60 * left);
  while (sender.unsent_packets() < 64) ASSERT_TRUE(add()) << "buffers are free";
  EXPECT_FALSE(add());
  for (std::uint8_t i = 0; i < added; ++i) {
    Bytes bytes(100);
    sender.push();
    ASSERT_EQ(::recv(ends[1], bytes.data(), bytes.size(), MSG_DONTWAIT), 60);
    bytes.resize(60);
    ASSERT_EQ(bytes, pattern(60, i));
  }
  EXPECT_EQ(sender.unsent_packets(), 0U);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(SoftcxNetdev, descriptor_that_is_no_packet_socket_is_refused) {
  EXPECT_THROW(NetdevWire("wire0", ::socket(AF_UNIX, SOCK_DGRAM, 0)), ringside::Error);
}

}  // namespace
}  // namespace softcx
