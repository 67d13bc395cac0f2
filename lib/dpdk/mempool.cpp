// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/mempool.hpp"

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cerrno>

#include "lib/base/error.hpp"
#include "lib/base/log.hpp"
#include "lib/dpdk/dpdk_error.hpp"

namespace ringside {
namespace {

rte_mempool* created(rte_mempool* pool, const MempoolConfig& config) {
  if (pool != nullptr) {
    log(LogLevel::kInfo, "mempool {}: {} mbufs of {} bytes", config.name, config.mbufs,
        config.mbuf_size);
    return pool;
  }
  throw Error(
      fmt::format("cannot create mempool '{}' of {} mbufs with {} bytes each, {} cached: {}",
                  config.name, config.mbufs, config.mbuf_size, config.cache,
                  dpdk_errno_text(rte_errno)),
      rte_errno == EINVAL
          ? ""
          : "give EAL more memory (hugepages, -m), or ask for fewer mbufs (--total-num-mbufs)");
}

}  // namespace

void Mempool::Deleter::operator()(rte_mempool* pool) const noexcept {
  rte_mempool_free(pool);
}

Mempool::Mempool(const MempoolConfig& config)
    : pool_(created(rte_pktmbuf_pool_create(config.name.c_str(), config.mbufs, config.cache, 0,
                                            config.mbuf_size, config.socket),
                    config)) {}

Mempool::Mempool(const MempoolConfig& config, const Area& area, std::uint16_t element_size) {
  if (area.size / element_size < config.mbufs) {
    throw Error(
        fmt::format("mempool '{}': {} bytes hold {} elements of {} bytes, not {}", config.name,
                    area.size, area.size / element_size, element_size, config.mbufs),
        "ask for fewer mbufs (--total-num-mbufs), or for smaller ones (--mbuf-size)");
  }
  const rte_pktmbuf_extmem external{
      .buf_ptr = area.data, .buf_iova = area.iova, .buf_len = area.size, .elt_size = element_size};
  pool_.reset(
      created(rte_pktmbuf_pool_create_extbuf(config.name.c_str(), config.mbufs, config.cache, 0,
                                             config.mbuf_size, config.socket, &external, 1),
              config));
}

std::uint32_t Mempool::size() const noexcept {
  return pool_->size;
}

bool Mempool::full() const noexcept {
  return rte_mempool_full(pool_.get()) == 1;
}

std::vector<rte_mbuf*> Mempool::take(std::size_t count) {
  std::vector<rte_mbuf*> mbufs(count);
  if (rte_pktmbuf_alloc_bulk(pool_.get(), mbufs.data(), static_cast<unsigned>(count)) != 0) {
    throw Error(fmt::format("mempool '{}' has {} of its {} mbufs free, but {} are needed",
                            pool_->name, rte_mempool_avail_count(pool_.get()), size(), count),
                "raise --total-num-mbufs, or lower --rxd");
  }
  return mbufs;
}

void Mempool::give_back(std::span<rte_mbuf* const> mbufs) noexcept {
  for (rte_mbuf* mbuf : mbufs) rte_pktmbuf_free(mbuf);
}

}  // namespace ringside
