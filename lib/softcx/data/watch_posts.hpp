// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For `softcx run --sanitize`: looks at what queues' records have made the NIC's since the last
// look, before it is executed, for what an execution does not see. Engine thread; Device::posted is
// set.
#pragma once

#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// The queue is ready; what `producer` says has passed the checks of doorbells. New WQEs that
/// cannot be read end the look: their execution fails.
void watch_posts(const Sq& sq);
/// A queue that is not ready has nothing posted.
void watch_posts(const Rq& rq);
/// The receive queue has moved on, and the completion that says so is not written yet.
void watch_taken(const Rq& rq);

}  // namespace softcx
