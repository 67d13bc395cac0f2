// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/command_table.hpp"

#include <vector>

#include "lib/cli/actions.hpp"

namespace ringside::cli {
namespace {

constexpr Command kCommands[] = {
    {"control", "start", "Start packet forwarding with the current configuration.", action::start},
    {"control", "start tx_first", "Send one burst on each stream, then start forwarding.",
     action::start_tx_first},
    {"control", "start tx_first <count>",
     "Send <count> bursts on each stream, then start forwarding.", action::start_tx_first},
    {"control", "stop", "Stop packet forwarding and display the statistics of the run.",
     action::stop},
    {"control", "quit", "Stop forwarding, close the ports and leave.", action::quit},
    {"control", "help", "List the sections of the help.", action::help},
    {"control", "help <section>", "Show the commands of a section, or of all.", action::help_on},

    {"display", "show port info <port>|all", "Display what a port is and how it is set up.",
     action::show_port_info},
    {"display", "show port stats <port>|all",
     "Display a port's counters and its rates since the last show.", action::show_port_stats},
    {"display", "show port summary <port>|all", "Display one line a port.",
     action::show_port_summary},
    {"display", "clear port stats <port>|all", "Set a port's counters to zero.",
     action::clear_port_stats},
    {"display", "show fwd stats all", "Display the statistics of this run, or of the last one.",
     action::show_forward_stats},
    {"display", "clear fwd stats all", "Set the statistics of the run to zero.",
     action::clear_forward_stats},
    {"display", "show queue stats <port>|all",
     "Display what each of a port's queues has counted in this run, or in the last one.",
     action::show_queue_stats},
    {"display", "show config fwd", "Display what forwards which queue to where.",
     action::show_forward_config},
    {"display", "show config rxtx", "Display the burst size, queues and descriptors.",
     action::show_rxtx_config},

    {"config", "set fwd <mode>", "Set the forwarding mode of the next start.", action::set_mode},

    {"ports", "port start <port>|all", "Start stopped ports.", action::start_ports},
    {"ports", "port stop <port>|all", "Stop ports; forwarding must be stopped first.",
     action::stop_ports},
};

}  // namespace

std::span<const Command> command_table() {
  return kCommands;
}

}  // namespace ringside::cli
