// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// CREATE_MKEY and DESTROY_MKEY: keys over a umem, and over a part of another key.
#include "tests/unit/softcx_cmd_fixture.hpp"

namespace softcx {
namespace {

class SoftcxMkey : public CommandTest {
 protected:
  static constexpr std::uint64_t kIndirectAddress = 0x9000'0000;

  template <class AnyField>
  Answer key_with(AnyField field, std::uint32_t value) {
    return run_with(key_command(), field, value);
  }
  /// `bytes` from 0x100 of `parent` on, at an address of its own; padded as the PMD pads.
  auto indirect_command(std::uint32_t parent, std::uint32_t bytes) const {
    constexpr prm::Context kEntry{prm::create_mkey_in::kSize, prm::klm::kSize};
    auto in = command<prm::create_mkey_in::kSize + 4 * prm::klm::kSize>(Opcode::kCreateMkey);
    in.set(prm::create_mkey_in::translations_octword_actual_size, 4);
    in.set(kMkc / prm::mkc::access_mode_1_0, 2);
    in.set(kMkc / prm::mkc::lw, 1);
    in.set(kMkc / prm::mkc::lr, 1);
    in.set(kMkc / prm::mkc::qpn, 0xffffff);
    in.set(kMkc / prm::mkc::pd, pd);
    in.set(kMkc / prm::mkc::translations_octword_size, 4);
    in.set(kMkc / prm::mkc::start_addr, kIndirectAddress);
    in.set(kMkc / prm::mkc::len, bytes);
    in.set(kEntry / prm::klm::byte_count, bytes);
    in.set(kEntry / prm::klm::mkey, parent);
    in.set(kEntry / prm::klm::address, kKeyAddress + 0x100);
    return in;
  }
};

TEST_F(SoftcxMkey, key_reaches_its_part_of_the_umem_and_no_further) {
  const std::uint32_t lkey = run(key_command()).id() << 8 | 0x42;
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress, 0x1000, true).bytes, memory.get() + 0x1000);
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress, 0x1001, true).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress - 1, 1, true).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey, pd + 1, kKeyAddress, 1, true).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey ^ 1, pd, kKeyAddress, 1, true).bytes, nullptr);
}

TEST_F(SoftcxMkey, key_without_local_write_is_not_written) {
  const std::uint32_t lkey = run_with(key_command(), kMkc / prm::mkc::lw, 0).id() << 8 | 0x42;
  EXPECT_NE(device.translate(lkey, pd, kKeyAddress, 1, false).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress, 1, true).bytes, nullptr);
}

TEST_F(SoftcxMkey, key_without_local_read_is_not_read) {
  const std::uint32_t lkey = run_with(key_command(), kMkc / prm::mkc::lr, 0).id() << 8 | 0x42;
  EXPECT_NE(device.translate(lkey, pd, kKeyAddress, 1, true).bytes, nullptr);
  EXPECT_EQ(device.translate(lkey, pd, kKeyAddress, 1, false).bytes, nullptr);
}

TEST_F(SoftcxMkey, key_with_more_rights_than_its_parent_is_refused) {
  const std::uint32_t unread = run_with(key_command(), kMkc / prm::mkc::lr, 0).id() << 8 | 0x42;
  EXPECT_REFUSED(run(indirect_command(unread, 0x800)), kBadParameter, kKeyRightsAboveMemory);
  EXPECT_DONE(run_with(indirect_command(unread, 0x800), kMkc / prm::mkc::lr, 0));
}

TEST_F(SoftcxMkey, key_outside_its_umem_is_refused) {
  auto in = key_command();
  in.set(prm::create_mkey_in::mkey_umem_offset, kUmemBytes - 0x1000);
  EXPECT_DONE(run(in));
  in.set(kMkc / prm::mkc::len, 0x1001);
  EXPECT_REFUSED(run(in), kBadParameter, kKeyOutsideMemory);
}

TEST_F(SoftcxMkey, key_with_more_rights_than_its_umem_is_refused) {
  EXPECT_REFUSED(run_with(key_command(), prm::create_mkey_in::mkey_umem_id, add_umem(false)),
                 kBadParameter, kKeyRightsAboveMemory);
}

TEST_F(SoftcxMkey, key_of_an_unknown_mode_is_refused) {
  EXPECT_REFUSED(run_with(key_command(), kMkc / prm::mkc::access_mode_1_0, 3), kBadParameter,
                 kAccessModeUnsupported);
}

TEST_F(SoftcxMkey, indirect_key_reaches_a_part_of_its_parent) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  const std::uint32_t index = run(indirect_command(parent, 0x200)).id();
  const std::uint32_t lkey = index << 8;
  EXPECT_EQ(device.translate(lkey, pd, kIndirectAddress + 0x10, 0x1f0, true).bytes,
            memory.get() + 0x1000 + 0x100 + 0x10);
  EXPECT_EQ(device.translate(lkey, pd, kIndirectAddress, 0x201, true).bytes, nullptr);

  EXPECT_REFUSED(run(command(Opcode::kDestroyMkey, parent >> 8)), kResourceBusy, kStillReferenced);
  EXPECT_EQ(destroyed(Opcode::kDestroyMkey, index), Status::kOk);
  EXPECT_EQ(destroyed(Opcode::kDestroyMkey, parent >> 8), Status::kOk);
}

TEST_F(SoftcxMkey, indirect_key_beyond_its_parent_is_refused) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  EXPECT_REFUSED(run(indirect_command(parent, 0xf01)), kBadParameter, kKeyOutsideMemory);
}

