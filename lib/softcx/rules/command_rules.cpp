// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules of commands: what firmware refuses with a status and a syndrome.
#include "lib/softcx/rules/table.hpp"

namespace softcx {
namespace {

using ringside::prm::Status;

constexpr RuleEntry refused(RuleId rule, Status status, std::string_view name,
                            std::string_view text, std::string_view source) {
  return {rule, name, text, source, NicAnswer::kStatus, status};
}
constexpr RuleEntry parameter(RuleId rule, std::string_view name, std::string_view text,
                              std::string_view source) {
  return refused(rule, Status::kBadParameter, name, text, source);
}
constexpr RuleEntry reference(RuleId rule, std::string_view name, std::string_view text,
                              std::string_view source) {
  return refused(rule, Status::kBadResource, name, text, source);
}

constexpr RuleEntry kRules[] = {
    // The command itself
    refused(RuleId::kUnknownOpcode, Status::kBadOpcode, "command.opcode",
            "The opcode is one of those that the firmware knows.", "PRM, Command opcodes"),
    refused(RuleId::kInputTooShort, Status::kBadInputLength, "command.input-length",
            "The input is as long as the command's layout and the lists behind it.",
            "PRM, Command Interface, status BAD_INP_LEN"),
    refused(RuleId::kOutputTooShort, Status::kBadOutputLength, "command.output-length",
            "The output has room for the whole answer.",
            "PRM, Command Interface, status BAD_OUTP_LEN"),
    parameter(RuleId::kOpModNotZero, "command.op-mod",
              "op_mod is zero where a command has no variants.", "PRM, Command Interface, op_mod"),
    parameter(RuleId::kUnknownCapabilityGroup, "command.capability-group",
              "The group of capabilities that is asked for exists.", "PRM, QUERY_HCA_CAP, op_mod"),
    parameter(RuleId::kReservedNotZero, "command.reserved-bits",
              "Reserved bits are zero, and so are what only answers tell, features that are not "
              "there, and what follows the layout.",
              "PRM, Command Interface, reserved fields; mlx5_ifc_*_bits of DPDK's mlx5_prm.h"),
    // References
    reference(RuleId::kNoSuchCq, "command.cqn", "A CQ number names a completion queue.",
              "PRM, SQ Context and RQ Context, cqn"),
    reference(RuleId::kNoSuchSq, "command.sqn", "An SQ number names a send queue.",
              "PRM, MODIFY_SQ, sqn"),
    reference(RuleId::kNoSuchRq, "command.rqn", "An RQ number names a receive queue.",
              "PRM, RQT Context, rq_num; TIR Context, inline_rqn"),
    reference(RuleId::kNoSuchTis, "command.tisn", "A TIS number names a TIS.",
              "PRM, SQ Context, tis_num_0"),
    reference(RuleId::kNoSuchTir, "command.tirn", "A TIR number names a TIR.", "PRM, DESTROY_TIR"),
    reference(RuleId::kNoSuchRqt, "command.rqtn", "An RQT number names a receive table.",
              "PRM, TIR Context, indirect_table"),
    reference(RuleId::kNoSuchPd, "command.pd", "A PD number names a protection domain.",
              "PRM, WQ Context and Memory Key Context, pd"),
    reference(RuleId::kNoSuchTransportDomain, "command.transport-domain",
              "A transport domain's number names one; 0 always does.",
              "PRM, TIS Context and TIR Context, transport_domain"),
    reference(RuleId::kNoSuchUar, "command.uar-page",
              "A queue's UAR page was allocated and not yet freed.",
              "PRM, WQ Context and CQ Context, uar_page; mlx5dv_devx_alloc_uar(3)"),
    reference(RuleId::kNoSuchUmem, "command.umem-id",
              "A umem's number names memory that is registered.",
              "PRM, WQ Context, wq_umem_id and dbr_umem_id; mlx5dv_devx_umem_reg(3)"),
    reference(RuleId::kNoSuchEq, "command.eqn", "A completion queue's event queue exists.",
              "PRM, CQ Context, c_eqn; mlx5dv_devx_query_eqn(3)"),
    reference(RuleId::kNoSuchMkey, "command.mkey",
              "A memory key's index or number names one, of the same protection domain.",
              "PRM, DESTROY_MKEY, mkey_index; KLM entry, mkey"),
    reference(RuleId::kNoSuchQCounter, "command.counter-set",
              "A counter set's number names one; an RQ's may be 0 for none.",
              "PRM, RQ Context, counter_set_id"),
    reference(RuleId::kNoSuchFlowCounter, "command.flow-counter",
              "A flow counter's number lies in a bulk that is allocated.",
              "PRM, QUERY_FLOW_COUNTER, flow_counter_id"),
    refused(RuleId::kStillReferenced, Status::kResourceBusy, "command.still-referenced",
            "An object is destroyed after all that name it.",
            "PRM, Command Interface, status RES_BUSY"),
    // Rings and doorbell records
    parameter(RuleId::kRingOutsideUmem, "command.ring-bounds",
              "A ring lies in its umem with all of its entries.",
              "PRM, WQ Context, wq_umem_offset, log_wq_stride and log_wq_sz"),
    parameter(RuleId::kRingMisaligned, "command.ring-alignment",
              "A ring begins in a page where page_offset says, in 64ths of the page.",
              "PRM, WQ Context, page_offset and log_wq_pg_sz; CQ Context, log_page_size"),
    parameter(RuleId::kRingUmemReadOnly, "command.ring-rights",
              "The umem of a completion ring has the right of local write.",
              "PRM, CQ Context; IBV_ACCESS_LOCAL_WRITE of mlx5dv_devx_umem_reg(3)"),
    parameter(RuleId::kRecordOutsideUmem, "command.record-bounds",
              "A doorbell record lies in its umem.", "PRM, WQ Context, dbr_addr"),
    parameter(RuleId::kRecordMisaligned, "command.record-alignment",
              "A doorbell record lies at a multiple of 8 bytes.", "PRM, Doorbell Records"),
    parameter(RuleId::kRecordInsideRing, "command.record-in-ring",
              "A doorbell record lies outside of its queue's ring.", "PRM, Doorbell Records"),
    // Queues
    refused(RuleId::kSizeAboveLimit, Status::kExceedsLimit, "command.size-limit",
            "Rings, tables, keys and bulks are no larger than the capabilities allow.",
            "PRM, HCA capabilities, log_max_wq_sz, log_max_cq_sz, log_max_rqt_size, "
            "log_max_mrw_sz, flow_counter_bulk_alloc"),
    parameter(RuleId::kStrideOutOfRange, "command.wqe-stride",
              "The stride of WQEs is between the capabilities' limits.",
              "PRM, WQ Context, log_wq_stride; HCA capabilities, log_min_stride_sz_rq and so on"),
    parameter(RuleId::kWqTypeUnsupported, "command.wq-type",
              "The type of a work queue is among the capabilities.", "PRM, WQ Context, wq_type"),
    parameter(RuleId::kCreatedNotInReset, "command.created-in-reset",
              "A send or receive queue is created in reset.",
              "PRM, CREATE_SQ and CREATE_RQ, state; mlx5_devx_cmd_create_sq() of DPDK"),
    parameter(RuleId::kNoTis, "command.one-tis", "A send queue has one TIS.",
              "PRM, SQ Context, tis_lst_sz; HCA capabilities, log_max_tis_per_sq"),
    refused(RuleId::kCurrentStateWrong, Status::kBadResourceState, "command.current-state",
            "MODIFY_SQ and MODIFY_RQ name the state in which the queue is.",
            "PRM, MODIFY_SQ, sq_state; MODIFY_RQ, rq_state"),
    refused(RuleId::kTransitionForbidden, Status::kBadResourceState, "command.transition",
            "States change from reset to ready, from ready to error or reset, from error to reset.",
            "PRM, SQ States and RQ States"),
    parameter(RuleId::kModifyUnsupported, "command.modify-mask",
              "What a command modifies can be modified on this device.",
              "PRM, MODIFY_SQ, MODIFY_RQ and MODIFY_RQT, modify_bitmask; MODIFY_CQ"),
    parameter(RuleId::kFeatureUnsupported, "command.capability",
              "No context asks for a feature that the capabilities lack.", "PRM, HCA capabilities"),
    parameter(
        RuleId::kInlineModeUnknown, "command.inline-mode",
        "min_wqe_inline_mode is none, L2, IP or TCP/UDP.",
        "PRM, SQ Context, min_wqe_inline_mode; MLX5_INLINE_MODE_* of DPDK's mlx5_prm.h, but those "
        "of inner headers, which this device does not have"),
    parameter(RuleId::kLagPortUnknown, "command.lag-port",
              "The port that a TIS prefers is one of the bond's.",
              "PRM, TIS Context, lag_tx_port_affinity; HCA capabilities, num_lag_ports"),
    parameter(
        RuleId::kStridesOutOfRange, "command.strides",
        "A striding receive queue has 8 to 8192 strides a WQE, and no other queue has strides.",
        "PRM, WQ Context, single_wqe_log_num_of_strides; struct mlx5dv_striding_rq_caps of "
        "rdma-core's mlx5dv.h"),
    // Tables and hashing
    parameter(RuleId::kTableSizeNotPowerOfTwo, "command.table-size",
              "A receive table's actual size is a power of two.",
              "PRM, RQT Context, rqt_actual_size"),
    refused(RuleId::kListTooShort, Status::kBadInputLength, "command.table-list",
            "The input has a queue number for every entry of a receive table.",
            "PRM, RQT Context, rq_num"),
    parameter(
        RuleId::kHashUnsupported, "command.hash",
        "A TIR hashes by Toeplitz or not at all, over fields of either the outer or the inner "
        "headers.",
        "PRM, TIR Context, rx_hash_fn and rx_hash_field_selector"),
    parameter(RuleId::kDispositionUnknown, "command.disposition", "A TIR is direct or indirect.",
              "PRM, TIR Context, disp_type"),
    parameter(RuleId::kTableAboveItsMaximum, "command.table-maximum",
              "A receive table has no more queues than it was created for.",
              "PRM, RQT Context, rqt_max_size"),
    // Keys and counters
    parameter(RuleId::kAccessModeUnsupported, "command.key-access-mode",
              "A memory key is over a umem (MTT), or over one part of another key (KLM).",
              "PRM, Memory Key Context, access_mode"),
    parameter(RuleId::kKeyOutsideMemory, "command.key-bounds",
              "A memory key lies in its umem, or in the key that it is a part of.",
              "PRM, Memory Key Context, len; CREATE_MKEY, mkey_umem_offset"),
    parameter(RuleId::kKeyRightsAboveMemory, "command.key-rights",
              "A memory key has no right that its memory lacks.",
              "PRM, Memory Key Context, lw and lr"),
    refused(RuleId::kTableFull, Status::kNoResources, "command.object-count",
            "There are no more objects of a kind than the capabilities say.",
            "PRM, HCA capabilities, log_max_cq, log_max_sq, log_max_mkey and so on"),
    parameter(RuleId::kCounterOutOfRange, "command.counter-range",
              "The flow counters that are queried lie in one bulk.",
              "PRM, QUERY_FLOW_COUNTER, num_of_counters"),
    parameter(RuleId::kDumpOutsideKey, "command.counter-dump",
              "Flow counters are dumped within a key of host memory that can be written.",
              "PRM, QUERY_FLOW_COUNTER, dump_to_memory, mkey and address"),
    parameter(RuleId::kKeyPageSize, "command.key-page-size",
              "The pages of a memory key have 4 KiB at least.",
              "PRM, Memory Key Context, log_page_size; mlx5_devx_cmd_mkey_create() of DPDK"),
    parameter(
        RuleId::kKeyTranslationTooShort, "command.key-translation",
        "A memory key's translation has two pages an octword for its whole range, and no more "
        "octwords than the key has room for.",
        "PRM, CREATE_MKEY, translations_octword_actual_size; mlx5_devx_cmd_mkey_create() of "
        "DPDK"),
    parameter(RuleId::kKeyRemoteWriteAlone, "command.key-remote-write",
              "The right of remote write comes with that of local write.",
              "InfiniBand Architecture, Register Memory Region; ibv_reg_mr(3)"),
    parameter(RuleId::kKeyOfQueuePair, "command.key-qpn",
              "A memory key is bound to no queue pair (0xffffff).",
              "PRM, Memory Key Context, qpn; mlx5_devx_cmd_mkey_create() of DPDK"),
    parameter(RuleId::kBulkNotOneBit, "command.bulk-bits",
              "flow_counter_bulk has one bit, for one size.",
              "PRM, ALLOC_FLOW_COUNTER, flow_counter_bulk"),
    parameter(RuleId::kBulkQueryUnaligned, "command.bulk-query",
              "A query of several flow counters begins at a multiple of four, and is of one.",
              "PRM, QUERY_FLOW_COUNTER, num_of_counters"),
    // Registers
    reference(RuleId::kNoSuchRegister, "command.register", "The register that is read exists.",
              "PRM, ACCESS_REGISTER_USER, register_id"),
    parameter(RuleId::kRegisterReadOnly, "command.register-write",
              "Registers for users are read, not written.", "PRM, ACCESS_REGISTER_USER, op_mod"),
};

}  // namespace

std::span<const RuleEntry> command_rules() noexcept {
  return kRules;
}

}  // namespace softcx
