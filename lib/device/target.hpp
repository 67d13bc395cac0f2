// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the device API runs: on the GPU in files that a CUDA compiler builds, on CPU threads in all
// others. One file never holds both, so nothing has to be callable from either side.
#pragma once

#if defined(__CUDACC__)
#define RS_DEVICE __device__ inline
#else
#define RS_DEVICE inline
#endif
