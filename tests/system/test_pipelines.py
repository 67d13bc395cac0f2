# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Each file in config/, run by the command in its own comment, judged by scapy and dpkt."""
import collections
import functools
import json
import os
import re
import subprocess

import pipelines
import ports as cabling
import pytest
import support
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.sendrecv import srp1

pytestmark = pytest.mark.gpu

CAPTURE = support.frames(support.DATA / "http-dns-icmp.pcap")


# A block of many threads settles anew which one of ten packets is copied.
JUDGES = {**pipelines.JUDGES,
          "capture": functools.partial(pipelines.capture, exact=cabling.gpu_is_host())}


@pytest.fixture
def folder(tmp_path, packet_memory):
    """A working folder in which the paths of the files' comments lead to the tree's files, or to
    such with packets in the other memory."""
    (tmp_path / "tests").symlink_to(support.ROOT / "tests")
    (tmp_path / "config").mkdir()
    for file in pipelines.CONFIG.iterdir():
        (tmp_path / "config" / file.name).write_text(file.read_text().replace(
            "kind: device", f"kind: {pipelines.KINDS[packet_memory]}"))
    return tmp_path


@pytest.fixture
def run_config(folder):
    """run_config(NAME) runs a file by its own command, with the report as JSON; (report, result)."""
    def run(name, command=None, capture=CAPTURE):
        words = command or pipelines.command_of(name)
        eal = [*support.EAL, *cabling.gpu_eal()]
        if cabling.gpu_is_host():
            eal = ["--in-memory", words[-1]]
        words = [*words[:-2], "--json", "--", *eal]
        env = {"PATH": f"{support.BUILD / 'app'}:{os.environ['PATH']}"}
        done = subprocess.run(words, cwd=folder, env=support.environment(env), timeout=120,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["adds_up"] and report["errors"] == []
        assert report["received"] == len(capture)
        return report, done
    return run


def stage(report, name):
    return next(one for one in report["stages"] if one["name"] == name)


def test_every_file_is_tested_here():
    tested = {name.replace("_", "-") for name in re.findall(
        r"^def test_(\w+?)_config_", open(__file__).read(), re.MULTILINE)}
    assert {path.stem for path in pipelines.CONFIG.glob("*.yaml")} == tested


@pytest.fixture
def judged(run_config, folder):
    """judged(NAME) runs a file and has its judge look at what came out; the report."""
    def run(name, **options):
        report, _ = run_config(name, **options)
        JUDGES[name](CAPTURE, lambda file: support.frames(folder / file), report)
        return report
    return run


def test_forward_strided_config_sends_out_of_buffers_that_packets_share(judged):
    judged("forward-strided")


def test_count_strided_config_counts_packets_that_share_buffers(judged):
    judged("count-strided")


def test_forward_config_sends_every_packet_as_it_came(judged):
    judged("forward")


def test_filter_config_sends_dns_and_http_only_and_names_what_it_drops(judged):
    report = judged("filter")
    kinds = collections.Counter()
    for frame in CAPTURE:
        packet = Ether(frame)
        kinds[next((name for name, layer in (("tcp", TCP), ("udp", UDP), ("icmp", ICMP), ("arp", ARP))
                    if layer in packet), "icmp6")] += 1
    assert {name: stage(report, f"count.{name}")["packets"] for name in kinds} == dict(kinds)
    assert sum(stage(report, f"count.{name}")["bytes"] for name in kinds) == sum(map(len, CAPTURE))


def test_loadbalance_config_keeps_flows_together_and_checksums_right(judged):
    judged("loadbalance")


def test_capture_config_copies_dns_and_one_of_ten_others(judged):
    judged("capture")


def test_icmp_echo_config_answers_pings_and_arp(judged):
    judged("icmp-echo")


def test_two_kernels_config_hands_packets_and_their_tags_on_in_order(judged):
    judged("two-kernels")


@pytest.mark.parametrize("capture", ["http-dns-icmp", "vlan", "jumbo"])
@pytest.mark.parametrize("kinds", ["host_pinned device", "device device", "device host_pinned"])
def test_header_split_config_routes_packets_that_lie_in_two_kinds_of_memory(run_config, folder,
                                                                           capture, kinds):
    frames = support.frames(support.DATA / f"{capture}.pcap")
    headers, data = kinds.split()
    (folder / "split.yaml").write_text((folder / "config/header-split.yaml").read_text()
                                       .replace("kind: device", f"kind: {data}")
                                       .replace("kind: host_pinned, buf", f"kind: {headers}, buf"))
    words = {"config/header-split.yaml": "split.yaml", str(len(CAPTURE)): str(len(frames))}
    command = [words.get(word, word).replace("http-dns-icmp", capture)
               for word in pipelines.command_of("header-split")]
    report, _ = run_config("header-split", command, frames)
    pipelines.header_split(frames, lambda file: support.frames(folder / file), report)


def test_generator_config_numbers_its_frames_and_ends_with_the_last(judged):
    judged("generator", capture=[])


def for_the_host(frame):
    packet = Ether(frame)
    return any(layer in packet for layer in (ARP, ICMP, TCP))


@pytest.mark.alone  # the TAP device has one name
@pytest.mark.skipif(not os.path.exists("/dev/net/tun"), reason="needs TAP devices (/dev/net/tun)")
def test_cpu_tap_config_hands_packets_to_a_tap_device(run_config, folder):
    listen = folder / "listen.py"
    listen.write_text("""
import socket, struct, subprocess, sys, time
run = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)
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
for line in run.stderr:  # those that are sent back may be under way still
    if "received %d " in line:
        break
run.terminate()
run.stderr.read()
sys.exit(run.wait())
""" % (sum(map(for_the_host, CAPTURE)), len(CAPTURE)))
    words = pipelines.command_of("cpu-tap")
    at = words.index("--") + 1
    del words[words.index("--packets"):words.index("--packets") + 2]
    words = words[:at] + ["/usr/bin/python3", str(listen)] + words[at:]
    report, _ = run_config("cpu-tap", words)
    taken = [frame for frame in CAPTURE if for_the_host(frame)]
    assert sorted(support.frames(folder / "tap.pcap")) == sorted(taken)
    # The host's own frames are there too: it looks for neighbours and routers.
    sent = [frame for frame in support.frames(folder / "forwarded.pcap") if frame in CAPTURE]
    assert sent == [frame for frame in CAPTURE if frame not in taken]
    assert report["consumed"] == len(taken)


@pytest.mark.alone
def test_the_host_answers_pings_to_the_address_of_the_tap(folder, veth):
    command = support.softcx_command(
        [f"netdev:{veth.name}"], [support.RINGSIDE, "run", "config/cpu-tap.yaml", "--json", "--",
                                  "--in-memory", pipelines.command_of("cpu-tap")[-1]])
    run = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, env=support.environment())
    own, peer = "192.0.2.2", "02:00:00:00:00:22"
    try:
        asked = Ether(src=peer, dst="ff:ff:ff:ff:ff:ff") / ARP(
            op="who-has", hwsrc=peer, psrc=own, pdst="192.0.2.1")
        answer = None
        for _ in range(60):
            answer = srp1(asked, iface=veth.peer, timeout=1, verbose=False)
            if answer is not None:
                break
        assert answer is not None, run.poll()
        port = answer[ARP].hwsrc
        assert (answer[ARP].op, answer[ARP].psrc, answer.src) == (2, "192.0.2.1", port)
        for size in (0, 56, 1472):
            ping = Ether(src=peer, dst=port) / IP(src=own, dst="192.0.2.1") / ICMP(
                id=7, seq=size) / (b"x" * size)
            reply = srp1(ping, iface=veth.peer, timeout=10, verbose=False)
            assert reply is not None and reply[ICMP].type == 0
            assert (reply.src, reply.dst, reply[IP].src) == (port, peer, "192.0.2.1")
            assert (reply[ICMP].id, reply[ICMP].seq) == (7, size)
            assert bytes(reply[ICMP].payload)[:size] == b"x" * size
            assert pipelines.sums_right(bytes(reply))
    finally:
        run.terminate()
        said, errors = run.communicate(timeout=60)
    report = json.loads(said)
    assert run.returncode == 0 and report["adds_up"], errors
    sink = next(one for one in report["sinks"] if one["name"] == "to_cpu")
    assert sink["written"] == report["consumed"] >= 4 and sink["unsent"] == 0
    assert report["ports"][0]["tx_packets"] == report["sent"] + sink["sent"]
