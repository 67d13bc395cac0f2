# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Pipelines of several kernels: what comes out of them, and what happens when a part of one fails."""
import collections
import json
import re
import signal
import time

import pytest
import support
from pipeline_runs import CAPTURE, EAL, datagrams, running  # noqa: F401
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether

HEAD = """
version: 1
memory_regions: [{name: packets, kind: device}]
telemetry: {stats_period: 100ms}
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {queues: [QUEUES]}
    tx: {queues: [SENDERS]}
pipelines:
  - name: main
    sources: [SOURCES]
    KERNELS
    sinks: [{name: out, tx: [SINKS]}]
"""


def pipeline(kernels, queues=1, num_desc=1024):
    numbers = range(queues)
    parts = {"QUEUES": [f"{{name: rx{i}, num_desc: {num_desc}, batch_size: 32, "
                        "memory_regions: [packets]}" for i in numbers],
             "SENDERS": [f"{{name: tx{i}, num_desc: {num_desc}}}" for i in numbers],
             "SOURCES": [f"port0.rx{i}" for i in numbers],
             "SINKS": [f"port0.tx{i}" for i in numbers],
             "KERNELS": [f"kernels: [{kernels}]"]}
    text = HEAD
    for name, values in parts.items():
        text = text.replace(name, ", ".join(values))
    return text


TWO = "{name: one, stages: [count]}, {name: two, depth: 64, stages: [count]}"


def run_capture(tmp_path, text, faults="", options=("--packets", "159"), wire=""):
    """(exit status, the report, all that was said, what came out)."""
    file = tmp_path / "p.yaml"
    file.write_text(text)
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap{wire}"],
        [support.RINGSIDE, "run", file, "--json", *options, "--", *EAL], faults=faults))
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["adds_up"]
    return done.rc, report, done.out + done.err, support.frames(tmp_path / "out.pcap")


def flow(frame):
    packet = Ether(frame)
    layer = next((packet[kind] for kind in (IP, IPv6) if kind in packet), packet)
    ports = next(((packet[kind].sport, packet[kind].dport) for kind in (TCP, UDP)
                  if kind in packet), ())
    return (layer.src, layer.dst, *ports)


@pytest.mark.parametrize("threads", ("auto", 32))
def test_three_kernels_on_two_queues_keep_every_packet_and_the_order_of_flows(tmp_path, threads):
    kernels = ", ".join(f"{{name: k{i}, depth: 64, threads_per_block: {threads}, stages: [count]}}"
                        for i in range(3))
    rc, report, text, after = run_capture(tmp_path, pipeline(kernels, queues=2))
    assert rc == 0, text
    before = support.frames(CAPTURE)
    assert (report["received"], report["sent"]) == (159, 159)
    assert [one["packets"] for one in report["stages"]] == [159] * 3
    assert [one["kernel"] for one in report["stages"]] == ["k0", "k1", "k2"]

    def by_flow(frames):
        flows = collections.defaultdict(list)
        for frame in frames:
            flows[flow(frame)].append(frame)
        return flows
    assert by_flow(after) == by_flow(before)


def test_each_kernel_hands_packets_to_sinks_of_the_cpu(tmp_path):
    kernels = ("{name: one, stages: [{mirror: copies}, "
               "{match: {fields: {arp: {}}, then: arp, otherwise: next}}]}, "
               "{name: two, stages: [{match: {fields: {udp: {}}, then: udp, otherwise: next}}]}")
    sinks = "".join(f", {{name: {name}, pcap: {tmp_path}/{name}.pcap}}"
                    for name in ("copies", "arp", "udp"))
    rc, report, text, after = run_capture(
        tmp_path, pipeline(kernels).replace("[port0.tx0]}", "[port0.tx0]}" + sinks))
    assert rc == 0, text
    before = support.frames(CAPTURE)
    kinds = {name: [frame for frame in before if kind in Ether(frame)]
             for name, kind in (("arp", ARP), ("udp", UDP))}
    assert support.frames(tmp_path / "copies.pcap") == before
    for name, frames in kinds.items():
        assert support.frames(tmp_path / f"{name}.pcap") == frames != []
    assert after == [frame for frame in before if frame not in kinds["arp"] + kinds["udp"]]
    assert report["consumed"] == sum(map(len, kinds.values()))


