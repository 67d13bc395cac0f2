# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Measurements on a GPU. Each function returns rows for the result."""
import csv
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from .host import ROOT, run
from .testpmd import Testpmd

MEMORY = ("gpu", "gpu-pinned")
THREADS = (64, 128, 256)
LOOPS = (1, 8)  # ports whose wires loop, each with a softcx core
SEMAPHORE = re.compile(r"(\w+ to \w+), (\w+) of (\d+), (\d+) pairs, batch (\d+): ([\d.]+) M items/s, "
                       r"([\d.]+) ns each, 0 wrong, 0 late")
RX_PPS = re.compile(r"Rx-pps:\s+(\d+)")


def rate(bundle, mode, memory, ports, threads, seconds=0.5, rounds=3):
    """Median of the rate of 64-byte frames that go round in softcx's loop wires, of all ports. All
    frames of a port are one flow, so it has one queue; half of its buffers are free at any time."""
    session = Testpmd(bundle, ["loop"] * ports, memory,
                      [f"--forward-mode={mode}", "--rxd=4096", "--txd=4096", "--burst=512",
                       f"--gpu-block-threads={threads}"])
    session.say("start tx_first 2")
    found = []
    session.say("show port stats all")
    for _ in range(rounds):
        time.sleep(seconds)
        found.append(sum(map(int, RX_PPS.findall(session.say("show port stats all")))))
    session.say("stop")
    session.end()
    return round(statistics.median(found) / 1e6, 3)


def rates(bundle):
    """Mpps round softcx's loop wires, rings in pinned host memory, packets there or on the GPU."""
    rows = []
    for case in itertools.product(("io", "macswap"), MEMORY, LOOPS, THREADS):
        mode, memory, ports, threads = case
        rows.append({"mode": mode, "memory": memory, "ports": ports, "threads": threads,
                     "mpps": rate(bundle, *case)})
        print("{mode:8} {memory:10} ports={ports} threads={threads:4} {mpps:8.3f} Mpps".format(
            **rows[-1]), flush=True)
    return rows


def copy_engine(bundle):
    """What softcx's copy kernel moves by itself."""
    done = run(bundle, [f"{bundle}/app/copy_engine_bench",
                        f"{bundle}/lib/softcx/libsoftcx_gpu.so"], check=True)
    return [{name: value if name == "direction" else float(value) for name, value in row.items()}
            for row in csv.DictReader(done.stdout.splitlines())]


def turnaround(bundle):
    """Nanoseconds from receive to send, of the kernels and of the bare sequence."""
    done = run(bundle, [f"{bundle}/app/gpu_turnaround_bench", "100000", "128"], check=True)
    return json.loads(done.stdout)["results"]


def send(bundle):
    """M WQE/s of blocks that send, beside NVIDIA's library where the build had its headers."""
    with tempfile.TemporaryDirectory() as folder:
        run(bundle, [f"{bundle}/app/gpu_send_bench", "--repeats", "3", "--output",
                     f"{folder}/result"], seconds=120, check=True)
        return json.loads(pathlib.Path(folder, "result").read_text())["rows"]


def send_cost(bundle):
    """SM cycles of each call of the send API, by scope, sharing and threads."""
    with tempfile.TemporaryDirectory() as folder:
        run(bundle, [f"{bundle}/app/gpu_send_cost", "--output", f"{folder}/result"], seconds=60,
            check=True)
        return json.loads(pathlib.Path(folder, "result").read_text())


def semaphores(bundle):
    """Items that a thread, a warp or a block hands to another, or to a thread of the CPU. Each is
    checked at both ends: one that is lost, torn or late is a failure."""
    said = run(bundle, [f"{bundle}/app/gpu_semaphore_bench"], check=True).stdout
    names = ("way", "scope", "threads", "pairs", "batch", "mitems", "ns")
    kinds = (str, str, int, int, int, float, float)
    rows = [{name: kind(value) for name, kind, value in zip(names, kinds, row)}
            for row in SEMAPHORE.findall(said)]
    assert len(rows) == len(said.splitlines()), said
    return rows


def launch_modes(bundle):
    """GPU-driven rings against launches by the CPU: one result of its own."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "tests/bench/launch_modes.py", "--vdev=gpu_cuda0",
                        f"--bundle={bundle}", "--seconds=0.2", f"--json={folder}/result"],
                       check=True)
        return [json.loads(pathlib.Path(folder, "result").read_text())]
