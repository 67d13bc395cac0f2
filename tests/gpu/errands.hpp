// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU's side of errands: scopes of a GPU, and queues of lib/device's names that live there.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/device/counted.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/send_queue.hpp"
#include "tests/gpu/errand.hpp"
#include "tests/gpu/launch.hpp"

namespace ringside::test::gpu {

/// A scope whose threads are a GPU's, for a test that runs on one thread of the CPU: it is all of
/// them.
struct RemoteScope {
  GpuScope kind;
  std::uint32_t threads;  ///< of the block

  std::uint32_t rank() const { return 0; }
  std::uint32_t size() const { return 1; }
  std::uint64_t now_ns() const { return monotonic_ns(); }
  void sync() const {}
  template <class T>
  T broadcast(const T& value) const {
    return value;
  }
  std::uint32_t scopes_a_block() const {
    return kind == GpuScope::kBlock ? 1 : threads / (kind == GpuScope::kWarp ? 32 : 1);
  }
  /// The one that this thread of the CPU runs, where queues that it makes will be.
  static RemoteScope& current() {
    static thread_local RemoteScope scope{GpuScope::kThread, 1};
    return scope;
  }
};

/// What one scope is asked to do.
class Errands {
 public:
  explicit Errands(Mail& mail) : mail_(mail) {}

  template <class Fill>
  Parcel ask(Call call, Fill fill) {
    mail_.call = call;
    fill(mail_);
    store_release_system(&mail_.asked, ++number_);
    if (call == Call::kEnd) return {};
    // Tests wait on the GPU for a minute at most.
    const Deadline deadline = Deadline::after_ms(70'000);
    while (load_acquire_system(&mail_.answered) != number_) {
      if (deadline.passed()) {
        std::fprintf(stderr, "the GPU did not answer call %u\n", static_cast<unsigned>(call));
        std::_Exit(1);
      }
      sched_yield();
    }
    EXPECT_EQ(mail_.differs, 0U) << "threads of the scope were told different things";
    return mail_.answer;
  }
  Parcel ask(Call call) {
    return ask(call, [](Mail&) {});
  }
  Mail& mail() { return mail_; }

 private:
  Mail& mail_;
  std::uint32_t number_ = 0;
};

/// A kernel whose scopes run errands, until this goes.
template <class Queue, class Handle>
class ErrandKernel {
 public:
  ErrandKernel(const Handle& handle, const RemoteScope& scope, std::uint32_t blocks,
               QueueCounters* published)
      : mails_(std::make_unique<Mail[]>(blocks * scope.scopes_a_block())) {
    for (std::uint32_t i = 0; i < blocks * scope.scopes_a_block(); ++i) {
      errands_.emplace_back(mails_[i]);
    }
    ErrandArgs<Handle> args{handle, mails_.get(), published};
    launch_.emplace(errand_kernel<Queue>(scope.kind), blocks, scope.threads, &args);
  }
  ~ErrandKernel() {
    for (Errands& errands : errands_) errands.ask(Call::kEnd);
  }
  ErrandKernel(const ErrandKernel&) = delete;
  ErrandKernel& operator=(const ErrandKernel&) = delete;

  Errands& of(std::uint32_t number) { return errands_[number]; }

 private:
  std::unique_ptr<Mail[]> mails_;
  std::vector<Errands> errands_;
  std::optional<Launch> launch_;  // the last: it awaits the kernel's end
};

/// As lib/device's queues of the name.
template <class Queue, class Plain = Queue>
class RemoteReceiveQueue {
 public:
  using Handle = typename Plain::Handle;
  using Received = decltype(std::declval<Plain>().packet({}, 0));

  explicit RemoteReceiveQueue(const Handle& handle, QueueCounters* published = nullptr)
      : kernel_(handle, RemoteScope::current(), 1, published) {}

