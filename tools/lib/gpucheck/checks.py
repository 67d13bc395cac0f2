# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Checks on a GPU. Each function yields (what is checked, what to call for what is wrong or None)."""
import concurrent.futures
import functools
import itertools
import re

from .host import run

# Blocks of a warp, which suffice for each kernel's accesses. One kernel at a time: the sanitizer
# runs none beside another.
UNITS = ("device_block", "device_receive", "device_semaphore", "device_send",
         "device_send_sharing", "device_traced", "kernels_pipeline_queue", "kernels_program",
         "mlx5_recovery")
OF_A_WARP = "*/alone:*/32:*_of_32:*_thread_1:*_thread_32:*_warp_32:*_block_32"
AT_ONCE = 6


def sanitize(bundle, tool, program):
    done = run(bundle, ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", *program],
               seconds=120)
    text = done.stdout + done.stderr
    if done.returncode == 0 and not re.search(r"^\[=+\] 0 tests", text, re.M):
        return None
    telling = re.search(r"^=+ (?:Error|Warning|ERROR|Invalid).*|^\[  FAILED  \].*", text, re.M)
    return f"{telling[0] if telling else 'no test ran'}\n{text[-4000:]}"


def sanitizer(bundle):
    """The kernels that ship, and the queues of the device API, under compute-sanitizer."""
    programs = ([f"{bundle}/app/gpu_turnaround_bench", "200", "128"],
                [f"{bundle}/app/gpu_send_bench", "--repeats", "1", "--bursts", "5",
                 "--only", "1 queues x 1 blocks x 256 threads"])
    for tool, program in itertools.product(("memcheck", "racecheck"), programs):
        yield (f"{tool}: {program[0].rsplit('/', 1)[1]}",
               functools.partial(sanitize, bundle, tool, program))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [(f"{tool}: gpu_{name}_test",
                 pool.submit(sanitize, bundle, tool, [f"{bundle}/tests/gpu/gpu_{name}_test",
                                                      f"--gtest_filter={OF_A_WARP}"]))
                for tool, name in itertools.product(("memcheck", "racecheck"), UNITS)]
        for name, ended in runs:
            yield name, ended.result


def send_in_order(bundle, name):
    done = run(bundle, [f"{bundle}/app/gpu_send_bench", "--repeats", "1", "--packets",
                        "1000000000", "--only", name], seconds=30)
    return None if done.returncode == 0 else done.stdout + done.stderr


def sequence(bundle):
    """10^9 numbered packets through one queue: none lost, doubled or out of order within it."""
    for name in ("ringside exclusive, 1 queues x 1 blocks x 1024 threads, bursts of 1024",
                 "ringside shared, 1 queues x 8 blocks x 1024 threads"):
        yield f"10^9 packets in order: {name}", functools.partial(send_in_order, bundle, name)
