#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""GPU-driven rings against the ways by which a CPU hands bursts to a GPU (--gpu-launch).

macswap of 1 kB frames that go round in softcx's loop wires. A window is the number of frames under
way, of each port: all there are, made by tx_first. So the rate at a window of one burst tells how
long a burst takes once round (NIC, launch, kernel, NIC): for few frames what packets take at low
load. With 512 frames it tells what the slowest stage can do. The NIC is a CPU thread a port, the same
for all modes; where the CPU drives the queues, it has an lcore a port too. A traced run of the
GPU-driven way says where its time goes.

With benchmarks built and a GPU at hand their two measures without that NIC are added: what a
GPU-driven block does with a NIC that is a GPU kernel (gpu_loop_bench), and what the other ways do
with none (gpu_launch_bench).

  tests/bench/launch_modes.py [--vdev gpu_host0|gpu_cuda0] [--ports N] [--bundle FOLDER]
                              [--json FILE]
  tests/bench/launch_modes.py --docs FILE       puts a result into docs/performance.md
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lib"))

from gpucheck.host import environment  # noqa: E402
from gpucheck.testpmd import LOSSES, Testpmd  # noqa: E402

BUILD = pathlib.Path(os.environ.get("RINGSIDE_BUILD", ROOT / "build"))
MODES = ("persistent", "per-burst", "graph", "comm-list")
BURSTS = (4, 16, 32, 64)  # mlx5's receive functions take no fewer than 4
SMALL = 16
BEGIN, END = "<!-- launch_modes.py -->", "<!-- end launch_modes.py -->"  # where the tables go
MANY = 512  # frames under way that keep every stage busy
RING = 2048  # a frame has a slot until it is sent, and another when it is back: none is missed
FRAME = 1024  # bytes, without FCS


def start(options, launch, burst, *more):
    """`ringside testpmd` on softcx's loop wires, each with a core of softcx's and an lcore."""
    return Testpmd(options.bundle or BUILD, ["loop"] * options.ports, options.mp_alloc,
                   [*more, "--forward-mode=macswap", f"--gpu-launch={launch}", f"--burst={burst}",
                    f"--txpkts={FRAME}", f"--rxd={RING}", f"--txd={RING}",
                    f"--nb-cores={options.ports}"],
                   eal=["-l", f"0-{options.ports}", "--in-memory", "--no-telemetry",
                        f"--vdev={options.vdev}"], engines=options.ports)


def measure(options, mode, burst, windows):
    """{window: rate in packets/s}. Frames wait in the NIC from a stop to the next start, so that
    each start adds to those under way."""
    session = start(options, mode, burst)
    rates = {}
    under_way = 0
    for window in windows:
        session.say(f"start tx_first {(window - under_way) // burst}")
        under_way = window
        time.sleep(options.seconds / 4)
        session.pps("rx")
        time.sleep(options.seconds)
        rates[window] = session.pps("rx")
        stopped = session.say("stop")
        if LOSSES.search(stopped) or rates[window] == 0:
            raise RuntimeError(f"{mode}: frames were lost, so that the window is not what it "
                               f"should be:\n{stopped}")
    session.end()
    return rates


