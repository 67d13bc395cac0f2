// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Sends, by who shares the queue (chosen by the type) and by who makes a call (its scope: a thread,
// a warp or a block, see lib/device/scope.hpp).
//
//   SendQueue<Sharing::kGpu> queue(handle);
//   const TxBatch batch = queue.send(block, count, [&](std::uint32_t i) {
//     return TxPacket{iova_of(i), length_of(i)};
//   }, timeout_ns);
//   queue.poll_at(block, batch.ticket(), timeout_ns);  // then the packets' memory is free again
//
// The calls that both kinds of queue have. All but write(), completed() and stop_error() are
// collective in their scope. `timeout_ns` bounds waits; 0: they look once and do not wait. A call
// returns kStopped once the queue has seen an error CQE, at the latest when it finds no room;
// stop_error() says which.
//
//  send(scope, count, packet_of, timeout_ns, notify): reserve, write and commit together.
//    packet_of(i) tells packet i; any thread may be asked, and asked again. What it returns says
//    how packets become WQEs: TxPacket (one range of memory), TxGather (several), TxInline and
//    TxInlineHeader (bytes in the ring), TxGrouped and TxGroupedInline (several packets a WQE),
//    TxAt (any of one WQE a packet, at a time).
//    send_blocks<Packet>(count) slots; ticket_of<Packet>(batch, i) for a chosen packet. kOk, kFull
//    or kStopped.
//
//  reserve(scope, count, timeout_ns, notify): `count` slots, 1 to the ring's depth, that the NIC
//    has freed; waits for them. Their WQEs and the memory that they sent may be written again
//    (acquire, of the NIC's reads). A barrier. kOk, kFull or kStopped.
//  write(batch, i, packet): packet i's WQE. Any thread of the scope, each packet once; no order.
//  commit(scope, batch): hands all the batch's WQEs to the NIC, those of batches before it first.
//    A barrier lies before the NIC is told and none after, so the call returns in other threads
//    while the last rank still rings. Release: the NIC sees the WQEs, and what any thread of the
//    scope wrote into the packets before the call.
//
//  poll_at(scope, ticket, timeout_ns): until the ticket's packets are sent: what they lay in may be
//    written again (acquire). kOk, kPending or kStopped.
//  poll_last(scope, timeout_ns): the same for the last packet of this scope that asked for a CQE.
//  poll_one(scope, timeout_ns): takes in one CQE; kPending: none has come that is this caller's to
//    take.
//  poll_all(scope, timeout_ns): takes in all CQEs that are there, one at least.
//  completed(): ticket of all that is known to be sent.
#pragma once

#include <type_traits>

#include "lib/device/sharing.hpp"
#include "lib/device/thread_scope.hpp"
#include "lib/device/tx_exclusive.hpp"
#include "lib/device/tx_gather.hpp"
#include "lib/device/tx_inline.hpp"
#include "lib/device/tx_multi_packet.hpp"
#include "lib/device/tx_shared.hpp"
#include "lib/device/tx_wait.hpp"

namespace ringside {

template <Sharing kSharing>
using SendQueue =
    std::conditional_t<kSharing == Sharing::kExclusive, ExclusiveTxQueue, SharedTxQueue<kSharing>>;

template <Sharing kSharing>
using SendQueueHandle =
    std::conditional_t<kSharing == Sharing::kExclusive, TxQueueHandle, SharedTxQueueHandle>;

}  // namespace ringside
