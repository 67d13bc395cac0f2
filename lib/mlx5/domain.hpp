// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What queues belong to: the protection domain, the transport domain and the TIS (all send queues
// of a device can share one).
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <memory>

#include "lib/mlx5/devx_object.hpp"

namespace ringside::mlx5 {

/// Protection domain. Its verbs handle is what the PMD imports.
class Pd {
 public:
  explicit Pd(const Context& context);
  ibv_pd* get() const noexcept { return pd_.get(); }
  std::uint32_t number() const noexcept { return number_; }
  std::uint32_t handle() const noexcept { return pd_->handle; }

 private:
  struct Free {
    void operator()(ibv_pd* pd) const noexcept { ibv_dealloc_pd(pd); }
  };
  std::unique_ptr<ibv_pd, Free> pd_;
  std::uint32_t number_ = 0;
};

class TransportDomain {
 public:
  explicit TransportDomain(const Context& context);
  std::uint32_t number() const noexcept { return answer_.get(prm::command_out::object_id); }

 private:
  prm::Mailbox<prm::command_out::kSize> answer_;
  DevxObject object_;
};

/// Transport interface send.
class Tis {
 public:
  Tis(const Context& context, const TransportDomain& domain);
  std::uint32_t number() const noexcept { return answer_.get(prm::command_out::object_id); }

 private:
  prm::Mailbox<prm::command_out::kSize> answer_;
  DevxObject object_;
};

}  // namespace ringside::mlx5
