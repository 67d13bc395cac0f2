#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""64-byte frames forwarded over several loop ports of softcx by kernels, an engine thread a port.

In each case the frames go round in a closed loop, `ringside testpmd` forwards them, and what counts
is the sum of the ports' Rx-pps. A port costs one CPU for its engine; kernels of a GPU cost none. Two
ports feed each other (testpmd's paired topology), so rings hold the frames of both.

  tests/bench/port_scaling.py [--bundle FOLDER] [--vdev gpu_cuda0] [--ports 1,2,4,8] [--json FILE]

--bundle is the folder that tools/gpu-bundle made; without it the build folder is used.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RINGSIDE_BUILD", ROOT / "build"))
RX_PPS = re.compile(r"Rx-pps:\s+(\d+)")
DROPPED = re.compile(r"dropped \d+ \(([^)]*)\)")
PROMPT = "testpmd> "


class Session:
    """`ringside testpmd` on a pipe, under `softcx run`."""

    def __init__(self, options, ports, engines, queues):
        home = options.bundle or BUILD
        environment = dict(os.environ)
        if options.bundle:
            environment["LD_LIBRARY_PATH"] = f"{home}/lib/debian:{home}/pmds"
        wires = ["--port", "loop"] * ports
        addresses = [word for i in range(ports) for word in ("-a", f"0000:ca:00.{i}")]
        self.process = subprocess.Popen(
            [f"{home}/app/softcx", "run", *wires, f"--engines={engines}", "--",
             f"{home}/app/ringside", "testpmd", "-l", "0-1", "--in-memory", "--no-telemetry",
             *addresses, f"--vdev={options.vdev}", "--", "-i", f"--mp-alloc={options.mp_alloc}",
             f"--forward-mode={options.mode}", f"--rxq={queues}", f"--txq={queues}",
             f"--burst={options.window}", f"--rxd={4 * options.window}",
             f"--txd={4 * options.window}", f"--gpu-block-threads={options.threads}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment)
        self.output = ""
        self.until(PROMPT)

    def until(self, text):
        seen = ""
        while not seen.endswith(text):
            byte = self.process.stdout.read(1)
            seen += byte
            if byte == "":
                raise RuntimeError(f"ended before {text!r}:\n{self.output}{seen}")
        self.output += seen
        return seen

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.until(command)  # its echo
        return self.until(PROMPT)

    def end(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        rest = self.process.stdout.read()
        if self.process.wait() != 0 or "violation" in rest:
            raise RuntimeError(f"exit code {self.process.returncode}:\n{self.output}{rest}")
        return rest


def measure(options, ports, engines, queues):
    session = Session(options, ports, engines, queues)
    session.say("start tx_first 1")
    session.say("show port stats all")
    snapshots = []
    for _ in range(options.rounds):
        time.sleep(options.seconds)
        snapshots.append([int(rate) for rate in RX_PPS.findall(session.say("show port stats all"))])
    session.say("stop")
    dropped = DROPPED.findall(session.end())
    return {"ports": ports, "engines": engines, "queues": queues,
            "mpps": round(statistics.median(map(sum, snapshots)) / 1e6, 2),
            "mpps_of_ports": [round(rate / 1e6, 2) for rate in snapshots[-1]],
            "dropped": dropped}


def numbers(text):
    return [int(number) for number in text.split(",")]


def gpu_name(vdev):
    if not vdev.startswith("gpu_cuda"):
        return "none: kernels on host threads"
    return subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
                          capture_output=True, text=True, check=True).stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bundle", type=pathlib.Path)
    parser.add_argument("--vdev", default="gpu_host0")
    parser.add_argument("--mp-alloc", default="gpu-pinned")
    parser.add_argument("--mode", default="io")
    parser.add_argument("--ports", type=numbers, default=[1, 2, 4, 8])
    parser.add_argument("--queues", type=numbers, default=[1])
    parser.add_argument("--threads", type=int, default=256, help="threads of a queue's block")
    parser.add_argument("--window", type=int, default=512, help="frames that go round, for a queue")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of a round")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()

    rows = []
    # The last one: what all ports reach when one thread serves them.
    for ports, engines in [*((ports, ports) for ports in options.ports), (options.ports[-1], 1)]:
        for queues in options.queues:
            rows.append(measure(options, ports, engines, queues))
            print(json.dumps(rows[-1]), flush=True)
    result = {"what": "64-byte frames forwarded over loop ports of softcx, all ports together",
              "mode": options.mode, "memory": options.mp_alloc, "gpu": gpu_name(options.vdev),
              "threads": options.threads, "window": options.window, "cpus": os.cpu_count(),
              "date": datetime.date.today().isoformat(), "kernel": platform.release(),
              "cases": rows}
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
