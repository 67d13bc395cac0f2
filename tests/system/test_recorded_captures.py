# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The captures of tests/data are what tests/data/README.md says."""
import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoReply, IPv6
from scapy.layers.l2 import Dot1Q, Ether
import support

CAPTURES = {"http-dns-icmp.pcap": 1514, "vlan.pcap": 1518, "jumbo.pcap": 9000}


def recomputed(frame):
    """The frame with all lengths and checksums left for scapy to fill in."""
    packet = Ether(frame)
    layer = packet
    while layer:
        for field in ("chksum", "cksum"):
            if field in layer.fields:
                del layer.fields[field]
        layer = layer.payload
    return bytes(packet)


@pytest.mark.parametrize("name", CAPTURES)
def test_checksums_are_right(name):
    for number, frame in enumerate(support.frames(support.DATA / name), 1):
        assert recomputed(frame) == frame, f"record {number}"


@pytest.mark.parametrize("name, largest", CAPTURES.items())
def test_no_frame_exceeds_the_mtu(name, largest):
    assert max(map(len, support.frames(support.DATA / name))) <= largest


def test_main_capture_holds_every_protocol_over_both_address_families():
    packets = [Ether(frame) for frame in support.frames(support.DATA / "http-dns-icmp.pcap")]
    for family in (IP, IPv6):
        of_family = [packet for packet in packets if family in packet]
        assert any(TCP in p and p[TCP].sport == 80 and b"200 OK" in bytes(p) for p in of_family)
        assert any(UDP in p and p[UDP].sport == 53 for p in of_family)
    assert any(ICMP in p and p[ICMP].type == 0 for p in packets)
    assert any(ICMPv6EchoReply in p for p in packets)


def test_vlan_capture_is_tagged():
    packets = [Ether(frame) for frame in support.frames(support.DATA / "vlan.pcap")]
    assert packets and all((p[Dot1Q].vlan, p[Dot1Q].prio) == (42, 3) for p in packets)


def test_jumbo_capture_has_frames_of_9000_bytes():
    assert any(len(frame) == 9000 for frame in support.frames(support.DATA / "jumbo.pcap"))