  RxBatch receive(const RemoteScope&, const RxWant& want) {
    return unpack(errands().ask(Call::kReceive, [&](Mail& mail) { mail.want = want; }), RxBatch{});
  }
  void give_back(const RemoteScope&) { errands().ask(Call::kGiveBack); }
  void publish() { errands().ask(Call::kPublish); }
  void release(std::uint32_t slot) const {
    errands().ask(Call::kRelease, [&](Mail& mail) { mail.i = slot; });
  }
  std::uint32_t kept() const { return unpack(errands().ask(Call::kKept), 0U); }
  bool is_packet(const RxBatch& batch, std::uint32_t i) const {
    return unpack(ask_of(Call::kIsPacket, batch, i), false);
  }
  bool is_filler(const RxBatch& batch, std::uint32_t i) const {
    return unpack(ask_of(Call::kIsFiller, batch, i), false);
  }
  std::uint32_t slot(const RxBatch& batch, std::uint32_t i) const {
    return unpack(ask_of(Call::kSlot, batch, i), 0U);
  }
  QueueError stop_error(const RxBatch& batch) const {
    return unpack(ask_of(Call::kStopError, batch, 0), QueueError{});
  }
  Received packet(const RxBatch& batch, std::uint32_t i) const {
    const Parcel parcel = ask_of(Call::kPacket, batch, i);
    const Received packet = unpack(parcel, none<Received>());
    EXPECT_EQ(bytes_of(packet), errands().mail().bytes) << "the GPU reads other bytes";
    return packet;
  }
  bool recover(const RecoveryWords& words, const QueueStop& stop) {
    return unpack(errands().ask(Call::kRecover,
                                [&](Mail& mail) {
                                  mail.words = words;
                                  mail.stop = stop;
                                }),
                  false);
  }
  RemoteReceiveQueue& queue() { return *this; }

 private:
  template <class R>
  static R none() {
    if constexpr (std::is_same_v<R, Packet>) {
      return Packet::none();
    } else {
      return {Packet::none(), 0, nullptr, 0};
    }
  }
  static std::uint64_t bytes_of(const Packet& packet) {
    return std::accumulate(packet.data(), packet.data() + packet.length(), std::uint64_t{0});
  }
  static std::uint64_t bytes_of(const SplitPacket& packet) {
    std::uint64_t sum =
        std::accumulate(packet.data(), packet.data() + packet.header_length(), std::uint64_t{0});
    for (std::uint32_t i = 0; i < packet.payload_length(); ++i) sum += packet.payload()[i];
    return sum;
  }
  Errands& errands() const { return kernel_.of(0); }
  Parcel ask_of(Call call, const RxBatch& batch, std::uint32_t i) const {
    return errands().ask(call, [&](Mail& mail) {
      mail.batch = pack(batch);
      mail.i = i;
    });
  }

  mutable ErrandKernel<Queue, Handle> kernel_;
};

/// The same of queues that send.
class RemoteSender {
 public:
  explicit RemoteSender(Errands& errands) : errands_(errands) {}

  template <class PacketOf>
  TxBatch send(const RemoteScope&, std::uint32_t count, PacketOf packet_of,
               std::uint64_t timeout_ns, TxNotify notify = TxNotify::last()) {
    EXPECT_LE(count, kMostPackets);
    return batch_of(errands_.ask(Call::kSend, [&](Mail& mail) {
      for (std::uint32_t i = 0; i < count; ++i) mail.packets[i] = packet_of(i);
      fill(mail, count, timeout_ns, notify);
    }));
  }
  TxBatch reserve(const RemoteScope&, std::uint32_t count, std::uint64_t timeout_ns,
                  TxNotify notify = TxNotify::last()) {
    return batch_of(
        errands_.ask(Call::kReserve, [&](Mail& mail) { fill(mail, count, timeout_ns, notify); }));
  }
  void write(const TxBatch& batch, std::uint32_t i, const TxPacket& packet) {
    errands_.ask(Call::kWrite, [&](Mail& mail) {
      mail.batch = pack(batch);
      mail.i = i;
      mail.packets[0] = packet;
    });
  }
  void commit(const RemoteScope&, const TxBatch& batch) {
    errands_.ask(Call::kCommit, [&](Mail& mail) { mail.batch = pack(batch); });
  }
  TxStatus poll_at(const RemoteScope&, TxTicket ticket, std::uint64_t timeout_ns) {
    return poll(Call::kPollAt, timeout_ns, ticket);
  }
  TxStatus poll_last(const RemoteScope&, std::uint64_t timeout_ns) {
    return poll(Call::kPollLast, timeout_ns);
  }
  TxStatus poll_one(const RemoteScope&, std::uint64_t timeout_ns) {
    return poll(Call::kPollOne, timeout_ns);
  }
  TxStatus poll_all(const RemoteScope&, std::uint64_t timeout_ns) {
    return poll(Call::kPollAll, timeout_ns);
  }
  TxTicket completed() { return unpack(errands_.ask(Call::kCompleted), TxTicket{0}); }
  QueueError stop_error() { return unpack(errands_.ask(Call::kStopError), QueueError{}); }
  void publish() { errands_.ask(Call::kPublish); }
  RemoteSender& queue() { return *this; }