TEST_F(SoftcxMkey, indirect_key_longer_than_its_list_is_refused) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  auto in = indirect_command(parent, 0x200);
  in.set(kMkc / prm::mkc::len, 0x201);
  EXPECT_REFUSED(run(in), kBadParameter, kKeyOutsideMemory);
}

TEST_F(SoftcxMkey, indirect_key_of_a_key_that_is_not_there_is_refused) {
  EXPECT_REFUSED(run(indirect_command(0xbad00, 0x200)), kBadResource, kNoSuchMkey);
}

TEST_F(SoftcxMkey, indirect_key_with_a_list_longer_than_its_command_is_refused) {
  const std::uint32_t parent = run(key_command()).id() << 8 | 0x42;
  auto in = indirect_command(parent, 0x200);
  in.set(kMkc / prm::mkc::translations_octword_size, 5);
  in.set(prm::create_mkey_in::translations_octword_actual_size, 5);
  EXPECT_REFUSED(run(in), kBadInputLength, kInputTooShort);
}

TEST_F(SoftcxMkey, destroyed_key_is_unknown_and_its_umem_free) {
  const std::uint32_t index = run(key_command()).id();
  const std::uint32_t references = device.umems.at(umem)->references;
  EXPECT_EQ(destroyed(Opcode::kDestroyMkey, index), Status::kOk);
  EXPECT_EQ(device.translate(index << 8 | 0x42, pd, kKeyAddress, 1, false).bytes, nullptr);
  EXPECT_EQ(device.umems.at(umem)->references, references - 1);
  EXPECT_REFUSED(run(command(Opcode::kDestroyMkey, index)), kBadResource, kNoSuchMkey);
}

TEST_F(SoftcxMkey, key_in_a_domain_that_is_not_there_is_refused) {
  EXPECT_REFUSED(key_with(kMkc / prm::mkc::pd, 0xbad), kBadResource, kNoSuchPd);
}

TEST_F(SoftcxMkey, key_over_a_umem_that_is_not_there_is_refused) {
  EXPECT_REFUSED(key_with(prm::create_mkey_in::mkey_umem_id, 0xbad), kBadResource, kNoSuchUmem);
}

TEST_F(SoftcxMkey, key_above_the_limit_is_refused) {
  auto in = key_command();
  in.set(kMkc / prm::mkc::len, (std::uint64_t{1} << 40) + 1);
  EXPECT_REFUSED(run(in), kExceedsLimit, kSizeAboveLimit);
}

TEST_F(SoftcxMkey, key_of_pages_below_an_adapter_page_is_refused) {
  EXPECT_REFUSED(key_with(kMkc / prm::mkc::log_page_size, 11), kBadParameter, kKeyPageSize);
}

TEST_F(SoftcxMkey, key_that_leaves_pages_and_translation_to_its_umem_is_made) {
  auto in = key_command();
  in.set(prm::create_mkey_in::pg_access, 1);
  in.set(prm::create_mkey_in::mkey_umem_valid, 1);
  in.set(kMkc / prm::mkc::log_page_size, 0);
  in.set(kMkc / prm::mkc::translations_octword_size, 0);
  in.set(prm::create_mkey_in::translations_octword_actual_size, 0);
  EXPECT_EQ(run(in).status, Status::kOk);
}
TEST_F(SoftcxMkey, key_with_more_pages_than_its_translation_is_refused) {
  auto in = key_command();
  in.set(kMkc / prm::mkc::len, 0x2000);
  EXPECT_DONE(run(in));  // two entries an octword
  in.set(kMkc / prm::mkc::start_addr, kKeyAddress + 1);
  EXPECT_REFUSED(run(in), kBadParameter, kKeyTranslationTooShort);
  in.set(kMkc / prm::mkc::log_page_size, 14);
  EXPECT_DONE(run(in));
}

TEST_F(SoftcxMkey, translation_larger_than_the_key_has_room_for_is_refused) {
  EXPECT_REFUSED(key_with(prm::create_mkey_in::translations_octword_actual_size, 2), kBadParameter,
                 kKeyTranslationTooShort);
}

TEST_F(SoftcxMkey, remote_write_without_local_write_is_refused) {
  auto in = key_command();
  in.set(kMkc / prm::mkc::rw, 1);
  EXPECT_DONE(run(in));
  in.set(kMkc / prm::mkc::lw, 0);
  EXPECT_REFUSED(run(in), kBadParameter, kKeyRemoteWriteAlone);
}

TEST_F(SoftcxMkey, key_of_one_queue_pair_is_refused) {
  EXPECT_REFUSED(key_with(kMkc / prm::mkc::qpn, 5), kBadParameter, kKeyOfQueuePair);
}

TEST_F(SoftcxMkey, features_that_are_not_among_the_capabilities_are_refused) {
  for (const prm::Field field :
       {prm::mkc::free, prm::mkc::umr_en, prm::mkc::a, prm::mkc::bsf_en, prm::mkc::length64,
        prm::mkc::en_rinval, prm::mkc::relaxed_ordering_read, prm::mkc::relaxed_ordering_write}) {
    EXPECT_REFUSED(key_with(kMkc / field, 1), kBadParameter, kFeatureUnsupported);
  }
}

TEST_F(SoftcxMkey, domain_with_keys_is_not_freed) {
  const std::uint32_t domain = number_of(Opcode::kAllocPd);
  const std::uint32_t index = key_with(kMkc / prm::mkc::pd, domain).id();
  EXPECT_REFUSED(run(command(Opcode::kDeallocPd, domain)), kResourceBusy, kStillReferenced);
  EXPECT_EQ(destroyed(Opcode::kDestroyMkey, index), Status::kOk);
  EXPECT_EQ(destroyed(Opcode::kDeallocPd, domain), Status::kOk);
}

}  // namespace
}  // namespace softcx
