// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the commands of the table do.
#pragma once

#include "lib/cli/command_table.hpp"

namespace ringside::cli::action {

void start(Session& session, Words words);
void start_tx_first(Session& session, Words words);
void stop(Session& session, Words words);
void quit(Session& session, Words words);
void help(Session& session, Words words);
void help_on(Session& session, Words words);
void set_mode(Session& session, Words words);

void show_port_info(Session& session, Words words);
void show_port_stats(Session& session, Words words);
void show_port_summary(Session& session, Words words);
void clear_port_stats(Session& session, Words words);
void show_forward_stats(Session& session, Words words);
void clear_forward_stats(Session& session, Words words);
void show_queue_stats(Session& session, Words words);
void show_forward_config(Session& session, Words words);
void show_rxtx_config(Session& session, Words words);

void start_ports(Session& session, Words words);
void stop_ports(Session& session, Words words);

}  // namespace ringside::cli::action