SLOW = """
#include <unistd.h>
#include "kernels/stage.hpp"
RINGSIDE_STAGE(slow, packet, params) {
  usleep(static_cast<unsigned>(params[0]));
  return Next::kOn;
}
"""


def test_a_slow_second_kernel_holds_the_first_one_back_and_nothing_is_lost(tmp_path):
    (tmp_path / "slow.cpp").write_text(SLOW)
    slow = "{user: {source: slow.cpp, function: slow, params: [300]}}"
    kernels = f"{{name: one, stages: [count]}}, {{name: two, depth: 64, stages: [{slow}]}}"
    rc, report, text, after = run_capture(tmp_path, pipeline(kernels, num_desc=64),
                                          options=("--packets", "477"), wire=",loop=3")
    assert rc == 0, text
    assert after == support.frames(CAPTURE) * 3
    assert report["sent"] == 477 and report["ports"][0]["rx_missed"] == 0


def run_on_after_an_error(running, tmp_path, faults, queue):
    """The report of two kernels of which `queue` stops and recovers; received, sent, dropped."""
    file = tmp_path / "p.yaml"
    file.write_text(pipeline(TWO))
    run = running(f"pcap:in={CAPTURE},out={tmp_path}/out.pcap,loop=0", file, faults=faults)
    run.line(f"stopped by its {queue}: ")
    run.line("goes on")
    time.sleep(0.5)
    status, text = run.end()
    counts = map(int, re.search(
        r"received (\d+) == sent (\d+) \+ consumed 0 \+ dropped (\d+)$", text, re.M).groups())
    return status, text, *counts


def test_kernels_run_on_after_an_error_of_the_send_queue_and_what_it_lost_is_counted(
        running, tmp_path):  # noqa: F811
    status, text, received, sent, dropped = run_on_after_an_error(
        running, tmp_path, "tx-error:packet=500", "send queue")
    assert status == 0, text
    assert text.count("stopped by its") == 1
    assert received == sent + dropped and sent > 1000 and dropped > 0
    assert f"dropped by send queue stopped: {dropped}" in text


def test_kernels_run_on_after_an_error_of_the_receive_queue_with_all_that_was_received(
        running, tmp_path):  # noqa: F811
    status, text, received, sent, dropped = run_on_after_an_error(
        running, tmp_path, "rx-error:packet=300", "receive queue")
    assert status == 0, text
    assert text.count("stopped by its") == 1
    assert received == sent > 1000 and dropped == 0


def test_a_nic_that_stands_still_does_not_keep_the_kernels_from_ending(running, tmp_path):  # noqa: F811
    file = tmp_path / "p.yaml"
    file.write_text(pipeline(TWO))
    run = running(f"pcap:in={CAPTURE},out={tmp_path}/out.pcap,loop=0", file,
                  faults="stalled-nic:packet=100")
    run.line("send queue stands still")
    begin = time.monotonic()
    status, text = run.end()
    assert time.monotonic() - begin < support.promised(10)
    assert status == 1 and "  stopped: send queue stands still" in text, text
    assert "DOES NOT ADD UP" not in text
    assert int(re.search(r"dropped by send queue stopped: (\d+)", text)[1]) > 0


def test_a_reload_changes_any_of_the_kernels_and_refuses_others(running, tmp_path, veth):  # noqa: F811
    kernels = ("{name: one, stages: [{match: {fields: {udp: {dst: A}}}}]}, "
               "{name: two, depth: DEPTH, stages: [{match: {fields: {udp: {src: B}}}, name: b}]}")

    def write(a, b, depth=64):
        values = {"A": str(a), "B": b, "DEPTH": str(depth)}
        file.write_text(pipeline(re.sub("A|B|DEPTH", lambda found: values[found[0]], kernels)))
    file = tmp_path / "p.yaml"
    write(53, "1000-1002")
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 .* sent 3 ")
    write(53, "1000")
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: pipeline main: new parameters")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 24 .* sent 4 ")
    write(53, "1000", 128)
    run.process.send_signal(signal.SIGHUP)
    run.line(r"reload refused: pipelines\[0\].kernels\[1\].depth is another one")
    status, text = run.end()
    assert status == 0 and "received 24 == sent 4 + consumed 0 + dropped 20" in text
