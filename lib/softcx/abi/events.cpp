// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Completions of asynchronous commands, and channels of events that never happen here: the NIC does
// not interrupt.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>
#include <deque>

#include "lib/softcx/abi/devx_object.hpp"
#include "lib/softcx/abi/unsupported.hpp"

using namespace softcx;

namespace {

/// Asynchronous commands are executed at once; their answers wait here. The descriptor polls
/// readable while there are answers: a semaphore that counts them.
struct CommandCompletions final : mlx5dv_devx_cmd_comp {
  struct Answer {
    std::uint64_t wr_id;
    std::vector<std::uint8_t> out;
  };
  std::mutex mutex;
  std::deque<Answer> answers;
};

CommandCompletions& of(mlx5dv_devx_cmd_comp* completions) {
  return *static_cast<CommandCompletions*>(completions);
}

template <class Channel>
Channel* make_channel(int flags) {
  auto channel = std::make_unique<Channel>();
  channel->fd = ::eventfd(0, flags | EFD_CLOEXEC);
  return channel->fd < 0 ? nullptr : channel.release();
}

/// Waits on an event descriptor as read() does: for ever, or not at all where it is non-blocking.
int wait_for_event(int fd) {
  std::uint64_t count = 0;
  return ::read(fd, &count, sizeof count) == sizeof count ? 0 : errno;
}

}  // namespace

mlx5dv_devx_cmd_comp* mlx5dv_devx_create_cmd_comp(ibv_context*) {
  return guarded<mlx5dv_devx_cmd_comp*>(
      nullptr, [] { return make_channel<CommandCompletions>(EFD_SEMAPHORE); });
}

void mlx5dv_devx_destroy_cmd_comp(mlx5dv_devx_cmd_comp* cmd_comp) {
  ::close(cmd_comp->fd);
  delete &of(cmd_comp);
}

int mlx5dv_devx_obj_query_async(mlx5dv_devx_obj* obj, const void* in, std::size_t inlen,
                                std::size_t outlen, std::uint64_t wr_id,
                                mlx5dv_devx_cmd_comp* cmd_comp) {
  return guarded<int>(ENOMEM, [&] {
    CommandCompletions& completions = of(cmd_comp);
    CommandCompletions::Answer answer{wr_id, std::vector<std::uint8_t>(outlen)};
    const int error =
        devx_use(DevxUse::kQuery, *obj, {static_cast<const std::uint8_t*>(in), inlen}, answer.out);
    // A refusal is an answer, too: it comes with the completion.
    if (error != 0 && error != EREMOTEIO) return error;
    const std::lock_guard lock(completions.mutex);
    completions.answers.push_back(std::move(answer));
    const std::uint64_t one = 1;
    return ::write(cmd_comp->fd, &one, sizeof one) == sizeof one ? 0 : errno;
  });
}

int mlx5dv_devx_get_async_cmd_comp(mlx5dv_devx_cmd_comp* cmd_comp,
                                   mlx5dv_devx_async_cmd_hdr* cmd_resp, std::size_t cmd_resp_len) {
  if (const int error = wait_for_event(cmd_comp->fd); error != 0) return error;
  CommandCompletions& completions = of(cmd_comp);
  const std::lock_guard lock(completions.mutex);
  const CommandCompletions::Answer answer = std::move(completions.answers.front());
  completions.answers.pop_front();
  if (cmd_resp_len < sizeof *cmd_resp + answer.out.size()) return ENOSPC;
  cmd_resp->wr_id = answer.wr_id;
  std::memcpy(cmd_resp->out_data, answer.out.data(), answer.out.size());
  return 0;
}

mlx5dv_devx_event_channel* mlx5dv_devx_create_event_channel(
    ibv_context*, mlx5dv_devx_create_event_channel_flags) {
  return guarded<mlx5dv_devx_event_channel*>(
      nullptr, [] { return make_channel<mlx5dv_devx_event_channel>(0); });
}

void mlx5dv_devx_destroy_event_channel(mlx5dv_devx_event_channel* event_channel) {
  ::close(event_channel->fd);
  delete event_channel;
}

/// An event that never comes must not be promised.
int mlx5dv_devx_subscribe_devx_event(mlx5dv_devx_event_channel*, mlx5dv_devx_obj*, std::uint16_t,
                                     std::uint16_t[], std::uint64_t) {
  return unsupported("mlx5dv_devx_subscribe_devx_event");
}

int mlx5dv_devx_subscribe_devx_event_fd(mlx5dv_devx_event_channel*, int, mlx5dv_devx_obj*,
                                        std::uint16_t) {
  return unsupported("mlx5dv_devx_subscribe_devx_event_fd");
}

ssize_t mlx5dv_devx_get_event(mlx5dv_devx_event_channel* event_channel,
                              mlx5dv_devx_async_event_hdr*, std::size_t) {
  errno = wait_for_event(event_channel->fd);
  return -1;
}

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  return guarded<ibv_comp_channel*>(nullptr, [&] {
    auto* const channel = make_channel<ibv_comp_channel>(0);
    if (channel != nullptr) channel->context = context;
    return channel;
  });
}

int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  ::close(channel->fd);
  delete channel;
  return 0;
}

int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq**, void**) {
  errno = wait_for_event(channel->fd);
  return -1;
}

void ibv_ack_cq_events(ibv_cq*, unsigned int) {}

int ibv_get_async_event(ibv_context* context, ibv_async_event*) {
  errno = wait_for_event(context->async_fd);
  return -1;
}

void ibv_ack_async_event(ibv_async_event*) {}

/// Forked children share the NIC's memory: nothing is pinned.
int ibv_fork_init() {
  return 0;
}
ibv_fork_status ibv_is_fork_initialized() {
  return IBV_FORK_UNNEEDED;
}
