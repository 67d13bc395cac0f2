// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packet programs, in one list. The host's table of kernels is made from it; CUDA's entry
// points need names of their own and are in cuda_kernels.cu, which checks that it has them all.
#pragma once

#include "kernels/generator.hpp"
#include "kernels/invert.hpp"
#include "kernels/io.hpp"
#include "kernels/joint_pipeline.hpp"
#include "kernels/mac.hpp"
#include "kernels/macswap.hpp"
#include "kernels/pipeline.hpp"
#include "kernels/rxonly.hpp"
#include "kernels/strided.hpp"
#include "kernels/traced.hpp"
#include "kernels/txonly.hpp"

namespace ringside {

template <Program... P>
struct ProgramList {};

using AllPrograms =
    ProgramList<Generator, Invert, Io, Mac, MacSwap, Pipeline, PipelineFirst, PipelineMiddle,
                PipelineLast, RxOnly, SplitPipeline, Strided<Invert>, Strided<Io>, Strided<Mac>,
                Strided<MacSwap>, StridedPipeline, Strided<RxOnly>, Traced, TxOnly>;

}  // namespace ringside
