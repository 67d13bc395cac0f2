# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""rte_flow rules that Debian's unmodified dpdk-testpmd makes, and what they do with packets.

A veth pair is the wire, since packets are to come after the rules. scapy makes them.
"""
import re

import frames
import pytest
import support
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Dot1AD, Dot1Q, Ether
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

ETHER = Ether(src="02:00:00:00:00:01", dst="ff:ff:ff:ff:ff:ff")
PAYLOAD = Raw(b"x" * 30)


def udp(dport, sport=1000, src="10.0.0.1"):
    return ETHER / IP(src=src, dst="10.0.0.2") / UDP(sport=sport, dport=dport) / PAYLOAD


@pytest.fixture
def isolated(testpmd_session, veth):
    """A testpmd of two queues that receives only, and nothing but what rules lead to it."""
    session = testpmd_session(
        ports=[f"netdev:{veth.name}"],
        opts=["-i", "--rxq=2", "--txq=2", "--forward-mode=rxonly", "--flow-isolate-all"])
    session.cmd("start")
    return session


def create(session, rule):
    text = session.cmd(f"flow create 0 {rule}")
    assert re.search(r"Flow rule #\d+ created", text), text


def udp_rule(port, actions, where="ingress"):
    return f"{where} pattern eth / ipv4 / udp dst is {port} / end actions {actions} / end"


def refuse(session, rule):
    text = session.cmd(f"flow create 0 {rule}")
    assert "Flow rule #" not in text and "Caught PMD error" in text, text
    return text


def received(session, expected):
    """Packets by receive queue, once `expected` have come. Ends forwarding."""
    assert session.wait_stats("RX-packets", expected)["RX-packets"] == expected
    text = session.cmd("stop")
    queues = re.findall(r"RX Port= 0/Queue= (\d+) .*\n\s*RX-packets: (\d+)", text)
    by_queue = {int(queue): int(packets) for queue, packets in queues}
    assert sum(by_queue.values()) == expected, text
    return by_queue


def account(session):
    """Ends testpmd; what the NIC says became of all packets."""
    status, text = session.quit()
    assert status == 0, text
    assert "violation" not in text
    return frames.nic_account(text)


def counted(session, rule, hits):
    """(hits, bytes) of a rule's counter. The PMD reads counters about once a second."""
    def query():
        text = session.cmd(f"flow query 0 {rule} count")
        return tuple(int(re.search(rf"^ {what}: (\d+)", text, re.M)[1])
                     for what in ("hits", "bytes"))
    support.eventually(lambda: query()[0] >= hits, seconds=10)
    return query()


def test_queue_rules_part_the_packets(isolated, veth):
    create(isolated, udp_rule(5000, "queue index 1"))
    create(isolated, udp_rule(6000, "queue index 0"))
    veth.send([udp(5000)] * 20 + [udp(6000)] * 10 + [udp(7000)] * 5)
    assert received(isolated, 30) == {0: 10, 1: 20}
    assert account(isolated) == {"received": 35, "delivered": 30, "dropped": 5, "no_rule": 5}


def test_isolated_port_without_rules_receives_nothing(isolated, veth):
    veth.send([udp(5000)] * 8)
    isolated.cmd("stop")
    assert account(isolated) == {"received": 8, "delivered": 0, "dropped": 8, "no_rule": 8}


def test_default_rules_spread_flows_over_all_queues(testpmd_session, veth):
    session = testpmd_session(ports=[f"netdev:{veth.name}"],
                              opts=["-i", "--rxq=2", "--txq=2", "--forward-mode=rxonly"])
    session.cmd("start")
    veth.send([udp(80, src=f"10.0.1.{i}") for i in range(100)])
    by_queue = received(session, 100)
    assert min(by_queue.get(0, 0), by_queue.get(1, 0)) > 20, by_queue
    assert account(session)["delivered"] == 100


def test_rule_takes_packets_from_the_default_rules(testpmd_session, veth):
    session = testpmd_session(ports=[f"netdev:{veth.name}"],
                              opts=["-i", "--rxq=2", "--txq=2", "--forward-mode=rxonly"])
    session.cmd("start")
    create(session, udp_rule(5000, "drop"))
    veth.send([udp(5000)] * 20 + [udp(6000)] * 10)
    received(session, 10)
    assert account(session)["rule_drop"] == 20


def test_drop_and_count(isolated, veth):
    create(isolated, udp_rule(5000, "count / drop"))
    create(isolated, "ingress pattern eth / ipv4 / udp / end actions count / queue index 0 / end")
    veth.send([udp(5000)] * 12 + [udp(6000)] * 7)
    received(isolated, 7)
    size = len(udp(5000))
    assert counted(isolated, 0, 12) == (12, 12 * size)
    assert counted(isolated, 1, 7) == (7, 7 * size)
    assert account(isolated)["rule_drop"] == 12


