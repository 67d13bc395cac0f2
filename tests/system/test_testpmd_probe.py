# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Debian's unmodified dpdk-testpmd on software ports: probe, start, forward, stop, close."""
import re
import subprocess
import sys

import pytest
import support
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

SECOND_NIC = "0000:ca:00.1"
BURST = 32


def summary(text):
    """port -> (received, delivered, dropped) of the launcher's summary; sends are checked, too."""
    ports = {}
    for line in re.findall(r"^softcx: port .*$", text, re.M):
        if match := re.match(r"softcx: port (\d+) .*received (\d+) packets .*= delivered (\d+) \+ "
                             r"dropped (\d+)", line):
            ports[int(match[1])] = tuple(int(match[i]) for i in (2, 3, 4))
    return ports


def assert_clean_end(session, ports=1):
    """quit: status 0, nothing that a real NIC would have broken on, and no packet unaccounted."""
    status, text = session.quit()
    assert status == 0, text
    assert "violation" not in text
    counts = summary(text)
    assert len(counts) == ports, text
    for received, delivered, dropped in counts.values():
        assert received == delivered + dropped
    return counts


def test_port_is_probed_as_an_mlx5_device(testpmd_session):
    session = testpmd_session()
    info = session.cmd("show port info 0")
    assert "Driver name: mlx5_pci" in info
    assert f"Device name: {support.NIC}" in info
    assert "Link status: up" in info
    assert "Max possible number of RXDs per queue: 32768" in info
    assert_clean_end(session)


def test_probe_is_refused_nothing_that_it_needs(testpmd_session):
    session = testpmd_session(env={"SOFTCX_LOG": "1"})
    refused = [line for line in session.banner.splitlines()
               if line.startswith("softcx: mlx5_0") and "refused" in line]
    assert refused == []
    assert_clean_end(session)


def test_io_loopback_keeps_its_packets(testpmd_session):
    session = testpmd_session()
    session.cmd("start tx_first")
    session.wait_stats("RX-packets", 1000)
    session.cmd("stop")
    stats = session.stats()
    assert stats["RX-packets"] >= 1000
    assert stats["RX-missed"] == stats["RX-errors"] == stats["TX-errors"] == 0
    # What was in flight at the stop is delivered, and stays in the ring.
    assert 0 <= stats["TX-packets"] - stats["RX-packets"] <= BURST
    (counts,) = assert_clean_end(session).values()
    assert counts[2] == 0


def test_several_bursts_circulate(testpmd_session):
    session = testpmd_session()
    session.cmd("start tx_first 4")
    session.wait_stats("RX-packets", 10000)
    session.cmd("stop")
    assert session.stats()["RX-packets"] >= 10000
    assert_clean_end(session)


def test_indices_wrap_without_a_stall(testpmd_session):
    """Past 65536 completions of bursts of 32, as the PMD keeps its indices in 16 bits."""
    session = testpmd_session()
    session.cmd("start tx_first 8")
    enough = 65536 * BURST + 10000
    assert session.wait_stats("RX-packets", enough, seconds=60)["RX-packets"] >= enough
    session.cmd("stop")
    assert_clean_end(session)


@pytest.mark.parametrize("queues", [1, 4, 8])
def test_cross_wired_ports_exchange_packets(testpmd_session, queues):
    session = testpmd_session(ports=("cross:1", "cross:0"),
                              eal=("-a", support.NIC, "-a", SECOND_NIC),
                              opts=("-i", f"--rxq={queues}", f"--txq={queues}"))
    session.cmd("start tx_first")
    for port in (0, 1):
        assert session.wait_stats("RX-packets", 1000, port)["RX-packets"] >= 1000
    session.cmd("stop")
    counts = assert_clean_end(session, ports=2)
    assert counts[0][2] == counts[1][2] == 0


def test_port_that_was_stopped_starts_again(testpmd_session):
    session = testpmd_session()
    for _ in range(3):
        before = session.stats()["RX-packets"]
        session.cmd("start tx_first")
        session.wait_stats("RX-packets", before + 500)
        session.cmd("stop")
        assert session.stats()["RX-packets"] >= before + 500
        assert "Done" in session.cmd("port stop 0")
        assert "Done" in session.cmd("port start 0")
    assert_clean_end(session)


