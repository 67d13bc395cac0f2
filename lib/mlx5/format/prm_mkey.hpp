// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory keys.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

enum class MkeyAccessMode : std::uint32_t { kPhysical = 0, kMtt = 1, kKlm = 2, kKlmFixedSize = 3 };

namespace mkc {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field free{0x00, 30, 30};
inline constexpr Field access_mode_4_2{0x00, 28, 26};
inline constexpr Field relaxed_ordering_write{0x00, 18, 18};
inline constexpr Field umr_en{0x00, 15, 15};
inline constexpr Field a{0x00, 14, 14};
inline constexpr Field rw{0x00, 13, 13};             ///< remote write
inline constexpr Field rr{0x00, 12, 12};             ///< remote read
inline constexpr Field lw{0x00, 11, 11};             ///< local write
inline constexpr Field lr{0x00, 10, 10};             ///< local read
inline constexpr Field access_mode_1_0{0x00, 9, 8};  ///< MkeyAccessMode, low bits
inline constexpr Field qpn{0x04, 31, 8};             ///< 0xffffff: any
inline constexpr Field mkey_7_0{0x04, 7, 0};         ///< the variant, software's choice
inline constexpr Field length64{0x0c, 31, 31};       ///< the whole address space
inline constexpr Field bsf_en{0x0c, 30, 30};
inline constexpr Field en_rinval{0x0c, 24, 24};
inline constexpr Field pd{0x0c, 23, 0};
inline constexpr Field64 start_addr{0x10};
inline constexpr Field64 len{0x18};
inline constexpr Field bsf_octword_size{0x20, 31, 0};
inline constexpr Field translations_octword_size{0x34, 31, 0};
inline constexpr Field relaxed_ordering_read{0x38, 6, 6};
inline constexpr Field log_page_size{0x38, 4, 0};
}  // namespace mkc

namespace create_mkey_in {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Field pg_access{0x0c, 31, 31};
inline constexpr Field mkey_umem_valid{0x0c, 30, 30};
inline constexpr Context memory_key_mkey_entry{0x10, 0x40};            ///< mkc
inline constexpr Field translations_octword_actual_size{0x60, 31, 0};  ///< list entries
inline constexpr Field mkey_umem_id{0x64, 31, 0};
inline constexpr Field64 mkey_umem_offset{0x68};
}  // namespace create_mkey_in

/// An entry of an indirect key's list, which follows create_mkey_in: a part of another key.
namespace klm {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field byte_count{0x00, 31, 0};
inline constexpr Field mkey{0x04, 31, 0};
inline constexpr Field64 address{0x08};
}  // namespace klm

namespace create_mkey_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field mkey_index{0x08, 23, 0};  ///< lkey = mkey_index << 8 | mkey_7_0
}  // namespace create_mkey_out

}  // namespace ringside::prm
