// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Transport interface send: what a send queue transmits through.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

namespace tisc {
inline constexpr std::size_t kSize = 0xa0;
inline constexpr Field strict_lag_tx_port_affinity{0x00, 31, 31};
inline constexpr Field lag_tx_port_affinity{0x00, 27, 24};
inline constexpr Field prio{0x00, 19, 16};
inline constexpr Field transport_domain{0x24, 23, 0};
inline constexpr Field underlay_qpn{0x28, 23, 0};
}  // namespace tisc

namespace create_tis_in {
inline constexpr std::size_t kSize = 0xc0;
inline constexpr Context ctx{0x20, 0xa0};  ///< tisc
}  // namespace create_tis_in

namespace create_tis_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field tisn{0x08, 23, 0};
}  // namespace create_tis_out

namespace query_tis_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field tisn{0x08, 23, 0};
}  // namespace query_tis_in

namespace query_tis_out {
inline constexpr std::size_t kSize = 0xb0;
inline constexpr Context tis_context{0x10, 0xa0};  ///< tisc
}  // namespace query_tis_out

}  // namespace ringside::prm
