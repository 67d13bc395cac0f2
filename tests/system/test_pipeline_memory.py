# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The memory that `ringside check --resolved` tells, against what `ringside run` then has.

A GPU of host threads has each allocation in a memfd of its name, pinned memory is what a fork does
not copy, and hugepages are told as such: /proc/PID/smaps has all three.
"""
import os
import re
import signal
from pathlib import Path

import pipeline_runs
import pytest
import support
from pipeline_runs import running  # noqa: F401

KIB, MIB = 1 << 10, 1 << 20
PORTS = ["loop", "loop"]
AFTER_A_RELOAD = "GPU 0 from a reload on"
HEAD = """
version: 1
memory_regions: [{name: packets, kind: KIND NUM}, {name: headers, kind: host_pinned, buf_size: 256}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    mtu: MTU
    rx: {queues: [{name: rx0, memory_regions: [REGIONS]}]}
    tx: {queues: [{name: tx0}, {name: tx1}]}
  - name: port1
    address: 0000:ca:00.1
    mtu: MTU
    rx: {queues: [{name: rx0, memory_regions: [REGIONS]}]}
    tx: {queues: [{name: tx0}]}
"""
PIPELINE = """
tables: [{name: known, capacity: 100000, entries: [{src: 10.0.0.1, dst: 10.0.0.2, proto: 17, value: 1}]}]
pipelines:
  - name: main
    sources: [port0.rx0, port1.rx0]
    KERNELS
    sinks: [{name: out, tx: [port0.tx0, port1.tx0]}, {name: cap, pcap: {file: cap.pcap, snaplen: 960}}]
"""
GENERATOR = """
generator: [{name: flood, queues: [port0.tx1], packet_rate: 100}]
"""

TWO_GPUS = """
version: 1
eal: {extra_args: [--vdev=gpu_host1]}
memory_regions: [{name: here}, {name: there, affinity: 1, num_bufs: 5000}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {queues: [{name: rx0, memory_regions: [here]}]}
    tx: {queues: [{name: tx0}]}
  - name: port1
    address: 0000:ca:00.1
    rx: {queues: [{name: rx0, memory_regions: [there]}]}
    tx: {queues: [{name: tx0}]}
pipelines:
  - {name: a, sources: [port0.rx0], stages: [count], sinks: [{name: out, tx: [port1.tx0]}]}
  - {name: b, sources: [port1.rx0], stages: [count], sinks: [{name: out, tx: [port0.tx0]}]}
"""


def text(kernels="stages: [{drop: {}}]", kind="device", regions="packets", mtu=1500, num="",
         generator=False):
    head = HEAD.replace("KIND", kind).replace("REGIONS", regions).replace("MTU", str(mtu))
    return (head.replace("NUM", num) + PIPELINE.replace("KERNELS", kernels)
            + (GENERATOR if generator else ""))


TWO_KERNELS = """kernels:
      - {name: one, stages: [{police: {packet_rate: 1, per: source_ip, buckets: 262144}}, {lookup: {table: known}}]}
      - {name: two, depth: 65536, stages: [{lookup: {table: known, otherwise: next}}, {lookup: {table: known}}]}
"""
FILES = {
    "plain": text(),
    "pinned": text(kind="host_pinned"),
    "jumbo": text(mtu=9000),
    "many buffers": text(num=", num_bufs: 20000"),
    "split headers": text(regions="headers, packets"),
    "samples": text("stages: [{mirror: {to: cap}}]"),
    "samples of one kernel": text("kernels: [{name: one, stages: [{count: {}}]}, "
                                  "{name: two, stages: [{mirror: {to: cap}}]}]"),
    "state of each queue": text("stages: [{police: {packet_rate: 1, per: queue}}]"),
    "tables and state": text(TWO_KERNELS),
    "generator": text(generator=True),
    "two GPUs": TWO_GPUS,
}


def said(file):
    """Bytes by kind of memory, rounded up to MiB, or to KiB where there are fewer."""
    resolved = support.run([support.RINGSIDE, "check", "--no-machine", "--resolved", file])
    assert resolved.rc == 0, resolved.err
    units = {"KiB": KIB, "MiB": MIB}
    return {kind: int(count) * units[unit] for kind, count, unit in re.findall(
        r"^#   (.*?): (\d+) (MiB|KiB)", resolved.out, re.MULTILINE)}


def rounded(size):
    unit = MIB if size >= MIB else KIB
    return -(-size // unit) * unit


def ringside_below(pid):
    """The process that `softcx run` has started."""
    def parent(one):
        return int(re.search(r"^PPid:\s*(\d+)", Path(f"/proc/{one}/status").read_text(), re.M)[1])
    for one in filter(str.isdigit, os.listdir("/proc")):
        try:
            if Path(os.readlink(f"/proc/{one}/exe")) != support.RINGSIDE.resolve():
                continue
            above = one
            while (above := parent(above)) > 1:
                if above == pid:
                    return one
        except OSError:  # it has ended
            continue
    raise AssertionError("no ringside runs")


def used(pid):
    """Bytes by kind of memory."""
    gpu, pinned, huge, size, name = {}, 0, 0, 0, ""
    for line in Path(f"/proc/{pid}/smaps").read_text().splitlines():
        area = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ (\d+)\s*(.*)", line)
        if area:
            size, name = int(area[2], 16) - int(area[1], 16), area[5]
            if device := re.search(r"memfd:gpu_host(\d)", name):
                key = device[1], area[4]
                gpu[key] = max(gpu.get(key, 0), int(area[3], 16) + size)
        elif line.startswith(("Private_Hugetlb:", "Shared_Hugetlb:")):
            huge += int(line.split()[1]) * KIB
        elif line.startswith("VmFlags:") and "dc" in line.split() and "gpu_host" not in name:
            pinned += size
    gpus = {f"GPU {id}": sum(size for (of, _), size in gpu.items() if of == id) for id, _ in gpu}
    return {**gpus, "pinned host memory": pinned, "hugepages": huge}


def compare(there, told):
    huge = "hugepages"
    assert ({kind: rounded(size) for kind, size in there.items() if kind != huge}
            == {kind: size for kind, size in told.items() if kind != huge})
    # EAL and the PMD take memory by pages of 2 MiB, and what they take is measured.
    assert abs(there[huge] - told[huge]) <= max(0.05 * there[huge], 4 * MIB)


@pytest.fixture(autouse=True)
def on_softcx():
    if pipeline_runs.cabling.cabled:
        pytest.skip("counts the memory of a GPU made of host threads")


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_run_has_the_memory_that_check_says(running, tmp_path, content):  # noqa: F811
    file = tmp_path / "file.yaml"
    file.write_text(content)
    run = running(PORTS, file, cwd=tmp_path)
    run.line("^running")
    there = used(ringside_below(run.process.pid))
    status, output = run.end()
    assert status == 0, output
    told = said(file)
    told.pop(AFTER_A_RELOAD, None)
    compare(there, told)


def test_a_reload_takes_the_memory_that_check_says(running, tmp_path):  # noqa: F811
    file = tmp_path / "file.yaml"
    file.write_text(text(TWO_KERNELS))
    told = said(file)
    run = running(PORTS, file, cwd=tmp_path)
    run.line("^running")
    told["GPU 0"] = told.pop(AFTER_A_RELOAD)
    for value in (2, 3, 4):  # the second one goes where the first one was
        file.write_text(text(TWO_KERNELS).replace("value: 1", f"value: {value}"))
        run.lines.clear()
        run.process.send_signal(signal.SIGHUP)
        run.line("reload: pipeline main: new parameters")
        there = used(ringside_below(run.process.pid))
        compare(there, told)
    status, output = run.end()
    assert status == 0, output
