// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/checks.cuh"

namespace ringside::test::gpu {

template const void* check_kernel<BroadcastGivesAllWhatRank0Had>();
template const void* check_kernel<AnyAndAllDifferWhenOneThreadDiffers>();
template const void* check_kernel<MinIsFoundWhereverItIs>();
template const void* check_kernel<ExclusiveScanCountsTheLowerRanks>();
template const void* check_kernel<SumAddsEachValueOverAllThreads>();
template const void* check_kernel<SyncShowsEachThreadWhatTheOthersWrote>();
template const void* check_kernel<PrefixEndsAtTheFirstIndexThatFails>();
template const void* check_kernel<ThreadsShareOneObjectOfEachType>();
template const void* check_kernel<ALookTellsOwnerAndLengthOfACqe>();
template const void* check_kernel<AThreadFindsSomethingWrong>();
template const void* check_kernel<ThePartsOfABlockAreItsThreads>();

}  // namespace ringside::test::gpu