def verbose(session, veth, packets):
    """What rxonly prints of `packets` with `set verbose 1`."""
    session.cmd("set verbose 1")
    veth.send(packets)
    # No command until all is printed: the forwarding core prints in between a prompt's letters.
    # A packet's text begins with its source and ends with its flags.
    said = ""
    for _ in packets:
        session.child.expect(r"  src=.*?ol_flags: [^\n]*\n")
        said += session.child.before + session.child.after
    return said + session.cmd("stop")


def test_mark_reaches_the_mbuf(isolated, veth):
    # The PMD's vector receive reads twice in a burst whether its queue marks: no burst may be under
    # way when the rule turns that on, or it tells the tag (the mark and one) as the mark.
    isolated.cmd("stop")
    create(isolated, udp_rule(5000, "mark id 0x1234 / queue index 1"))
    create(isolated, udp_rule(6000, "queue index 1"))
    isolated.cmd("start")
    text = verbose(isolated, veth, [udp(5000)] * 3 + [udp(6000)] * 2)
    assert text.count("FDIR matched ID=0x1234 ") == 3, text
    assert text.count("FDIR matched") == 3, text


def toeplitz(key, data):
    """The hash by its definition: 32 key bits from each set bit of the data on."""
    bits = int.from_bytes(key, "big")
    result = 0
    for bit in range(8 * len(data)):
        if data[bit // 8] >> (7 - bit % 8) & 1:
            result ^= bits >> (8 * len(key) - 32 - bit) & 0xffffffff
    return result


def test_hash_in_the_mbuf_is_toeplitz_over_addresses_and_ports(testpmd_session, veth):
    session = testpmd_session(
        ports=[f"netdev:{veth.name}"],
        opts=["-i", "--rxq=2", "--txq=2", "--forward-mode=rxonly", "--rss-udp"])
    shown = session.cmd("show port 0 rss-hash key")
    key = bytes.fromhex(re.search(r"RSS key:\s*([0-9A-F]+)", shown)[1])
    session.cmd("start")
    packets = [udp(80, sport=1000 + i, src=f"10.9.0.{i}") for i in range(16)]
    text = verbose(session, veth, packets)
    hashes = [int(value, 16) for value in re.findall(r"RSS hash=0x([0-9a-f]+)", text)]
    expected = [toeplitz(key, bytes(packet[IP])[12:20] + bytes(packet[UDP])[:4])
                for packet in packets]
    assert sorted(hashes) == sorted(expected)


def test_l4_checksum_is_verified_over_the_whole_frame(isolated, veth):
    create(isolated, "ingress pattern eth / ipv4 / end actions queue index 0 / end")
    packets = [ETHER / IP() / UDP() / Raw(b"x" * size) for size in (30, 301, 1400)]
    packets += [ETHER / IP() / UDP(chksum=0x1234) / Raw(b"x" * size) for size in (30, 301, 1400)]
    text = verbose(isolated, veth, packets)
    assert text.count("RTE_MBUF_F_RX_IP_CKSUM_GOOD") == 6, text
    assert text.count("RTE_MBUF_F_RX_L4_CKSUM_GOOD") == 3, text


def test_inner_rss_spreads_one_tunnel_over_the_queues(isolated, veth):
    create(isolated, "ingress pattern eth / ipv4 / udp / vxlan / eth / ipv4 / udp / end actions "
                     "rss level 2 types ipv4-udp end queues 0 1 end / end")
    tunnel = ETHER / IP() / UDP(sport=1, dport=4789) / VXLAN(vni=1)
    veth.send([tunnel / udp(80, sport=1000 + i) for i in range(100)])
    by_queue = received(isolated, 100)
    assert min(by_queue.get(0, 0), by_queue.get(1, 0)) > 20, by_queue


def test_jump_to_another_group(isolated, veth):
    create(isolated, "group 0 ingress pattern eth / ipv4 / end actions jump group 1 / end")
    create(isolated, udp_rule(5000, "queue index 1", "group 1 ingress"))
    create(isolated,
           "group 1 priority 1 ingress pattern eth / ipv4 / end actions jump group 2 / end")
    create(isolated, udp_rule(6000, "queue index 0", "group 2 ingress"))
    veth.send([udp(5000)] * 6 + [udp(6000)] * 4 + [udp(7000)] * 2)
    assert received(isolated, 10) == {0: 4, 1: 6}
    assert account(isolated)["no_rule"] == 2


def test_ip_versions_are_told_apart_below_the_root(isolated, veth):
    create(isolated, "group 0 ingress pattern eth / end actions jump group 1 / end")
    create(isolated, "group 1 ingress pattern eth / ipv4 / udp / end actions queue index 1 / end")
    create(isolated, "group 1 ingress pattern eth / ipv6 / udp / end actions queue index 0 / end")
    veth.send([udp(5000)] * 6 + [ETHER / IPv6() / UDP() / PAYLOAD] * 4)
    assert received(isolated, 10) == {0: 4, 1: 6}


def test_destroyed_and_flushed_rules_no_longer_hold(isolated, veth):
    create(isolated, udp_rule(5000, "queue index 0"))
    create(isolated, udp_rule(6000, "queue index 0"))
    assert "destroyed" in isolated.cmd("flow destroy 0 rule 0")
    veth.send([udp(5000)] * 3 + [udp(6000)] * 4)
    isolated.wait_stats("RX-packets", 4)
    isolated.cmd("flow flush 0")
    veth.send([udp(6000)] * 5)
    assert received(isolated, 4) == {0: 4}
    assert account(isolated) == {"received": 12, "delivered": 4, "dropped": 8, "no_rule": 8}


@pytest.mark.parametrize("pattern, hits, misses", [
    ("eth / vlan vid is 5 / end",
     ETHER / Dot1Q(vlan=5) / IP() / UDP() / PAYLOAD,
     [ETHER / Dot1Q(vlan=6) / IP() / UDP() / PAYLOAD, ETHER / IP() / UDP() / PAYLOAD]),
    ("eth type is 0x88a8 / end",
     ETHER / Dot1AD(vlan=9) / Dot1Q(vlan=5) / IP() / UDP() / PAYLOAD,
     [ETHER / Dot1Q(vlan=9) / IP() / UDP() / PAYLOAD]),
    ("eth / ipv6 dst is 2001:db8::2 / udp / end",
     ETHER / IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP() / PAYLOAD,
     [ETHER / IPv6(src="2001:db8::1", dst="2001:db8::3") / UDP() / PAYLOAD,
      ETHER / IPv6(src="2001:db8::1", dst="2001:db8::2") / TCP() / PAYLOAD,
      ETHER / IP() / UDP() / PAYLOAD]),
    ("eth / ipv4 src spec 192.168.0.0 src mask 255.255.0.0 / end",
     ETHER / IP(src="192.168.77.1", dst="10.0.0.2") / TCP() / PAYLOAD,
     [ETHER / IP(src="192.169.77.1", dst="10.0.0.2") / TCP() / PAYLOAD]),
    ("eth / ipv4 / tcp flags spec 0x02 flags mask 0x12 / end",
     ETHER / IP() / TCP(flags="S") / PAYLOAD,
     [ETHER / IP() / TCP(flags="SA") / PAYLOAD, ETHER / IP() / TCP(flags="A") / PAYLOAD]),
    ("eth / ipv4 / icmp type is 8 / end",
     ETHER / IP() / ICMP(type=8) / PAYLOAD,
     [ETHER / IP() / ICMP(type=0) / PAYLOAD]),
    ("eth / ipv6 / icmp6 type is 128 / end",
     ETHER / IPv6() / ICMPv6EchoRequest(data=b"x" * 30),
     [ETHER / IPv6() / UDP() / PAYLOAD]),
    ("eth / ipv4 / udp / vxlan vni is 77 / end",
     ETHER / IP() / UDP(dport=4789) / VXLAN(vni=77) / ETHER / IP() / UDP() / PAYLOAD,
     [ETHER / IP() / UDP(dport=4789) / VXLAN(vni=78) / ETHER / IP() / UDP() / PAYLOAD]),
    ("eth / ipv4 / udp / vxlan / eth / ipv4 / udp dst is 53 / end",
     ETHER / IP() / UDP(dport=4789) / VXLAN(vni=1) / ETHER / IP() / UDP(dport=53) / PAYLOAD,
     [ETHER / IP() / UDP(dport=4789) / VXLAN(vni=1) / ETHER / IP() / UDP(dport=54) / PAYLOAD,
      ETHER / IP() / UDP(dport=53) / PAYLOAD]),
], ids=["vlan", "qinq", "ipv6", "ipv4_prefix", "tcp_flags", "icmp", "icmp6", "vxlan",
        "vxlan_inner"])
def test_pattern_matches_what_it_says(isolated, veth, pattern, hits, misses):
    create(isolated, f"ingress pattern {pattern} actions queue index 1 / end")
    veth.send(misses * 3 + [hits] * 5 + misses)
    assert received(isolated, 5) == {1: 5}
    assert account(isolated)["no_rule"] == 4 * len(misses)


def test_what_is_not_modelled_is_refused_and_harms_nothing(isolated, veth):
    assert "Operation not supported" in refuse(
        isolated, "egress pattern eth / end actions drop / end")
    refuse(isolated, "ingress pattern eth / ipv4 / end actions dec_ttl / queue index 0 / end")
    rule = udp_rule(5000, "queue index 0")
    create(isolated, rule)
    assert "File exists" in refuse(isolated, rule)
    # What was refused does nothing: only the one rule that was made is there.
    veth.send([udp(5000)] * 3 + [udp(6000)] * 4)
    assert received(isolated, 3) == {0: 3}
    assert account(isolated) == {"received": 7, "delivered": 3, "dropped": 4, "no_rule": 4}
