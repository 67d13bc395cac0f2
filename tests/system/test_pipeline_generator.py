# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Generators of `ringside run`: their frames by scapy, rates, ends, and beside pipelines."""
import collections
import json
import re

import pytest
import support
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

pytest.register_assert_rewrite("pipelines")
import pipelines  # noqa: E402

EAL = ["-l", "0-1", "--in-memory", "--no-telemetry", "--vdev=gpu_host0"]
SENDER = """
version: 1
memory_regions: [{name: packets, kind: KIND}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    RX
    tx: {queues: [TX]}
PIPELINES
generator:
  - {name: flood, queues: [port0.tx0], OPTIONS}
"""
PIPELINES = """
pipelines:
  - name: main
    sources: [port0.rx0]
    stages: [{match: {fields: {ipv4: {dst: 198.18.0.3}}}}]
    sinks: [{name: out, drop: {}}]
"""


@pytest.fixture
def run_file(tmp_path):
    """run_file(OPTIONS, WIRE) runs a generator of these options; the report."""
    def run(options, wire, arguments=(), rx="", pipelines="", kind="device",
            tx="{name: tx0}, {name: tx1}"):
        file = tmp_path / "generator.yaml"
        text = SENDER.replace("OPTIONS", options).replace("RX", rx).replace("KIND", kind).replace("TX", tx)
        file.write_text(text.replace("PIPELINES", pipelines))
        done = support.run(support.softcx_command(
            [wire], [support.RINGSIDE, "run", file, "--json", *arguments, "--", *EAL]))
        assert done.rc == 0, done.err
        report = json.loads(done.out)
        assert report["adds_up"] and report["errors"] == []
        assert report["generated"] == report["generators"]["flood"]
        return report
    return run


@pytest.mark.parametrize("kind", ("device", "host_pinned"))
def test_without_options_it_sends_the_datagram_that_txonly_sends(run_file, tmp_path, kind):
    run_file("count: 700", f"pcap:out={tmp_path}/out.pcap", kind=kind)
    after = support.frames(tmp_path / "out.pcap")
    assert [pipelines.number_of(frame) for frame in after] == list(range(700))
    for frame in after:
        packet = Ether(frame)
        assert len(frame) == 60 and pipelines.sums_right(frame)
        assert (packet[IP].src, packet[IP].dst) == ("198.18.0.1", "198.18.0.2")
        assert (packet[UDP].sport, packet[UDP].dport) == (9, 9)


def flow_of(frame):
    packet = Ether(frame)
    return packet[IP].src, packet[IP].dst, packet[UDP].sport, packet[UDP].dport


def test_fields_count_up_through_their_ranges_each_on_its_own(run_file, tmp_path):
    run_file("count: 400, sizes: [64, 1514], vary: {ipv4: {src: 10.0.0.254-10.0.1.4, dst: 10.2.0.1-10.2.0.5},"
             " udp: {src: 65533-65535, dst: 0-1}}", f"pcap:out={tmp_path}/out.pcap")
    after = support.frames(tmp_path / "out.pcap")
    assert len(after) == 400
    for number, frame in enumerate(after):
        low = 254 + number % 7
        assert flow_of(frame) == (f"10.0.{low >> 8}.{low & 255}", f"10.2.0.{1 + number % 5}",
                                  65533 + number % 3, number % 2)
        assert pipelines.sums_right(frame)


def test_fields_that_are_drawn_fill_their_ranges_and_a_seed_draws_them_again(run_file, tmp_path):
    def draw(seed):
        options = (f"count: 3000, order: random, seed: {seed}, "
                   "vary: {ipv4: {src: 10.0.0.0-10.0.0.9, dst: 0.0.0.0-255.255.255.255}, udp: {src: 7-16}}")
        run_file(options, f"pcap:out={tmp_path}/out.pcap")
        return support.frames(tmp_path / "out.pcap")
    after = draw(1)
    flows = list(map(flow_of, after))
    assert all(map(pipelines.sums_right, after[:200]))
    sources = collections.Counter(flow[0] for flow in flows)
    ports = collections.Counter(flow[2] for flow in flows)
    pairs = {(flow[0], flow[2]) for flow in flows}
    assert set(sources) == {f"10.0.0.{i}" for i in range(10)} and set(ports) == set(range(7, 17))
    # A count that is drawn 3000 times with a tenth has a standard deviation of 16.
    assert all(200 < count < 400 for counts in (sources, ports) for count in counts.values())
    assert len(pairs) == 100  # one field says nothing of another
    halves = collections.Counter(int(flow[1].split(".")[0]) >= 128 for flow in flows)
    assert abs(halves[True] - 1500) < 140 and len({flow[1] for flow in flows}) > 2990
    assert {flow[3] for flow in flows} == {9}
    assert draw(1) == after and draw(2) != after


def test_frames_with_ranges_spread_over_the_queues_of_rss(run_file):
    pipelines_text = "pipelines:" + "".join(f"""
  - {{name: p{i}, sources: [port0.rx{i}], stages: [count], sinks: [{{name: out, drop: {{}}}}]}}"""
                                            for i in (0, 1))
    queues = ", ".join(f"{{name: rx{i}, memory_regions: [packets]}}" for i in (0, 1))

    def counts(options):
        report = run_file(f"count: 400, packet_rate: 4kpps, {options}", "loop", ["--packets", "400"],
                          pipelines=pipelines_text, rx=f"rx: {{queues: [{queues}]}}")
        return sorted(stage["packets"] for stage in report["stages"] if stage["kind"] == "count")
    assert counts("flows: 1") == [0, 400]
    assert counts("vary: {udp: {src: 1000-1399}}")[0] > 100


