# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Header-data split where it is not as in config/header-split.yaml: other places to split at, stages
that need what lies behind it, packets that do not fit. Judged by scapy."""
import json

import pytest
import support
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.inet6 import IPv6ExtHdrHopByHop as Hop
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.utils import wrpcap

pytest.register_assert_rewrite("pipelines")
import pipelines  # noqa: E402

EAL = ["-l", "0-1", "--in-memory", "--no-telemetry", "--vdev=gpu_host0"]
HEADROOM = 128


@pytest.fixture
def split(tmp_path):
    """split(CAPTURE, AT, STAGES) sends a capture through a pipeline whose packets are split behind AT
    bytes; (frames sent, report)."""
    def run(capture, at, stages, mtu=9000, more="", until=None):
        file = tmp_path / "split.yaml"
        file.write_text(f"""
version: 1
memory_regions:
  - {{name: headers, kind: host_pinned, buf_size: {HEADROOM + at}}}
  - {{name: data}}
interfaces:
  - name: port0
    address: 0000:ca:00.0
    mtu: {mtu}
    rx: {{queues: [{{name: rx0, memory_regions: [headers, data]}}]}}
    tx: {{queues: [{{name: tx0}}]}}
pipelines:
  - name: main
    sources: [port0.rx0]
    stages: [{stages}]
    sinks:
      - {{name: out, tx: [port0.tx0]}}
      {more}
""")
        until = until or f"--packets {len(support.frames(capture))} --duration 20"
        done = support.run(support.softcx_command(
            [f"pcap:in={capture},out={tmp_path}/out.pcap"],
            [support.RINGSIDE, "run", file, "--json", *until.split(), "--", *EAL]), cwd=tmp_path)
        assert done.rc == 0, done.err
        report = json.loads(done.out[done.out.index("{\n"):])
        assert report["adds_up"] and report["errors"] == []
        return support.frames(tmp_path / "out.pcap"), report
    return run


def header_bytes(frame):
    """Up to and with the last header that the stage parse knows."""
    packet = Ether(frame)
    end = 14 + (4 if Dot1Q in packet else 0)
    if ARP in packet:
        return end + 28
    if IP in packet:
        end += 4 * packet[IP].ihl
    elif IPv6 in packet:
        end += 40 + (8 * (packet[Hop].len + 1) if Hop in packet else 0)
    if TCP in packet:
        return end + 4 * packet[TCP].dataofs
    return end + (8 if IP in packet or IPv6 in packet else 0)  # UDP, ICMP


@pytest.mark.parametrize("at", [64, 65, 77, 1024])
@pytest.mark.parametrize("name", ["http-dns-icmp", "jumbo"])
def test_packets_come_back_byte_for_byte_wherever_they_are_split(split, name, at):
    capture = support.DATA / f"{name}.pcap"
    sent, _ = split(capture, at, "{swap: {macs: true}}")
    assert sent == [pipelines.swapped(frame) for frame in support.frames(capture)]


def test_a_packet_whose_headers_are_not_all_in_the_first_part_is_dropped_by_name(split):
    capture = support.DATA / "http-dns-icmp.pcap"
    frames = support.frames(capture)
    inside = [frame for frame in frames if header_bytes(frame) <= 64]
    assert 0 < len(inside) < len(frames)
    sent, report = split(capture, 64, "{parse: {}}")
    assert sent == inside
    assert report["drop_causes"] == {"parse": 0, "parse: header in data": len(frames) - len(inside)}


def test_a_match_on_a_header_that_is_not_in_the_first_part_fails(split):
    capture = support.DATA / "http-dns-icmp.pcap"
    frames = support.frames(capture)
    web = [frame for frame in frames if TCP in Ether(frame) and header_bytes(frame) <= 66]
    assert any(TCP in Ether(frame) for frame in frames if header_bytes(frame) > 66)
    sent, _ = split(capture, 66, "{match: {fields: {tcp: {}}, otherwise: drop}}")
    assert sent == web


def test_copies_have_the_bytes_of_both_parts(split, tmp_path):
    capture = support.DATA / "jumbo.pcap"
    frames = support.frames(capture)
    sent, _ = split(capture, 70, "{mirror: whole}, {sample: {to: some}}",
                    more="- {name: whole, pcap: whole.pcap}\n"
                         "      - {name: some, pcap: {file: some.pcap, snaplen: 100}}")
    assert sent == frames == support.frames(tmp_path / "whole.pcap")
    assert support.frames(tmp_path / "some.pcap") == [frame[:100] for frame in frames]


def test_what_one_port_receives_in_two_parts_another_sends(tmp_path):
    """Each NIC has memory keys of its own for both regions."""
    ports = []
    for number in (0, 1):
        ports.append(f"""
  - name: port{number}
    address: 0000:ca:00.{number}
    mtu: 9000
    rx: {{queues: [{{name: rx0, memory_regions: [headers, data]}}]}}
    tx: {{queues: [{{name: tx0}}]}}""")
    file = tmp_path / "split.yaml"
    file.write_text(f"""
version: 1
memory_regions: [{{name: headers}}, {{name: data, kind: host_pinned}}]
interfaces: {"".join(ports)}
pipelines:
  - {{name: there, sources: [port0.rx0], sinks: [{{name: out, tx: [port1.tx0]}}]}}
  - {{name: back, sources: [port1.rx0], sinks: [{{name: out, tx: [port0.tx0]}}]}}
""")
    captures = [support.DATA / "http-dns-icmp.pcap", support.DATA / "jumbo.pcap"]
    count = sum(len(support.frames(capture)) for capture in captures)
    done = support.run(support.softcx_command(
        [f"pcap:in={capture},out={tmp_path}/{capture.name}" for capture in captures],
        [support.RINGSIDE, "run", file, "--packets", count, "--", *EAL]))
    assert done.rc == 0, done.err
    for sent, received in zip(captures, reversed(captures)):
        assert support.frames(tmp_path / received.name) == support.frames(sent)


def test_a_packet_longer_than_both_parts_is_an_error_and_the_ring_goes_on(split, tmp_path):
    """Buffers are made for one VLAN tag, the wire lets two pass."""
    mtu = 942  # so that the second buffer ends where that frame does, and no alignment comes after it
    capture = tmp_path / "tagged.pcap"
    plain = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01") / IP(dst="192.0.2.1") / \
        UDP(sport=1, dport=2) / bytes(mtu - 28)
    packets = []
    for number in range(9):
        packet = plain.copy()
        packet[UDP].sport = number
        tags = (Dot1Q(vlan=1), Dot1Q(vlan=1) / Dot1Q(vlan=2))[number % 3 == 1]
        packets.append(packet[Ether].copy())
        packets[-1].remove_payload()
        packets[-1] = packets[-1] / tags / packet[IP]
    wrpcap(str(capture), packets)
    sent, report = split(capture, 64, "", mtu=mtu, until="--duration 3")
    assert sent == [bytes(packet) for number, packet in enumerate(packets) if number % 3 != 1]
    assert report["ports"][0]["rx_errors"] == 3
