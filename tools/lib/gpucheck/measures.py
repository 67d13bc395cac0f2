# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Measurements on a GPU. Each function returns rows for the result."""
import collections
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
from .testpmd import LOSSES, NIC_DROPS, Testpmd

MEMORY = ("gpu", "gpu-pinned")
THREADS = (128, 256)
LOOPS = (1, 2, 4, 8)  # ports whose wires loop, each with a softcx core
FRAME = 1500  # bytes, of the row that says so, and its ports
FRAME_LOOPS = (1, 4, 8, 14)
SEMAPHORE = re.compile(r"(\w+ to \w+), (\w+) of (\d+), (\d+) pairs, batch (\d+): ([\d.]+) M items/s, "
                       r"([\d.]+) ns each, 0 wrong, 0 late")


def rate(session, direction, first="", seconds=0.3, rounds=3):
    """(packets a second of all ports, the median of some looks; what was lost, by the causes that
    testpmd's counters and softcx name)."""
    session.say(f"start {first}".strip())
    session.pps(direction)
    found = []
    for _ in range(rounds):
        time.sleep(seconds)
        found.append(session.pps(direction))
    stopped = session.say("stop").split("Accumulated")[0]
    lost = collections.Counter()
    for cause, packets in LOSSES.findall(stopped):
        lost[cause] += int(packets)
    for causes in NIC_DROPS.findall(session.end()):
        for cause, packets in map(str.split, causes.split(", ")):
            lost[cause] += int(packets)
    if lost["out_of_buffer"]:
        del lost["RX-dropped"]  # the same packets
    return statistics.median(found), dict(lost)


def round_loops(bundle, mode, memory, ports, threads, options=(), bursts=2):
    """As rate(), of frames that go round in softcx's loop wires. All frames of a port are one flow,
    so it has one queue. Ports send by each other, in pairs, and all frames of a pair may lie at one
    of them: with two bursts a port, half of its buffers are free then, but for those of frames that
    were sent and are not given back yet."""
    return rate(Testpmd(bundle, ["loop"] * ports, memory,
                        [f"--forward-mode={mode}", "--rxd=4096", "--txd=4096", "--burst=512",
                         f"--gpu-block-threads={threads}", *options], engines=ports),
                "rx", f"tx_first {bursts}")


def rates(bundle):
    """Mpps of 64 bytes round softcx's loop wires, rings in pinned host memory, packets there or on
    the GPU."""
    rows = []
    for case in itertools.product(("io", "macswap"), MEMORY, LOOPS, THREADS):
        mode, memory, ports, threads = case
        pps, lost = round_loops(bundle, *case)
        rows.append({"mode": mode, "memory": memory, "ports": ports, "threads": threads,
                     "mpps": round(pps / 1e6, 3), "lost": lost})
        print("{mode:8} {memory:10} ports={ports} threads={threads:4} {mpps:8.3f} Mpps {lost}".format(
            **rows[-1]), flush=True)
    return rows


def posting(bundle):
    """M WQE/s of one block that posts 64-byte frames into a ring in pinned host memory, while one
    softcx core takes them off, checks all that it checks of any WQE, and swallows the frames."""
    rows = []
    for threads in (32, 64, 128, 256, 512):
        session = Testpmd(bundle, ["null"], "gpu-pinned",
                          ["--forward-mode=txonly", "--txd=8192", "--burst=512",
                           f"--gpu-block-threads={threads}"])
        pps, lost = rate(session, "tx")
        rows.append({"threads": threads, "mwqes": round(pps / 1e6, 1), "lost": lost})
        print("posting threads={threads:4} {mwqes:8.1f} M WQE/s {lost}".format(**rows[-1]),
              flush=True)
    return rows


def every_byte(bundle):
    """Gb/s of 1500-byte frames in pinned memory through a kernel that reads and writes each byte."""
    rows = []
    for ports, threads in itertools.product(FRAME_LOOPS, (256, 512)):
        pps, lost = round_loops(bundle, "invert", "gpu-pinned", ports, threads,
                                [f"--txpkts={FRAME}"], bursts=1)
        rows.append({"ports": ports, "threads": threads, "mpps": round(pps / 1e6, 3),
                     "gbps": round(pps * FRAME * 8 / 1e9, 1), "lost": lost})
        print("invert 1500 B ports={ports} threads={threads:4} {gbps:8.1f} Gb/s {lost}".format(
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
    """SM cycles of each call of the device API, by scope, sharing and threads."""
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
        subprocess.run([ROOT / "tests/bench/launch_modes.py", "--vdev=gpu_cuda0", "--ports=4",
                        f"--bundle={bundle}", "--seconds=0.2", f"--json={folder}/result"],
                       check=True)
        return [json.loads(pathlib.Path(folder, "result").read_text())]
