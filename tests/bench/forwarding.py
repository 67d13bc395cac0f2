#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Packets per second of 64-byte forwarding on two cores, ours and the peers' in the same run.

Cases (each: frames bounce in a closed loop for a fixed time, the rate is testpmd's own Rx-pps):
  memif/testpmd-io       two dpdk-testpmd joined by a memif, one core each: the peer
  softcx/testpmd-io      unmodified dpdk-testpmd on one core, softcx loop on the other
  softcx/ringside-macswap   Ringside's kernel on one core, softcx loop on the other
Rounds are interleaved, so that a noisy neighbour hits all cases; medians and the ratios to the
peer are reported. CPU figures of a shared machine: compare the ratios, not the absolute numbers.

  tests/bench/forwarding.py [--rounds N] [--seconds N] [--json FILE] [--docs]
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
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RINGSIDE_BUILD", ROOT / "build"))
SOFTCX = [str(BUILD / "app/softcx"), "run", "--port", "loop", "--"]
EAL = ["--in-memory", "--no-telemetry"]
# Bursts of 32: fewer frames than any ring holds, so that none is lost for want of a buffer.
TX_FIRST = 8
RX_PPS = re.compile(r"Rx-pps:\s+(\d+)")


class Session:
    """A testpmd, ours or Debian's, fed by a pipe."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def end(self):
        output, _ = self.process.communicate("stop\nquit\n", timeout=30)
        if self.process.returncode != 0:
            raise RuntimeError(f"{self.process.args}: exit {self.process.returncode}\n{output}")
        return output


def measured_rate(session, seconds):
    """Rx-pps over `seconds`, of a session that is forwarding."""
    session.say("show port stats all")
    time.sleep(seconds)
    session.say("show port stats all")
    time.sleep(0.3)
    rates = [int(rate) for rate in RX_PPS.findall(session.end())]
    if len(rates) < 2 or rates[-1] == 0:
        raise RuntimeError(f"no packets moved: rates {rates}")
    return rates[-1]


def softcx_testpmd_io(seconds):
    session = Session([*SOFTCX, "dpdk-testpmd", "-l", "0-1", *EAL, "-a", "0000:ca:00.0", "--",
                       "-i", "--forward-mode=io", "--no-flush-rx"])
    time.sleep(3)
    session.say(f"start tx_first {TX_FIRST}")
    time.sleep(0.5)
    return measured_rate(session, seconds)


def softcx_ringside_macswap(seconds):
    session = Session([*SOFTCX, str(BUILD / "app/ringside"), "testpmd", "-l", "0-1", *EAL,
                       "-a", "0000:ca:00.0", "--vdev=gpu_host0", "--", "-i", "--nb-cores=1",
                       "--forward-mode=macswap", "--mp-alloc=gpu", "--gpu-id=0"])
    time.sleep(3)
    session.say(f"start tx_first {TX_FIRST}")
    time.sleep(0.5)
    return measured_rate(session, seconds)


def memif_testpmd_io(seconds):
    with tempfile.TemporaryDirectory() as folder:
        def end(name, role, cpu):
            vdev = f"net_memif0,role={role},id=0,socket={folder}/memif.sock,socket-abstract=no"
            return Session(["dpdk-testpmd", "--lcores", f"0@{cpu},1@{cpu}", *EAL, "--no-pci",
                            "--file-prefix", name, "-m", "128", f"--vdev={vdev}", "--", "-i",
                            "--total-num-mbufs=8192"])
        server = end("server", "server", 1)
        time.sleep(2)
        client = end("client", "client", 0)
        time.sleep(3)
        server.say("start")
        client.say(f"start tx_first {TX_FIRST}")
        time.sleep(0.5)
        rate = measured_rate(client, seconds)
        server.end()
        return rate


CASES = {
    "memif/testpmd-io": memif_testpmd_io,
    "softcx/testpmd-io": softcx_testpmd_io,
    "softcx/ringside-macswap": softcx_ringside_macswap,
}
PEER = "memif/testpmd-io"
BEGIN, END = "<!-- forwarding.py -->", "<!-- end -->"  # its table lies between


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def package_version(package):
    query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                           capture_output=True, text=True, check=False)
    return query.stdout or "unknown"


def docs_table(result):
    lines = ["| case | Mpps | to the peer |", "|---|---|---|"]
    lines += [f"| {case} | {row['mpps_median']:.2f} | {row['ratio_to_peer']:.2f} |"
              for case, row in result["cases"].items()]
    lines += ["", f"{result['cpu']}, {result['cores']} cores, Linux {result['kernel']}, DPDK "
                  f"{result['dpdk']}, {result['date']}; medians of {result['rounds']} rounds."]
    return "\n".join(lines)


def write_into_docs(result):
    page = ROOT / "docs/performance.md"
    before, rest = page.read_text().split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n{docs_table(result)}\n{END}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()

    rates = {case: [] for case in CASES}
    for _ in range(options.rounds):
        for case, run in CASES.items():
            rates[case].append(run(options.seconds))
    peer = statistics.median(rates[PEER])
    rows = {case: {"mpps_median": round(statistics.median(values) / 1e6, 2),
                   "mpps_all": [round(value / 1e6, 2) for value in values],
                   "ratio_to_peer": round(statistics.median(values) / peer, 2)}
            for case, values in rates.items()}
    result = {"what": "64-byte forwarding in a closed loop, two CPU cores",
              "date": datetime.date.today().isoformat(), "cpu": cpu_name(),
              "cores": os.cpu_count(), "kernel": platform.release(),
              "dpdk": package_version("dpdk"), "rdma-core": package_version("libibverbs1"),
              "rounds": options.rounds, "seconds": options.seconds, "cases": rows}
    print(f"{'case':28} {'Mpps':>8} {'to peer':>8}")
    for case, row in rows.items():
        print(f"{case:28} {row['mpps_median']:8.2f} {row['ratio_to_peer']:8.2f}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")
    if options.docs:
        write_into_docs(result)


if __name__ == "__main__":
    main()
