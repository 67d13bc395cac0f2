// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The handlers of all commands, by object. A handler checks everything before it changes anything.
#pragma once

#include "lib/softcx/cmd/command.hpp"

namespace softcx {

// domain.cpp
void alloc_pd(Command& command);
void dealloc_pd(Command& command);
void alloc_transport_domain(Command& command);
void dealloc_transport_domain(Command& command);
// mkey.cpp
void create_mkey(Command& command);
void destroy_mkey(Command& command);
// cq.cpp
void create_cq(Command& command);
void modify_cq(Command& command);
void query_cq(Command& command);
void destroy_cq(Command& command);
// tis.cpp
void create_tis(Command& command);
void query_tis(Command& command);
void destroy_tis(Command& command);
// sq.cpp
void create_sq(Command& command);
void modify_sq(Command& command);
void query_sq(Command& command);
void destroy_sq(Command& command);
// rq.cpp
void create_rq(Command& command);
void modify_rq(Command& command);
void query_rq(Command& command);
void destroy_rq(Command& command);
// rqt.cpp
void create_rqt(Command& command);
void modify_rqt(Command& command);
void destroy_rqt(Command& command);
// tir.cpp
void create_tir(Command& command);
void destroy_tir(Command& command);
// q_counter.cpp
void alloc_q_counter(Command& command);
void query_q_counter(Command& command);
void dealloc_q_counter(Command& command);
// flow_counter.cpp
void alloc_flow_counter(Command& command);
void query_flow_counter(Command& command);
void dealloc_flow_counter(Command& command);
// capabilities.cpp
void query_hca_cap(Command& command);
// vport.cpp
void query_nic_vport_context(Command& command);
/// min_wqe_inline_mode of the vport: 0, or what --fault=min-inline says.
std::uint32_t vport_inline_mode(const Device& device);
// lag.cpp
void query_lag(Command& command);
/// Ports of the bond that the device is part of: 0, or 2 with --fault=bond.
std::uint32_t lag_ports(const Device& device);
// access_register.cpp
void access_register(Command& command);

}  // namespace softcx
