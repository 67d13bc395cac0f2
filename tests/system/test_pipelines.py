# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Each file in config/, run by the command in its own comment, judged by scapy and dpkt."""
import collections
import json
import os
import re
import shlex
import subprocess

import pytest
import support
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import ARP, Ether

CONFIG = support.ROOT / "config"
CAPTURE = support.frames(support.DATA / "http-dns-icmp.pcap")


@pytest.fixture
def folder(tmp_path):
    """A working folder in which the paths of the files' comments lead to the tree."""
    for name in ("config", "tests"):
        (tmp_path / name).symlink_to(support.ROOT / name)
    return tmp_path


def command_of(name):
    """The command in the comment that a file begins with."""
    text = (CONFIG / name).read_text()
    comment = "\n".join(line[1:] for line in text.split("\n")[:12] if line.startswith("#"))
    return shlex.split(re.search(r"softcx run[^\0]*?vdev=gpu_host0", comment)[0].replace("\\\n", ""))


@pytest.fixture
def run_config(folder):
    """run_config(NAME) runs a file by its own command, with the report as JSON; (report, result)."""
    def run(name, command=None):
        words = command or command_of(name)
        words = words[:-2] + ["--json"] + words[-2:]
        env = {"PATH": f"{support.BUILD / 'app'}:{os.environ['PATH']}"}
        done = subprocess.run(words, cwd=folder, env=support.environment(env), timeout=30,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["adds_up"] and report["errors"] == []
        assert report["received"] == len(CAPTURE)
        return report, done
    return run


def sums_right(frame):
    """Are all checksums those that scapy computes?"""
    packet = Ether(frame)
    again = Ether(frame)
    for layer in (IP, TCP, UDP, ICMP, ICMPv6EchoReply, ICMPv6EchoRequest):
        if layer in again:
            delattr(again[layer], "cksum" if layer.__name__.startswith("ICMPv6") else "chksum")
    return bytes(packet) == bytes(again)


def stage(report, name):
    return next(one for one in report["stages"] if one["name"] == name)


def test_every_file_is_tested_here():
    tested = {name.replace("_", "-") for name in re.findall(
        r"^def test_(\w+?)_config_", open(__file__).read(), re.MULTILINE)}
    assert {path.stem for path in CONFIG.glob("*.yaml")} == tested


def test_forward_config_sends_every_packet_as_it_came(run_config, folder):
    report, _ = run_config("forward.yaml")
    assert support.frames(folder / "forwarded.pcap") == CAPTURE
    assert report["sent"] == len(CAPTURE) and report["dropped"] == 0


def passes(frame):
    packet = Ether(frame)
    return ((UDP in packet and 53 in (packet[UDP].sport, packet[UDP].dport))
            or (TCP in packet and 80 in (packet[TCP].sport, packet[TCP].dport)))


def test_filter_config_sends_dns_and_http_only_and_names_what_it_drops(run_config, folder):
    report, _ = run_config("filter.yaml")
    expected = [support.swap_macs(frame) for frame in CAPTURE if passes(frame)]
    assert support.frames(folder / "filtered.pcap") == expected
    assert report["drop_causes"] == {"parse": 0, "split": len(CAPTURE) - len(expected)}
    kinds = collections.Counter()
    for frame in CAPTURE:
        packet = Ether(frame)
        kinds[next((name for name, layer in (("tcp", TCP), ("udp", UDP), ("icmp", ICMP), ("arp", ARP))
                    if layer in packet), "icmp6")] += 1
    assert {name: stage(report, f"count.{name}")["packets"] for name in kinds} == dict(kinds)
    assert sum(stage(report, f"count.{name}")["bytes"] for name in kinds) == sum(map(len, CAPTURE))


def test_loadbalance_config_keeps_flows_together_and_checksums_right(run_config, folder):
    report, _ = run_config("loadbalance.yaml")
    before = [frame for frame in CAPTURE if IP in Ether(frame)]
    after = support.frames(folder / "balanced.pcap")
    assert len(after) == len(before) == report["sent"]
    servers = {"192.0.2.1": "02:00:00:00:01:01", "192.0.2.2": "02:00:00:00:01:02",
               "192.0.2.3": "02:00:00:00:01:03"}
    server_of = {}
    for old, new in zip(map(Ether, before), map(Ether, after)):
        assert sums_right(bytes(new))
        assert new.dst == servers[new[IP].dst]
        assert (new[IP].src, new[IP].ttl) == (old[IP].src, old[IP].ttl - 1)
        assert bytes(new[IP].payload)[4:] != b"" and new.src == old.src
        ports = {old[IP].payload.sport, old[IP].payload.dport} if ICMP not in old else set()
        flow = (old[IP].proto, frozenset((old[IP].src, old[IP].dst)), frozenset(ports))
        assert server_of.setdefault(flow, new[IP].dst) == new[IP].dst
    assert report["drop_causes"]["only_ipv4"] == len(CAPTURE) - len(before)


def test_capture_config_copies_dns_and_one_of_ten_others(run_config, folder):
    report, _ = run_config("capture.yaml")
    assert support.frames(folder / "forwarded.pcap") == CAPTURE
    dns = [frame for frame in CAPTURE
           if UDP in Ether(frame) and 53 in (Ether(frame)[UDP].sport, Ether(frame)[UDP].dport)]
    assert support.frames(folder / "dns.pcap") == dns
    rest = [frame for frame in CAPTURE if frame not in dns]
    assert support.frames(folder / "sampled.pcap") == [frame[:64] for frame in rest[::10]]
    assert report["lost_samples"] == {"mirror": 0, "sample": 0}
    assert {sink["name"]: sink["written"] for sink in report["sinks"]} == {
        "dns": len(dns), "sampled": len(rest[::10])}


def test_icmp_echo_config_answers_pings_and_arp(run_config, folder):
    report, _ = run_config("icmp-echo.yaml")
    answers = iter(map(Ether, support.frames(folder / "answers.pcap")))
    count = 0
    for packet in map(Ether, CAPTURE):
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
    assert report["drop_causes"] == {"no_ping": len(CAPTURE) - count}


def test_cpu_tap_config_hands_tcp_to_a_tap_device(run_config, folder):
    listen = folder / "listen.py"
    listen.write_text("""
import socket, struct, subprocess, sys, time
run = subprocess.Popen(sys.argv[1:])
tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
tap.settimeout(10)
for _ in range(500):
    try:
        tap.bind(("rs0", 3))
        break
    except OSError:
        time.sleep(0.01)
out = open("tap.pcap", "wb")
out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
seen = 0
while seen < %d:
    frame, where = tap.recvfrom(65536)
    if where[2] == socket.PACKET_OUTGOING or frame[:6] == b"\\x33\\x33":
        continue
    out.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)
    seen += 1
out.close()
run.terminate()
sys.exit(run.wait())
""" % sum(TCP in Ether(frame) for frame in CAPTURE))
    words = command_of("cpu-tap.yaml")
    at = words.index("--") + 1
    del words[words.index("--packets"):words.index("--packets") + 2]
    words = words[:at] + ["/usr/bin/python3", str(listen)] + words[at:]
    report, _ = run_config("cpu-tap.yaml", words)
    tcp = [frame for frame in CAPTURE if TCP in Ether(frame)]
    assert sorted(support.frames(folder / "tap.pcap")) == sorted(tcp)
    assert support.frames(folder / "forwarded.pcap") == [f for f in CAPTURE if f not in tcp]
    assert report["consumed"] == len(tcp)


def chapter(title):
    """The commands and the code of a chapter of the README: its indented blocks."""
    text = (support.ROOT / "README.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [re.sub("^    ", "", block, flags=re.MULTILINE)
            for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE)]


def test_the_commands_of_the_readmes_chapter_run(folder):
    commands = chapter("Pipelines")[0].replace("$PWD/build/app", str(support.BUILD / "app"))
    done = subprocess.run(["bash", "-euc", commands], cwd=folder, env=support.environment(),
                          timeout=30, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "nothing wrong" in done.stdout
    assert "received 159 == sent 137 + consumed 0 + dropped 22" in done.stdout
    assert support.frames(folder / "filtered.pcap")


def test_the_stage_of_the_readmes_chapter_is_the_one_that_is_tested(folder):
    example = (support.DATA / "user-stage" / "short_hops.cpp").read_text()
    code = next(block for block in chapter("Pipelines") if "RINGSIDE_STAGE" in block)
    without = [line for line in example.split("\n") if line and not line.startswith("//")]
    assert [line for line in code.split("\n") if line] == without
