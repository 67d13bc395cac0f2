// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What lets one source be compiled for the host and for CUDA.
#pragma once

#if defined(__CUDACC__)
#define RS_HD __host__ __device__ inline
#else
#define RS_HD inline
#endif
