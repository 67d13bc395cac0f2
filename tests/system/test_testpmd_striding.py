# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Debian's unmodified dpdk-testpmd receives by its multi-packet receive queues (mprq_en=1) over
softcx's striding queues: dpkt and scapy judge what comes back."""
from pathlib import Path

import pytest
import support
from frames import check, nic_account, split_by_fate
from scapy.data import DLT_EN10MB
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw
from scapy.utils import wrpcap

# Buffers of 64 strides that hold any packet, as the PMD chooses them by itself, and of 8 strides of
# 256 bytes, of which a long packet takes most: those are filled up often.
WIDE, TIGHT = "mprq_log_stride_num=6", "mprq_log_stride_num=3,mprq_log_stride_size=8"
BURST = {"": "MPRQ Vector", ",rx_vec_en=0": "Multi-Packet RQ"}
CAPTURES = [support.DATA / "http-dns-icmp.pcap", support.DATA / "vlan.pcap"] + [
    path for path in support.shared_capture_paths() if len(support.frames(path)) > 1]


@pytest.fixture
def striding(testpmd_session, tmp_path):
    """striding(capture, strides, ...) -> (frames that a testpmd sent of it, what it said at the
    end)."""
    def run(capture, strides, code="", commands=(), opts=(), count=None, faults=""):
        sink = tmp_path / "out.pcap"
        session = testpmd_session(
            ports=[f"pcap:in={capture},out={sink}"], faults=faults,
            eal=("-a", f"{support.NIC},mprq_en=1,rxqs_min_mprq=1,{strides}{code}"),
            opts=["-i", "--no-flush-rx", "--total-num-mbufs=16384", *opts])
        assert BURST[code] in session.cmd("show rxq info 0 0")
        for command in commands:
            session.cmd(command)
        session.cmd("start")
        if count is None:
            count = len(split_by_fate(support.frames(capture))[0])
        session.wait_stats("TX-packets", count)
        status, text = session.quit()
        assert status == 0 and "violation" not in text, text
        return support.frames(sink), text
    return run


def expected_of(capture):
    return split_by_fate(support.frames(capture))[0]


@pytest.mark.parametrize("code", BURST)
@pytest.mark.parametrize("strides", (WIDE, TIGHT))
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: Path(path).name)
def test_captures_come_through(striding, capture, strides, code):
    sent, text = striding(capture, strides, code)
    check(sent, expected_of(capture), queues=1)
    assert nic_account(text)["delivered"] == len(sent)


def test_flows_keep_their_order_on_two_queues(striding):
    capture = support.DATA / "http-dns-icmp.pcap"
    sent, _ = striding(capture, TIGHT, opts=("--rxq=2", "--txq=2", "--rss-udp"))
    check(sent, expected_of(capture), queues=2)


def test_every_length_comes_through(striding, tmp_path):
    """Those that end where a stride does, and one byte before and after it."""
    frames = [bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") /
                    IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=length) /
                    Raw(bytes((length + i) % 251 for i in range(length))))
              for length in range(0, 1472)]
    wrpcap(str(tmp_path / "in.pcap"), frames, linktype=DLT_EN10MB)
    sent, _ = striding(tmp_path / "in.pcap", TIGHT, ",rx_vec_en=0")
    assert sent == frames


def test_tags_are_stripped(striding):
    capture = support.DATA / "vlan.pcap"
    sent, _ = striding(capture, TIGHT, commands=(
        "port stop 0", "vlan set strip on 0", "port start 0"))
    tagged = support.frames(capture)
    assert len(sent) == len(tagged)
    for frame, before in zip(sent, tagged):
        assert frame == before[:12] + before[16:] and Dot1Q not in Ether(frame)


def test_pmd_recovers_a_striding_queue_and_goes_on_with_whole_buffers(striding, dumps_removed):
    """In the midst of a buffer: the PMD posts it anew, from its first stride on."""
    capture = support.DATA / "http-dns-icmp.pcap"
    expected = expected_of(capture)
    struck = len(expected) // 2
    sent, text = striding(capture, TIGHT, ",rx_vec_en=0", count=len(expected) - 1,
                          faults=f"rx-error:packet={struck}")
    assert nic_account(text)["injected_error"] == 1
    assert sent == expected[:struck] + expected[struck + 1:]


def test_ringsides_cpu_data_path_takes_the_pmds_multi_packet_queues(testpmd_session, tmp_path):
    capture, sink = support.DATA / "http-dns-icmp.pcap", tmp_path / "out.pcap"
    session = testpmd_session(
        ports=[f"pcap:in={capture},out={sink}"], ringside=True,
        eal=("-a", f"{support.NIC},mprq_en=1,rxqs_min_mprq=1,{TIGHT}",
             "--log-level=pmd.net.mlx5:debug"),
        opts=["-i", "--datapath=cpu"])
    assert "Multi-Packet RQ is configured" in session.banner
    session.cmd("start")
    session.wait_stats("TX-packets", len(expected_of(capture)))
    assert session.quit()[0] == 0
    assert support.frames(sink) == expected_of(capture)
