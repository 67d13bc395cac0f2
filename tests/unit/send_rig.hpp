// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A fake NIC with a send queue of either kind, and the scopes that send by it: what tests of
// SendQueue run on.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/device/send_queue.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {

inline constexpr std::uint64_t kSecond = 1'000'000'000;

class SendRig {
 public:
  explicit SendRig(const FakeNic::Config& config) : nic(config) {
    *shared_ = shared_state(*nic.stream().tx.state);
    batch_end_.resize(std::size_t{1} << config.log_tx);
  }
  template <Sharing kSharing>
  SendQueueHandle<kSharing> handle() {
    if constexpr (kSharing == Sharing::kExclusive) {
      return nic.stream().tx;
    } else {
      return {nic.stream().tx, shared_.get(), batch_end_.data()};
    }
  }
  std::uint64_t buffer(std::uint64_t i) {
    const TxBuffers& buffers = nic.stream().tx_buffers;
    return buffers.iova[i % buffers.count];
  }
  /// Writes into each buffer which one it is, as SentFrame::bytes begin.
  void name_buffers() {
    const TxBuffers& buffers = nic.stream().tx_buffers;
    for (std::uint32_t i = 0; i < buffers.count; ++i) {
      std::memcpy(reinterpret_cast<std::uint8_t*>(buffers.iova[i] + buffers.view_offset), &i,
                  sizeof(i));
    }
  }
  static std::uint32_t name_of(const SentFrame& frame) {
    std::uint32_t name = 0;
    std::memcpy(&name, frame.bytes.data(), sizeof(name));
    return name;
  }
  /// Reads what was announced and completes it. For step_until().
  void serve() {
    nic.read_sends();
    nic.complete_sends();
  }

  FakeNic nic;

 private:
  std::unique_ptr<TxSharedState> shared_ = std::make_unique<TxSharedState>();
  std::vector<std::uint64_t> batch_end_;
};

enum class ScopeKind { kThread, kWarp, kBlock };

/// Who sends: `threads` threads a block, each alone, as warps or together.
struct Senders {
  Sharing sharing;
  ScopeKind scope;
  std::uint32_t threads;
  std::uint32_t blocks = 1;

  std::uint32_t threads_a_scope() const {
    switch (scope) {
      case ScopeKind::kThread:
        return 1;
      case ScopeKind::kWarp:
        return threads < 32 ? threads : 32;
      case ScopeKind::kBlock:
        break;
    }
    return threads;
  }
  std::uint32_t scopes() const { return blocks * threads / threads_a_scope(); }
  std::string name() const {
    static constexpr const char* kSharings[] = {"exclusive", "block", "gpu"};
    static constexpr const char* kScopes[] = {"thread", "warp", "block"};
    return std::string(kSharings[static_cast<int>(sharing)]) + "_" +
           kScopes[static_cast<int>(scope)] + "_" + std::to_string(threads) +
           (blocks > 1 ? "_x" + std::to_string(blocks) : "");
  }
};

#if defined(RINGSIDE_TEST_ON_GPU)
/// The scopes of a kernel that share the queue.
template <Sharing kSharing>
class ScopesOf {
 public:
  ScopesOf(const SendQueueHandle<kSharing>& handle, const Senders& senders)
      : scope_{static_cast<gpu::GpuScope>(senders.scope), senders.threads},
        scopes_(handle, scope_, senders.blocks, nullptr) {}
  template <class Body>
  void run(std::uint32_t number, Body body) {
    gpu::RemoteScope::current() = scope_;
    gpu::RemoteSendQueue<kSharing> queue(scopes_.of(number));
    body(scope_, queue);
  }

 private:
  gpu::RemoteScope scope_;
  SendScopes<kSharing> scopes_;
};
#else
template <Sharing kSharing>
class ScopesOf {
 public:
  ScopesOf(const SendQueueHandle<kSharing>& handle, const Senders& senders)
      : handle_(handle), senders_(senders) {}
  template <class Body>
  void run(std::uint32_t, Body body) {
    const auto as = [&](auto& scope) {
      SendQueue<kSharing> queue(handle_);
      body(scope, queue);
    };
    if (senders_.scope == ScopeKind::kThread) return run_alone(as);
    run_block(senders_.threads_a_scope(), as);
  }

 private:
  SendQueueHandle<kSharing> handle_;
  Senders senders_;
};
#endif

/// Calls `use` of the senders' scopes.
template <class Rig, class Use>
void with_scopes(Rig& rig, const Senders& senders, Use use) {
  const auto as = [&]<Sharing kSharing>() {
    ScopesOf<kSharing> scopes(rig.template handle<kSharing>(), senders);
    use(scopes);
  };
  switch (senders.sharing) {
    case Sharing::kExclusive:
      return as.template operator()<Sharing::kExclusive>();
    case Sharing::kBlock:
      return as.template operator()<Sharing::kBlock>();
    case Sharing::kGpu:
      return as.template operator()<Sharing::kGpu>();
  }
}

/// Calls body(scope, queue) in each thread of one scope.
template <class Rig, class Body>
void run_scope(Rig& rig, Senders senders, Body body) {
  senders.threads = senders.threads_a_scope();
  senders.blocks = 1;
  with_scopes(rig, senders, [&](auto& scopes) { scopes.run(0, body); });
}

/// Calls body(number, scope, queue) in each thread of all scopes, while the NIC serves or not.
template <class Body>
void run_scopes(SendRig& rig, const Senders& senders, bool served, Body body) {
  with_scopes(rig, senders, [&](auto& scopes) {
    std::atomic<std::uint32_t> running{senders.scopes()};
    std::vector<std::jthread> threads;
    for (std::uint32_t number = 0; number < senders.scopes(); ++number) {
      threads.emplace_back([&, number] {
        scopes.run(number, [&](auto& scope, auto& queue) { body(number, scope, queue); });
        --running;
      });
    }
    const auto done = [&] { return running.load() == 0; };
    EXPECT_TRUE(served ? step_until(done, [&] { rig.serve(); }) : wait_until(done));
  });
}

class SendTest : public testing::TestWithParam<Senders> {};

inline std::string name_of_senders(const testing::TestParamInfo<Senders>& info) {
  return info.param.name();
}

}  // namespace ringside::test
