# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside run` while it runs: signals, reloads, what it prints, stages of the user's."""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

import pipelines
import ports as cabling
import pytest
import support
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
from scapy.layers.l2 import Ether

pytestmark = pytest.mark.gpu

CAPTURE = support.DATA / "http-dns-icmp.pcap"
EAL = ["-l", "0-1", "--in-memory", "--no-telemetry", *cabling.gpu_eal()]
HEAD = """
version: 1
memory_regions: [{name: packets, kind: device}]
telemetry: {stats_period: 100ms}
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx:
      queues: [{name: rx0, memory_regions: [packets]}, {name: rx1, memory_regions: [packets]}]
      FLOWS
    tx: {queues: [{name: tx0}, {name: tx1}]}
pipelines:
  - name: main
    sources: [port0.rx0, port0.rx1]
    stages: [STAGES]
    sinks: [{name: out, tx: [port0.tx0, port0.tx1]}]
"""


def pipeline(stages="", flows=""):
    return HEAD.replace("STAGES", stages).replace("FLOWS", flows)


@pytest.fixture(autouse=True)
def packets_lie_there(packet_memory, monkeypatch):
    """In the pipelines that tests write."""
    kind = pipelines.KINDS[packet_memory]
    monkeypatch.setitem(globals(), "HEAD", HEAD.replace("kind: device", f"kind: {kind}"))


class Running:
    """A `ringside run` under softcx whose output is read as it comes."""

    def __init__(self, wire, file, options=(), cwd=None, faults=""):
        self.lines = []
        self.process = subprocess.Popen(
            support.softcx_command([wire], [support.RINGSIDE, "run", file, *options, "--", *EAL],
                                   faults=faults),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd,
            env=support.environment())
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def line(self, pattern, seconds=60):
        """The match of the first line from here on that has the pattern."""
        found = []

        def look():
            found[:] = [m for m in map(re.compile(pattern).search, self.lines) if m]
            return bool(found)
        assert support.eventually(look, seconds), "\n".join(self.lines)
        return found[0]

    def end(self, number=signal.SIGTERM):
        if number:
            self.process.send_signal(number)
        status = self.process.wait(timeout=60)
        self.reader.join(30)
        return status, "\n".join(self.lines)


@pytest.fixture
def running():
    runs = []

    def start(*args, **options):
        runs.append(Running(*args, **options))
        return runs[-1]
    yield start
    for one in runs:
        if one.process.poll() is None:
            one.process.kill()


def datagrams(port, count):
    return [Ether(dst="02:00:00:00:00:01") / IP(src="198.51.100.1", dst="198.51.100.2")
            / UDP(sport=1000 + i, dport=port) / (b"x" * 20) for i in range(count)]


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


@pytest.mark.parametrize("faults, words", [
    ("vf-untrusted", "is a virtual function"),
    ("link-down:packet=20:ms=1500", "link up"),
    ("stalled-nic:packet=50:ms=3000", "send queue goes on again"),
])
def test_what_is_told_and_costs_nothing_is_no_failure(running, tmp_path, faults, words):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline())
    run = running(f"pcap:in={CAPTURE},out={tmp_path}/out.pcap", file, faults=faults)
    run.line(words)
    status, text = run.end()
    assert status == 0 and "stopped:" not in text, text


def test_a_queue_that_stands_still_at_the_end_is_a_failure(running, tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline())
    run = running(f"pcap:in={CAPTURE},out={tmp_path}/out.pcap", file, faults="stalled-nic:packet=20")
    run.line("send queue stands still")
    status, text = run.end()
    assert status == 1 and "  stopped: send queue stands still" in text, text


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


