# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Unit tests of tests/unit whose kernels are a GPU's (tests/gpu/meson.build)."""
import concurrent.futures
import re

from .host import run

AT_ONCE = 6
LIMIT_S = 120
RAN = re.compile(r"^\[=+\] (\d+) tests? from \d+ test suites? ran", re.M)


def programs(bundle):
    return sorted((bundle / "tests" / "gpu").iterdir())


def problem(bundle, program):
    done = run(bundle, [program, "--gtest_brief=1"], seconds=LIMIT_S)
    ran = RAN.search(done.stdout)
    if done.returncode == 0 and (ran is None or int(ran[1]) > 0):
        return None
    return f"exit code {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}"


def units(bundle):
    """The device API on a GPU, call by call: one check a program."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [(program, pool.submit(problem, bundle, program)) for program in programs(bundle)]
        for program, ended in runs:
            yield program.name, ended.result
