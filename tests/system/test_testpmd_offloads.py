# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What Debian's unmodified dpdk-testpmd has the NIC do while it sends, judged by scapy."""
import pytest
import support
from scapy.data import DLT_EN10MB
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import GRE, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw
from scapy.utils import wrpcap

ETHER = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
OUTER = IP(src="192.168.0.1", dst="192.168.0.2")
INNER = IP(src="10.0.0.1", dst="10.0.0.2")
PAYLOAD = Raw(b"ringside" * 5)
PACKETS = [
    ETHER / OUTER / UDP(sport=1000, dport=2000) / PAYLOAD,
    ETHER / OUTER / TCP(sport=1000, dport=2000) / PAYLOAD,
    ETHER / IPv6(src="2001:db8::1", dst="2001:db8::2") / TCP(sport=1, dport=2) / PAYLOAD,
    ETHER / OUTER / UDP(sport=7, dport=4789, chksum=0) / VXLAN(vni=9) / ETHER / INNER /
    UDP(sport=1, dport=2) / PAYLOAD,
    ETHER / OUTER / GRE() / INNER / TCP(sport=1, dport=2) / PAYLOAD,
]


def spoil(packet):
    """The packet with wrong checksums, but for those that say that there is none."""
    spoilt = Ether(bytes(packet))
    layer = spoilt
    while layer:
        if isinstance(layer, (IP, TCP, UDP)) and layer.chksum != 0:
            layer.chksum ^= 0x5a5a
        layer = layer.payload
    return bytes(spoilt)


@pytest.fixture
def replay(testpmd_session, tmp_path):
    """replay(frames, commands, ...) -> the frames that a testpmd sent of them."""
    def run(frames, commands, eal=("-a", support.NIC), opts=()):
        source, sink = tmp_path / "in.pcap", tmp_path / "out.pcap"
        wrpcap(str(source), frames, linktype=DLT_EN10MB)
        session = testpmd_session(ports=[f"pcap:in={source},out={sink}"], eal=eal,
                                  opts=["-i", "--no-flush-rx", *opts])
        for command in ["port stop all", *commands, "port start all"]:
            said = session.cmd(command)
            assert "not supported" not in said and "Bad arg" not in said, said
        session.cmd("start")
        session.wait_stats("TX-packets", len(frames))
        status, text = session.quit()
        assert status == 0 and "violation" not in text, text
        return support.frames(sink)
    return run


def test_checksums_of_packets_and_of_tunnels(replay):
    sent = replay([spoil(packet) for packet in PACKETS], [
        *(f"csum set {layer} hw 0" for layer in ("ip", "udp", "tcp", "outer-ip")),
        "csum parse-tunnel on 0", "csum mac-swap off 0", "set fwd csum"])
    assert len(sent) == len(PACKETS)
    for frame, packet in zip(sent, PACKETS):
        assert frame[14:] == bytes(packet)[14:], packet.summary()


def test_vlan_tags(replay):
    sent = replay([bytes(PACKETS[0])] * 5, ["tx_vlan set 0 77", "set fwd mac"])
    expected = bytes(PACKETS[0])
    assert len(sent) == 5
    for frame in sent:
        assert Ether(frame)[Dot1Q].vlan == 77
        assert frame[16:] == expected[12:]


@pytest.mark.parametrize("devargs", [
    "txqs_min_inline=1", "txqs_min_inline=1,txq_inline_max=1000,txq_inline_mpw=0",
    "txqs_min_inline=1,txq_inline_mpw=128", "txq_mpw_en=0", "txq_inline_min=18",
])
def test_packets_inline_and_several_a_wqe(replay, devargs):
    frames = [bytes(ETHER / OUTER / UDP() / Raw(bytes(i % 256 for i in range(length))))
              for length in range(0, 900, 7)]
    assert replay(frames, [], eal=("-a", f"{support.NIC},{devargs}")) == frames


def test_packets_of_many_segments(testpmd_session, tmp_path):
    sink = tmp_path / "out.pcap"
    session = testpmd_session(ports=[f"pcap:out={sink}"],
                              opts=["-i", "--forward-mode=txonly", "--tx-offloads=0x8000"])
    session.cmd("set txpkts 64,40,30,20,64,64,64,64")
    session.cmd("start")
    session.wait_stats("TX-packets", 100)
    status, text = session.quit()
    assert status == 0 and "violation" not in text, text
    sent = support.frames(sink)
    assert len(sent) >= 100
    assert {len(frame) for frame in sent} == {64 + 40 + 30 + 20 + 4 * 64}
    assert {IP(frame[14:]).len for frame in sent} == {64 + 40 + 30 + 20 + 4 * 64 - 14}