 private:
  static void fill(Mail& mail, std::uint32_t count, std::uint64_t timeout_ns, TxNotify notify) {
    mail.count = count;
    mail.timeout_ns = timeout_ns;
    mail.notify = pack(notify);
  }
  static TxBatch batch_of(const Parcel& parcel) { return unpack(parcel, TxBatch(TxStatus::kFull)); }
  TxStatus poll(Call call, std::uint64_t timeout_ns, TxTicket ticket = 0) {
    return unpack(errands_.ask(call,
                               [&](Mail& mail) {
                                 mail.timeout_ns = timeout_ns;
                                 mail.ticket = ticket;
                               }),
                  TxStatus::kPending);
  }

  Errands& errands_;
};

/// Tells, by its type, how the queue is shared.
template <Sharing kSharing>
class RemoteSendQueue : public RemoteSender {
 public:
  using RemoteSender::RemoteSender;
};

}  // namespace ringside::test::gpu

// What tests mean by these names on a GPU.
namespace ringside::test {

/// Each queue's kernel has its own, in the memory that its threads share.
inline constexpr bool kQueuesShareTallies = false;
struct QueueTally {
  void begin(QueueCounters* counters) { published = counters; }
  QueueCounters* published = nullptr;
};

using ReceiveQueue = gpu::RemoteReceiveQueue<ringside::ReceiveQueue>;
using SplitReceiveQueue = gpu::RemoteReceiveQueue<ringside::SplitReceiveQueue>;
using StridingReceiveQueue = gpu::RemoteReceiveQueue<ringside::StridingReceiveQueue>;

template <class Queue>
class CountedReceiver : public gpu::RemoteReceiveQueue<Queue, typename Queue::Queue> {
 public:
  CountedReceiver(const typename Queue::Queue::Handle& handle, const QueueTally& tally)
      : gpu::RemoteReceiveQueue<Queue, typename Queue::Queue>(handle, tally.published) {}
};
using CountedReceiveQueue = CountedReceiver<ringside::CountedReceiveQueue>;
using CountedStridingReceiveQueue = CountedReceiver<ringside::CountedStridingReceiveQueue>;

/// Scopes of one kernel that share a queue.
template <Sharing kSharing>
using SendScopes = gpu::ErrandKernel<SendQueue<kSharing>, SendQueueHandle<kSharing>>;

template <Sharing kSharing>
class CountedSendQueue
    : private gpu::ErrandKernel<ringside::CountedSendQueue<kSharing>, SendQueueHandle<kSharing>>,
      public gpu::RemoteSender {
 public:
  CountedSendQueue(const SendQueueHandle<kSharing>& handle, const QueueTally& tally)
      : gpu::ErrandKernel<ringside::CountedSendQueue<kSharing>, SendQueueHandle<kSharing>>(
            handle, gpu::RemoteScope::current(), 1, tally.published),
        gpu::RemoteSender(this->of(0)) {}
};

/// Of a test that never ends it.
template <class Ends, class Queue>
bool recover(const gpu::RemoteScope&, const RecoveryWords& words, const QueueStop& stop, Ends,
             Queue& queue) {
  return queue.recover(words, stop);
}

/// Calls `body(scope)`, whose queues are a block's, or a thread's alone.
template <class Body>
void run_block(std::uint32_t threads, Body body) {
  gpu::RemoteScope& scope = gpu::RemoteScope::current();
  scope = {gpu::GpuScope::kBlock, threads};
  body(scope);
}
template <class Body>
void run_alone(Body body) {
  gpu::RemoteScope& scope = gpu::RemoteScope::current();
  scope = {gpu::GpuScope::kThread, 1};
  body(scope);
}

}  // namespace ringside::test