def test_a_file_with_errors_starts_nothing_and_names_them_all(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{mathc: {}}") + "\nnonsense: 1\n")
    done = support.run([support.RINGSIDE, "run", file])
    assert done.rc == 2
    assert "mathc" in done.err and "nonsense" in done.err and "EAL" not in done.out + done.err


@pytest.mark.parametrize("text, words", [
    (pipeline().replace("[{name: tx0}, {name: tx1}]",
                        "[{name: tx0, offloads: [ipv4_checksum]}, {name: tx1}]"),
     "run has no offloads"),
    (pipeline().replace("tx: [port0.tx0, port0.tx1]", "tx: [port0.tx0, port0.tx0]"), "tx0"),
    (pipeline().replace("[{name: packets, kind: device}]", "[{name: packets}, {name: heads}]")
     .replace("{name: rx1, memory_regions: [packets]}",
              "{name: rx1, memory_regions: [heads, packets]}"),
     "either all queues split headers from data"),
])
def test_what_the_data_path_has_not_is_refused_by_name(tmp_path, text, words):
    file = tmp_path / "p.yaml"
    file.write_text(text)
    done = support.run([support.RINGSIDE, "run", file])
    assert done.rc == 2 and words in done.err


def test_a_reload_changes_a_stage_while_packets_come(running, tmp_path, veth):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}, name: port}"))
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 .* sent 5 ")
    file.write_text(pipeline("{match: {fields: {udp: {dst: 54}}}, name: port}"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: pipeline main: new parameters")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 24 .* sent 12 ")
    status, text = run.end()
    assert status == 0 and "received 24 == sent 12 + consumed 0 + dropped 12" in text


def test_a_reload_to_other_fields_takes_effect_while_packets_come(running, tmp_path):
    """A kernel that was compiled for the file goes on with a chain that it was not compiled for."""
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 1}}}, name: port}"))
    run = running(f"pcap:in={CAPTURE},loop=0", file)
    run.line(r"received \d{3,} .* sent 0 ")
    file.write_text(pipeline("{match: {fields: {ipv4: {ttl: 1-255, src: 0.0.0.0/0}}}, name: port}"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: pipeline main: new parameters")
    run.line(r"received \d+ .* sent \d{3,} ")
    status, text = run.end()
    assert status == 0 and re.search(r"dropped by port: \d{3,}", text), text


def test_a_reload_changes_flows_while_packets_come(running, tmp_path, veth):
    flows = "flows: [{name: web, match: {udp: {dst: PORT}}, actions: [drop: {}]}]"
    file = tmp_path / "p.yaml"
    file.write_text(pipeline(flows=flows.replace("PORT", "53")))
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 7 ")
    file.write_text(pipeline(flows=flows.replace("PORT", "54")))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: port0: new flows")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 ")
    status, text = run.end()
    assert status == 0 and "received 12 == sent 12" in text


def memory_of(file):
    """KiB that the program that runs a file has of GPU memory, which the host GPU makes of shared
    memory."""
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            command = (status.parent / "cmdline").read_bytes().split(b"\0")
            if command[0].endswith(b"/ringside") and str(file).encode() in command:
                return int(re.search(r"RssShmem:\s+(\d+)", status.read_text())[1])
        except OSError:
            continue  # it has ended
    raise AssertionError("it does not run")


def test_reloads_take_no_more_memory_while_no_packets_come(running, tmp_path, veth):
    entries = 30000  # 1.8 MB of table

    def write(value):
        rows = [f"10.{i >> 16}.{i >> 8 & 255}.{i & 255},10.9.9.9,17,1,2,{value}" for i in range(entries)]
        (tmp_path / "table.csv").write_text("src,dst,proto,src_port,dst_port,value\n" + "\n".join(rows))
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{lookup: {table: known, otherwise: next}}") +
                    "\ntables: [{name: known, file: table.csv}]\n")
    write(0)
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    veth.send(datagrams(53, 5))
    run.line(r"received 5 .* sent 5 ")
    before = 0
    for number in range(1, 25):
        write(number)
        run.process.send_signal(signal.SIGHUP)
        assert support.eventually(lambda: sum("new parameters" in line for line in run.lines) >= number)
        if number == 4:  # what it keeps for the next one is there
            before = memory_of(file)
    assert memory_of(file) - before < 8 * 1024
    veth.send(datagrams(53, 5))
    run.line(r"received 10 .* sent 10 ")
    assert run.end()[0] == 0


def test_a_reload_that_cannot_be_is_refused_and_all_goes_on(running, tmp_path, veth):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}}"))
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    file.write_text(pipeline("{drop: {}}"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: pipeline main has other stages")
    file.write_text("version: 1\nnonsense: 1\n")
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: the file has errors")
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}}").replace(
        "sinks: [", f"sinks: [{{name: other, pcap: {tmp_path}/other.pcap}}, "))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: pipeline main has other sinks")
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}}").replace(
        "0000:ca:00.0", "0000:ca:00.1"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: other interfaces or queues")
    time.sleep(0.3)
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 .* sent 5 ")
    assert run.end()[0] == 0