def test_one_of_two_ports_closes_while_the_other_forwards(testpmd_session):
    session = testpmd_session(ports=("loop", "loop"),
                              eal=("-a", support.NIC, "-a", SECOND_NIC))
    session.cmd("port stop 1")
    assert "closed" in session.cmd("port close 1")
    session.cmd("set portlist 0")
    session.cmd("start tx_first")
    assert session.wait_stats("RX-packets", 500)["RX-packets"] >= 500
    session.cmd("stop")
    assert_clean_end(session, ports=2)


@pytest.mark.parametrize("rxd, txd", [(128, 128), (512, 1024), (4096, 4096), (32768, 8192)])
def test_rings_of_every_size_are_taken_up_to_the_limit(testpmd_session, rxd, txd):
    session = testpmd_session(opts=("-i", f"--rxd={rxd}", f"--txd={txd}"))
    session.cmd("start tx_first")
    assert session.wait_stats("RX-packets", 500)["RX-packets"] >= 500
    session.cmd("stop")
    assert_clean_end(session)


def test_checksums_and_vlan_tags_are_offered_as_offloads(testpmd_session):
    session = testpmd_session()
    receive = session.cmd("show port 0 rx_offload capabilities")
    send = session.cmd("show port 0 tx_offload capabilities")
    for name in ("VLAN_STRIP", "IPV4_CKSUM", "UDP_CKSUM", "TCP_CKSUM"):
        assert name in receive
    for name in ("VLAN_INSERT", "IPV4_CKSUM", "UDP_CKSUM", "TCP_CKSUM"):
        assert name in send
    assert "TSO" not in send and "LRO" not in receive
    assert_clean_end(session)


def test_vlan_stripping_is_switched_on_a_running_port(testpmd_session, veth):
    session = testpmd_session(ports=[f"netdev:{veth.name}"], opts=("-i", "--forward-mode=rxonly"))
    session.cmd("start")
    session.cmd("set verbose 1")
    frame = Ether(src="02:00:00:00:00:01", dst="ff:ff:ff:ff:ff:ff") / Dot1Q(vlan=5, prio=3)
    frame /= IP() / UDP() / Raw(b"x" * 40)
    tci, length = 3 << 13 | 5, len(frame)

    def seen():
        """What testpmd prints of the frame."""
        veth.send([frame])
        session.child.expect(r"  src=.*?ol_flags: [^\n]*\n")
        return session.child.after

    text = seen()
    assert f"length={length} " in text and "VLAN_STRIPPED" not in text, text
    session.cmd("vlan set strip on 0")
    text = seen()
    assert f"length={length - 4} " in text and f"VLAN tci=0x{tci:x}" in text, text
    assert "RTE_MBUF_F_RX_VLAN_STRIPPED" in text, text
    session.cmd("vlan set strip off 0")
    text = seen()
    assert f"length={length} " in text and "VLAN_STRIPPED" not in text, text
    session.cmd("stop")
    assert_clean_end(session)


def run_preloaded(*command, **env):
    library = support.BUILD / "lib" / "softcx" / "libsoftcx.so"
    return support.run(command, env={"LD_PRELOAD": str(library), **env})


def test_program_that_opens_no_verbs_device_is_left_alone():
    result = run_preloaded("/bin/echo", "hello")
    assert (result.rc, result.out, result.err) == (0, "hello\n", "")


def test_preload_without_a_configuration_says_so_and_has_no_devices():
    count = ("import ctypes; n = ctypes.c_int(-1); v = ctypes.CDLL(None); "
             "v.ibv_get_device_list(ctypes.byref(n)); v.ibv_get_device_list(ctypes.byref(n)); "
             "print(n.value)")
    result = run_preloaded(sys.executable, "-c", count)
    assert (result.rc, result.out) == (0, "0\n")
    assert result.err.count("softcx run") == 1


def test_ports_are_free_again_for_the_next_process():
    testpmd = " ".join(["dpdk-testpmd", *support.EAL, "-a", support.NIC, "--", "-i"])
    done = subprocess.run(
        support.softcx_command(["loop"], ["sh", "-c", f"{testpmd} && {testpmd}"]),
        input="quit\nquit\n", capture_output=True, text=True, timeout=60,
        env=support.environment())
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Probe PCI driver: mlx5_pci") == 2
