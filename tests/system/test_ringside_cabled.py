# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Two ports that are cabled to each other: frames that one program sends circulate. softcx has such
ports (cross), and so has a machine with two ConnectX ports and one cable (--ports=BDF,BDF).
"""
import re

import ports as cabling
import pytest

CROSS = ("cross:1", "cross:0")
pytestmark = pytest.mark.gpu

EAL = ("-a", cabling.nic, "-a", cabling.nic2, *cabling.gpu_eal())
MEMORY = ("--mp-alloc=gpu-pinned", "--gpu-id=0")  # what every GPU can give


@pytest.fixture
def cabled(testpmd_session):
    def start(mode, queues=1, opts=(), **options):
        return testpmd_session(
            ports=CROSS, ringside=True, eal=EAL, **options,
            opts=["-i", f"--rxq={queues}", f"--txq={queues}", f"--forward-mode={mode}", *MEMORY,
                  *opts])
    return start


def totals(text):
    """(RX-packets, TX-packets, dropped) of each port, from `stop`."""
    return [tuple(map(int, port)) for port in re.findall(
        r"statistics for port \d.*\n.*RX-packets: (\d+) .*\n(?:.*RX-error.*\n)?"
        r".*TX-packets: (\d+) +TX-dropped: (\d+)", text)]


def assert_nothing_lost(stats):
    """What a port sent the other received; a few frames may be on the cable at the end."""
    for port in (0, 1):
        sent, received = stats[port]["TX-packets"], stats[1 - port]["RX-packets"]
        missed = stats[1 - port]["RX-missed"]
        assert 0 <= sent - received - missed <= 2048, stats
        assert missed == stats[port]["TX-errors"] == stats[port]["RX-errors"] == 0, stats


@pytest.mark.parametrize("queues", (1, 4))
@pytest.mark.parametrize("mode", ("io", "mac", "macswap"))
def test_frames_circulate_and_none_is_lost(cabled, mode, queues):
    session = cabled(mode, queues)
    assert "no link" not in session.banner
    session.cmd("start tx_first 2")
    for port in (0, 1):
        assert session.wait_stats("RX-packets", 5000, port, seconds=5)["RX-packets"] >= 5000
    text = session.cmd("stop")
    assert [dropped for _, _, dropped in totals(text)] == [0, 0], text
    assert_nothing_lost([session.stats(port) for port in (0, 1)])
    assert session.quit()[0] == 0


def test_forwarding_starts_again(cabled):
    session = cabled("io")
    for _ in range(3):
        session.cmd("start tx_first")
        before = session.stats()["RX-packets"]
        assert session.wait_stats("RX-packets", before + 1000)["RX-packets"] >= before + 1000
        assert "Done." in session.cmd("stop")
    assert session.quit()[0] == 0


def test_sender_outruns_a_receiver_that_takes_nothing_and_every_loss_is_counted(cabled):
    session = cabled("txonly", opts=("--rxd=64", "--txd=64"))
    session.cmd("start")
    session.wait_stats("RX-missed", 1000)
    session.cmd("stop")
    sent, missed = session.stats(0)["TX-packets"], session.stats(1)["RX-missed"]
    # The ring keeps 64; a real NIC holds some more in its own buffer.
    assert 0 < sent - missed <= 64 + 4096
    assert session.quit()[0] == 0


def test_port_that_stops_and_starts_goes_on(cabled):
    session = cabled("macswap")
    session.cmd("port stop 0")
    session.cmd("port start 0")
    session.cmd("start tx_first")
    assert session.wait_stats("RX-packets", 1000)["RX-packets"] >= 1000
    assert session.quit()[0] == 0


def test_hugepages_come_back(cabled, hugepages_returned):
    session = cabled("io", 2)
    session.cmd("start tx_first")
    assert session.quit()[0] == 0
