// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The copy engine of the software NIC on the GPU. One thread polls the CPU's order word over PCIe
// and relays it to the warps that copy.
//
// Loads are strong ones at system scope: no cache of this kernel may answer with what was there
// before the NIC or the application's kernel wrote.
#include "lib/softcx/gpu/copy_area.hpp"

namespace softcx {
namespace {

constexpr unsigned kAllLanes = 0xffffffffU;

__device__ std::uint64_t load_acquire_system(const std::uint64_t* at) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.b64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}
__device__ void store_release_system(std::uint32_t* at, std::uint32_t value) {
  asm volatile("st.release.sys.b32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
__device__ std::uint64_t load_acquire_gpu(const std::uint64_t* at) {
  std::uint64_t value;
  asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}
__device__ void store_release_gpu(std::uint64_t* at, std::uint64_t value) {
  asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}
__device__ uint4 load_unit(const std::uint8_t* at) {
  uint4 value;
  asm volatile("ld.relaxed.sys.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(at));
  return value;
}
__device__ std::uint8_t load_byte(const std::uint8_t* at) {
  std::uint32_t value;
  asm volatile("ld.relaxed.sys.u8 %0, [%1];" : "=r"(value) : "l"(at));
  return static_cast<std::uint8_t>(value);
}
__device__ std::uint64_t now_ns() {
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

/// One copy by `Lanes` threads, of which this one is number `lane`.
template <unsigned Lanes>
__device__ void copy(const CopyDescriptor& order, std::uint8_t* staging, unsigned lane) {
  const bool to_device = (order.length & CopyDescriptor::kToDevice) != 0;
  const std::uint32_t length = order.length & ~CopyDescriptor::kToDevice;
  auto* const device = reinterpret_cast<std::uint8_t*>(order.device);
  std::uint8_t* const host = staging + order.staging;
  const std::uint8_t* const from = to_device ? host : device;
  std::uint8_t* const to = to_device ? device : host;

  const auto skew = static_cast<std::uint32_t>(order.device % kCopyUnit);
  std::uint32_t begin = 0, end = 0;  // of the part that goes by whole units
  if (order.staging % kCopyUnit == skew) {
    begin = min(length, (kCopyUnit - skew) % kCopyUnit);
    // Out of the device to the end of the last unit: it does not leave the device's page, and the
    // staging slot has room for it. Into the device not a byte too much.
    const std::uint32_t units = (length - begin + (to_device ? 0 : kCopyUnit - 1)) / kCopyUnit;
    end = begin + units * kCopyUnit;
    constexpr unsigned kUnroll = Lanes <= 4 ? 1 : 4;
    for (std::uint32_t first = lane; first < units; first += Lanes * kUnroll) {
      uint4 bytes[kUnroll];
#pragma unroll
      for (unsigned i = 0; i < kUnroll; ++i) {
        const std::uint32_t unit = first + i * Lanes;
        if (unit < units) bytes[i] = load_unit(from + begin + unit * kCopyUnit);
      }
#pragma unroll
      for (unsigned i = 0; i < kUnroll; ++i) {
        const std::uint32_t unit = first + i * Lanes;
        if (unit < units) {
          *reinterpret_cast<uint4*>(to + begin + unit * kCopyUnit) = bytes[i];
        }
      }
    }
  }
  for (std::uint32_t i = lane; i < begin; i += Lanes) to[i] = load_byte(from + i);
  for (std::uint32_t i = end + lane; i < length; i += Lanes) to[i] = load_byte(from + i);
}

__device__ CopyDescriptor from_lane(const CopyDescriptor& mine, unsigned lane) {
  return {__shfl_sync(kAllLanes, mine.device, lane), __shfl_sync(kAllLanes, mine.staging, lane),
          __shfl_sync(kAllLanes, mine.length, lane)};
}

/// The copies of one chunk, by one warp.
__device__ void carry_out(CopyArea& area, std::uint32_t chunk) {
  constexpr unsigned kFew = 4, kMany = 8;  // threads a copy
  constexpr std::uint32_t kShort = kFew * kCopyUnit;
  const unsigned lane = threadIdx.x % warpSize;
  const CopyDescriptor* const at = area.ring + chunk % kCopyRingChunks * kCopyChunk + lane / kFew;
  const uint4 raw = load_unit(reinterpret_cast<const std::uint8_t*>(at));
  const CopyDescriptor mine = {std::uint64_t{raw.y} << 32 | raw.x, raw.z, raw.w};
  const bool is_long = (mine.length & ~CopyDescriptor::kToDevice) > kShort;
  if (!__any_sync(kAllLanes, is_long)) {
    copy<kFew>(mine, area.staging, lane % kFew);
  } else {
    constexpr unsigned kAtATime = 32 / kMany;
    for (unsigned pass = 0; pass < kCopyChunk / kAtATime; ++pass) {
      const unsigned index = pass * kAtATime + lane / kMany;
      copy<kMany>(from_lane(mine, index * kFew), area.staging, lane % kMany);
    }
  }
}

/// Polls until it is time to leave.
__device__ void watch(const CopyKernelArgs& args) {
  constexpr std::uint32_t kPollsToTime = 64;  // the clock takes long to read
  const std::uint64_t begin = now_ns();
  std::uint64_t last = 0, timed = 0, since = begin;
  for (std::uint32_t polls = 1;; ++polls) {
    // Acquire: pairs with the CPU's release; the chunks that it announces are seen with it, and so
    // is what the packets' writers did before the CPU heard of them.
    const std::uint64_t order = load_acquire_system(&args.area->order);
    if (order != last) {
      last = order;
      store_release_gpu(args.relay, order);  // pairs with work()'s acquire
    }
    if (must_leave(order, args.instance)) break;
    if (polls % kPollsToTime != 0) continue;
    const std::uint64_t now = now_ns();
    if (timed != last) since = now;
    timed = last;
    if (now - since > kCopyIdleNs || now - begin > kCopyLifeNs) break;
  }
  store_release_gpu(args.relay, copy_order(ready_chunks(last), args.instance));
}

/// What the relay says before watch() has written it is an earlier instance's: that one's orders to
/// leave do not concern this one, and chunks that were ready then are so now.
__device__ void work(const CopyKernelArgs& args) {
  constexpr std::uint32_t kWorkers = kCopyBlocks * kCopyWarps;
  // Chunks next to each other go to different blocks.
  const std::uint32_t worker = threadIdx.x / warpSize * kCopyBlocks + blockIdx.x;
  for (std::uint32_t chunk = args.first_chunk + worker;; chunk += kWorkers) {
    std::uint64_t order = load_acquire_gpu(args.relay);
    while (static_cast<std::int32_t>(ready_chunks(order) - chunk) <= 0) {
      if (must_leave(order, args.instance)) return;
      order = load_acquire_gpu(args.relay);
    }
    carry_out(*args.area, chunk);
    __syncwarp();
    // Release: pairs with the CPU's acquire; all lanes' writes of this chunk came before.
    if (threadIdx.x % warpSize == 0) {
      store_release_system(&args.area->done[chunk % kCopyRingChunks], done_mark(chunk));
    }
  }
}

}  // namespace
}  // namespace softcx

extern "C" __global__ void __launch_bounds__(softcx::kCopyWarps * 32)
    softcx_copy(softcx::CopyKernelArgs args) {
  if (blockIdx.x < softcx::kCopyBlocks) {
    softcx::work(args);
  } else if (threadIdx.x == 0) {
    softcx::watch(args);
  }
  __syncthreads();
  if (threadIdx.x == 0) softcx::store_release_system(&args.area->left[blockIdx.x], args.instance);
}
