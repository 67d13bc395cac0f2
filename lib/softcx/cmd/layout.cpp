// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/cmd/layout.hpp"

#include <algorithm>
#include <array>

#include "lib/mlx5/format/prm_caps.hpp"
#include "lib/mlx5/format/prm_cq.hpp"
#include "lib/mlx5/format/prm_flow.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_q_counter.hpp"
#include "lib/mlx5/format/prm_register.hpp"
#include "lib/mlx5/format/prm_rqt.hpp"
#include "lib/mlx5/format/prm_tir.hpp"
#include "lib/mlx5/format/prm_tis.hpp"
#include "lib/mlx5/format/prm_wq.hpp"

namespace softcx {
namespace {

using namespace prm;

template <std::size_t kSize>
struct Known {
  std::array<std::uint8_t, kSize> bits{};

  constexpr void add(Field field) { set(bits.data(), field, field.max()); }
  constexpr void add(Field64 field) { set(bits.data(), field, ~std::uint64_t{0}); }
  constexpr void add(Bytes bytes) {
    for (std::uint32_t i = 0; i < bytes.size; ++i) bits[bytes.offset + i] = 0xff;
  }
  template <class... Fields>
  constexpr void add(Context context, Fields... fields) {
    (add(context / fields), ...);
  }
};

/// The header of every command and `fields`.
template <std::size_t kSize, class... Fields>
constexpr Known<kSize> known(Fields... fields) {
  Known<kSize> layout;
  layout.add(command_in::opcode);
  layout.add(command_in::uid);
  layout.add(command_in::op_mod);
  (layout.add(fields), ...);
  return layout;
}

/// The counters of a queue are the NIC's to write.
template <std::size_t kSize>
constexpr void add_wq(Known<kSize>& layout, Context at) {
  layout.add(at, wq::wq_type, wq::wq_signature, wq::page_offset, wq::pd, wq::uar_page, wq::dbr_addr,
             wq::log_wq_stride, wq::log_wq_pg_sz, wq::log_wq_sz, wq::dbr_umem_valid,
             wq::wq_umem_valid, wq::dbr_umem_id, wq::wq_umem_id, wq::wq_umem_offset);
}

template <std::size_t kSize>
constexpr Known<kSize> with_sqc(Known<kSize> layout, Context at) {
  layout.add(at, sqc::cd_master, sqc::flush_in_error_en, sqc::allow_multi_pkt_send_wqe,
             sqc::min_wqe_inline_mode, sqc::state, sqc::reg_umr, sqc::allow_swp, sqc::hairpin,
             sqc::non_wire, sqc::static_sq_wq, sqc::ts_format, sqc::user_index, sqc::cqn,
             sqc::packet_pacing_rate_limit_index, sqc::tis_lst_sz, sqc::tis_num_0);
  add_wq(layout, at / sqc::wq);
  return layout;
}

template <std::size_t kSize>
constexpr Known<kSize> with_rqc(Known<kSize> layout, Context at) {
  layout.add(at, rqc::delay_drop_en, rqc::scatter_fcs, rqc::vsd, rqc::mem_rq_type, rqc::state,
             rqc::flush_in_error_en, rqc::hairpin, rqc::ts_format, rqc::user_index, rqc::cqn,
             rqc::counter_set_id);
  add_wq(layout, at / rqc::wq);
  layout.add(at / rqc::wq, wq::single_wqe_log_num_of_strides, wq::two_byte_shift_en,
             wq::single_stride_log_num_of_bytes);
  return layout;
}

/// Status, arming and the counters are told, not asked for.
template <std::size_t kSize>
constexpr Known<kSize> with_cqc(Known<kSize> layout, Context at) {
  layout.add(at, cqc::dbr_umem_valid, cqc::cqe_sz, cqc::cc, cqc::oi, cqc::cq_period_mode,
             cqc::cqe_comp_en, cqc::mini_cqe_res_format, cqc::mini_cqe_res_format_ext,
             cqc::dbr_umem_id, cqc::page_offset, cqc::log_cq_size, cqc::uar_page, cqc::cq_period,
             cqc::cq_max_count, cqc::c_eqn, cqc::log_page_size, cqc::dbr_addr);
  return layout;
}

constexpr auto with_tirc(Known<create_tir_in::kSize> layout, Context at) {
  layout.add(at, tirc::disp_type, tirc::lro_enable_mask, tirc::inline_rqn, tirc::rx_hash_symmetric,
             tirc::tunneled_offload_en, tirc::indirect_table, tirc::rx_hash_fn, tirc::self_lb_block,
             tirc::transport_domain, tirc::rx_hash_toeplitz_key);
  for (const Context selector :
       {tirc::rx_hash_field_selector_outer, tirc::rx_hash_field_selector_inner}) {
    layout.add(at / selector, rx_hash_field_select::l3_prot_type,
               rx_hash_field_select::l4_prot_type, rx_hash_field_select::selected_fields);
  }
  return layout;
}

constexpr auto with_tisc(Known<create_tis_in::kSize> layout, Context at) {
  layout.add(at, tisc::strict_lag_tx_port_affinity, tisc::lag_tx_port_affinity, tisc::prio,
             tisc::transport_domain, tisc::underlay_qpn);
  return layout;
}

template <std::size_t kSize>
constexpr Known<kSize> with_rqtc(Known<kSize> layout, Context at) {
  layout.add(at, rqtc::list_q_type, rqtc::rqt_max_size, rqtc::rqt_actual_size);
  return layout;
}

constexpr auto with_mkc(Known<create_mkey_in::kSize> layout, Context at) {
  layout.add(at, mkc::free, mkc::access_mode_4_2, mkc::relaxed_ordering_write, mkc::umr_en, mkc::a,
             mkc::rw, mkc::rr, mkc::lw, mkc::lr, mkc::access_mode_1_0, mkc::qpn, mkc::mkey_7_0,
             mkc::length64, mkc::bsf_en, mkc::en_rinval, mkc::pd, mkc::start_addr, mkc::len,
             mkc::bsf_octword_size, mkc::translations_octword_size, mkc::relaxed_ordering_read,
             mkc::log_page_size);
  return layout;
}

constexpr auto kPlain = known<command_in::kSize>();
/// Queries and destructions of what has a number of 24 bits.
constexpr auto kOnObject = known<command_in::kSize>(command_in::object_id);
constexpr auto kCreateMkey = with_mkc(
    known<create_mkey_in::kSize>(create_mkey_in::pg_access, create_mkey_in::mkey_umem_valid,
                                 create_mkey_in::translations_octword_actual_size,
                                 create_mkey_in::mkey_umem_id, create_mkey_in::mkey_umem_offset),
    create_mkey_in::memory_key_mkey_entry);
constexpr auto kCreateCq =
    with_cqc(known<create_cq_in::kSize>(create_cq_in::cq_umem_offset, create_cq_in::cq_umem_id,
                                        create_cq_in::cq_umem_valid),
             create_cq_in::cq_context);
constexpr auto kModifyCq =
    with_cqc(known<modify_cq_in::kSize>(modify_cq_in::cqn, modify_cq_in::modify_field_select),
             modify_cq_in::cq_context);
constexpr auto kQueryVport = known<query_nic_vport_context_in::kSize>(
    query_nic_vport_context_in::other_vport, query_nic_vport_context_in::vport_number,
    query_nic_vport_context_in::allowed_list_type);
constexpr auto kQueryQCounter =
    known<query_q_counter_in::kSize>(query_q_counter_in::clear, query_q_counter_in::counter_set_id);
constexpr auto kCreateTir = with_tirc(known<create_tir_in::kSize>(), create_tir_in::ctx);
constexpr auto kCreateSq = with_sqc(known<create_sq_in::kSize>(), create_sq_in::ctx);
constexpr auto kModifySq =
    with_sqc(known<modify_sq_in::kSize>(modify_sq_in::sq_state, modify_sq_in::sqn,
                                        modify_sq_in::modify_bitmask),
             modify_sq_in::ctx);
constexpr auto kCreateRq = with_rqc(known<create_rq_in::kSize>(), create_rq_in::ctx);
constexpr auto kModifyRq =
    with_rqc(known<modify_rq_in::kSize>(modify_rq_in::rq_state, modify_rq_in::rqn,
                                        modify_rq_in::modify_bitmask),
             modify_rq_in::ctx);
constexpr auto kCreateTis = with_tisc(known<create_tis_in::kSize>(), create_tis_in::ctx);
constexpr auto kCreateRqt = with_rqtc(known<create_rqt_in::kSize>(), create_rqt_in::rqt_context);
constexpr auto kModifyRqt =
    with_rqtc(known<modify_rqt_in::kSize>(modify_rqt_in::rqtn, modify_rqt_in::modify_bitmask),
              modify_rqt_in::rqt_context);
constexpr auto kAllocFlowCounter = known<alloc_flow_counter_in::kSize>(
    alloc_flow_counter_in::pd, alloc_flow_counter_in::flow_counter_bulk_log_size,
    alloc_flow_counter_in::flow_counter_bulk);
constexpr auto kDeallocFlowCounter =
    known<dealloc_flow_counter_in::kSize>(dealloc_flow_counter_in::flow_counter_id);
constexpr auto kQueryFlowCounter = known<query_flow_counter_in::kSize>(
    query_flow_counter_in::mkey, query_flow_counter_in::address, query_flow_counter_in::clear,
    query_flow_counter_in::dump_to_memory, query_flow_counter_in::num_of_counters,
    query_flow_counter_in::flow_counter_id);
constexpr auto kAccessRegister =
    known<access_register_in::kSize>(access_register_in::register_id, access_register_in::argument);

constexpr std::uint32_t kAll = 0xffff'ffff;
constexpr std::uint32_t kQueueNumber = rqtc::rq_num(0).max();

struct CommandLayout {
  Opcode opcode;
  Layout layout;
};

/// Commands that are not here name an object, and that is all.
constexpr CommandLayout kLayouts[] = {
    {Opcode::kQueryHcaCap, {kPlain.bits}},
    {Opcode::kQueryLag, {kPlain.bits}},
    {Opcode::kAllocPd, {kPlain.bits}},
    {Opcode::kAllocTransportDomain, {kPlain.bits}},
    {Opcode::kAllocQCounter, {kPlain.bits}},
    {Opcode::kCreateMkey, {kCreateMkey.bits, kAll}},
    {Opcode::kCreateCq, {kCreateCq.bits}},
    {Opcode::kModifyCq, {kModifyCq.bits}},
    {Opcode::kQueryNicVportContext, {kQueryVport.bits}},
    {Opcode::kQueryQCounter, {kQueryQCounter.bits}},
    {Opcode::kCreateTir, {kCreateTir.bits}},
    {Opcode::kCreateSq, {kCreateSq.bits}},
    {Opcode::kModifySq, {kModifySq.bits}},
    {Opcode::kCreateRq, {kCreateRq.bits}},
    {Opcode::kModifyRq, {kModifyRq.bits}},
    {Opcode::kCreateTis, {kCreateTis.bits}},
    {Opcode::kCreateRqt, {kCreateRqt.bits, kQueueNumber}},
    {Opcode::kModifyRqt, {kModifyRqt.bits, kQueueNumber}},
    {Opcode::kAllocFlowCounter, {kAllocFlowCounter.bits}},
    {Opcode::kDeallocFlowCounter, {kDeallocFlowCounter.bits}},
    {Opcode::kQueryFlowCounter, {kQueryFlowCounter.bits}},
    {Opcode::kAccessRegisterUser, {kAccessRegister.bits, kAll}},
};
constexpr Layout kObjectLayout{kOnObject.bits};

}  // namespace

const Layout& layout_of(Opcode opcode) {
  const auto* const found =
      std::find_if(std::begin(kLayouts), std::end(kLayouts),
                   [opcode](const CommandLayout& entry) { return entry.opcode == opcode; });
  return found == std::end(kLayouts) ? kObjectLayout : found->layout;
}

void check_reserved(std::span<const std::uint8_t> in, const Layout& layout) {
  for (std::uint32_t i = 0; i < in.size(); ++i) {
    const auto known = i < layout.known.size()
                           ? layout.known[i]
                           : static_cast<std::uint8_t>(layout.list >> (24 - i % 4 * 8));
    if ((in[i] & ~known) == 0) continue;
    const std::uint32_t dword = i & ~3U;
    refuse(Rule::kReservedNotZero,
           "bits {:#x} of the dword at {:#x} are reserved, or of a feature that is not there",
           static_cast<std::uint32_t>(in[i] & ~known) << (24 - i % 4 * 8), dword);
  }
}

}  // namespace softcx
