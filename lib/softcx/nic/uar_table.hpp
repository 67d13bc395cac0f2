// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the engine looks at in each round: UAR pages with the send queues that ring on them, and
// receive queues. All under Device::control().
#pragma once

#include "lib/softcx/nic/device.hpp"

namespace softcx {

inline constexpr std::size_t kUarPageBytes = 4096;

/// Makes a page that the engine polls. nullptr: no memory for it (errno).
Uar* add_uar(Device& device);
/// Takes a page away. False, and the page stays, while queues are bound to it.
bool remove_uar(Device& device, std::uint32_t page_id);

void bind_send_queue(Device& device, Sq& sq);
/// Returns when the engine thread has let go of `sq`.
void unbind_send_queue(Device& device, Sq& sq);

void add_receive_queue(Device& device, Rq& rq);
/// Returns when the engine thread has let go of `rq`, where no steering rule leads to it any more.
void remove_receive_queue(Device& device, Rq& rq);

}  // namespace softcx
