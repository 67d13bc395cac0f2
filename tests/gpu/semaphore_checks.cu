// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/checks.cuh"
#include "tests/unit/semaphore_checks.hpp"

namespace ringside::test::gpu {

template const void* check_kernel<OfTwoEnds<EachItemComesBackInOrder>>();
template const void* check_kernel<OfTwoEnds<ASendWaitsForASlowConsumer>>();
template const void* check_kernel<OfTwoEnds<AProducerThatClosesIsHeardOfBehindItsLastItem>>();
template const void* check_kernel<OfTwoEnds<AConsumerThatClosesEndsTheWaits>>();
template const void* check_kernel<OfOneBlock<ItemsFinishedInAnyOrderComeBackInTheirs>>();
template const void* check_kernel<OfOneBlock<AWaitEndsAtItsDeadline>>();
template const void* check_kernel<OfOneBlock<TheNextKernelGoesOn>>();
template const void* check_kernel<OfOneBlock<AnOnlookerSeesWhereAnItemIs>>();
template const void* check_kernel<HandsItemsToTheCpu>();

}  // namespace ringside::test::gpu
