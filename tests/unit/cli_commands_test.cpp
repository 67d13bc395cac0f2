// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What each command prints, to the byte: scripts parse it.
#include <gtest/gtest.h>

#include "tests/unit/cli_dialogue.hpp"

namespace {

using namespace ringside;
using Commands = cli::Dialogue;

const char* const kBanner =
    "io packet forwarding - ports=2 - cores=1 - streams=2 - NUMA support enabled, "
    "MP allocation mode: native\n"
    "1 core forwards packets on 2 streams:\n"
    "  RX P=0/Q=0 (socket 0) -> TX P=1/Q=0 (socket 0) peer=02:00:00:00:00:01\n"
    "  RX P=1/Q=0 (socket 0) -> TX P=0/Q=0 (socket 0) peer=02:00:00:00:00:00\n"
    "\n";

const char* const kRxTx =
    "  io packet forwarding packets/burst=32\n"
    "  nb forwarding cores=1 - nb forwarding ports=2\n"
    "  port 0: RX queue number: 1 Tx queue number: 1\n"
    "    RX queue: 0\n"
    "      RX desc=1024\n"
    "    TX queue: 0\n"
    "      TX desc=1024\n"
    "    Rings: driven by a test\n"
    "  port 1: RX queue number: 1 Tx queue number: 1\n"
    "    RX queue: 0\n"
    "      RX desc=1024\n"
    "    TX queue: 0\n"
    "      TX desc=1024\n"
    "    Rings: driven by a test\n";

TEST_F(Commands, start_prints_the_banner_and_forwards) {
  EXPECT_EQ(reply("start"), std::string(kBanner) + kRxTx);
  EXPECT_TRUE(runtime().forwarding());
  EXPECT_EQ(runtime().bursts_first, 0U);
}

TEST_F(Commands, second_start_is_refused) {
  reply("start");
  EXPECT_EQ(reply("start"), "Packet forwarding already started\n");
}

TEST_F(Commands, start_tx_first_sends_one_burst_or_as_many_as_asked) {
  reply("start tx_first");
  EXPECT_EQ(runtime().bursts_first, 1U);
  reply("stop");
  reply("start tx_first 7");
  EXPECT_EQ(runtime().bursts_first, 7U);
}

TEST_F(Commands, failed_start_says_why_without_a_banner) {
  runtime().fail_start = "no kernel named io";
  EXPECT_EQ(reply("start"), "no kernel named io: start again\n");
}

TEST_F(Commands, banner_of_a_gpu_names_it_and_its_blocks) {
  use({.mempool = MempoolKind::kGpu,
       .datapath = Datapath::kGpu,
       .gpu_ids = {1},
       .nb_cores = 4,
       .threads_per_block = 1},
      1);
  EXPECT_EQ(reply("show config fwd"),
            "io packet forwarding - ports=1 - cores=1 - streams=1 - NUMA support enabled, "
            "MP allocation mode: gpu\n"
            "GPU 1 (1 thread a block) forwards packets on 1 streams:\n"
            "  RX P=0/Q=0 (socket 0) -> TX P=0/Q=0 (socket 0) peer=02:00:00:00:00:00\n"
            "\n");
}

TEST_F(Commands, stop_prints_the_statistics_of_the_run_alone) {
  runtime().stats[0] = {.rx_packets = 1000, .tx_packets = 1000};
  reply("start");
  runtime().stats[0] = {.rx_packets = 1005, .rx_missed = 2, .tx_packets = 1003, .tx_errors = 1};
  runtime().stats[1] = {.rx_packets = 3, .tx_packets = 5};
  EXPECT_EQ(reply("stop"),
            "Telling cores to stop...\n"
            "Waiting for lcores to finish...\n"
            "\n"
            "  ---------------------- Forward statistics for port 0  ----------------------\n"
            "  RX-packets: 5              RX-dropped: 2             RX-total: 7\n"
            "  TX-packets: 3              TX-dropped: 1             TX-total: 4\n"
            "  ----------------------------------------------------------------------------\n"
            "\n"
            "  ---------------------- Forward statistics for port 1  ----------------------\n"
            "  RX-packets: 3              RX-dropped: 0             RX-total: 3\n"
            "  TX-packets: 5              TX-dropped: 0             TX-total: 5\n"
            "  ----------------------------------------------------------------------------\n"
            "\n"
            "  +++++++++++++++ Accumulated forward statistics for all ports+++++++++++++++\n"
            "  RX-packets: 8              RX-dropped: 2             RX-total: 10\n"
            "  TX-packets: 8              TX-dropped: 1             TX-total: 9\n"
            "  ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++\n"
            "\n"
            "Done.\n");
  EXPECT_FALSE(runtime().forwarding());
}

TEST_F(Commands, drops_and_errors_are_named) {
  use({}, 1);
  reply("start");
  runtime().stats[0] = {.rx_packets = 9, .rx_errors = 4, .rx_nombuf = 6, .tx_packets = 6};
  runtime().streams[0].dropped = 3;
  runtime().streams[0].drop_causes = {{"ring_full", 1}, {"too_long", 2}, {"runt", 0}};
  runtime().streams[0].error = "send queue 0 stopped by syndrome 0x04";
  EXPECT_EQ(reply("show fwd stats all"),
            "\n"
            "  ---------------------- Forward statistics for port 0  ----------------------\n"
            "  RX-packets: 9              RX-dropped: 0             RX-total: 9\n"
            "  RX-error: 4\n"
            "  RX-nombufs: 6             \n"
            "  TX-packets: 6              TX-dropped: 3             TX-total: 9\n"
            "  Drop causes: ring_full 1, too_long 2\n"
            "  ----------------------------------------------------------------------------\n"
            "\n"
            "  +++++++++++++++ Accumulated forward statistics for all ports+++++++++++++++\n"
            "  RX-packets: 9              RX-dropped: 0             RX-total: 9\n"
            "  TX-packets: 6              TX-dropped: 3             TX-total: 9\n"
            "  RX-nombufs: 6             \n"
            "  Drop causes: ring_full 1, too_long 2\n"
            "  Stopped: port 0 queue 0: send queue 0 stopped by syndrome 0x04\n"
            "  ++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++\n");
}

TEST_F(Commands, packet_lost_with_its_send_queue_is_dropped_once) {
  use({}, 1);
  reply("start");
  runtime().stats[0] = {.rx_packets = 9, .tx_packets = 7, .tx_errors = 2};
  runtime().streams[0].tx_errors = 2;
  runtime().streams[0].dropped = 2;
  EXPECT_NE(reply("show fwd stats all")
                .find("  TX-packets: 7              TX-dropped: 2             TX-total: 9\n"),
            std::string::npos);
}

TEST_F(Commands, several_queues_get_a_block_each_when_they_moved) {
  use({.rx_queues = 2, .tx_queues = 2}, 1);
  reply("start");
  runtime().streams[1].rx_packets = 12;
  runtime().streams[1].tx_packets = 11;
  runtime().streams[1].dropped = 1;
  const std::string text = reply("show fwd stats all");
  EXPECT_TRUE(text.starts_with(
      "\n"
      "  ------- Forward Stats for RX Port= 0/Queue= 1 -> TX Port= 0/Queue= 1 -------\n"
      "  RX-packets: 12             TX-packets: 11             TX-dropped: 1             \n"
      "\n"
      "  ---------------------- Forward statistics for port 0 "))
      << text;
}

TEST_F(Commands, stop_without_start_is_refused) {
  EXPECT_EQ(reply("stop"), "Packet forwarding not started\n");
}

TEST_F(Commands, stop_that_fails_names_the_block_and_is_not_done) {
  reply("start");
  runtime().fail_stop = "block 3 waits in send()";
  const std::string text = reply("stop");
  EXPECT_EQ(text.find("Done."), std::string::npos);
  EXPECT_NE(text.find("\nblock 3 waits in send(): look at it\n"), std::string::npos);
}

TEST_F(Commands, set_fwd_shows_at_once_and_says_when_it_counts) {
  EXPECT_EQ(reply("set fwd macswap"), "Set macswap packet forwarding mode\n");
  EXPECT_EQ(runtime().mode_set, "macswap");
  EXPECT_EQ(reply("show config fwd").substr(0, 26), "macswap packet forwarding ");
  reply("start");
  EXPECT_EQ(reply("set fwd io"),
            "Set io packet forwarding mode\nIt takes effect at the next start.\n");
}

TEST_F(Commands, unknown_mode_is_answered_with_those_there_are) {
  EXPECT_EQ(reply("set fwd zap"),
            "Bad arguments\n"
            "unknown forward mode zap: a test has io and macswap\n");
  EXPECT_EQ(reply("set fwd \033[2J"),
            "Bad arguments\n"
            "unknown forward mode \\x1b[2J: a test has io and macswap\n");
  EXPECT_EQ(runtime().mode_set, "io");
}

TEST_F(Commands, show_port_stats_is_testpmds_block_with_rates_since_the_start) {
  reply("start");
  runtime().stats[0] = {.rx_packets = 1200,
                        .rx_bytes = 76800,
                        .rx_missed = 7,
                        .rx_errors = 3,
                        .rx_nombuf = 2,
                        .tx_packets = 600,
                        .tx_bytes = 38400,
                        .tx_errors = 1};
  pass_seconds(2);
  EXPECT_EQ(reply("show port stats 0"),
            "\n"
            "  ######################## NIC statistics for port 0  ########################\n"
            "  RX-packets: 1200       RX-missed: 7          RX-bytes:  76800\n"
            "  RX-errors: 3\n"
            "  RX-nombuf:  2         \n"
            "  TX-packets: 600        TX-errors: 1          TX-bytes:  38400\n"
            "\n"
            "  Throughput (since last show)\n"
            "  Rx-pps:          600          Rx-bps:       307200\n"
            "  Tx-pps:          300          Tx-bps:       153600\n"
            "  ############################################################################\n");
}

TEST_F(Commands, first_rate_counts_from_the_start_not_from_the_program) {
  pass_seconds(100);
  reply("start");
  pass_seconds(1);
  runtime().stats[0] = {.rx_packets = 50};
  EXPECT_NE(reply("show port stats 0").find("  Rx-pps:           50 "), std::string::npos);
}

TEST_F(Commands, next_rate_counts_from_the_last_show) {
  runtime().stats[0] = {.rx_packets = 50};
  pass_seconds(1);
  reply("show port stats 0");
  runtime().stats[0] = {.rx_packets = 80};
  pass_seconds(3);
  EXPECT_NE(reply("show port stats 0").find("  Rx-pps:           10 "), std::string::npos);
}

TEST_F(Commands, all_means_every_port) {
  const std::string text = reply("show port stats all");
  EXPECT_NE(text.find("NIC statistics for port 0 "), std::string::npos);
  EXPECT_NE(text.find("NIC statistics for port 1 "), std::string::npos);
}

TEST_F(Commands, clear_port_stats_starts_from_zero) {
  reply("start");
  runtime().stats[0] = {.rx_packets = 50};
  runtime().stats[1] = {.rx_packets = 60};
  EXPECT_EQ(reply("clear port stats 0"), "\n  NIC statistics for port 0 cleared\n");
  EXPECT_EQ(runtime().stats[0].rx_packets, 0U);
  EXPECT_EQ(runtime().stats[1].rx_packets, 60U);
  runtime().stats[0] = {.rx_packets = 4};
  EXPECT_NE(reply("show fwd stats all").find("  RX-packets: 4  "), std::string::npos);
}

TEST_F(Commands, clear_fwd_stats_keeps_the_ports_counters) {
  reply("start");
  runtime().stats[0] = {.rx_packets = 50};
  EXPECT_EQ(reply("clear fwd stats all"), "");
  EXPECT_EQ(reply("show fwd stats all").find("  RX-packets: 50"), std::string::npos);
  EXPECT_NE(reply("show port stats 0").find("  RX-packets: 50 "), std::string::npos);
}

TEST_F(Commands, show_queue_stats_has_what_a_kernel_counts_of_each_queue) {
  use({.mempool = MempoolKind::kGpu, .datapath = Datapath::kGpu, .rx_queues = 2, .tx_queues = 2},
      2);
  StreamStats& stream = runtime().streams.at(2);  // port 0 queue 1 to port 1 queue 1
  stream.rx_packets = 70;
  stream.rx_bytes = 4480;
  stream.rx_errors = 2;
  stream.tx_packets = 60;
  stream.tx_bytes = 3840;
  stream.tx_errors = 4;
  stream.drop_causes = {{"program", 6}, {"send queue stopped", 4}, {"none of these", 0}};
  stream.error = "send queue: REMOTE_OP_ERR";
  stream.queues = QueueCounts{
      .rx_batches = 9, .tx_doorbells = 8, .tx_cqes = 7, .tx_waits = 1, .tx_in_flight = 5};
  EXPECT_EQ(reply("show queue stats 0"),
            "\n"
            "  ---------------------- Queue statistics for port 0  ----------------------\n"
            "  RX queue 0: packets 0 bytes 0 errors 0\n"
            "  RX queue 1: packets 70 bytes 4480 errors 2 batches 9\n"
            "    dropped: program 6, send queue stopped 4\n"
            "    stopped: send queue: REMOTE_OP_ERR\n"
            "  TX queue 0: packets 0 bytes 0 errors 0\n"
            "  TX queue 1: packets 0 bytes 0 errors 0\n");
  EXPECT_NE(reply("show queue stats 1")
                .find("  TX queue 1: packets 60 bytes 3840 errors 4 doorbells 8 completions 7 "
                      "ring-full 1 in-flight 5\n"),
            std::string::npos);
}

TEST_F(Commands, show_port_info_has_the_keys_that_scripts_parse) {
  EXPECT_EQ(reply("show port info 1"),
            "\n"
            "********************* Infos for port 1  *********************\n"
            "MAC address: 02:00:00:CA:00:01\n"
            "Device name: 0000:ca:00.1\n"
            "Driver name: mlx5_pci\n"
            "Connect to socket: 0\n"
            "memory allocation on the socket: 0\n"
            "Link status: up\n"
            "Link speed: 100 Gbps\n"
            "Link duplex: full-duplex\n"
            "MTU: 1500\n"
            "Promiscuous mode: enabled\n"
            "Current number of RX queues: 1\n"
            "Max possible RX queues: 1024\n"
            "Current number of RXDs per queue: 1024\n"
            "Current number of TX queues: 1\n"
            "Max possible TX queues: 1024\n"
            "Current number of TXDs per queue: 1024\n"
            "Rings: driven by a test\n");
}

TEST_F(Commands, show_port_summary_is_one_line_a_port) {
  runtime().link_up = false;
  EXPECT_EQ(reply("show port summary all"),
            "Number of available ports: 2\n"
            "Port MAC Address       Name         Driver         Status   Link\n"
            "0    02:00:00:CA:00:00 0000:ca:00.0 mlx5_pci       down     100 Gbps\n"
            "1    02:00:00:CA:00:01 0000:ca:00.1 mlx5_pci       down     100 Gbps\n");
}

TEST_F(Commands, link_speeds_read_as_testpmd_writes_them) {
  const std::pair<std::uint32_t, const char*> speeds[] = {
      {0, "None"},        {10, "10 Mbps"},       {1000, "1 Gbps"},
      {2500, "2.5 Gbps"}, {400'000, "400 Gbps"}, {UINT32_MAX, "Unknown"}};
  for (const auto& [mbps, text] : speeds) {
    runtime().link_speed_mbps = mbps;
    EXPECT_NE(reply("show port info 0").find("Link speed: " + std::string(text) + "\n"),
              std::string::npos)
        << text;
  }
}

TEST_F(Commands, show_config_rxtx_tells_queues_and_descriptors) {
  EXPECT_EQ(reply("show config rxtx"), kRxTx);
}

TEST_F(Commands, unknown_port_is_named_with_those_there_are) {
  for (const char* const command :
       {"show port info 9", "show port stats 9", "show port summary 9", "show queue stats 9",
        "clear port stats 9", "port start 9", "port stop 9"}) {
    EXPECT_EQ(reply(command), "Invalid port 9\nPorts that there are: 0 1\n") << command;
  }
}

TEST_F(Commands, ports_stop_and_start) {
  EXPECT_EQ(reply("port stop 0"), "Stopping ports...\nChecking link statuses...\nDone\n");
  EXPECT_EQ(reply("start"), "Not all ports were started\n");
  EXPECT_EQ(reply("port start all"),
            "Port 0: 02:00:00:CA:00:00\n"
            "Port 1 is started already\n"
            "Checking link statuses...\n"
            "Done\n");
  const std::vector<std::pair<std::uint16_t, bool>> expected = {{0, false}, {0, true}};
  EXPECT_EQ(runtime().port_log, expected);
  EXPECT_EQ(reply("start"), std::string(kBanner) + kRxTx);
}

TEST_F(Commands, port_that_forwards_is_not_stopped) {
  reply("start");
  EXPECT_EQ(reply("port stop 1"),
            "Stopping ports...\n"
            "Port 1 is forwarding: stop forwarding first\n"
            "Checking link statuses...\n"
            "Done\n");
  EXPECT_TRUE(runtime().port_log.empty());
}

TEST_F(Commands, quit_is_asked_for_once) {
  EXPECT_FALSE(session().quit_requested());
  EXPECT_EQ(reply("quit"), "");
  EXPECT_TRUE(session().quit_requested());
}

TEST_F(Commands, events_are_printed_once) {
  runtime().events = {"port 0 queue 1: send queue stopped"};
  session().print_events();
  session().print_events();
  EXPECT_EQ(printed(), "port 0 queue 1: send queue stopped\n");
}

}  // namespace
