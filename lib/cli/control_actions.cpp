// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/base/error.hpp"
#include "lib/cli/actions.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli::action {
namespace {

constexpr std::size_t kMaxErrorLength = 500;  // with the user's word in it

}  // namespace

void start(Session& session, Words) {
  session.start(0);
}

void start_tx_first(Session& session, Words words) {
  const auto bursts = words.size() > 2 ? *parse_number(words[2], UINT32_MAX) : 1;
  session.start(static_cast<std::uint32_t>(bursts));
}

void stop(Session& session, Words) {
  session.stop();
}

void quit(Session& session, Words) {
  session.request_quit();
}

void help(Session& session, Words) {
  session.out().write(help_overview());
}

void help_on(Session& session, Words words) {
  const std::string text = help_section(words[1]);
  if (!text.empty()) {
    session.out().write(text);
    return;
  }
  session.out().print("Bad arguments\nNo help section {}: help lists them.\n", in_quotes(words[1]));
}

void set_mode(Session& session, Words words) {
  try {
    session.set_mode(std::string(words[2]));
  } catch (const Error& error) {
    session.out().print("Bad arguments\n{}\n", printable(error.what(), kMaxErrorLength));
    return;
  }
  session.out().print("Set {} packet forwarding mode\n", session.mode());
  if (session.runtime().forwarding()) session.out().write("It takes effect at the next start.\n");
}

}  // namespace ringside::cli::action
