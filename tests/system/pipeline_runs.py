# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""For tests of `ringside run`: a pipeline to fill in, and a run whose output is read as it comes.

Test modules import the fixtures that they use, packets_lie_there too, which is for all of their tests.
"""
import re
import signal
import subprocess
import threading

import pipelines
import ports as cabling
import pytest
import support
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

CAPTURE = support.DATA / "http-dns-icmp.pcap"
EAL = ["-l", "0-1", "--in-memory", "--no-telemetry", *cabling.gpu_eal()]
HEAD = """
version: 1
memory_regions: [{name: packets, kind: KIND}]
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
memory_kind = "device"


def pipeline(stages="", flows=""):
    text = HEAD.replace("STAGES", stages).replace("FLOWS", flows)
    return text.replace("kind: KIND", f"kind: {memory_kind}")


@pytest.fixture(autouse=True)
def packets_lie_there(packet_memory, monkeypatch):
    """In what pipeline() makes."""
    monkeypatch.setitem(globals(), "memory_kind", pipelines.KINDS[packet_memory])


class Running:
    """A `ringside run` under softcx whose output is read as it comes."""

    def __init__(self, wires, file, options=(), cwd=None, faults=""):
        """`wires`: of one port, or a list."""
        wires = wires if isinstance(wires, list) else [wires]
        self.lines = []
        self.process = subprocess.Popen(
            support.softcx_command(wires, [support.RINGSIDE, "run", file, *options, "--", *EAL],
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
