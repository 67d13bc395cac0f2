// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A device with one of each prerequisite, valid commands to spoil one field of, and answers.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "lib/mlx5/format/prm_command.hpp"
#include "lib/mlx5/format/prm_cq.hpp"
#include "lib/mlx5/format/prm_mkey.hpp"
#include "lib/mlx5/format/prm_rqt.hpp"
#include "lib/mlx5/format/prm_tir.hpp"
#include "lib/mlx5/format/prm_tis.hpp"
#include "lib/mlx5/format/prm_wq.hpp"
#include "lib/softcx/cmd/execute.hpp"
#include "lib/softcx/cmd/rule.hpp"
#include "lib/softcx/nic/uar_table.hpp"

namespace softcx {

namespace prm = ringside::prm;
using prm::Opcode;
using prm::Status;

/// Counts what the control path asks of it; there is no thread.
class CountingEngine final : public EngineControl {
 public:
  void synchronize() override { ++synchronized; }
  void wake() override { ++woken; }
  bool attach(CopyEngine& /*engine*/, std::string& /*why*/) override { return true; }
  int synchronized = 0, woken = 0;
};

struct Answer {
  Status status;
  Rule rule;
  std::array<std::uint8_t, 0x1010> out{};

  std::uint32_t id() const { return prm::get(out.data(), prm::command_out::object_id); }
  template <class AnyField>
  auto get(AnyField field) const {
    return prm::get(out.data(), field);
  }
};

class CommandTest : public testing::Test {
 protected:
  static constexpr std::size_t kUmemBytes = 64 * 1024;
  static constexpr std::uint64_t kRecordOffset = kUmemBytes - 64;
  static constexpr prm::Context kMkc = prm::create_mkey_in::memory_key_mkey_entry;
  static constexpr std::uint64_t kKeyAddress = 0x7000'0000;

  CommandTest() {
    device.engine = &engine;
    umem = add_umem(true);
    pd = number_of(Opcode::kAllocPd);
    transport_domain = number_of(Opcode::kAllocTransportDomain);
    uar = add_uar(device)->page_id;
    cq = run(cq_command()).id();
    tis = run(tis_command()).id();
  }

  std::uint32_t add_umem(bool local_write) {
    auto made = std::make_unique<Umem>();
    made->id = device.allocate_id();
    made->local_write = local_write;
    made->memory = {memory.get(), kUmemBytes, nullptr, 0};
    const std::uint32_t id = made->id;
    device.umems.emplace(id, std::move(made));
    return id;
  }

  Answer run(const std::uint8_t* in, std::size_t in_length, std::size_t out_length = 0x1010) {
    Answer answer;
    answer.status = execute(device, {in, in_length}, {answer.out.data(), out_length});
    EXPECT_EQ(static_cast<std::uint32_t>(answer.status), answer.get(prm::command_out::status));
    answer.rule = static_cast<Rule>(answer.get(prm::command_out::syndrome));
    return answer;
  }
  template <std::size_t kSize>
  Answer run(const prm::Mailbox<kSize>& in) {
    return run(in.data(), kSize);
  }
  /// Runs `in` with one field changed.
  template <std::size_t kSize, class AnyField>
  Answer run_with(prm::Mailbox<kSize> in, AnyField field, std::uint32_t value) {
    in.set(field, value);
    return run(in);
  }

  template <std::size_t kSize = prm::command_in::kSize>
  static prm::Mailbox<kSize> command(Opcode opcode, std::uint32_t object = 0) {
    prm::Mailbox<kSize> in;
    in.set(prm::command_in::opcode, static_cast<std::uint32_t>(opcode));
    if (object != 0) in.set(prm::command_in::object_id, object);
    return in;
  }
  std::uint32_t number_of(Opcode opcode) { return run(command(opcode)).id(); }
  Status destroyed(Opcode opcode, std::uint32_t id) { return run(command(opcode, id)).status; }

