// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The clock that queues of a device go by.
#pragma once

#include <cstdint>

#include "lib/mlx5/context.hpp"
#include "lib/mlx5/format/nic_time.hpp"
#include "lib/mlx5/format/prm_wq.hpp"

namespace ringside::mlx5 {

/// `khz`: of the free-running counter; 0: not told. Queues of kDefault are not made here.
StampToNs stamp_to_ns(prm::TimestampFormat format, std::uint32_t khz) noexcept;
NsToStamp ns_to_stamp(prm::TimestampFormat format, std::uint32_t khz) noexcept;

/// Bits of the clock that a wait compares, so that they cycle in 8 s or a little more; 0: the
/// frequency is not told.
std::uint64_t wait_mask(prm::TimestampFormat format, std::uint32_t khz) noexcept;

/// Does the device keep real time, as far as it says (MTUTC)? false: or it does not say.
bool keeps_real_time(const Context& context);

}  // namespace ringside::mlx5