def profile(options, burst):
    """Where a batch's time goes, GPU-driven: medians of each step in ns, of a kernel that notes
    them, which takes time too (--trace). By frames under way."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace.json")
        session = start(options, "persistent", burst, f"--trace={trace},events=4096")
        steps = {}
        under_way = 0
        for window in (burst, MANY):
            session.say(f"start tx_first {(window - under_way) // burst}")
            under_way = window
            time.sleep(options.seconds)
            session.say("stop")
            stream = json.loads(trace.read_text())["latency"][0]
            steps[window] = {step: times["p50"] for step, times in stream["steps"].items()}
        session.end()
    return [{"burst": burst, "window": window, **times} for window, times in steps.items()]


def medians(options, burst):
    """{(window, mode): median rate}. Sessions of all modes take turns: how fast the NIC's thread
    is depends on the session."""
    rates = {}
    for _ in range(options.sessions):
        for mode in MODES:
            for window, rate in measure(options, mode, burst, (burst, MANY)).items():
                rates.setdefault((window, mode), []).append(rate)
    return {case: statistics.median(all_rates) for case, all_rates in rates.items()}


def gpu_name(vdev):
    if vdev.startswith("gpu_host"):
        return "host threads"
    return subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                          capture_output=True, text=True, check=True).stdout.splitlines()[0]


def write_into_docs(result):
    lines = ["| burst | frames under way | " + " | ".join(MODES) + " |",
             "|---|---|" + "---|" * len(MODES)]
    cells = {(row["burst"], row["window"], row["mode"]): f"{row['gbps']:.1f}"
             for row in result["rows"]}
    for burst, window in dict.fromkeys(key[:2] for key in sorted(cells)):
        lines.append(f"| {burst} | {window} | " + " | ".join(
            cells[burst, window, mode] for mode in MODES) + " |")
    lines += ["", f"Gb/s, {result['gpu']}, {result['date']}: {result['what']}."]
    for row in result.get("profile", ()):
        steps = {step: ns for step, ns in row.items() if step not in ("burst", "window")}
        lines += ["", f"| traced, burst {row['burst']}, {row['window']} under way | "
                  + " | ".join(steps) + " |", "|---|" + "---|" * len(steps),
                  "| us | " + " | ".join(f"{ns / 1000:.2f}" for ns in steps.values()) + " |"]
    if result["without_nic"]:
        lines += ["", "| burst | " + " | ".join(MODES) + " |", "|---|" + "---|" * len(MODES)]
        for burst in (burst for burst in BURSTS if burst >= SMALL):
            best = [max(row["mpps"] for row in result["without_nic"]
                        if row["way"] == mode and row["burst"] == burst and
                        (row.get("queues") or row["lanes"]) == 4 and
                        row.get("packets_in", "device") == "device") for mode in MODES]
            lines.append(f"| {burst} | " + " | ".join(f"{rate:.1f}" for rate in best) + " |")
        lines += ["", "Mpps of four queues without the NIC in software, packets in GPU memory: four "
                      "GPU-driven blocks (of 64, 128 or 256 threads, the best), or one CPU thread "
                      "that does nothing else than hand bursts over."]
    page = ROOT / "docs/performance.md"
    before, rest = page.read_text().split(BEGIN)
    table = "\n".join(lines)
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}")


def without_nic(options):
    """Rows of both benchmarks that leave softcx out, or none where they cannot run."""
    folder = options.bundle / "app" if options.bundle else BUILD / "tests/bench/gpu"
    if options.vdev.startswith("gpu_host") or not (folder / "gpu_loop_bench").exists():
        return []
    eal = ["--in-memory", "--no-telemetry", "--no-pci", "-l", "0", f"--vdev={options.vdev}"]
    rows = []
    for command in ([folder / "gpu_loop_bench"], [folder / "gpu_launch_bench", *eal]):
        done = subprocess.run(command, capture_output=True, text=True, check=True,
                              env=environment(options.bundle or BUILD))
        rows += json.loads(done.stdout[done.stdout.index("{"):])["rows"]
    return rows


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vdev", default="gpu_host0")
    parser.add_argument("--bundle", type=pathlib.Path, help="the folder that tools/gpu-bundle made")
    parser.add_argument("--mp-alloc", default="gpu-pinned", choices=("gpu", "gpu-pinned"))
    parser.add_argument("--bursts", type=numbers, default=BURSTS)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--sessions", type=int, default=3)
    parser.add_argument("--ports", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", type=pathlib.Path, help="a result of --json or of tools/gpu-check")
    options = parser.parse_args()
    if options.docs:
        result = json.loads(options.docs.read_text())
        write_into_docs(result["launch_modes"]["rows"][0] if "launch_modes" in result else result)
        return

    rows = []
    print(f"{'burst':>5} {'window':>6} {'mode':>10} {'Mpps':>7} {'Gb/s':>7} {'us round':>8} "
          f"{'persistent is':>13}", flush=True)
    for burst in options.bursts:
        rates = medians(options, burst)
        for window, mode in sorted(rates, key=lambda case: case[0]):
            rate = rates[window, mode]
            rows.append({"burst": burst, "window": window, "mode": mode,
                         "mpps": round(rate / 1e6, 3),
                         "gbps": round(rate * FRAME * 8 / 1e9, 2),
                         "round_us": round(options.ports * window / rate * 1e6, 2),
                         "persistent_is": round(rates[window, "persistent"] / rate, 2)})
            print("{burst:5} {window:6} {mode:>10} {mpps:7.3f} {gbps:7.2f} {round_us:8.2f} "
                  "{persistent_is:12.2f}x".format(**rows[-1]), flush=True)
    result = {"what": f"macswap of {FRAME}-byte frames round softcx's loop wires, {options.ports} "
                      "ports of one queue, each with a softcx core, the CPU's ways with an lcore "
                      f"each too, packets in {options.mp_alloc} memory; a window is the number of "
                      f"frames under way a port; medians of {options.sessions} sessions",
              "gpu": gpu_name(options.vdev), "date": datetime.date.today().isoformat(),
              "kernel": platform.release(), "rows": rows,
              "profile": profile(options, SMALL), "without_nic": without_nic(options)}
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
