#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Makes the table of what calls of the device API cost, of a result of tools/gpu-check.

  tests/bench/send_cost_report.py [tests/bench/results/h200.json]
"""
import json
import pathlib
import sys

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
TABLE = RESULTS / "send_cost.md"
# (queue, sharing): title
SECTIONS = {("send", "exclusive"): "Send, exclusive: one scope owns the queue",
            ("send", "block"): "Send, shared by the scopes of one block",
            ("send", "gpu"): "Send, shared by the scopes of any block of the GPU",
            ("receive", "exclusive"): "Receive: one scope owns the queue",
            ("semaphore", "exclusive"): "Semaphores: one scope owns an end"}
SCOPES = ("thread", "warp", "block")
ABOUT = """# What a call of the device API costs

SM cycles on one {gpu} (driver {driver}, {date}). Rings and NIC model
lie in GPU memory, slots are always checked, and each thread sends one WQE a call. Columns are the threads of the block; a block of them is one
scope of all (block), or as many as it has warps or threads, which call at the same time. The cost
of a packet is the time that its scope spends in the call, by the packets of that call; "apart" is
how many cycles lie between two packets of the whole block. `send` is reserve, write and commit in
one. gpunetio's calls are NVIDIA's open ones that are nearest, of RDMA writes of the same length;
they have no block scope: reserve by one thread, prepare by all and submit by one stands for it,
and no receive and no semaphores. Packets received and items handed on are there when they are
looked for, one a thread of the scope: the cycles are those of the call, without a wait.

Made by tests/bench/send_cost_report.py.
"""


def rows_of(costs, queue, sharing):
    """(who, call, scope, unit) -> {threads: cost}, in the order of the scopes."""
    rows = {}
    for scope in SCOPES:
        for cost in costs:
            if (cost.get("queue", "send"), cost["sharing"], cost["scope"]) == (queue, sharing, scope):
                key = (cost["who"], cost["call"], scope, cost["unit"])
                rows.setdefault(key, {})[cost["threads"]] = cost
    return rows


def lines_of(rows, threads):
    yield "| call | scope | cycles | " + " | ".join(map(str, threads)) + " |"
    yield "|---|---|---|" + "---:|" * len(threads)
    for (who, call, scope, unit), of_threads in rows.items():
        name = f"gpunetio `{call}`" if who == "gpunetio" else f"`{call}`"
        for kind, key in ((f"a {unit}", "cycles"), ("apart", "interval")):
            cells = [of_threads.get(count, {}).get(key, 0) for count in threads]
            # Where there is one scope, its packets are as far apart as they cost.
            if any(cells) and (key == "cycles" or len(of_threads) > 1 and scope != "block"):
                shown = (f"{cell:.0f}" if cell >= 10 else f"{cell:.1f}" if cell else ""
                         for cell in cells)
                yield f"| {name} | {scope} | {kind} | " + " | ".join(shown) + " |"


def main():
    source = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS / "h200.json"
    part = json.loads(source.read_text())["send_cost"]
    threads = sorted({cost["threads"] for cost in part["rows"]})
    lines = [ABOUT.format(**part)]
    for section, title in SECTIONS.items():
        if rows := rows_of(part["rows"], *section):
            lines += [f"## {title}", "", *lines_of(rows, threads), ""]
    TABLE.write_text("\n".join(lines))


main()
