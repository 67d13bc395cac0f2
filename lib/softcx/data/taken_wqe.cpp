// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/taken_wqe.hpp"

#include "lib/softcx/data/watch_posts.hpp"

namespace softcx {

using ringside::Cqe;
using ringside::CqeOpcode;

TakenWqe take_rest(Rq& rq) noexcept {
  TakenWqe taken{rq.consumer++};
  if (rq.strides.shared()) {
    taken.first = rq.strides.used;
    taken.strides = rq.strides.left();
    rq.strides.used = 0;
  }
  if (rq.device->posted != nullptr) watch_taken(rq);
  return taken;
}

bool complete_fault(Rq& rq, const TakenWqe& taken, Fault fault) noexcept {
  Cqe cqe = error_cqe(fault, rq.user_index, rq.rqn, 0, taken.index);
  name_place(cqe, rq, taken, 0);
  return complete(*rq.device, *rq.cq, cqe, CqeOpcode::kResponderError);
}

bool complete_filler(Rq& rq) noexcept {
  Cqe cqe{};
  set_user_index(cqe, rq.user_index);
  name_place(cqe, rq, take_rest(rq), 0);
  cqe.byte_count = ringside::Be32::of(cqe.byte_count.value() | ringside::kCqeFiller);
  return complete(*rq.device, *rq.cq, cqe, CqeOpcode::kResponderSend);
}

}  // namespace softcx
