// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules of queues, doorbells and memory in use.
#include "lib/softcx/rules/table.hpp"

namespace softcx {
namespace {

constexpr NicAnswer kCqe = NicAnswer::kCompletion;
constexpr NicAnswer kNone = NicAnswer::kNone;

constexpr RuleEntry kRules[] = {
    // Send WQEs
    {RuleId::kSendOpcode, "send.opcode",
     "Opcode and opmod are known, and the queue was created for them.",
     "PRM, Control Segment; MLX5_OPCODE_* of rdma-core's mlx5dv.h", kCqe},
    {RuleId::kSendQueueNumber, "send.queue-number",
     "The control segment names the queue in whose ring it lies.",
     "PRM, Control Segment; mlx5dv_set_ctrl_seg() of rdma-core", kCqe},
    {RuleId::kSendWqeIndex, "send.wqe-index",
     "The control segment has the index of the basic block in which its WQE begins.",
     "PRM, Control Segment; mlx5_tx_cseg_init() of DPDK", kCqe},
    {RuleId::kSendSegmentCount, "send.ds-count",
     "The ds count covers the segments that the opcode needs.", "PRM, Control Segment", kCqe},
    {RuleId::kSendBeyondProducer, "send.beyond-producer",
     "A WQE ends before the producer index of the doorbell record.",
     "PRM, Posting a Work Request to Work Queue; post_send_db() of rdma-core's qp.c", kCqe},
    {RuleId::kSendInlineHeader, "send.inline-header",
     "An inlined header lies within its WQE, has no reserved bits, is as long as the queue's "
     "minimum asks, and is alone: no VLAN insertion, no multi-packet WQE.",
     "PRM, Ethernet Segment; struct mlx5_wqe_eth_seg of rdma-core's mlx5dv.h", kCqe},
    {RuleId::kSendInlineData, "send.inline-data",
     "An inline data segment has bytes, and all lie within its WQE.",
     "PRM, Data Segments; struct mlx5_wqe_inl_data_seg of rdma-core's mlx5dv.h", kCqe},
    {RuleId::kSendOffload, "send.offload",
     "The Ethernet segment asks for nothing that the capabilities do not offer.",
     "PRM, Ethernet Segment and HCA capabilities", kCqe},
    {RuleId::kSendWait, "send.wait",
     "A WAIT is for time: cyclically smaller, a mask of ones from bit 0 on, no key, no address.",
     "PRM, Wait Segment; mlx5_tx_wseg_init() of DPDK", kCqe},
    {RuleId::kSendReserved, "send.reserved",
     "Reserved bits of the control segment are 0: above the ds count, and, on queues without "
     "signatures and for opcodes without them, signature, stream channel and immediate.",
     "PRM, Control Segment; mlx5_tx_cseg_init() of DPDK", kNone},
    {RuleId::kSendWqeChanged, "send.wqe-changed",
     "A send WQE stays as it is from its doorbell to its completion.",
     "PRM, Posting a Work Request to Work Queue", kNone},
    // Send doorbells and their records
    {RuleId::kRingUnknownQueue, "doorbell.unknown-queue",
     "A doorbell names a send queue that was created with its UAR page.", "PRM, UAR Page Format",
     kNone},
    {RuleId::kRingWithoutRecord, "doorbell.before-record",
     "The record is written before the doorbell that announces it.",
     "PRM, Posting a Work Request to Work Queue; post_send_db() of rdma-core's qp.c", kNone},
    {RuleId::kRingAgain, "doorbell.again", "A doorbell announces something that none did before.",
     "PRM, Posting a Work Request to Work Queue", kNone},
    {RuleId::kRingBackwards, "doorbell.backwards",
     "A doorbell announces no index below that of an earlier one.",
     "PRM, Posting a Work Request to Work Queue", kNone},
    {RuleId::kRingBlueFlame, "doorbell.blueflame",
     "What a BlueFlame write brings is the WQE that lies in the ring.",
     "PRM, BlueFlame; mlx5_bf_copy() of rdma-core's qp.c", kNone},
    {RuleId::kUarFreedInUse, "doorbell.uar-freed",
     "A UAR page is freed after the queues that were created with it.", "PRM, DEALLOC_UAR", kNone},
    {RuleId::kSendRecordBackwards, "send.record-backwards",
     "A send queue's doorbell record never goes back while the queue is ready.",
     "PRM, Doorbell Records", kNone},
    {RuleId::kSendRecordBeyondRing, "send.record-beyond-ring",
     "What is posted to a send queue fits its ring.",
     "PRM, Doorbell Records; mlx5_wq_overflow() of rdma-core's qp.c", kNone},
    {RuleId::kSendRecordWithoutRing, "send.record-without-doorbell",
     "A send queue's record that moves is followed by a doorbell (within a second).",
     "PRM, Posting a Work Request to Work Queue", kNone},
    // Receive queues
    {RuleId::kReceiveRecordBeyondRing, "receive.record-beyond-ring",
     "What is posted to a receive queue fits its ring.",
     "PRM, Doorbell Records; mlx5_wq_overflow() of rdma-core's qp.c", kNone},
    {RuleId::kReceiveRecordBackwards, "receive.record-backwards",
     "A receive queue's doorbell record never goes back while the queue is ready.",
     "PRM, Doorbell Records", kNone},
    {RuleId::kReceiveByteCount, "receive.byte-count",
     "The highest bit of a receive buffer's byte count is 0.",
     "PRM, Data Segments; struct mlx5_wqe_data_seg of rdma-core's mlx5dv.h", kNone},
    {RuleId::kReceiveWqeChanged, "receive.wqe-changed",
     "A receive WQE stays as it is from its posting to its completion.",
     "PRM, Posting a Work Request to Work Queue", kNone},
    {RuleId::kReceiveBufferOverlap, "receive.buffer-overlap",
     "No byte is in two receive buffers that are posted.", "ibv_post_recv(3)", kNone},
    {RuleId::kReceiveBufferSent, "receive.buffer-sent",
     "No byte is in a posted receive buffer and in what a posted send WQE reads.",
     "ibv_post_send(3): a buffer is the program's after its completion", kNone},
    {RuleId::kReceiveCompletionOrder, "receive.completion-order",
     "A packet lies in the same memory (a GPU's, or RAM) as its completion queue where kernels "
     "poll "
     "that: on two paths its completion may overtake it, unless the capabilities say otherwise.",
     "PCI Express Base Specification, Transaction Ordering; NVIDIA's GPUDirect RDMA, "
     "Synchronization and Memory Ordering",
     kNone},
    // Completion queues
    {RuleId::kCqOverrun, "cq.overrun",
     "A completion queue has room for every completion that was asked for.",
     "PRM, Completion Queue overrun; CREATE_CQ oi", kNone},
    {RuleId::kCqConsumerAhead, "cq.consumer-ahead",
     "The consumer index names no completion that was not written yet.",
     "PRM, CQ Doorbell Record; update_cons_index() of rdma-core's cq.c", kNone},
    {RuleId::kCqConsumerBackwards, "cq.consumer-backwards", "The consumer index never goes back.",
     "PRM, CQ Doorbell Record; update_cons_index() of rdma-core's cq.c", kNone},
    {RuleId::kCqOwner, "cq.owner-bits",
     "An entry that is not written yet does not look valid: marked invalid at first, then left "
     "alone.",
     "PRM, CQE ownership; get_sw_cqe() of rdma-core's cq.c, mlx5_cq_init() of DPDK", kNone},
    // Memory keys in use
    {RuleId::kKeyUnknown, "key.unknown", "An lkey names a memory key that exists.",
     "PRM, Memory Key Context", kCqe},
    {RuleId::kKeyDeregistered, "key.deregistered",
     "No WQE that is executed names a key that was deregistered.",
     "PRM, DESTROY_MKEY; ibv_dereg_mr(3)", kCqe},
    {RuleId::kKeyDomain, "key.domain",
     "A key and the queue that uses it have one protection domain.", "PRM, Memory Key Context, pd",
     kCqe},
    {RuleId::kKeyBounds, "key.bounds", "A data segment lies within the range of its key.",
     "PRM, Memory Key Context, start_addr and len", kCqe},
    {RuleId::kKeyLocalWrite, "key.local-write",
     "The key of a receive buffer has the right of local write.", "PRM, Memory Key Context, lw",
     kCqe},
    {RuleId::kKeyLocalRead, "key.local-read",
     "The key of what a send WQE reads has the right of local read.",
     "PRM, Memory Key Context, lr; mlx5_devx_cmd_mkey_create() of DPDK", kCqe},
    {RuleId::kKeyInUse, "key.in-use",
     "A key is deregistered after all WQEs that name it: none is posted to a ready queue.",
     "ibv_dereg_mr(3)", kNone},
    // Steering
    {RuleId::kFlowTagBits, "steering.tag-bits", "A flow tag has 24 bits.",
     "PRM, Flow Context; struct mlx5_cqe64 of rdma-core's mlx5dv.h", kNone},
};

}  // namespace

std::span<const RuleEntry> data_rules() noexcept {
  return kRules;
}

}  // namespace softcx