def test_flows_that_the_nic_refuses_leave_all_as_it_was(running, tmp_path, veth):
    flows = "flows: [{name: web, match: {MATCH}, actions: [drop: {}]}]"
    stage = "{match: {fields: {udp: {src: RANGE}}}}"
    both = pipeline(stage.replace("RANGE", "0-65535"), flows.replace("MATCH", "udp: {dst: 53}"))
    file = tmp_path / "p.yaml"
    file.write_text(both)
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    file.write_text(pipeline(stage.replace("RANGE", "0"),
                             flows.replace("MATCH", "ecpri: {type: 2, pc_id: 1}")))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: flow web: ")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 7 .* sent 7 ")
    file.write_text(both.replace("dst: 53", "dst: 54"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: port0: new flows")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 .* sent 12 ")
    assert run.end()[0] == 0


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


def run_with_full_disk(tmp_path, text):
    file = tmp_path / "p.yaml"
    file.write_text(text)
    return support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--packets", "159", "--", *EAL]))


def test_a_capture_that_cannot_be_written_to_its_end_fails_the_run(tmp_path):
    out = "{name: out, tx: [port0.tx0, port0.tx1]}"
    text = pipeline("{sample: {every: 40, to: cap}}").replace(
        out, out + ", {name: cap, pcap: /dev/full}")
    done = run_with_full_disk(tmp_path, text)
    assert done.rc == 1
    assert "the capture /dev/full is not complete: ENOSPC" in done.out


def test_a_report_that_cannot_be_written_to_its_end_fails_the_run(tmp_path):
    done = run_with_full_disk(tmp_path, pipeline().replace(
        "stats_period: 100ms", "stats_period: 100ms, json: /dev/full"))
    assert done.rc == 1
    assert "cannot write the report to /dev/full: ENOSPC" in done.out


def test_a_block_that_does_not_stop_is_named_and_left_to_the_end_of_the_process(tmp_path):
    (tmp_path / "stuck.cpp").write_text("""
#include <atomic>
#include "kernels/stage.hpp"
static std::atomic<bool> forever{true};
RINGSIDE_STAGE(stuck, packet, params) {
  while (forever.load()) {}
  return Next::kOn;
}
""")
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{user: {source: stuck.cpp, function: stuck}}"))
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--duration", "1", "--", *EAL]), timeout=120)
    assert done.rc == 1, done
    assert "did not stop in time" in done.out + done.err


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


@pytest.fixture
def outside(tmp_path):
    """The example of a user's stage, in a folder of its own."""
    return shutil.copytree(support.DATA / "user-stage", tmp_path / "mine")


def run_outside(outside, *options):
    return support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={outside}/out.pcap"],
        [support.RINGSIDE, "run", outside / "pipeline.yaml", "--packets", "159", *options, "--",
         *EAL]), timeout=300)


def judge_outside(outside):
    assert support.frames(outside / "out.pcap") == pipelines.short_hops(support.frames(CAPTURE))


def test_a_source_file_of_the_users_is_compiled_and_runs(outside):
    done = run_outside(outside)
    assert done.rc == 0, done.err
    judge_outside(outside)


@pytest.mark.parametrize("option", [[], ['-DRINGSIDE_STAGE_CUDA="mine.fatbin"']],
                         ids=["for CPUs", "for GPUs too"])
def test_a_shared_object_of_the_users_runs(outside, option):
    cabling.require_host_gpu("nvcc, which builds the code for a GPU, may not be there")
    (outside / "mine.fatbin").write_bytes(b"what nvcc makes of it")
    subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", f"-I{support.ROOT}", *option,
                    outside / "short_hops.cpp", "-o", outside / "mine.so"], check=True, cwd=outside)
    file = outside / "pipeline.yaml"
    file.write_text(file.read_text().replace("source: short_hops.cpp", "object: mine.so"))
    assert run_outside(outside).rc == 0
    judge_outside(outside)


