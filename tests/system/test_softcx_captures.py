# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run`: which captures are replayed, and what is said of the others."""
import re
import struct

import pytest
import support
from scapy.utils import PcapNgWriter, PcapWriter


def assert_refused(softcx, path, record, offset, readable, reason=""):
    result = softcx(["echo", "started"], ports=[f"pcap:in={path}"])
    assert result.rc == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert f"'{path}'" in result.err
    assert f"at record {record}, byte {offset} " in result.err
    assert re.search(rf"\b{readable} records? could be read before", result.err)
    assert reason in result.err


@pytest.mark.parametrize("name, row", support.shared_captures(positive=True))
def test_ethernet_captures_are_accepted(softcx, name, row):
    result = softcx(["true"], ports=[f"pcap:in={support.SHARED_DATA / name}"])
    assert result.rc == 0, result.err


@pytest.mark.parametrize("name, record, offset, readable, reason", [
    ("neg_dpkt_truncated_dns_2.pcap", 2, 240, 1, "16 header bytes, only got 7"),
    ("tcpdump_ipoib.pcap", 1, 24, 0, "IPOIB (242)"),
    ("gopacket_le_test100.pcapng", 2, 660, 1, "type"),
])
def test_bad_foreign_captures_are_refused(softcx, shared_data, name, record, offset, readable,
                                          reason):
    assert_refused(softcx, shared_data / name, record, offset, readable, reason)


def test_records_cut_by_the_snapshot_length_are_accepted_and_said(softcx, shared_data):
    result = softcx(["true"], ports=[f"pcap:in={shared_data / 'zeek_truncated-header.pcap'}"])
    assert result.rc == 0
    assert "24 of 24 records were cut" in result.err


def test_records_longer_than_the_snapshot_length_of_their_file_are_not_cut(softcx, shared_data):
    result = softcx(["true"], ports=[f"pcap:in={shared_data / 'trex_udp_rand_len_9k.pcap'}"])
    assert (result.rc, result.err) == (0, "")


def test_records_of_no_length_are_accepted_and_said(softcx, shared_data):
    result = softcx(["true"], ports=[f"pcap:in={shared_data / 'neg_tcpdump_bgp_vpn_rt-oobr.pcap'}"])
    assert result.rc == 0
    assert "2 of 38 records were cut" in result.err
    assert "37 of 38 records are shorter than an Ethernet header" in result.err


def pcap_bytes(order, nanoseconds, frames, link_type=1):
    magic = 0xa1b23c4d if nanoseconds else 0xa1b2c3d4
    records = b"".join(struct.pack(order + "IIII", 1, 2, len(f), len(f)) + f for f in frames)
    return struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link_type) + records


FRAMES = [bytes(range(60)), bytes(1000), bytes(14)]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_both_byte_orders_and_both_resolutions_are_accepted(softcx, tmp_path, order, nanoseconds):
    path = tmp_path / "in.pcap"
    path.write_bytes(pcap_bytes(order, nanoseconds, FRAMES))
    assert softcx(["true"], ports=[f"pcap:in={path}"]).rc == 0


def test_pcapng_is_accepted(softcx, tmp_path):
    path = tmp_path / "in.pcapng"
    writer = PcapNgWriter(str(path))
    writer.write(FRAMES)
    writer.close()
    assert softcx(["true"], ports=[f"pcap:in={path}"]).rc == 0


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("keep, record, offset, readable", [
    (24 + 8, 1, 24, 0),                 # in the first record's header
    (24 + 16 + 59, 1, 24, 0),           # one byte of the first record is missing
    (24 + 16 + 60 + 16, 2, 100, 1),     # right after the second record's header
    (24 + 16 + 60 + 16 + 500, 2, 100, 1),
])
def test_capture_cut_in_the_middle_is_refused(softcx, tmp_path, order, keep, record, offset,
                                              readable):
    path = tmp_path / "cut.pcap"
    path.write_bytes(pcap_bytes(order, False, FRAMES)[:keep])
    assert_refused(softcx, path, record, offset, readable)


def test_capture_with_a_damaged_record_length_is_refused(softcx, tmp_path):
    path = tmp_path / "damaged.pcap"
    content = bytearray(pcap_bytes("<", False, FRAMES))
    content[100 + 8:100 + 12] = struct.pack("<I", 0x7fffffff)
    path.write_bytes(content)
    assert_refused(softcx, path, 2, 100, 1)


@pytest.mark.parametrize("content", [b"", b"\xd4\xc3\xb2\xa1\x02\0", b"no capture at all" * 9])
def test_file_that_is_no_capture_is_refused(softcx, tmp_path, content):
    path = tmp_path / "text"
    path.write_bytes(content)
    assert_refused(softcx, path, 1, 0, 0)


def test_capture_without_records_is_refused(softcx, tmp_path):
    path = tmp_path / "none.pcap"
    path.write_bytes(pcap_bytes("<", False, []))
    assert_refused(softcx, path, 1, 24, 0)


def test_capture_of_another_link_type_is_refused(softcx, tmp_path):
    path = tmp_path / "raw.pcap"
    writer = PcapWriter(str(path), linktype=101)
    writer.write(b"\x45" + bytes(30))
    writer.close()
    assert_refused(softcx, path, 1, 24, 0, "RAW (12)")


def test_refused_run_creates_no_output_capture(softcx, tmp_path):
    bad, out = tmp_path / "bad.pcap", tmp_path / "out.pcap"
    bad.write_bytes(b"bad")
    assert softcx(["true"], ports=[f"pcap:in={bad},out={out}"]).rc == 2
    assert not out.exists()


def test_output_capture_of_an_earlier_run_is_emptied(softcx, tmp_path):
    out = tmp_path / "out.pcap"
    out.write_bytes(b"old")
    assert softcx(["true"], ports=[f"pcap:out={out}"]).rc == 0
    assert b"old" not in out.read_bytes()
