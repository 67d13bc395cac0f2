// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GPU's side of errands.
#pragma once

#include <type_traits>

#include "lib/device/counted.hpp"
#include "lib/device/cuda_block.hpp"
#include "lib/device/memory.hpp"
#include "tests/gpu/errand.hpp"
#include "tests/gpu/scopes.cuh"

namespace ringside::test::gpu {

template <class Queue>
inline constexpr bool kCounts = requires(Queue queue) {
  queue.publish();
};

/// What a counted queue counts for, or the queue itself.
template <class Queue>
__device__ auto& inner(Queue& queue) {
  if constexpr (kCounts<Queue>) {
    return queue.queue();
  } else {
    return queue;
  }
}

__device__ inline std::uint64_t sum(const std::uint8_t* data, std::uint32_t bytes) {
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) all += data[i];
  return all;
}
__device__ inline std::uint64_t bytes_of(const Packet& packet) {
  return sum(packet.data(), packet.length());
}
__device__ inline std::uint64_t bytes_of(const SplitPacket& packet) {
  const std::uint64_t first = sum(packet.data(), packet.header_length());
  return packet.payload_length() == 0 ? first
                                      : first + sum(packet.payload(), packet.payload_length());
}

/// In all threads of the scope. What one thread does is done by number i of them.
template <Scope S, class Queue>
__device__ Parcel run_receive_errand(S& scope, Queue& queue, Mail& mail) {
  auto& plain = inner(queue);
  const RxBatch batch = unpack(mail.batch, RxBatch{});
  switch (mail.call) {
    case Call::kReceive:
      return pack(queue.receive(scope, mail.want));
    case Call::kGiveBack:
      queue.give_back(scope);
      return {};
    case Call::kRelease:
      if (scope.rank() == mail.i % scope.size()) plain.release(mail.i);
      return {};
    case Call::kKept:
      return pack(plain.kept());
    case Call::kIsPacket:
      return pack(plain.is_packet(batch, mail.i));
    case Call::kIsFiller:
      if constexpr (requires { plain.is_filler(batch, 0); }) {
        return pack(plain.is_filler(batch, mail.i));
      }
      return {};
    case Call::kPacket: {
      const auto packet = plain.packet(batch, mail.i);
      if (scope.rank() == mail.i % scope.size()) mail.bytes = bytes_of(packet);
      return pack(packet);
    }
    case Call::kSlot:
      return pack(plain.slot(batch, mail.i));
    case Call::kStopError:
      return pack(plain.stop_error(batch));
    case Call::kRecover:
      return pack(recover(
          scope, mail.words, mail.stop, [] { return false; }, queue));
    default:
      return {};
  }
}

template <Scope S, class Queue>
__device__ Parcel run_send_errand(S& scope, Queue& queue, Mail& mail) {
  auto& plain = inner(queue);
  const TxNotify notify = unpack(mail.notify, TxNotify::last());
  const TxBatch batch = unpack(mail.batch, TxBatch(TxStatus::kFull));
  switch (mail.call) {
    case Call::kSend:
      return pack(queue.send(
          scope, mail.count, [&](std::uint32_t i) { return mail.packets[i]; }, mail.timeout_ns,
          notify));
    case Call::kReserve:
      return pack(queue.reserve(scope, mail.count, mail.timeout_ns, notify));
    case Call::kWrite:
      if (scope.rank() == mail.i % scope.size()) queue.write(batch, mail.i, mail.packets[0]);
      return {};
    case Call::kCommit:
      queue.commit(scope, batch);
      return {};
    case Call::kPollAt:
      return pack(plain.poll_at(scope, mail.ticket, mail.timeout_ns));
    case Call::kPollLast:
      return pack(plain.poll_last(scope, mail.timeout_ns));
    case Call::kPollOne:
      return pack(plain.poll_one(scope, mail.timeout_ns));
    case Call::kPollAll:
      return pack(plain.poll_all(scope, mail.timeout_ns));
    case Call::kCompleted:  // which other scopes may move on meanwhile
      return pack(scope.broadcast(plain.completed()));
    case Call::kStopError:
      return pack(plain.stop_error());
    default:
      return {};
  }
}

__device__ inline bool operator!=(const Parcel& a, const Parcel& b) {
  bool differs = false;
  for (int i = 0; i < 8; ++i) differs |= a.words[i] != b.words[i];
  return differs;
}

/// false: it was the last.
template <Scope S, class Queue>
__device__ bool run_errand(S& scope, Queue& queue, Mail& mail, std::uint32_t number) {
  if (mail.call == Call::kEnd) return false;
  Parcel answer{};
  if (mail.call == Call::kPublish) {
    if constexpr (kCounts<Queue>) {
      if (scope.rank() == 0) queue.publish();
    }
  } else if constexpr (requires { inner(queue).kept(); }) {
    answer = run_receive_errand(scope, queue, mail);
  } else {
    answer = run_send_errand(scope, queue, mail);
  }
  const std::uint32_t alike = answer != scope.broadcast(answer) ? 0 : 1;
  const std::uint32_t all_alike = scope.min(alike);
  scope.sync();
  if (scope.rank() != 0) return true;
  mail.differs = 1 - all_alike;
  mail.answer = answer;
  store_release_system(&mail.answered, number);
  return true;
}

template <Scope S, class Queue>
__device__ void run_errands(S& scope, Queue& queue, Mail& mail) {
  std::uint32_t number = 0;
  do {
    ++number;
    if (scope.rank() == 0) {
      scope.poll_until([&] { return load_acquire_system(&mail.asked) == number; });
    }
    scope.sync();
  } while (run_errand(scope, queue, mail, number));
}

template <class Queue, class Handle, GpuScope kScope>
__global__ void __launch_bounds__(1024) errands(ErrandArgs<Handle> args) {
  __shared__ CudaBlockStorage storage;
  __shared__ QueueTally tally;
  if (kCounts<Queue> && threadIdx.x == 0) tally.begin(args.published);
  __syncthreads();
  auto scope = make_scope<kScope>(storage);
  apart(scope, [&] {
    Mail& mail = args.mail[number_of(scope)];
    if constexpr (kCounts<Queue>) {
      Queue queue(args.handle, tally);
      run_errands(scope, queue, mail);
    } else {
      Queue queue(args.handle);
      run_errands(scope, queue, mail);
    }
  });
}

template <class Queue, class Handle>
const void* kernel_of(GpuScope scope) {
  switch (scope) {
    case GpuScope::kThread:
      return reinterpret_cast<const void*>(&errands<Queue, Handle, GpuScope::kThread>);
    case GpuScope::kWarp:
      return reinterpret_cast<const void*>(&errands<Queue, Handle, GpuScope::kWarp>);
    case GpuScope::kBlock:
      break;
  }
  return reinterpret_cast<const void*>(&errands<Queue, Handle, GpuScope::kBlock>);
}

}  // namespace ringside::test::gpu