def test_an_error_in_a_users_source_is_shown_by_its_own_line(outside):
    source = outside / "short_hops.cpp"
    source.write_text(source.read_text().replace("Next::kDrop", "Next::kDorp"))
    line = 1 + source.read_text().split("\n").index(
        "  if (ttl.low > params[0]) return Next::kDorp;")
    done = run_outside(outside)
    assert done.rc == 2
    assert f"short_hops.cpp:{line}:" in done.err and "kDorp" in done.err


@pytest.mark.parametrize("change, words", [
    (("function: short_hops", "function: long_hops"), "has no function"),
    (("source: short_hops.cpp", "object: pipeline.yaml"), "cannot load the stage"),
])
def test_a_users_stage_that_is_not_there_is_named(outside, change, words):
    file = outside / "pipeline.yaml"
    file.write_text(file.read_text().replace(*change))
    done = run_outside(outside)
    assert done.rc == 2 and words in done.err


CAPTURES = support.shared_capture_paths()


@pytest.fixture(scope="module")
def short_hops(tmp_path_factory):
    """The example of a user's stage as an object."""
    built = tmp_path_factory.mktemp("stage") / "short_hops.so"
    subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", f"-I{support.ROOT}",
                    support.DATA / "user-stage/short_hops.cpp", "-o", built], check=True)
    return built


EVERY_STAGE = """
  {parse: {malformed: next}}, {count: {by: protocol}}, {lookup: {table: flows, otherwise: next}},
  {split: {rules: [{when: {tcp: {}}, to: aside}, {when: {icmp: {}}, to: aside}]}}, join,
  {rewrite: {set: {ipv4: {tos: 4}, ipv6: {hop: 9}, vlan: {vid: 7}, tcp: {src: 1}}}},
  {swap: {macs: true, ips: true, ports: true}}, {icmp_echo: {to: out}},
  {load_balance: {backends: [{ip: 192.0.2.9}]}, when: {ipv4: {}}, name: four},
  {load_balance: {backends: [{ip: "2001:db8::9"}]}, when: {ipv6: {}}, name: six},
  {match: {fields: {vxlan: {}, inner: {tcp: {dst: 0-65535}}}, otherwise: next}},
  {police: {packet_rate: 1, exceed: next}},
  {police: {packet_rate: 1, exceed: next, per: fields, fields: [inner.ipv4.src, gtpu.teid]}},
  {sample: {every: 3, to: copies}}, {mirror: {to: copies}},
  {user: {object: OBJECT, function: short_hops, params: [255]}},
  {drop: {}, when: {meta: {length: 65535}}}"""
BESIDE_EVERY_STAGE = """
    branches: [{name: aside, stages: [swap], then: join}]
tables: [{name: flows, entries: [{src: 10.0.0.1, dst: 10.0.0.2, proto: 17}]}]
"""


def test_every_stage_is_among_those_that_captures_pass_through():
    schema = json.loads(support.run([support.RINGSIDE, "check", "--json-schema"]).out)
    names = schema["definitions"]["stage"]["anyOf"][0]["enum"]
    assert len(names) == 15
    assert [name for name in names if not re.search(rf"\b{name}\b", EVERY_STAGE)] == []


@pytest.mark.skipif(not CAPTURES, reason="no foreign captures: set RINGSIDE_SHARED_DATA")
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
def test_foreign_and_damaged_captures_pass_through_every_stage(capture, tmp_path, short_hops):
    file = tmp_path / "p.yaml"
    out = "{name: out, tx: [port0.tx0, port0.tx1]}"
    text = pipeline(EVERY_STAGE.replace("OBJECT", str(short_hops))) + BESIDE_EVERY_STAGE
    text = text.replace(out, out + f", {{name: copies, pcap: {tmp_path}/copies.pcap}}")
    text = text.replace("    address: 0000:ca:00.0", "    address: 0000:ca:00.0\n    mtu: 9000")
    file.write_text(text)
    frames = [frame for frame in support.frames(capture) if 14 <= len(frame) <= 9014]
    limit = ["--packets", str(len(frames)), "--duration", "60"] if frames else ["--duration", "1"]
    done = support.run(support.softcx_command(
        [f"pcap:in={capture},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", *limit, "--", *EAL]), timeout=120)
    assert done.rc == 0, done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["received"] == report["sent"] == len(frames)
