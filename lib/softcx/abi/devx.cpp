// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// DevX: commands from user space. The kernel's part of the checks is here (which commands may make
// objects, and that a command names the object it is issued on), firmware's is the command engine.
#include <algorithm>
#include <optional>

#include "lib/mlx5/format/prm_flow.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_q_counter.hpp"
#include "lib/softcx/abi/devx_object.hpp"
#include "lib/softcx/cmd/execute.hpp"
#include "lib/softcx/cmd/limits.hpp"

using namespace softcx;
namespace prm = ringside::prm;
using prm::Opcode;

namespace {

struct Maker {
  Opcode opcode;
  ObjectKind kind;
  prm::Field number;  ///< of the new object, in the answer
};

constexpr Maker kMakers[] = {
    {Opcode::kAllocPd, ObjectKind::kPd, prm::command_out::object_id},
    {Opcode::kAllocTransportDomain, ObjectKind::kTransportDomain, prm::command_out::object_id},
    {Opcode::kCreateMkey, ObjectKind::kMkey, prm::create_mkey_out::mkey_index},
    {Opcode::kCreateCq, ObjectKind::kCq, prm::command_out::object_id},
    {Opcode::kCreateTis, ObjectKind::kTis, prm::command_out::object_id},
    {Opcode::kCreateSq, ObjectKind::kSq, prm::command_out::object_id},
    {Opcode::kCreateRq, ObjectKind::kRq, prm::command_out::object_id},
    {Opcode::kCreateRqt, ObjectKind::kRqt, prm::command_out::object_id},
    {Opcode::kCreateTir, ObjectKind::kTir, prm::command_out::object_id},
    {Opcode::kAllocQCounter, ObjectKind::kQCounter, prm::alloc_q_counter_out::counter_set_id},
    {Opcode::kAllocFlowCounter, ObjectKind::kFlowCounter,
     prm::alloc_flow_counter_out::flow_counter_id},
};

/// Commands on an object, and where they name it.
struct User {
  Opcode opcode;
  DevxUse use;
  ObjectKind kind;
  prm::Field number;
};

constexpr User kUsers[] = {
    {Opcode::kModifyCq, DevxUse::kModify, ObjectKind::kCq, prm::command_in::object_id},
    {Opcode::kQueryCq, DevxUse::kQuery, ObjectKind::kCq, prm::command_in::object_id},
    {Opcode::kQueryTis, DevxUse::kQuery, ObjectKind::kTis, prm::command_in::object_id},
    {Opcode::kModifySq, DevxUse::kModify, ObjectKind::kSq, prm::command_in::object_id},
    {Opcode::kQuerySq, DevxUse::kQuery, ObjectKind::kSq, prm::command_in::object_id},
    {Opcode::kModifyRq, DevxUse::kModify, ObjectKind::kRq, prm::command_in::object_id},
    {Opcode::kQueryRq, DevxUse::kQuery, ObjectKind::kRq, prm::command_in::object_id},
    {Opcode::kModifyRqt, DevxUse::kModify, ObjectKind::kRqt, prm::command_in::object_id},
    {Opcode::kQueryQCounter, DevxUse::kQuery, ObjectKind::kQCounter,
     prm::query_q_counter_in::counter_set_id},
    {Opcode::kQueryFlowCounter, DevxUse::kQuery, ObjectKind::kFlowCounter,
     prm::query_flow_counter_in::flow_counter_id},
};

/// Commands that belong to no object. The kernel lets them through to firmware, which may not know
/// them; what makes, changes or frees an object goes by the object.
bool is_general(Opcode opcode) {
  // A range that was set aside for such commands, registers for users among them.
  constexpr auto kFirst = Opcode{0xb00}, kEnd = Opcode{0xd00};
  if (opcode >= kFirst && opcode < kEnd) return true;
  return opcode == Opcode::kQueryHcaCap || opcode == Opcode::kQueryNicVportContext ||
         opcode == Opcode::kQueryLag;
}

std::span<const std::uint8_t> input(const void* in, std::size_t length) {
  return {static_cast<const std::uint8_t*>(in), length};
}
std::span<std::uint8_t> output(void* out, std::size_t length) {
  return {static_cast<std::uint8_t*>(out), length};
}

std::optional<Opcode> opcode_of(std::span<const std::uint8_t> in) {
  if (in.size() < prm::command_in::kSize) return std::nullopt;
  return static_cast<Opcode>(prm::get(in.data(), prm::command_in::opcode));
}

/// Is the command one of `use` that names `object`? A counter of a bulk is part of the bulk.
bool names(DevxUse use, std::span<const std::uint8_t> in, const mlx5dv_devx_obj& object) {
  const std::optional<Opcode> opcode = opcode_of(in);
  const auto* const user =
      std::find_if(std::begin(kUsers), std::end(kUsers), [&](const User& entry) {
        return entry.opcode == opcode && entry.use == use && entry.kind == object.kind;
      });
  if (user == std::end(kUsers) || in.size() < user->number.offset + 4) return false;
  const std::uint32_t number = prm::get(in.data(), user->number);
  if (object.kind != ObjectKind::kFlowCounter) return number == object.id;
  const std::lock_guard lock(object.device->control());
  const auto& bulk = object.device->flow_counters.at(object.id);
  return number >= bulk->id && number - bulk->id < bulk->count;
}

/// The kernel's answer to a refused command: the caller reads status and syndrome from `out`.
int remote_error(prm::Status status) {
  return status == prm::Status::kOk ? 0 : EREMOTEIO;
}

int use(DevxUse how, mlx5dv_devx_obj* object, const void* in, std::size_t in_length, void* out,
        std::size_t out_length) {
  return devx_use(how, *object, input(in, in_length), output(out, out_length));
}

/// Functions that return an errno value set errno, too, as in rdma-core.
int returned(int error) {
  if (error != 0) errno = error;
  return error;
}

}  // namespace

