// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/wire_spec.hpp"

#include <gtest/gtest.h>

#include "lib/base/error.hpp"
#include "lib/softcx/launch/line_rate.hpp"

namespace softcx {
namespace {

using ringside::Error;

TEST(LineRate, is_a_number_and_a_unit) {
  EXPECT_EQ(parse_line_rate("25G"), 25'000'000'000U);
  EXPECT_EQ(parse_line_rate("800G"), 800'000'000'000U);
  EXPECT_EQ(parse_line_rate("1M"), 1'000'000U);
  for (const char* text :
       {"", "25", "G", "0G", "-1G", "801G", "2.5G", "25g", "25Gb", "99999999999999999999G"}) {
    EXPECT_THROW(parse_line_rate(text), Error) << text;
  }
}

TEST(WireSpec, no_text_gives_one_loop) {
  const auto wires = parse_wires({});
  ASSERT_EQ(wires.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<LoopSpec>(wires[0]));
}

TEST(WireSpec, kinds_are_named_as_they_are_written) {
  for (const char* text : {"loop", "null"}) EXPECT_STREQ(kind_name(parse_wire(text)), text);
  EXPECT_STREQ(kind_name(parse_wire("cross:3")), "cross");
  EXPECT_STREQ(kind_name(parse_wire("pcap:out=x")), "pcap");
  EXPECT_STREQ(kind_name(parse_wire("netdev:eth0")), "netdev");
}

TEST(WireSpec, pcap_fields_come_in_any_order_and_paths_become_absolute) {
  const auto wire = std::get<PcapSpec>(parse_wire("pcap:pad,loop=0,out=/b/../c.pcap,in=a.pcap"));
  EXPECT_TRUE(wire.pad);
  EXPECT_EQ(wire.loop, 0U);
  EXPECT_EQ(wire.out, "/c.pcap");
  ASSERT_TRUE(wire.in);
  EXPECT_TRUE(wire.in->starts_with('/'));
  EXPECT_TRUE(wire.in->ends_with("/a.pcap"));
}

TEST(WireSpec, pcap_plays_once_and_pads_nothing_unless_asked) {
  const auto wire = std::get<PcapSpec>(parse_wire("pcap:in=/a"));
  EXPECT_EQ(wire.loop, 1U);
  EXPECT_FALSE(wire.pad);
  EXPECT_FALSE(wire.out);
}

TEST(WireSpec, malformed_text_is_refused) {
  for (const char* text : {"",
                           "Loop",
                           "loop:",
                           "null:x",
                           "cross",
                           "cross:",
                           "cross:-1",
                           "cross:1x",
                           "cross:16",
                           "cross:4294967297",
                           "pcap",
                           "pcap:",
                           "pcap:pad",
                           "pcap:in",
                           "pcap:in=",
                           "pcap:in=a,in=b",
                           "pcap:in=a,pad=1",
                           "pcap:in=a,loop=",
                           "pcap:in=a,loop=-1",
                           "netdev",
                           "netdev:"}) {
    EXPECT_THROW(parse_wire(text), Error) << text;
  }
}

TEST(WireSpec, crossed_ports_must_name_each_other) {
  EXPECT_EQ(parse_wires({"cross:2", "loop", "cross:0"}).size(), 3U);
  EXPECT_THROW(parse_wires({"cross:1", "cross:2", "cross:0"}), Error);
  EXPECT_THROW(parse_wires({"cross:0"}), Error);
  EXPECT_THROW(parse_wires({"cross:1"}), Error);
}

TEST(WireSpec, cross_wired_ports_share_an_engine) {
  const auto wires = parse_wires({"cross:2", "loop", "cross:0"});
  EXPECT_NO_THROW(check_engines(1, wires));
  EXPECT_NO_THROW(check_engines(2, wires));
  EXPECT_THROW(check_engines(3, wires), Error);
  EXPECT_THROW(check_engines(0, wires), Error);
}

TEST(WireSpec, one_file_is_not_written_by_two_wires) {
  EXPECT_THROW(parse_wires({"pcap:out=/x/o", "pcap:out=/x/../x/o"}), Error);
  EXPECT_THROW(parse_wires({"pcap:in=/x/o", "pcap:out=/x/o"}), Error);
  EXPECT_NO_THROW(parse_wires({"pcap:in=/x/i,out=/x/a", "pcap:in=/x/i,out=/x/b"}));
}

TEST(WireSpec, capture_is_written_to_regular_files_only) {
  for (const char* path : {"/dev/null", "/tmp"}) {
    try {
      parse_wires({std::string("pcap:out=") + path});
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("not a regular file"), std::string::npos) << path;
    }
  }
}

}  // namespace
}  // namespace softcx
