#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Makes README's GPU table, and a plot beside it, of a result of tools/gpu-check.

  tests/bench/gpu_report.py [tests/bench/results/h200.json]

The plot needs Debian's python3-matplotlib.
"""
import collections
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "tests/bench/results/h200.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- gpu_report.py -->", "<!-- end gpu_report.py -->"
SENDERS = {"ringside exclusive": "Ringside, exclusive queue",
           "ringside shared": "Ringside, thread-safe queue",
           "gpunetio low-level, exclusive": "gpunetio low-level, exclusive",
           "gpunetio low-level, no room check": "gpunetio low-level, slots not checked",
           "gpunetio put, warp scope, shared": "gpunetio put, thread-safe"}


def single(rows, sender):
    """Threads -> M WQE/s of one queue and one block, each thread a WQE at a time."""
    return {row["threads"]: row["mwqes"] for row in rows
            if row["what"] == sender and row["queues"] == row["blocks_a_queue"] == 1 and
            row["burst"] == (32 if "warp" in sender else row["threads"])}


def send_lines(rows):
    yield "| posting WQEs, one queue, one block, M/s | 32 threads | 64 | 128 | 256 | 512 | 1024 |"
    yield "|---|---|---|---|---|---|---|"
    for sender, name in SENDERS.items():
        rates = single(rows, sender)
        if rates:
            yield f"| {name} | " + " | ".join(
                f"{rates[threads]:.0f}" if threads in rates else ""
                for threads in (32, 64, 128, 256, 512, 1024)) + " |"
    yield ""
    most = max((row for row in rows if row["what"] == "ringside exclusive"),
               key=lambda row: row["mwqes"])
    yield (f"{most['queues']} queues with a block of {most['threads']} threads each: "
           f"{most['mwqes']:.0f} M WQE/s.")


def turnaround_lines(rows):
    yield "| receive to send, us, minimum / median | bare sequence | kernel |"
    yield "|---|---|---|"
    for program, packets, gap in (("io", "device", 6000), ("macswap", "device", 6000),
                                  ("io", "device", 0), ("macswap", "device", 0)):
        cells = {row["sequence"]: f"{row['min'] / 1000:.1f} / {row['p50'] / 1000:.1f}"
                 for row in rows if (row["program"], row["packets"], row["gap_ns"]) ==
                 (program, packets, gap)}
        when = "packets 6 to 10 us apart" if gap else "back to back"
        yield f"| {program}, {when} | {cells['bare']} | {cells['forward']} |"


def rate_lines(rows):
    ports = sorted({row["ports"] for row in rows})
    yield ("| 64 B round softcx's loop wires, Mpps | " +
           " | ".join(f"{count} port{'s' if count > 1 else ''}" for count in ports) + " |")
    yield "|---|" + "---|" * len(ports)
    memories = {"gpu": "GPU memory", "gpu-pinned": "pinned memory"}
    for mode in ("io", "macswap"):
        for memory, name in memories.items():
            best = [max(row["mpps"] for row in rows if (row["mode"], row["memory"], row["ports"]) ==
                        (mode, memory, count)) for count in ports]
            yield f"| {mode}, packets in {name} | " + " | ".join(f"{r:.1f}" for r in best) + " |"


def posting_lines(rows):
    yield "| posting into a ring in pinned memory | " + " | ".join(
        f"{row['threads']} threads" for row in rows) + " |"
    yield "|---|" + "---|" * len(rows)
    yield ("| one block, softcx on one core takes the WQEs off, M/s | " +
           " | ".join(f"{row['mwqes']:.0f}" for row in rows) + " |")


def every_byte_lines(rows):
    best = {row["ports"]: row for row in sorted(rows, key=lambda row: row["gbps"])}
    ports = sorted(best)
    yield ("| 1500 B in pinned memory, each byte read and written | " +
           " | ".join(f"{count} port{'s' if count > 1 else ''}" for count in ports) + " |")
    yield "|---|" + "---|" * len(ports)
    yield "| Gb/s | " + " | ".join(f"{best[count]['gbps']:.0f}" for count in ports) + " |"
    yield "| frames lost | " + " | ".join(
        ", ".join(f"{packets} {cause}" for cause, packets in best[count]["lost"].items()) or "none"
        for count in ports) + " |"


def part_lines(result, part, lines):
    """None of a part that the result does not have."""
    if part in result:
        yield from lines(result[part]["rows"])
        yield ""


def suite_lines(result):
    commands = {"suite": "`pytest -m gpu`", "two_gpus": "`pytest -m two_gpus`, on a host with two GPUs"}
    parts = [part for part in commands if part in result]
    if not parts:
        return
    yield ("| system tests on the GPU, packets in its memory and in pinned memory | passed | failed | "
           "skipped | seconds |")
    yield "|---|---|---|---|---|"
    skipped = collections.Counter()
    for part in parts:
        value = result[part]
        of_part = value.get("skipped", {})
        skipped.update(of_part)
        yield (f"| {commands[part]} | {value['passed']} | {len(value['failed'])} | "
               f"{sum(of_part.values())} | {value['seconds']} |")
    if skipped:
        yield ""
        # No paths of the machine that it ran on.
        reasons = sorted((re.sub(r" in /\S+?:", ":", why), n) for why, n in skipped.items())
        yield "Skipped: " + "; ".join(f"{why} ({n})" for why, n in reasons) + "."
    yield ""


def table(result):
    send, turnaround, rates = (result[part]["rows"] for part in ("send", "turnaround", "rates"))
    checked = sum(part.get("passed", 0) for part in result.values())
    failed = sum(len(part.get("failed", ())) for part in result.values())
    about = result["send"]
    return [*suite_lines(result), *send_lines(send), "", *turnaround_lines(turnaround), "",
            *rate_lines(rates), "",
            *part_lines(result, "posting", posting_lines),
            *part_lines(result, "every_byte", every_byte_lines),
            "[What each call of the device API costs](tests/bench/results/send_cost.md) in cycles.", "",
            f"{about['gpu']}, driver {about['driver']}, {about['date']}; {checked} checks passed, "
            f"{failed} failed.", "", "![WQEs a second](tests/bench/results/h200.svg)"]


def plot(rows, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ringside"  # the same file for the same result
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for sender, name in SENDERS.items():
        rates = single(rows, sender)
        if rates:
            axes.plot(list(rates), list(rates.values()), marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_xticks([32, 64, 128, 256, 512, 1024], labels=["32", "64", "128", "256", "512", "1024"])
    axes.set_xlabel("threads of the block")
    axes.set_ylabel("M WQE/s, one queue in GPU memory")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else RESULT
    result = json.loads(source.read_text())
    plot(result["send"]["rows"], RESULT.with_suffix(".svg"))
    before, rest = README.read_text().split(BEGIN)
    lines = "\n".join(table(result))
    README.write_text(f"{before}{BEGIN}\n{lines}\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
