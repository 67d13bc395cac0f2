// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Protection domains and transport domains.
#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/lookup.hpp"

namespace softcx {

void alloc_pd(Command& command) {
  const std::uint32_t pdn = new_number(command.device(), command.device().pds, "PDs");
  command.device().pds.emplace(pdn, Domain{});
  command.set(prm::alloc_pd_out::pd, pdn);
}

void dealloc_pd(Command& command) {
  const std::uint32_t pdn = command.get(prm::command_in::object_id);
  refuse_if_referenced(find_pd(command.device(), pdn).references, "protection domain", pdn);
  command.device().pds.erase(pdn);
}

void alloc_transport_domain(Command& command) {
  const std::uint32_t number =
      new_number(command.device(), command.device().transport_domains, "transport domains");
  command.device().transport_domains.emplace(number, Domain{});
  command.set(prm::alloc_transport_domain_out::transport_domain, number);
}

void dealloc_transport_domain(Command& command) {
  const std::uint32_t number = command.get(prm::command_in::object_id);
  refuse_if_referenced(find_transport_domain(command.device(), number).references,
                       "transport domain", number);
  command.device().transport_domains.erase(number);
}

}  // namespace softcx
