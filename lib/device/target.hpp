// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where the device API runs: on the GPU in files that a CUDA compiler builds, on CPU threads in all
// others. One file never holds both, so nothing has to be callable from either side.
#pragma once

// RS_DEVICE_CALL: called and not inlined, since what it does is long and rare, and would take
// registers from what is short and frequent.
// RS_NOT_UNROLLED: before a loop that is not worth the instructions: what the forwarding loop runs
// should stay in an SM's instruction cache.
// RS_FLATTEN: all that the function calls becomes part of it, as CUDA compilers do unasked.
#if defined(__CUDACC__)
#define RS_DEVICE __device__ inline
#define RS_DEVICE_CALL static __device__ __noinline__
#define RS_FLATTEN
#define RS_NOT_UNROLLED _Pragma("unroll 1")
#else
#define RS_DEVICE inline
#define RS_DEVICE_CALL inline
#define RS_FLATTEN [[gnu::flatten]]
#define RS_NOT_UNROLLED
#endif
