// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/queue_domain.hpp"

namespace ringside::mlx5 {

namespace {

Capabilities usable_capabilities(const Context& context) {
  const Capabilities found = Capabilities::query(context);
  if (found.min_inline != prm::InlineMode::kNone) {
    throw Error(fmt::format("{} wants packet headers inline in send WQEs (mode {})", context.name(),
                            static_cast<unsigned>(found.min_inline)),
                "use a ConnectX-5 or later, or set the inline mode of the port to none (devlink)");
  }
  return found;
}

}  // namespace

QueueDomain::QueueDomain(const Context& context, const Pd& pd)
    : context_(context),
      pd_(pd.number()),
      capabilities_(usable_capabilities(context)),
      event_queue_(context.event_queue()),
      transport_domain_(context),
      tis_(context, transport_domain_),
      uar_(context) {}

}  // namespace ringside::mlx5
