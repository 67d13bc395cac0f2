# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""--datapath=cpu: lcores on the PMD's own queues, with buffers that no CPU can read."""
import re

import ports as cabling
import pytest
import support
from frames import check, nic_account

pytestmark = pytest.mark.gpu

OPAQUE = ("-a", cabling.nic, *cabling.opaque_gpu_eal())
HOST_BUFFERS = ("--mp-alloc=native",)
CAPTURE = support.DATA / "http-dns-icmp.pcap"


@pytest.fixture
def cpu_testpmd(testpmd_session, packet_memory):
    def start(wire, mode, queues, eal=OPAQUE, buffers=(), opts=()):
        return testpmd_session(
            ports=[wire], ringside=True, eal=eal,
            opts=["-i", f"--rxq={queues}", f"--txq={queues}", f"--forward-mode={mode}",
                  "--datapath=cpu", *(buffers or (f"--mp-alloc={packet_memory}",)), *opts])
    return start


@pytest.mark.parametrize("eal, buffers", ((OPAQUE, ()), (("-a", cabling.nic), HOST_BUFFERS)),
                         ids=("gpu", "host"))
@pytest.mark.parametrize("queues", (1, 8))
def test_io_sends_what_it_receives(cpu_testpmd, tmp_path, queues, eal, buffers):
    """From 8 send queues on the PMD would copy packets into WQEs, if it were not told otherwise."""
    out = tmp_path / "out.pcap"
    frames = support.frames(CAPTURE)
    session = cpu_testpmd(f"pcap:in={CAPTURE},out={out}", "io", queues, eal, buffers)
    session.cmd("start")
    stats = session.wait_stats("TX-packets", len(frames))
    assert stats["RX-packets"] == stats["TX-packets"] == len(frames)
    status, text = session.quit()
    assert status == 0, text
    assert nic_account(text)["dropped"] == 0
    check(support.frames(out), frames, queues)


@pytest.mark.parametrize("eal, buffers", ((OPAQUE, ()), (("-a", cabling.nic), HOST_BUFFERS)),
                         ids=("gpu", "host"))
def test_small_rings_have_mbufs_enough(cpu_testpmd, eal, buffers):
    """What the PMD's short send queue has no room for is dropped, but none is short of an mbuf."""
    frames = support.frames(CAPTURE)
    session = cpu_testpmd(f"pcap:in={CAPTURE}", "io", 1, eal, buffers, ("--rxd=64", "--txd=64"))
    session.cmd("start")
    stats = session.wait_stats("RX-packets", len(frames))
    assert (stats["RX-packets"], stats["RX-nombuf"]) == (len(frames), 0)
    sent, dropped = re.search(r"TX-packets: (\d+) +TX-dropped: (\d+)", session.cmd("stop")).groups()
    assert int(sent) + int(dropped) == len(frames)
    assert session.quit()[0] == 0


@pytest.mark.parametrize("queues", (1, 8))
def test_rxonly_counts_packets_and_bytes(cpu_testpmd, queues):
    frames = support.frames(CAPTURE)
    session = cpu_testpmd(f"pcap:in={CAPTURE}", "rxonly", queues)
    session.cmd("start")
    stats = session.wait_stats("RX-packets", len(frames))
    assert (stats["RX-packets"], stats["RX-bytes"]) == (len(frames), sum(map(len, frames)))
    assert stats["TX-packets"] == 0
    assert session.quit()[0] == 0


def test_modes_that_touch_packets_are_refused(cpu_testpmd):
    session = cpu_testpmd("loop", "io", 1)
    assert "the CPU data path has io, rxonly" in session.cmd("set fwd macswap")
    assert "--datapath=gpu" in session.cmd("start tx_first")
    assert session.quit()[0] == 0
