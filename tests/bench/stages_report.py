#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Measures stages on CPU threads and puts it into results/stages.json.

  tests/bench/stages_report.py [BUILD/tests/bench/stages_bench]

Of several runs, since other programs may have the CPU too: each number is the best of its own.
"""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULT = ROOT / "tests/bench/results/stages.json"
RUNS = 5
CHAIN = re.compile(r"(\d+) stages: ([\d.]+) ns a packet by hand, ([\d.]+) compiled, .*?([\d.]+) from")
COMPILED = re.compile(r"(\d+) stages: compiled in ([\d.]+) s")
TABLE = re.compile(r"table of (\d+): ([\d.]+) M lookups a second, ([\d.]+) MB")


def measure(program):
    """What it prints, with chains that it compiles anew."""
    with tempfile.TemporaryDirectory() as cache:
        return subprocess.run([program], check=True, capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": cache}).stdout


def best(pattern, texts, choose):
    """Number of stages or entries -> the best of each of the other numbers."""
    found = {}
    for text in texts:
        for key, *numbers in pattern.findall(text):
            found.setdefault(int(key), []).append([float(number) for number in numbers])
    return {key: [choose(column) for column in zip(*rows)] for key, rows in found.items()}


def host(texts):
    rows = [{"stages": stages, "by_hand": hand, "compiled": compiled,
             "compiled_ratio": round(compiled / hand, 2), "stored": stored,
             "stored_ratio": round(stored / hand, 2)}
            for stages, (hand, compiled, stored) in best(CHAIN, texts, min).items()]
    return {
        "cpu": re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1],
        "what": "whole loop of receive, process, send over a NIC in memory, batches of 64, ns a "
                "packet; run compiles the chain where there is a compiler",
        "rows": rows,
        "compile_s": {str(stages): seconds
                      for stages, (seconds,) in best(COMPILED, texts, min).items()},
        "table": [{"entries": entries, "mlookups_per_s": rate, "mb": mb}
                  for entries, (rate, mb) in best(TABLE, texts, max).items()]}


def main(program=ROOT / "build/tests/bench/stages_bench"):
    result = json.loads(RESULT.read_text())
    result["host"] = host([measure(program) for _ in range(RUNS)])
    result["host"]["date"] = datetime.date.today().isoformat()
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
