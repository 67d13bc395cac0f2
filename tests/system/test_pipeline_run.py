# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside run` while it runs: signals, what it prints, flows and rates."""
import collections
import json
import signal
import time

import pytest
import support
from pipeline_runs import CAPTURE, EAL, packets_lie_there, pipeline, running  # noqa: F401
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Ether

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
def test_a_signal_ends_it_with_a_report_that_accounts_for_every_packet(running, tmp_path, number,
                                                                      hugepages_returned):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {tcp: {}}}}"))
    run = running(f"pcap:in={CAPTURE},out={tmp_path}/out.pcap", file)
    run.line(r"^\d+\.\d s  received 159 ")
    status, text = run.end(number)
    assert status == 0, text
    assert "received 159 == sent 129 + consumed 0 + dropped 30" in text
    assert "dropped by match: 30" in text
    assert "\r" not in text and "\033" not in text


@pytest.mark.alone  # what others run beside it costs time
def test_the_first_packet_is_through_within_two_seconds(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline())

    def run():
        begin = time.monotonic()
        done = support.run(support.softcx_command(
            [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
            [support.RINGSIDE, "run", file, "--packets", "1", "--", *EAL]))
        assert done.rc == 0, done.err
        return time.monotonic() - begin
    # Most of it is sleep, which no other program makes longer; what they do, one of many is spared.
    assert any(run() < support.promised(2) for _ in range(10))


def test_json_is_all_that_standard_output_has(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline())
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", "159", "--", *EAL]))
    report = json.loads(done.out[done.out.index("{\n"):])
    assert (report["received"], report["sent"], report["adds_up"]) == (159, 159, True)
    assert report["ports"][0]["rx_packets"] == 159


def test_eth_type_is_behind_vlan_tags_for_the_nic_as_for_stages(tmp_path):
    capture = support.DATA / "vlan.pcap"
    frames = support.frames(capture)
    ipv4 = sum(frame[12:14] == b"\x08\x00" or (frame[12:14] == b"\x81\x00" and frame[16:18] == b"\x08\x00")
               for frame in frames)
    tagged = sum(frame[12:14] == b"\x81\x00" for frame in frames)
    flows = "flows: [{name: four, match: {eth: {type: 0x0800}}, actions: [mark: 7, queue: rx1]}]"
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("""
      {count: {}, when: {meta: {mark: 7}}, name: nic}, {count: {}, when: {eth: {type: 0x0800}}, name: stage},
      {count: {}, when: {meta: {mark: 7}, eth: {type: 0x0800}}, name: both}""", flows))
    done = support.run(support.softcx_command(
        [f"pcap:in={capture},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", str(len(frames)), "--", *EAL]))
    assert done.rc == 0, done.err
    counts = {stage["name"]: stage["packets"] for stage in json.loads(done.out[done.out.index("{\n"):])["stages"]
              if stage["kind"] == "count"}
    assert tagged and counts == {"nic": ipv4, "stage": ipv4, "both": ipv4} and ipv4 > 0


def test_a_flow_of_icmp_needs_no_header_of_ip(tmp_path):
    flows = ("flows: [{name: ping, match: {icmp: {type: 8}}, actions: [count: {}, drop: {}]},"
             " {name: ping6, match: {icmp6: {type: 128}}, actions: [count: {}, drop: {}]}]")
    file = tmp_path / "p.yaml"
    file.write_text(pipeline(flows=flows))
    pings = [[frame for frame in support.frames(CAPTURE)
              if layer in Ether(frame) and Ether(frame)[layer].type == number]
             for layer, number in ((ICMP, 8), (ICMPv6EchoRequest, 128))]
    received = len(support.frames(CAPTURE)) - sum(map(len, pings))
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", str(received), "--", *EAL]))
    assert done.rc == 0, done.out + done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["received"] == received and all(pings)
    assert {flow["name"]: flow["packets"] for flow in report["ports"][0]["flows"]} == {
        "ping": len(pings[0]), "ping6": len(pings[1])}


def test_flows_lead_packets_to_their_queues_and_are_counted(tmp_path):
    flows = ("flows: [{name: dns, match: {udp: {}}, actions: [count: {}, mark: 7, queue: rx1]},"
             " {name: web, match: {ipv6: {}, tcp: {}}, actions: [count: {}, rss: {queues: [rx0, rx1]}]}]")
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {meta: {mark: 7}}}, name: marked}", flows))
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", "159", "--", *EAL]))
    assert done.rc == 0, done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    udp = [frame for frame in support.frames(CAPTURE) if UDP in Ether(frame)]
    assert support.frames(tmp_path / "out.pcap") == udp
    assert {flow["name"]: flow["packets"] for flow in report["ports"][0]["flows"]} == {"dns": len(udp), "web": 64}


def test_a_rate_holds_over_all_queues_together(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{police: {packet_rate: 1, burst: 30}}"))
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", "159", "--", *EAL]))
    assert done.rc == 0, done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    assert 30 <= report["sent"] <= 32  # the burst, and what a slow machine lets through after it
    assert report["drop_causes"] == {"police": 159 - report["sent"]}


def source_of(frame):
    """What a rate per source_ip tells flows apart by: without IP, the pair of MAC addresses."""
    packet = Ether(frame)
    for layer in (IP, IPv6):
        if layer in packet:
            return packet[layer].src
    return frozenset((packet.src, packet.dst))


@pytest.mark.parametrize("per, key", [
    ("source_ip", source_of),
    ("fields, fields: [udp.dst]", lambda frame: Ether(frame)[UDP].dport if UDP in Ether(frame) else 0),
])
def test_each_flow_has_a_rate_of_its_own(tmp_path, per, key):
    burst = 4
    file = tmp_path / "p.yaml"
    file.write_text(pipeline(f"{{police: {{packet_rate: 1, burst: {burst}, per: {per}}}}}"))
    begin = time.monotonic()
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", "159", "--", *EAL]))
    assert done.rc == 0, done.err
    slack = time.monotonic() - begin  # a packet a second
    offered = collections.Counter(map(key, support.frames(CAPTURE)))
    passed = collections.Counter(map(key, support.frames(tmp_path / "out.pcap")))
    assert max(offered.values()) > burst and len(offered) > 3
    for flow, count in offered.items():
        assert min(count, burst) <= passed[flow] <= min(count, burst + slack), flow


def test_each_queue_has_a_rate_of_its_own(tmp_path):
    file = tmp_path / "p.yaml"
    flows = "flows: [{name: dns, match: {udp: {}}, actions: [queue: rx1]}, "
    flows += "{name: rest, match: {}, actions: [queue: rx0]}]"
    file.write_text(pipeline("{police: {packet_rate: 1, burst: 5, per: queue}}", flows))
    begin = time.monotonic()
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", "159", "--", *EAL]))
    assert done.rc == 0, done.err
    slack = time.monotonic() - begin
    sent = support.frames(tmp_path / "out.pcap")
    udp = sum(UDP in Ether(frame) for frame in sent)
    assert 5 <= udp <= 5 + slack and 5 <= len(sent) - udp <= 5 + slack
