// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For `softcx run --sanitize`: what is posted to the NIC's queues, from the time the NIC sees it to
// the completion. Of all ports together, as a buffer received on one is sent by another. Any
// thread; a queue is posted to and completed by its engine thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/interval_set.hpp"

namespace softcx {

/// A queue whose WQEs are watched.
struct WatchedQueue {
  const void* id;  ///< its Sq or Rq
  const Device* device;
  bool receives;  ///< the NIC writes its buffers
  std::uint32_t number;
  const std::uint8_t* ring;
  std::uint32_t log_depth, log_stride;

  static WatchedQueue of(const Sq& sq);
  static WatchedQueue of(const Rq& rq);
};

/// A WQE in its ring.
struct PostedWqe {
  std::uint16_t index;
  std::uint32_t strides;  ///< entries of the ring
  /// What the NIC reads of it, from its beginning on: the rest of its last entry is padding, or
  /// what comes behind the end of a scatter list.
  std::uint32_t first = 0, bytes = 0;
};

struct PostedBuffer {
  std::uint64_t begin, length;  ///< by application_address()
  std::uint32_t lkey;
};

class PostedBuffers {
 public:
  /// A WQE has become the NIC's, with these buffers. Reports a buffer that overlaps another one's,
  /// unless both are only read.
  void post(const WatchedQueue& queue, const PostedWqe& wqe, std::span<const PostedBuffer> buffers);
  /// WQEs before `end` are about to be completed: they must be as they were posted.
  void complete(const WatchedQueue& queue, std::uint16_t end);
  /// The first `bytes` of the first WQE's buffers are done with.
  void take(const void* queue, std::uint64_t bytes);
  /// The NIC will neither read nor write what is posted to it any more.
  void forget(const void* queue);
  /// A key is deregistered: no WQE may name it.
  void key_goes(const Device& device, std::uint32_t lkey);
  /// Index behind the last WQE that was posted and not completed; `otherwise` where there is none.
  std::uint16_t end(const void* queue, std::uint16_t otherwise) const;

 private:
  struct Owner {
    const void* queue;
    std::uint32_t lkey;
    std::uint16_t index;
  };
  using Buffers = IntervalSet<Owner>;
  struct Wqe {
    PostedWqe posted;
    std::uint64_t content;  ///< a hash
    std::vector<Buffers::Key> buffers;
    std::uint64_t taken = 0;  ///< bytes of them
  };
  struct Posted {
    WatchedQueue queue;
    std::deque<Wqe> wqes;
  };

  void check_overlap(const WatchedQueue& queue, std::uint16_t index, const PostedBuffer& buffer);
  void drop(const WatchedQueue& queue, const Wqe& wqe);
  Buffers& buffers_of(const WatchedQueue& queue) { return queue.receives ? written_ : read_; }

  mutable std::mutex mutex_;
  Buffers written_, read_;  ///< by the NIC
  std::map<const void*, Posted> queues_;
};

/// Where the application knows the memory at `address` of a key, or else where it lies: the same
/// for memory that was registered twice.
std::uint64_t application_address(const Mkey& key, std::uint64_t address);

}  // namespace softcx