  prm::Mailbox<prm::create_cq_in::kSize> cq_command() const {
    constexpr prm::Context kCqc = prm::create_cq_in::cq_context;
    auto in = command<prm::create_cq_in::kSize>(Opcode::kCreateCq);
    in.set(kCqc / prm::cqc::log_cq_size, 6);
    in.set(kCqc / prm::cqc::uar_page, uar);
    in.set(kCqc / prm::cqc::c_eqn, 1);
    in.set(kCqc / prm::cqc::dbr_umem_valid, 1);
    in.set(kCqc / prm::cqc::dbr_umem_id, umem);
    in.set(kCqc / prm::cqc::dbr_addr, kRecordOffset);
    in.set(prm::create_cq_in::cq_umem_valid, 1);
    in.set(prm::create_cq_in::cq_umem_id, umem);
    return in;
  }
  prm::Mailbox<prm::create_tis_in::kSize> tis_command() const {
    auto in = command<prm::create_tis_in::kSize>(Opcode::kCreateTis);
    in.set(prm::create_tis_in::ctx / prm::tisc::transport_domain, transport_domain);
    return in;
  }
  template <std::size_t kSize>
  void set_wq(prm::Mailbox<kSize>& in, prm::Context wq, std::uint32_t log_stride) const {
    in.set(wq / prm::wq::wq_type, static_cast<std::uint32_t>(prm::WqType::kCyclic));
    in.set(wq / prm::wq::pd, pd);
    in.set(wq / prm::wq::uar_page, uar);
    in.set(wq / prm::wq::log_wq_stride, log_stride);
    in.set(wq / prm::wq::log_wq_sz, 4);
    in.set(wq / prm::wq::wq_umem_valid, 1);
    in.set(wq / prm::wq::wq_umem_id, umem);
    in.set(wq / prm::wq::wq_umem_offset, 0x2000);
    in.set(wq / prm::wq::dbr_umem_valid, 1);
    in.set(wq / prm::wq::dbr_umem_id, umem);
    in.set(wq / prm::wq::dbr_addr, kRecordOffset + 8);
  }
  auto sq_command() const {
    constexpr prm::Context kSqc = prm::create_sq_in::ctx;
    auto in = command<prm::create_sq_in::kSize>(Opcode::kCreateSq);
    in.set(kSqc / prm::sqc::cqn, cq);
    in.set(kSqc / prm::sqc::tis_lst_sz, 1);
    in.set(kSqc / prm::sqc::tis_num_0, tis);
    set_wq(in, kSqc / prm::sqc::wq, 6);
    return in;
  }
  auto rq_command() const {
    constexpr prm::Context kRqc = prm::create_rq_in::ctx;
    auto in = command<prm::create_rq_in::kSize>(Opcode::kCreateRq);
    in.set(kRqc / prm::rqc::vsd, 1);
    in.set(kRqc / prm::rqc::cqn, cq);
    set_wq(in, kRqc / prm::rqc::wq, 4);
    return in;
  }
  template <class... Queues>
  auto rqt_command(Queues... queues) const {
    constexpr std::size_t kSize = prm::create_rqt_in::kSize + 4 * sizeof...(queues);
    constexpr prm::Context kRqtc = prm::create_rqt_in::rqt_context;
    auto in = command<kSize>(Opcode::kCreateRqt);
    in.set(kRqtc / prm::rqtc::rqt_max_size, sizeof...(queues));
    in.set(kRqtc / prm::rqtc::rqt_actual_size, sizeof...(queues));
    std::uint32_t i = 0;
    (in.set(kRqtc / prm::rqtc::rq_num(i++), queues), ...);
    return in;
  }
  auto tir_command(std::uint32_t rqn) const {
    auto in = command<prm::create_tir_in::kSize>(Opcode::kCreateTir);
    in.set(prm::create_tir_in::ctx / prm::tirc::transport_domain, transport_domain);
    in.set(prm::create_tir_in::ctx / prm::tirc::inline_rqn, rqn);
    return in;
  }
  /// 4096 bytes from 0x1000 of the umem on.
  auto key_command() const {
    auto in = command<prm::create_mkey_in::kSize>(Opcode::kCreateMkey);
    in.set(prm::create_mkey_in::mkey_umem_id, umem);
    in.set(prm::create_mkey_in::mkey_umem_offset, 0x1000);
    in.set(kMkc / prm::mkc::access_mode_1_0, 1);
    in.set(kMkc / prm::mkc::lw, 1);
    in.set(kMkc / prm::mkc::lr, 1);
    in.set(kMkc / prm::mkc::qpn, 0xffffff);
    in.set(kMkc / prm::mkc::pd, pd);
    in.set(kMkc / prm::mkc::mkey_7_0, 0x42);
    in.set(kMkc / prm::mkc::start_addr, kKeyAddress);
    in.set(kMkc / prm::mkc::len, 0x1000);
    in.set(kMkc / prm::mkc::log_page_size, 12);
    in.set(kMkc / prm::mkc::translations_octword_size, 1);
    in.set(prm::create_mkey_in::translations_octword_actual_size, 1);
    return in;
  }

  std::unique_ptr<std::uint8_t[]> memory = std::make_unique<std::uint8_t[]>(kUmemBytes);
  CountingEngine engine;
  Device device{0, "0000:ca:00.0", "mlx5_0", "uverbs0", "cx0"};
  std::uint32_t umem, pd, transport_domain, uar, cq, tis;
};

/// Refused with `status_wanted` because of `rule_wanted`.
#define EXPECT_REFUSED(answer_of, status_wanted, rule_wanted) \
  do {                                                        \
    const Answer refused = (answer_of);                       \
    EXPECT_EQ(refused.status, Status::status_wanted);         \
    EXPECT_EQ(refused.rule, Rule::rule_wanted);               \
  } while (false)

#define EXPECT_DONE(answer_of) EXPECT_EQ((answer_of).status, Status::kOk)

}  // namespace softcx
