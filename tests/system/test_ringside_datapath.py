# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Packets through GPU-driven rings: captures in, captures out, judged by dpkt and by the NIC's own
account of what it dropped and why.
"""
import re
from collections import defaultdict

import dpkt
import pytest
import support

GPU_EAL = ("-a", support.NIC, "--vdev=gpu_host0")
GPU = ("--mp-alloc=gpu", "--gpu-id=0")
JUMBO = ("--max-pkt-len=9100", "--mbuf-size=9344")
OWN = [support.DATA / name for name in ("http-dns-icmp.pcap", "vlan.pcap", "jumbo.pcap")]
FOREIGN = [support.SHARED_DATA / name for name, _ in support.shared_captures()]
CAPTURES = pytest.mark.parametrize("capture", OWN + FOREIGN, ids=lambda path: path.name)


def vlan_tags(frame):
    """802.1Q and 802.1ad tags in front of the EtherType."""
    count = 0
    while frame[12 + 4 * count:14 + 4 * count] in (b"\x81\x00", b"\x88\xa8"):
        count += 1
    return count


def split_by_fate(frames, mtu=1500):
    """(deliverable, number above the MTU, number too short for an Ethernet header)."""
    fits = [f for f in frames if 14 <= len(f) <= mtu + 14 + 4 * min(vlan_tags(f), 2)]
    runts = sum(len(f) < 14 for f in frames)
    return fits, len(frames) - runts - len(fits), runts


def flow_of(frame):
    """What stays in order: VLAN tags and IP addresses, with ports where no fragment lacks them."""
    tags = vlan_tags(frame)
    at = 14 + 4 * tags
    key = (frame[12:at],)
    try:
        if frame[at - 2:at] == b"\x08\x00":
            ip = dpkt.ip.IP(frame[at:])
            fragment = bool(ip.mf or ip.offset)
            ports = ip.data
        elif frame[at - 2:at] == b"\x86\xdd":
            ip = dpkt.ip6.IP6(frame[at:])
            fragment = 44 in ip.extension_hdrs
            ports = ip.data
        else:
            return key
    except dpkt.UnpackError:
        return key
    key += (ip.src, ip.dst)
    if not fragment and isinstance(ports, (dpkt.tcp.TCP, dpkt.udp.UDP)):
        key += (type(ports), ports.sport, ports.dport)
    return key


def by_flow(frames):
    flows = defaultdict(list)
    for frame in frames:
        flows[flow_of(frame)].append(frame)
    return flows


def nic_account(text, port=0):
    """The launcher's summary of a port: ({'received': n, 'delivered': n, cause: n...})."""
    line = re.search(rf"port {port} \(.*\): received (\d+) .*delivered (\d+) \+ dropped (\d+)(.*)", text)
    assert line, text
    account = dict(zip(("received", "delivered", "dropped"), map(int, line.groups()[:3])))
    account.update({name: int(n) for name, n in re.findall(r"(\w+) (\d+)", line.group(4))})
    assert account["received"] == account["delivered"] + account["dropped"]
    return account


@pytest.fixture
def gpu_testpmd(testpmd_session):
    def start(ports, mode, queues=1, eal=GPU_EAL, opts=()):
        return testpmd_session(
            ports=ports, ringside=True, eal=eal,
            opts=["-i", f"--rxq={queues}", f"--txq={queues}", f"--forward-mode={mode}", *GPU, *opts])
    return start


@pytest.fixture
def through(gpu_testpmd, tmp_path):
    """through(CAPTURE, MODE, queues, count, opts): forwards a capture until count packets are
    sent; returns (statistics, frames sent, the NIC's account)."""
    def run(capture, mode, queues=1, count=0, opts=()):
        out = tmp_path / "out.pcap"
        session = gpu_testpmd([f"pcap:in={capture},out={out}"], mode, queues, opts=opts)
        session.cmd("start")
        stats = session.wait_stats("TX-packets", count)
        session.cmd("stop")
        stats = session.stats()
        status, text = session.quit()
        assert status == 0, text
        return stats, support.frames(out), nic_account(text)
    return run


