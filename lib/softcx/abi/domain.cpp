// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Protection domains.
#include "lib/mlx5/format/prm_command.hpp"
#include "lib/softcx/abi/command_errno.hpp"
#include "lib/softcx/abi/handles.hpp"
#include "lib/softcx/cmd/execute.hpp"

using namespace softcx;
namespace prm = ringside::prm;

namespace {

ibv_pd* make_handle(ibv_context* context, std::uint32_t handle, std::uint32_t pdn, bool imported) {
  auto pd = std::make_unique<PdHandle>();
  pd->context = context;
  pd->handle = handle;
  pd->pdn = pdn;
  pd->imported = imported;
  return pd.release();
}

}  // namespace

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  return guarded<ibv_pd*>(nullptr, [&]() -> ibv_pd* {
    prm::Mailbox<prm::command_in::kSize> in;
    prm::Mailbox<prm::alloc_pd_out::kSize> out;
    in.set(prm::command_in::opcode, static_cast<std::uint32_t>(prm::Opcode::kAllocPd));
    OpenFile& file = file_of(context);
    const prm::Status status =
        execute(file.device(), {in.data(), in.size()}, {out.data(), out.size()});
    if (status != prm::Status::kOk) return failed_with<ibv_pd>(errno_of(status));
    const std::uint32_t pdn = out.get(prm::alloc_pd_out::pd);
    return make_handle(context, file.add_pd(pdn), pdn, false);
  });
}

int ibv_dealloc_pd(ibv_pd* pd) {
  PdHandle& handle = of(pd);
  // It is not this caller's to free: ibv_unimport_pd ends what ibv_import_pd began.
  if (handle.imported) return EINVAL;
  OpenFile& file = file_of(pd->context);
  const prm::Status status = destroy(file.device(), ObjectKind::kPd, handle.pdn);
  if (status != prm::Status::kOk) return errno_of(status);
  file.remove_pd(pd->handle);
  delete &handle;
  return 0;
}

ibv_pd* ibv_import_pd(ibv_context* context, std::uint32_t handle) {
  return guarded<ibv_pd*>(nullptr, [&]() -> ibv_pd* {
    const auto pdn = file_of(context).find_pd(handle);
    if (!pdn) return failed_with<ibv_pd>(ENOENT);
    return make_handle(context, handle, *pdn, true);
  });
}

void ibv_unimport_pd(ibv_pd* pd) {
  delete &of(pd);
}
