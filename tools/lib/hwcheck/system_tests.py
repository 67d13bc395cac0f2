# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Runs the system tests on the ports."""
import subprocess
import sys
from dataclasses import dataclass


@dataclass
class Outcome:
    passed: bool
    summary: str  # pytest's last line


def run(root, ports, gpu, select, quiet):
    tests = sorted(map(str, (root / "tests" / "system").glob("test_ringside_*.py")))
    command = ["/usr/bin/python3", "-m", "pytest", "-v", "--tb=short", "-p", "no:cacheprovider", *tests,
               f"--ports={','.join(ports)}"]
    if gpu is not None:
        command.append(f"--gpu={gpu}")
    if select:
        command += ["-k", select]
    last = ""
    with subprocess.Popen(command, cwd=root, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            print(line, end="", file=sys.stderr if quiet else sys.stdout, flush=True)
            last = line.strip("=\n ") or last
    # All skipped is none that showed that it works.
    return Outcome(process.returncode == 0 and " passed" in last, last)