int softcx::devx_use(DevxUse use, mlx5dv_devx_obj& object, std::span<const std::uint8_t> in,
                     std::span<std::uint8_t> out) {
  if (!names(use, in, object)) {
    log_line("{}: a DevX command that is not for the call or the object it is issued on",
             object.device->ibdev);
    return EINVAL;
  }
  return remote_error(execute(*object.device, in, out));
}

bool mlx5dv_devx_obj::release() {
  return destroy(*device, kind, id) == prm::Status::kOk;
}

mlx5dv_devx_obj* mlx5dv_devx_obj_create(ibv_context* context, const void* in, std::size_t inlen,
                                        void* out, std::size_t outlen) {
  return guarded<mlx5dv_devx_obj*>(nullptr, [&]() -> mlx5dv_devx_obj* {
    const auto command = input(in, inlen);
    const auto answer = output(out, outlen);
    const std::optional<Opcode> opcode = opcode_of(command);
    const auto* const maker = std::find_if(std::begin(kMakers), std::end(kMakers),
                                           [&](const Maker& m) { return m.opcode == opcode; });
    if (maker == std::end(kMakers)) return failed_with<mlx5dv_devx_obj>(EINVAL);
    OpenFile& file = file_of(context);
    const prm::Status status = execute(file.device(), command, answer);
    if (status != prm::Status::kOk) return failed_with<mlx5dv_devx_obj>(EREMOTEIO);
    auto object = std::make_unique<mlx5dv_devx_obj>();
    object->file = &file;
    object->device = &file.device();
    object->kind = maker->kind;
    object->id = prm::get(answer.data(), maker->number);
    return file.keep(std::move(object));
  });
}

int mlx5dv_devx_obj_query(mlx5dv_devx_obj* obj, const void* in, std::size_t inlen, void* out,
                          std::size_t outlen) {
  return returned(use(DevxUse::kQuery, obj, in, inlen, out, outlen));
}

int mlx5dv_devx_obj_modify(mlx5dv_devx_obj* obj, const void* in, std::size_t inlen, void* out,
                           std::size_t outlen) {
  return returned(use(DevxUse::kModify, obj, in, inlen, out, outlen));
}

int mlx5dv_devx_obj_destroy(mlx5dv_devx_obj* obj) {
  if (!obj->release()) return returned(EREMOTEIO);
  obj->file->drop(obj);
  return 0;
}

int mlx5dv_devx_general_cmd(ibv_context* context, const void* in, std::size_t inlen, void* out,
                            std::size_t outlen) {
  return guarded<int>(ENOMEM, [&] {
    const auto command = input(in, inlen);
    const std::optional<Opcode> opcode = opcode_of(command);
    if (!opcode || !is_general(*opcode)) return returned(EINVAL);
    return returned(remote_error(execute(device_of(context), command, output(out, outlen))));
  });
}

int mlx5dv_devx_query_eqn(ibv_context*, std::uint32_t vector, std::uint32_t* eqn) {
  if (vector != 0) return returned(EINVAL);
  *eqn = kEventQueueNumber;
  return 0;
}
