// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Transport interface receive.
#include "lib/mlx5/format/prm_tir.hpp"

#include <algorithm>

#include "lib/softcx/cmd/handlers.hpp"
#include "lib/softcx/cmd/lookup.hpp"
#include "lib/softcx/cmd/unsupported.hpp"

namespace softcx {
namespace {

namespace tirc = prm::tirc;
namespace select = prm::rx_hash_field_select;

constexpr prm::Context kTirc = prm::create_tir_in::ctx;
constexpr prm::Context kOuter = kTirc / tirc::rx_hash_field_selector_outer;
constexpr prm::Context kInner = kTirc / tirc::rx_hash_field_selector_inner;
constexpr std::uint32_t kKnownHashFields =
    kHashSourceIp | kHashDestinationIp | kHashSourcePort | kHashDestinationPort | kHashIpsecSpi;

/// tunneled_offload_en is taken, although it asks for nothing here: headers inside tunnels are
/// parsed and hashed anyway.
constexpr Unsupported kUnsupported[] = {{tirc::lro_enable_mask, "LRO"}};

void set_function(const Command& command, Tir& tir) {
  using prm::RxHashFunction;
  const auto function = static_cast<RxHashFunction>(command.get(kTirc / tirc::rx_hash_fn));
  if (function != RxHashFunction::kNone && function != RxHashFunction::kToeplitz) {
    refuse(Rule::kHashUnsupported, "TIR: rx_hash_fn {}, none (0) and Toeplitz (2) are there",
           static_cast<std::uint32_t>(function));
  }
  tir.toeplitz = function == RxHashFunction::kToeplitz;
  tir.symmetric = command.get(kTirc / tirc::rx_hash_symmetric) != 0;
  const auto key = command.get(kTirc / tirc::rx_hash_toeplitz_key);
  std::copy(key.begin(), key.end(), tir.hash_key.begin());
}

/// A TIR hashes the outer or the inner headers of a tunnel.
void set_selector(const Command& command, Tir& tir) {
  const std::uint32_t outer = command.get(kOuter / select::selected_fields);
  const std::uint32_t inner = command.get(kInner / select::selected_fields);
  if (outer != 0 && inner != 0) {
    refuse(Rule::kHashUnsupported, "TIR: outer and inner headers in one hash are not supported");
  }
  if (((outer | inner) & ~kKnownHashFields) != 0) {
    refuse(Rule::kHashUnsupported, "TIR: selected_fields {:#x} has fields that are not hashed",
           outer | inner);
  }
  tir.hash_inner = inner != 0;
  const prm::Context selector = tir.hash_inner ? kInner : kOuter;
  tir.l3_ipv6 = command.get(selector / select::l3_prot_type) != 0;
  tir.l4_udp = command.get(selector / select::l4_prot_type) != 0;
  tir.hash_fields = outer | inner;
}

void set_destination(const Command& command, Tir& tir) {
  using prm::TirDisposition;
  Device& device = command.device();
  const auto disposition = static_cast<TirDisposition>(command.get(kTirc / tirc::disp_type));
  switch (disposition) {
    case TirDisposition::kDirect:
      tir.rq = &find_rq(device, command.get(kTirc / tirc::inline_rqn));
      return;
    case TirDisposition::kIndirect:
      tir.indirect = true;
      tir.rqt = &find_rqt(device, command.get(kTirc / tirc::indirect_table));
      return;
  }
  refuse(Rule::kDispositionUnknown, "TIR: disp_type {}, direct (0) and indirect (1) are there",
         static_cast<std::uint32_t>(disposition));
}

}  // namespace

void create_tir(Command& command) {
  Device& device = command.device();
  refuse_unsupported(command, "TIR", kTirc, kUnsupported);
  auto tir = std::make_unique<Tir>();
  tir->transport_domain = command.get(kTirc / tirc::transport_domain);
  Domain& domain = find_transport_domain(device, tir->transport_domain);
  set_function(command, *tir);
  set_selector(command, *tir);
  set_destination(command, *tir);
  tir->tirn = new_number(device, device.tirs, "TIR");
  Tir* const made = tir.get();
  device.tirs.emplace(made->tirn, std::move(tir));
  ++domain.references;
  ++(made->indirect ? made->rqt->references : made->rq->references);
  command.set(prm::create_tir_out::tirn, made->tirn);
}

void destroy_tir(Command& command) {
  Device& device = command.device();
  const std::uint32_t tirn = command.get(prm::command_in::object_id);
  Tir& tir = find_tir(device, tirn);
  refuse_if_referenced(tir.references, "TIR", tirn);
  // No rule leads here any more; after this the engine thread has let go of it too.
  device.quiesce();
  --(tir.indirect ? tir.rqt->references : tir.rq->references);
  --device.transport_domains.at(tir.transport_domain).references;
  device.tirs.erase(tirn);
}

}  // namespace softcx
