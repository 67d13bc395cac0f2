// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include <random>

#include "lib/cli/command_table.hpp"
#include "lib/cli/syntax.hpp"
#include "tests/unit/cli_dialogue.hpp"

namespace {

using namespace ringside;
using Interpreter = cli::Dialogue;
using Words = std::vector<std::string>;

TEST_F(Interpreter, bad_input_is_answered_as_testpmd_does_and_then_explained) {
  const std::pair<const char*, const char*> table[] = {
      {"bogus", "Command not found\n\"bogus\": help lists the commands.\n"},
      {"strat", "Command not found\n\"strat\": did you mean start?\n"},
      {"Start", "Command not found\n\"Start\": did you mean start?\n"},
      {"show", "Bad arguments\nAfter \"show\" can come config, fwd, port or queue.\n"},
      {"show port", "Bad arguments\nAfter \"show port\" can come info, stats or summary.\n"},
      {"show prot stats 0",
       "Bad arguments\nAfter \"show\" can come config, fwd, port or queue, not \"prot\".\n"},
      {"show port stats", "Bad arguments\nAfter \"show port stats\" can come <port> or all.\n"},
      {"show port stats one",
       "Bad arguments\nAfter \"show port stats\" can come <port> or all, not \"one\".\n"},
      {"show port stats -1",
       "Bad arguments\nAfter \"show port stats\" can come <port> or all, not \"-1\".\n"},
      {"show port stats 65536",
       "Bad arguments\nAfter \"show port stats\" can come <port> or all, not \"65536\".\n"},
      {"show port stats 0 0", "Bad arguments\nNothing can come after \"show port stats 0\".\n"},
      {"start now", "Bad arguments\nAfter \"start\" can come tx_first, not \"now\".\n"},
      {"start tx_first x",
       "Bad arguments\nAfter \"start tx_first\" can come <count>, not \"x\".\n"},
      {"start tx_first 4294967296",
       "Bad arguments\nAfter \"start tx_first\" can come <count>, not \"4294967296\".\n"},
      {"stop all", "Bad arguments\nNothing can come after \"stop\".\n"},
      {"set fwd", "Bad arguments\nAfter \"set fwd\" can come <mode>.\n"},
      {"help me", "Bad arguments\nNo help section \"me\": help lists them.\n"},
      {"\033[2Jx", "Command not found\n\"\\x1b[2Jx\": help lists the commands.\n"},
  };
  for (const auto& [line, expected] : table) EXPECT_EQ(reply(line), expected) << line;
}

TEST_F(Interpreter, empty_lines_and_comments_do_nothing) {
  for (const char* const line : {"", " ", "\t \r", "#", "# start", "  # quit"}) {
    EXPECT_EQ(reply(line), "") << line;
  }
  EXPECT_FALSE(runtime().forwarding());
  EXPECT_FALSE(session().quit_requested());
}

TEST_F(Interpreter, blanks_and_a_comment_around_a_command_do_not_matter) {
  reply("\t start   tx_first  3   # three bursts");
  EXPECT_EQ(runtime().bursts_first, 3U);
}

TEST_F(Interpreter, numbers_may_be_hexadecimal) {
  reply("start tx_first 0x10");
  EXPECT_EQ(runtime().bursts_first, 16U);
}

TEST_F(Interpreter, line_of_the_greatest_length_is_read_and_a_longer_one_refused) {
  EXPECT_EQ(reply("stop" + std::string(cli::kMaxLineLength - 4, ' ')),
            "Packet forwarding not started\n");
  EXPECT_EQ(reply("stop" + std::string(cli::kMaxLineLength - 3, ' ')),
            "Bad arguments\nThe line is longer than 4096 bytes.\n");
}

TEST_F(Interpreter, random_bytes_never_start_or_quit_anything) {
  std::mt19937 random(42);
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<std::size_t> length(1, 200);
  for (int round = 0; round < 2000; ++round) {
    std::string line(length(random), '\0');
    for (char& character : line) character = static_cast<char>(byte(random));
    const std::string text = reply(line);
    EXPECT_EQ(text.find('\033'), std::string::npos);
  }
  EXPECT_FALSE(runtime().forwarding());
  EXPECT_FALSE(session().quit_requested());
}

TEST_F(Interpreter, help_of_each_section_shows_its_commands_and_all_shows_every_one) {
  const std::string all = reply("help all");
  for (const cli::Command& command : cli::command_table()) {
    const std::string entry =
        cli::readable_syntax(command.syntax) + "\n    " + std::string(command.help) + "\n";
    EXPECT_NE(all.find(entry), std::string::npos) << command.syntax;
    EXPECT_NE(reply("help " + std::string(command.section)).find(entry), std::string::npos)
        << command.syntax;
  }
  EXPECT_NE(all.find("show port stats (<port>|all)\n"), std::string::npos);
}

TEST_F(Interpreter, help_lists_the_sections) {
  const std::string text = reply("help");
  for (const cli::Section& section : cli::kSections) {
    EXPECT_NE(text.find("    help " + std::string(section.name) + " "), std::string::npos);
  }
}

TEST_F(Interpreter, completion_offers_what_the_table_allows) {
  const std::pair<const char*, Words> table[] = {
      {"", {"clear", "help", "port", "quit", "set", "show", "start", "stop"}},
      {"st", {"start", "stop"}},
      {"start ", {"tx_first"}},
      {"start tx_first ", {}},
      {"show port ", {"info", "stats", "summary"}},
      {"show port s", {"stats", "summary"}},
      {"show port stats ", {"0", "1", "all"}},
      {"show port stats a", {"all"}},
      {"show  port\tstats  1", {"1"}},
      {"set fwd ", {"io", "mac", "macswap", "rxonly", "txonly"}},
      {"set fwd mac", {"mac", "macswap"}},
      {"help ", {"all", "config", "control", "display", "ports"}},
      {"bogus ", {}},
      {"show port stats 0 ", {}},
      {"stop ", {}},
  };
  for (const auto& [line, expected] : table) {
    EXPECT_EQ(cli::complete(session(), line), expected) << line;
  }
}

}  // namespace
