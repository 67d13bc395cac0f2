// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/doorbell_proxy.hpp"

#include <atomic>

#include "lib/base/relax.hpp"
#include "lib/device/memory.hpp"

namespace ringside {
namespace {

/// Longer than any round: threads of a machine that is overloaded wait for seconds at worst.
constexpr std::uint64_t kRoundMs = 600'000;
/// What forget() asks with: in the place of a ring's number of segments, of which a WQE has 63 at
/// most. Those of a word are counted in the other bytes.
constexpr std::uint64_t kForget = std::uint64_t{0x80} << 56;
constexpr bool is_forget(std::uint64_t value) {
  return value >> 56 == kForget >> 56;
}

}  // namespace

DoorbellTarget DoorbellProxy::add(std::uint64_t* doorbell) {
  const std::size_t place = requests_.size() % kWordsAPage;
  if (place == 0) {
    pages_.push_back(gpu_.allocate_shared(kWordsAPage * sizeof(Word), alignof(Word)));
  }
  auto* const words = reinterpret_cast<Word*>(pages_.back().data());
  auto* const kernel_word = pages_.back().kernel_pointer<std::uint64_t>(place * sizeof(Word));
  requests_.push_back({words + place, kernel_word, doorbell, 0, 0});
  return DoorbellTarget::request_word(kernel_word);
}

void DoorbellProxy::start() {
  if (requests_.empty()) return;
  // No kernel runs: whoever starts next sees these stores. No doorbell has the value 0, since a WQE
  // has at least one segment.
  for (Request& request : requests_) {
    store_relaxed_system(&request.word->value, std::uint64_t{0});
    request.rung = 0;
  }
  stopping_.store(false, std::memory_order_relaxed);
  thread_ = std::make_unique<BlockThreads>(
      BlockThreads::Config{.name = "doorbells", .cpus = cpus_},
      [this](unsigned, unsigned) { run(); }, [] {});
}

void DoorbellProxy::stop() noexcept {
  if (thread_ == nullptr) return;
  // Meets run()'s acquire: what kernels asked for before they ended, it finds in its last round.
  stopping_.store(true, std::memory_order_release);
  // It ends with its next round, which waits for nobody.
  thread_->wait(Deadline::after_ms(kRoundMs));
  thread_.reset();
}

void DoorbellProxy::run() noexcept {
  Relax idle;
  for (bool last = false; !last;) {
    last = stopping_.load(std::memory_order_acquire);
    bool found = false;
    for (Request& request : requests_) found |= pass_on(request);
    if (found) {
      idle.reset();
    } else {
      idle.relax();
    }
  }
}

/// WQE, record, request, register: in this order the NIC sees them.
///  - The kernel's ring_doorbell() keeps WQEs and record before the request word, in system scope:
///    whoever sees the request sees them. Where all of them lie in the GPU's memory it is
///    ring_doorbell_device(): they are in its L2 cache before the request leaves, and only the NIC
///    looks at them, through that cache.
///  - The acquire here meets it, so that the register's store, and all that the NIC does on it,
///    comes after the request was seen. The NIC then reads what the kernel wrote: in host memory it
///    was there before the request was, and a GPU's memory it reads through that GPU.
///  - ring_doorbell() pushes the store out of a write-combining buffer before the next one.
///
/// Equal values are one ring. A queue comes to the same value only after 65536 further WQEs, twice
/// what the longest ring holds, so the NIC has taken some of them on a ring between, and that was
/// passed on here with another value. A queue that is reset begins anew: forget().
bool DoorbellProxy::pass_on(Request& request) noexcept {
  const std::uint64_t value = load_acquire_system(&request.word->value);
  if (value == request.rung) return false;
  if (!is_forget(value)) ring_doorbell(request.doorbell, value);
  // Release: whoever finds a value of forget()'s here knows that all before it are passed on.
  std::atomic_ref(request.rung).store(value, std::memory_order_release);
  return true;
}

bool DoorbellProxy::forget(const std::uint64_t* word) noexcept {
  for (Request& request : requests_) {
    if (request.kernel_word != word) continue;
    // The kernel does not write it now. A value that no ring has, other than the last such, is the
    // thread's to take up as it takes up rings; then no ring of before is under way any more.
    std::uint64_t value = load_relaxed_system(&request.word->value);
    if (!is_forget(value)) {
      value = kForget | ++request.forgets;
      store_relaxed_system(&request.word->value, value);
    }
    return std::atomic_ref(request.rung).load(std::memory_order_acquire) == value;
  }
  return true;
}

}  // namespace ringside
