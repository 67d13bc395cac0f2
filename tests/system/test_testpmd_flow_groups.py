# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Rules beyond the root table, and rules that change: what the PMD asks of software steering."""
import re

import frames
import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import wrpcap

UDP_FRAMES, TCP_FRAMES, ICMP_FRAMES, IPV6_FLOWS, OTHER_FRAMES = 10, 20, 30, 40, 5
IPV4_FRAMES = UDP_FRAMES + TCP_FRAMES + ICMP_FRAMES


def padded(*layers):
    packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    for layer in layers:
        packet /= layer
    return packet / Raw(bytes(100 - len(packet)))


@pytest.fixture
def capture(tmp_path):
    v4, v6 = IP(src="10.0.0.1", dst="10.0.0.2"), IPv6(src="2001:db8::1", dst="2001:db8::2")
    path = tmp_path / "in.pcap"
    wrpcap(str(path), [
        *[padded(v4, UDP(sport=5, dport=1000))] * UDP_FRAMES,
        *[padded(v4, TCP(sport=5, dport=80))] * TCP_FRAMES,
        *[padded(v4, ICMP())] * ICMP_FRAMES,
        *[padded(v6, UDP(sport=1000 + i, dport=53)) for i in range(IPV6_FLOWS)],
        *[Ether(src="02:00:00:00:00:01", type=0x88b5) / Raw(bytes(86))] * OTHER_FRAMES])
    return path


@pytest.fixture
def session(testpmd_session, capture):
    """An isolated port of four queues. The capture starts when group 0 leads to a queue."""
    started = testpmd_session(
        ports=[f"pcap:in={capture}"],
        opts=["-i", "--flow-isolate-all", "--no-flush-rx", "--rxq=4", "--txq=4",
              "--forward-mode=rxonly"])
    started.cmd("start")
    return started


def create(session, rule):
    text = session.cmd(f"flow create 0 ingress {rule} / end")
    assert "created" in text, text


def queue_packets(session):
    text = session.cmd("show port xstats 0")
    return [int(n) for _, n in sorted(re.findall(r"rx_q(\d+)_packets: (\d+)", text))]


def test_rules_of_a_group_part_what_jumps_there(session):
    create(session, "group 1 pattern eth / ipv4 / udp dst is 1000 / end actions queue index 1")
    create(session, "group 1 pattern eth / ipv4 / tcp / end actions drop")
    create(session, "group 1 pattern eth / ipv4 proto is 1 / end actions queue index 0")
    create(session, "group 1 pattern eth / ipv6 / end actions "
                    "rss queues 2 3 end types ipv6-udp end")
    create(session, "group 0 pattern eth / end actions jump group 1")
    received = UDP_FRAMES + ICMP_FRAMES + IPV6_FLOWS
    assert session.wait_stats("RX-packets", received)["RX-packets"] == received
    queues = queue_packets(session)
    assert queues[:2] == [ICMP_FRAMES, UDP_FRAMES]
    assert queues[2] + queues[3] == IPV6_FLOWS
    assert min(queues[2:]) > 0, "one of the RSS queues got no flow"
    _, text = session.quit()
    assert frames.nic_account(text) == {
        "received": received + TCP_FRAMES + OTHER_FRAMES, "delivered": received,
        "dropped": TCP_FRAMES + OTHER_FRAMES, "rule_drop": TCP_FRAMES, "no_rule": OTHER_FRAMES}


def test_first_priority_of_a_group_wins(session):
    create(session, "group 1 priority 1 pattern eth / end actions queue index 3")
    create(session, "group 1 priority 0 pattern eth / ipv4 / end actions queue index 1")
    create(session, "group 0 pattern eth / end actions jump group 1")
    received = IPV4_FRAMES + IPV6_FLOWS + OTHER_FRAMES
    assert session.wait_stats("RX-packets", received)["RX-packets"] == received
    assert queue_packets(session) == [0, IPV4_FRAMES, 0, IPV6_FLOWS + OTHER_FRAMES]
    assert session.quit()[0] == 0


def test_indirect_rss_moves_a_rule_to_other_queues(testpmd_session):
    session = testpmd_session(opts=["-i", "--rxq=4", "--txq=4"])
    assert "created" in session.cmd(
        "flow indirect_action 0 create action_id 1 ingress action rss queues 0 1 end / end")
    create(session, "pattern eth / ipv4 / end actions indirect 1")
    assert "updated" in session.cmd(
        "flow indirect_action 0 update 1 action rss queues 2 3 end / end")
    session.cmd("start tx_first")
    session.wait_stats("RX-packets", 1000)
    session.cmd("stop")
    queues = queue_packets(session)
    assert queues[0] == queues[1] == 0
    assert sum(queues) >= 1000
    session.cmd("flow flush 0")
    assert "destroyed" in session.cmd("flow indirect_action 0 destroy action_id 1")
    assert session.quit()[0] == 0
