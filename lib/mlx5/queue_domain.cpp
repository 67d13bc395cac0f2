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
                fmt::format("kernels send from GPU memory and cannot: devlink dev eswitch set "
                            "pci/{} inline-mode none, or use a ConnectX-5 or later",
                            context.pci_address()));
  }
  if (found.bonded) {
    throw Error(fmt::format("{} is part of a bond (LAG): a send queue's packets could leave by "
                            "either port, and rules would see half of what arrives",
                            context.name()),
                "take the port out of the bond (ip link set dev IFNAME nomaster)");
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

Cq QueueDomain::make_cq(std::uint32_t log_depth, const RingMemory& ring, const RingMemory& record,
                        EmptiedBy emptied_by) const {
  return {context_,
          {.log_depth = log_depth,
           .uar_page = uar_.page_id(),
           .event_queue = event_queue_,
           .ring = ring,
           .record = record,
           .emptied_by = emptied_by}};
}

}  // namespace ringside::mlx5