@pytest.mark.parametrize("rate, sizes, per_second", [
    ("packet_rate: 5kpps", "[64]", 5000),
    ("bit_rate: 8Mbps", "[64, 1436]", 8e6 / (8 * 750)),
])
def test_it_keeps_its_rate(run_file, rate, sizes, per_second):
    report = run_file(f"{rate}, sizes: {sizes}", "null", ["--duration", "2"])
    # It never runs ahead, but for what it may make up for; a busy machine may hold it back.
    most = per_second * (report["seconds"] + 0.1)
    assert 0 < report["generated"] <= most


def test_frames_that_come_back_go_through_a_pipeline_and_all_are_accounted_for(run_file):
    report = run_file("count: 300, flows: 3, packet_rate: 3kpps", "loop",
                      ["--packets", "300"], pipelines=PIPELINES,
                      rx="rx: {queues: [{name: rx0, memory_regions: [packets]}]}")
    assert report["generated"] == report["received"] == report["sent"] == 300
    assert report["dropped"] == 300 and report["drop_causes"]["match"] == 200


def test_the_only_send_queue_is_enough_beside_a_pipeline_that_drops(run_file):
    report = run_file("count: 300, packet_rate: 3kpps", "loop", ["--packets", "300"],
                      pipelines=PIPELINES, tx="{name: tx0}",
                      rx="rx: {queues: [{name: rx0, memory_regions: [packets]}]}")
    assert report["generated"] == report["received"] == 300


def test_two_queues_share_numbers_and_rate(tmp_path, run_file):
    report = run_file("count: 501, packet_rate: 1kpps", f"pcap:out={tmp_path}/out.pcap")
    alone = report["seconds"]
    file = tmp_path / "generator.yaml"
    file.write_text(file.read_text().replace("queues: [port0.tx0]",
                                             "queues: [port0.tx0, port0.tx1]"))
    done = support.run(support.softcx_command(
        [f"pcap:out={tmp_path}/two.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--", *EAL]))
    report = json.loads(done.out)
    assert report["seconds"] > 0.8 * 0.5 and alone > 0.8 * 0.5
    numbers = collections.Counter(map(pipelines.number_of, support.frames(tmp_path / "two.pcap")))
    assert numbers == collections.Counter(range(501))


def test_a_reload_refuses_other_generators(tmp_path):
    file = tmp_path / "generator.yaml"
    text = SENDER.replace("RX", "").replace("KIND", "device").replace("PIPELINES", "")
    text = text.replace("TX", "{name: tx0}, {name: tx1}")
    file.write_text(text.replace("OPTIONS", "packet_rate: 1kpps"))
    script = tmp_path / "reload.py"
    script.write_text("""
import pathlib, signal, subprocess, sys
file = pathlib.Path(sys.argv[1])
run = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True)
for line in run.stdout:
    if line == "running\\n":
        file.write_text(file.read_text().replace("1kpps", "2kpps"))
        run.send_signal(signal.SIGHUP)
    print(line, end="")
    if line.startswith("reload"):
        run.terminate()
sys.exit(run.wait())
""")
    done = support.run(support.softcx_command(
        ["null"], ["/usr/bin/python3", script, file, support.RINGSIDE, "run", file, "--duration",
                   "20", "--", *EAL]))
    assert done.rc == 0, done.err
    assert re.search(r"^reload refused: generator\[0\].packet_rate is another one", done.out, re.MULTILINE)


def test_a_paced_send_queue_keeps_its_rate_and_loses_nothing(tmp_path):
    """A capture that comes at once, at a rate that makes it last a while."""
    capture = support.DATA / "http-dns-icmp.pcap"
    before = support.frames(capture)
    bits = 8 * sum(len(frame) + 4 for frame in before)
    rate = 1_000_000  # the least
    file = tmp_path / "paced.yaml"
    file.write_text(f"""
version: 1
memory_regions: [{{name: packets, kind: device}}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {{queues: [{{name: rx0, memory_regions: [packets]}}]}}
    tx: {{queues: [{{name: tx0, pacing: {rate}}}]}}
pipelines:
  - {{name: main, sources: [port0.rx0], sinks: [{{name: out, tx: [port0.tx0]}}]}}
""")
    done = support.run(support.softcx_command(
        [f"pcap:in={capture},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", len(before), "--", *EAL]))
    assert done.rc == 0, done.err
    report = json.loads(done.out)
    assert support.frames(tmp_path / "out.pcap") == before and report["adds_up"]
    # The last frame is sent before its own time is over.
    least = (bits - 8 * 1518) / rate
    assert 0.9 * least <= report["seconds"] < 3 * least + 1


def test_a_generator_keeps_to_the_rate_of_its_send_queue(tmp_path):
    file = tmp_path / "paced.yaml"
    text = SENDER.replace("RX", "").replace("KIND", "device").replace("PIPELINES", "")
    text = text.replace("TX", "{name: tx0}, {name: tx1}")
    file.write_text(text.replace("OPTIONS", "sizes: [1250]").replace(
        "{name: tx0}", "{name: tx0, pacing: 10Mbps}"))
    done = support.run(support.softcx_command(
        ["null"], [support.RINGSIDE, "run", file, "--json", "--duration", "2", "--", *EAL]))
    assert done.rc == 0, done.err
    report = json.loads(done.out)
    most = 1000 * (report["seconds"] + 0.1)
    assert 0 < report["generated"] <= most
