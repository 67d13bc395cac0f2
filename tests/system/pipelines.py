# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The pipelines of config/: their commands, and what they should make of a capture, by scapy.

A judge gets the capture's frames, a function that reads an output capture by its name, and the
report; it raises AssertionError.
"""
import pathlib
import re
import shlex

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import ARP, Ether

KINDS = {"gpu": "device", "gpu-pinned": "host_pinned"}  # of memory regions, as --mp-alloc names it
CONFIG = pathlib.Path(__file__).resolve().parents[2] / "config"


def command_of(name):
    """The command in the comment that a file begins with."""
    text = (CONFIG / f"{name}.yaml").read_text()
    comment = "\n".join(line[1:] for line in text.split("\n")[:12] if line.startswith("#"))
    return shlex.split(re.search(r"softcx run[^\0]*?vdev=gpu_host0", comment)[0].replace("\\\n", ""))


def swapped(frame):
    return frame[6:12] + frame[:6] + frame[12:]


def sums_right(frame):
    """Are all checksums those that scapy computes?"""
    packet = Ether(frame)
    again = Ether(frame)
    for layer in (IP, TCP, UDP, ICMP, ICMPv6EchoReply, ICMPv6EchoRequest):
        if layer in again:
            delattr(again[layer], "cksum" if layer.__name__.startswith("ICMPv6") else "chksum")
    return bytes(packet) == bytes(again)


def is_dns(frame):
    packet = Ether(frame)
    return UDP in packet and 53 in (packet[UDP].sport, packet[UDP].dport)


def is_http(frame):
    packet = Ether(frame)
    return TCP in packet and 80 in (packet[TCP].sport, packet[TCP].dport)


def short_hops(before):
    """What the stage of tests/data/user-stage lets through, with 64 for its parameter."""
    after = []
    for frame in before:
        packet = Ether(frame)
        if IP in packet and packet[IP].ttl > 64:
            continue
        if IP in packet:
            packet[IP].tos = packet[IP].ttl
            del packet[IP].chksum
        after.append(bytes(packet))
    return after


def forward(before, read, report):
    assert read("forwarded.pcap") == before
    assert report["sent"] == len(before) and report["dropped"] == 0


def filter_(before, read, report):
    expected = [swapped(frame) for frame in before if is_dns(frame) or is_http(frame)]
    assert read("filtered.pcap") == expected
    assert report["drop_causes"] == {"parse": 0, "split": len(before) - len(expected)}


def loadbalance(before, read, report):
    ipv4 = [frame for frame in before if IP in Ether(frame)]
    after = read("balanced.pcap")
    assert len(after) == len(ipv4) == report["sent"]
    servers = {"192.0.2.1": "02:00:00:00:01:01", "192.0.2.2": "02:00:00:00:01:02",
               "192.0.2.3": "02:00:00:00:01:03"}
    server_of = {}
    for old, new in zip(map(Ether, ipv4), map(Ether, after)):
        assert sums_right(bytes(new))
        assert new.dst == servers[new[IP].dst]
        assert (new[IP].src, new[IP].ttl) == (old[IP].src, old[IP].ttl - 1)
        assert bytes(new[IP].payload)[4:] != b"" and new.src == old.src
        ports = {old[IP].payload.sport, old[IP].payload.dport} if ICMP not in old else set()
        flow = (old[IP].proto, frozenset((old[IP].src, old[IP].dst)), frozenset(ports))
        assert server_of.setdefault(flow, new[IP].dst) == new[IP].dst
    assert report["drop_causes"]["only_ipv4"] == len(before) - len(ipv4)


def capture(before, read, report, exact=True):
    """`exact`: one thread has settled which one of ten packets is copied."""
    assert read("forwarded.pcap") == before
    dns = [frame for frame in before if is_dns(frame)]
    assert read("dns.pcap") == dns
    rest = [frame[:64] for frame in before if frame not in dns]
    sampled = read("sampled.pcap")
    if exact:
        assert sampled == rest[::10]
    else:
        assert len(sampled) == len(rest[::10])
        following = iter(rest)  # copies are of the capture's packets, and in their order
        assert all(frame in following for frame in sampled)
    assert report["lost_samples"] == {"mirror": 0, "sample": 0}
    assert {sink["name"]: sink["written"] for sink in report["sinks"]} == {
        "dns": len(dns), "sampled": len(sampled)}


def icmp_echo(before, read, report):
    answers = iter(map(Ether, read("answers.pcap")))
    count = 0
    for packet in map(Ether, before):
        if ARP in packet and packet[ARP].op == 1:
            reply = next(answers)
            assert (reply[ARP].op, reply[ARP].psrc, reply[ARP].pdst) == (
                2, packet[ARP].pdst, packet[ARP].psrc)
            assert reply.dst == packet.src == reply[ARP].hwdst
            assert reply.src == reply[ARP].hwsrc != packet.dst
        elif ICMP in packet and packet[ICMP].type == 8:
            reply = next(answers)
            assert (reply[ICMP].type, reply[IP].src, reply[IP].dst) == (
                0, packet[IP].dst, packet[IP].src)
            assert (reply[ICMP].id, reply[ICMP].seq) == (packet[ICMP].id, packet[ICMP].seq)
            assert bytes(reply[ICMP].payload) == bytes(packet[ICMP].payload)
        elif ICMPv6EchoRequest in packet:
            reply = next(answers)
            assert (reply[IPv6].src, reply[IPv6].dst) == (packet[IPv6].dst, packet[IPv6].src)
            assert reply[ICMPv6EchoReply].data == packet[ICMPv6EchoRequest].data
        else:
            continue
        assert sums_right(bytes(reply)) and (reply.dst, ) == (packet.src, )
        count += 1
    assert next(answers, None) is None
    assert count > 5 and report["sent"] == count
    assert report["drop_causes"] == {"no_ping": len(before) - count}


def two_kernels(before, read, report):
    """What each packet is after both kernels, and that they keep their order."""
    known = {(46386, 80): 0xb8, (80, 46386): 0x48}
    expected = []
    for frame in before:
        packet = Ether(frame)
        if IP not in packet:
            expected.append(frame)
            continue
        if ICMP in packet or (UDP in packet and packet[UDP].dport == 53):
            continue
        packet[IP].tos = known.get((packet[IP].payload.sport, packet[IP].payload.dport),
                                   packet[IP].tos)
        packet[IP].ttl -= 1
        del packet[IP].chksum
        expected.append(bytes(packet))
    assert any(old != new for old, new in zip(before, expected)) and len(expected) > 100
    assert read("routed.pcap") == expected
    stages = {(one["kernel"], one["name"]): one["packets"] for one in report["stages"]}
    assert stages["classify", "lookup"] == stages["act", "requests"] + stages["act", "answers"] > 0
    assert report["drop_causes"] == {
        "parse": 0, "rewrite: no hop left": 0,
        "no_ping": sum(IP in Ether(f) and ICMP in Ether(f) for f in before),
        "no_dns": sum(IP in Ether(f) and UDP in Ether(f) and Ether(f)[UDP].dport == 53
                      for f in before)}


def hop_taken(frame):
    """As a router sends it, addresses of Ethernet swapped; None where no hop is left."""
    packet = Ether(swapped(frame))
    hops = {IP: "ttl", IPv6: "hlim"}
    for layer, field in hops.items():
        if layer not in packet:
            continue
        left = getattr(packet[layer], field) - 1
        if left <= 0:
            return None
        setattr(packet[layer], field, left)
        if layer is IP:
            del packet[IP].chksum
        break
    return bytes(packet)


def header_split(before, read, report):
    routed = [after for after in map(hop_taken, before) if after is not None]
    assert read("routed.pcap") == routed
    assert report["sent"] == len(routed)
    assert report["drop_causes"] == {"parse": 0, "parse: header in data": 0,
                                     "rewrite: no hop left": len(before) - len(routed)}


def count_strided(before, _, report):
    udp = [frame for frame in before if UDP in Ether(frame)]
    rest = [frame for frame in before if frame not in udp]
    counted = [(stage["packets"], stage["bytes"]) for stage in report["stages"]
               if stage["kind"] == "count"]
    assert sorted(counted) == sorted((len(part), sum(map(len, part))) for part in (udp, rest))
    assert report["sent"] == 0 and report["drop_causes"] == {"gone": len(before)}


def forward_strided(before, read, report):
    udp = [frame for frame in before if UDP in Ether(frame)]
    assert read("strided.pcap") == [swapped(frame) for frame in udp]
    assert report["sent"] == len(udp) and report["dropped"] == len(before) - len(udp)


def number_of(frame):
    """What a generator numbered it."""
    return int.from_bytes(frame[42:50], "big")


def generator(_, read, report):
    after = sorted(read("generated.pcap"), key=number_of)
    assert [number_of(frame) for frame in after] == list(range(1000))
    assert report["generated"] == report["sent"] == 1000 == report["generators"]["flood"]
    for number, frame in enumerate(after):
        packet = Ether(frame)
        assert sums_right(frame) and packet.dst == "02:00:00:00:00:01"
        assert len(frame) == (60, 508, 1514)[number % 3] == packet[IP].len + 14
        assert (packet[IP].src, packet[IP].dst) == ("192.0.2.1", f"198.51.100.{number % 100}")
        assert (packet[UDP].sport, packet[UDP].dport) == (5000, 6000)
        assert packet[UDP].len == packet[IP].len - 20
    assert report["seconds"] >= 0.08  # 1000 packets at 10 kpps, of which 20 ms may be made up for


JUDGES = {"forward": forward, "filter": filter_, "loadbalance": loadbalance, "capture": capture,
          "count-strided": count_strided, "forward-strided": forward_strided,
          "header-split": header_split, "icmp-echo": icmp_echo,
          "two-kernels": two_kernels, "generator": generator}