def check(sent, expected, queues):
    if queues == 1:
        assert sent == expected
    else:
        assert len(sent) == len(expected)
        assert by_flow(sent) == by_flow(expected)


@CAPTURES
@pytest.mark.parametrize("queues", (1, 2, 4))
@pytest.mark.parametrize("mode", ("macswap", "io"))
def test_capture_comes_out_as_it_went_in(through, capture, mode, queues):
    change = support.swap_macs if mode == "macswap" else bytes
    frames = support.frames(capture)
    fits, oversize, runts = split_by_fate(frames)
    stats, sent, nic = through(capture, mode, queues, len(fits))
    # Flows are those of the frames as sent: the addresses that macswap changes are not part of them.
    check(sent, [change(frame) for frame in fits], queues)
    assert stats["RX-packets"] == stats["TX-packets"] == len(fits)
    assert stats["RX-bytes"] == stats["TX-bytes"] == sum(map(len, fits))
    assert (nic["received"], nic["delivered"]) == (len(frames), len(fits))
    assert (nic.get("rx_oversize", 0), nic.get("rx_runt", 0)) == (oversize, runts)
    assert nic["dropped"] == oversize + runts


@CAPTURES
def test_large_frames_pass_with_a_larger_mtu_and_buffers(through, capture):
    frames = support.frames(capture)
    fits, oversize, _ = split_by_fate(frames, mtu=9100 - 18)
    if split_by_fate(frames)[1] == 0:
        pytest.skip("no frame above 1514 bytes")
    assert oversize == 0
    _, sent, _ = through(capture, "macswap", 2, len(fits), JUMBO)
    check(sent, [support.swap_macs(frame) for frame in fits], 2)


def test_rxonly_counts_packets_and_bytes_and_sends_none(gpu_testpmd):
    frames = support.frames(OWN[0])
    session = gpu_testpmd([f"pcap:in={OWN[0]}"], "rxonly", 2)
    session.cmd("start")
    stats = session.wait_stats("RX-packets", len(frames))
    assert (stats["RX-packets"], stats["RX-bytes"]) == (len(frames), sum(map(len, frames)))
    assert (stats["RX-missed"], stats["TX-packets"]) == (0, 0)


def test_two_ports_cross(gpu_testpmd, tmp_path):
    """What comes in by one port leaves by the other, both ways."""
    outs = [tmp_path / "out0.pcap", tmp_path / "out1.pcap"]
    session = gpu_testpmd([f"pcap:in={OWN[0]},out={outs[0]}", f"pcap:in={OWN[1]},out={outs[1]}"],
                          "macswap", 2, eal=(*GPU_EAL, "-a", "0000:ca:00.1"))
    frames = [support.frames(OWN[0]), support.frames(OWN[1])]
    session.cmd("start")
    session.wait_stats("TX-packets", len(frames[0]), port=1)
    session.wait_stats("TX-packets", len(frames[1]), port=0)
    assert session.stats(0)["RX-packets"] == session.stats(1)["TX-packets"] == len(frames[0])
    status, text = session.quit()
    assert status == 0, text
    for port in (0, 1):
        check(support.frames(outs[1 - port]), list(map(support.swap_macs, frames[port])), 2)


def test_packets_wait_for_start_and_none_is_lost(gpu_testpmd, tmp_path):
    """A capture of more packets than the ring holds, with start a while after the port."""
    out = tmp_path / "out.pcap"
    frames = support.frames(OWN[0]) * 20
    session = gpu_testpmd([f"pcap:in={OWN[0]},out={out},loop=20"], "macswap",
                          opts=("--rxd=256", "--txd=256"))
    assert session.stats()["RX-packets"] == 0
    session.cmd("start")
    stats = session.wait_stats("TX-packets", len(frames))
    assert stats["TX-packets"] == len(frames) and stats["RX-missed"] == 0
    session.quit()
    assert support.frames(out) == list(map(support.swap_macs, frames))
