# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Striding receive rings on the GPU data path: packets share buffers, and are counted or sent out
of them. Captures in, captures out, judged by dpkt and by the NIC's own account.
"""
import time

import ports as cabling
import pytest
import support
from frames import check, nic_account, split_by_fate
from scapy.data import DLT_EN10MB
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import wrpcap

pytestmark = pytest.mark.gpu

GPU_EAL = ("-a", cabling.nic, *cabling.gpu_eal())
# Buffers of 64 strides, and of 32 of 64 bytes, of which a long packet takes most.
WIDE = ("--rx-stride-num=64", "--rx-stride-size=256", "--rxd=512")
TIGHT = ("--rx-stride-num=32", "--rx-stride-size=64", "--rxd=256")
CAPTURES = [support.DATA / name for name in ("http-dns-icmp.pcap", "vlan.pcap", "jumbo.pcap")] + [
    path for path in support.shared_capture_paths() if len(support.frames(path)) > 1]


@pytest.fixture
def strided_testpmd(testpmd_session, packet_memory):
    def start(ports, mode, queues=1, opts=WIDE, faults=""):
        return testpmd_session(
            ports=ports, ringside=True, eal=GPU_EAL, faults=faults,
            opts=["-i", f"--rxq={queues}", f"--txq={queues}", f"--forward-mode={mode}",
                  f"--mp-alloc={packet_memory}", "--gpu-id=0", *opts])
    return start


@pytest.fixture
def through(strided_testpmd, tmp_path):
    """through(CAPTURE, MODE, ...): forwards a capture until `count` packets are sent; returns
    (statistics, frames sent, the NIC's account)."""
    def run(capture, mode, count, queues=1, opts=WIDE, loops=1):
        out = tmp_path / "out.pcap"
        session = strided_testpmd([f"pcap:in={capture},out={out},loop={loops}"], mode, queues, opts)
        session.cmd("start")
        session.wait_stats("TX-packets", count)
        session.cmd("stop")
        stats = session.stats()
        status, text = session.quit()
        assert status == 0, text
        return stats, support.frames(out), nic_account(text)
    return run


@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
@pytest.mark.parametrize("queues", (1, 2, 4))
@pytest.mark.parametrize("mode", ("macswap", "io"))
def test_capture_comes_out_as_it_went_in(through, capture, mode, queues):
    change = support.swap_macs if mode == "macswap" else bytes
    frames = support.frames(capture)
    fits, oversize, runts = split_by_fate(frames)
    stats, sent, nic = through(capture, mode, len(fits), queues)
    check(sent, [change(frame) for frame in fits], queues)
    assert stats["RX-packets"] == stats["TX-packets"] == len(fits)
    assert stats["RX-bytes"] == stats["TX-bytes"] == sum(map(len, fits))
    assert (stats["RX-missed"], stats["RX-errors"]) == (0, 0)
    assert (nic["received"], nic["delivered"]) == (len(frames), len(fits))
    assert nic["dropped"] == oversize + runts


@pytest.mark.parametrize("threads", cabling.block_threads(4, 32))
@pytest.mark.parametrize("mode", ("mac", "invert"))
def test_rings_wrap_with_any_number_of_threads(through, mode, threads):
    """More packets than any ring holds, with a filler in many a buffer."""
    frames = support.frames(CAPTURES[0])
    loops = 10
    stats, sent, _ = through(CAPTURES[0], mode, loops * len(frames),
                             opts=(*TIGHT, f"--gpu-block-threads={threads}"), loops=loops)
    assert (stats["RX-missed"], stats["RX-errors"]) == (0, 0)
    assert [frame[12:14] for frame in sent] == [frame[12:14] for frame in frames] * loops
    if mode == "invert":
        assert [bytes(255 - byte for byte in frame[14:]) for frame in sent] == [
            frame[14:] for frame in frames] * loops
    else:
        assert [frame[14:] for frame in sent] == [frame[14:] for frame in frames] * loops


def test_every_length_comes_through(through, tmp_path):
    """Those that end where a stride does, and one byte before and after it."""
    frames = [bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") /
                    IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=1, dport=length) /
                    Raw(bytes((length + i) % 251 for i in range(length))))
              for length in range(0, 1472)]
    wrpcap(str(tmp_path / "in.pcap"), frames, linktype=DLT_EN10MB)
    _, sent, _ = through(tmp_path / "in.pcap", "io", len(frames), opts=TIGHT)
    assert sent == frames


def test_frames_go_round_past_the_end_of_every_ring(strided_testpmd):
    """What is sent comes back: a buffer that came back too late, or too early, would cost one."""
    session = strided_testpmd(["loop"], "macswap", opts=TIGHT)
    session.cmd("start tx_first")
    session.wait_stats("TX-packets", 5000)
    session.cmd("stop")
    stats = session.stats()
    assert (stats["RX-missed"], stats["RX-errors"], stats["TX-errors"]) == (0, 0, 0)
    session.cmd("start")
    session.wait_stats("TX-packets", stats["TX-packets"] + 5000)
    session.cmd("stop")
    assert session.stats()["RX-missed"] == 0
    assert session.quit()[0] == 0


@pytest.mark.parametrize("queues", (1, 2))
@pytest.mark.parametrize("capture", ("http-dns-icmp.pcap", "vlan.pcap"))
def test_strided_queues_receive_all_of_a_capture(strided_testpmd, capture, queues):
    frames = support.frames(support.DATA / capture)
    loops = 3000 // len(frames)  # past the end of every ring
    session = strided_testpmd([f"pcap:in={support.DATA / capture},loop={loops}"], "rxonly", queues)
    text = session.cmd("show config rxtx")
    assert "striding receive queues of 8 buffers of 64 strides of 256 bytes" in text
    session.cmd("start")
    stats = session.wait_stats("RX-packets", loops * len(frames))
    session.cmd("stop")
    stats = session.stats()
    assert stats["RX-packets"] == loops * len(frames)
    assert stats["RX-bytes"] == loops * sum(map(len, frames))
    assert (stats["RX-missed"], stats["RX-errors"]) == (0, 0)
    status, text = session.quit()
    nic = nic_account(text)
    assert status == 0 and (nic["delivered"], nic["dropped"]) == (stats["RX-packets"], 0)


@pytest.mark.parametrize("mode", ("rxonly", "macswap"))
def test_queue_that_an_error_stops_goes_on(strided_testpmd, mode):
    """Behind more packets than the ring holds, so that the kernel is there."""
    session = strided_testpmd([f"pcap:in={support.DATA / 'vlan.pcap'},loop=400"], mode,
                              faults="rx-error:packet=1000")
    text = session.cmd("start")
    deadline = time.monotonic() + 30
    while " goes on" not in text and time.monotonic() < deadline:
        text += session.unasked()
    assert "stopped by its receive queue: LOCAL_" in text and " goes on" in text
    session.settle()
    stats = session.stats()
    assert stats["RX-errors"] == 1 and stats["RX-packets"] > 1000
    if mode == "macswap":
        session.wait_stats("TX-packets", stats["RX-packets"])
    assert session.quit()[0] == 0
