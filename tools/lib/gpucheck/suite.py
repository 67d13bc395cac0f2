# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The system tests that run on a GPU, with packets in its memory and in pinned memory: pytest on
parts of them at once, since most of a test's time is a program's start."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from .host import ROOT, gpus, libraries

SHARDS = 6  # more gain nothing: most of a start is the driver's, one program at a time
LIMIT_S = 450
TWO_GPUS_LIMIT_S = 60
MEMORIES = "gpu,gpu-pinned"
OUTCOME = re.compile(r"^(\S+::.+?) (PASSED|FAILED|ERROR|SKIPPED)(?: \((.*)\))? +\[ *\d+%\]$", re.M)
TRACEBACKS = re.compile(r"^=+ (?:FAILURES|ERRORS) =+$.*?(?=^=+ short test summary)", re.M | re.S)
REASON = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - (.*))?$", re.M)


class Skipped(str):
    """Why a test did not run."""


def start(bundle, log, gpu, options):
    environment = {
        **os.environ, "PYTHONPATH": f"{bundle}/python", "PYTHONUNBUFFERED": "1", "COLUMNS": "4000",
        "PATH": f"{bundle}/app:{os.environ['PATH']}", "RINGSIDE_BUILD": str(bundle),
        "RINGSIDE_TEST_LIBRARIES": libraries(bundle),
        # Of the host's Python, whatever it has.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-v", "-rfE", "--tb=short", "-p", "no:cacheprovider",
         "-W", "ignore::DeprecationWarning",  # of a Python that is newer than Debian's pytest
         f"--gpu={gpu}", f"--gpu-memory={MEMORIES}", *options, "tests/system"],
        stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, env=environment, start_new_session=True)


def outcomes(log, status):
    """(test, None or what is wrong, or Skipped) of what pytest has said. `status`: how it ended."""
    reasons = dict(REASON.findall(log))
    found = OUTCOME.findall(log)
    for test, outcome, why in found:
        if outcome == "SKIPPED":
            yield test, Skipped(why)
        else:
            yield test, None if outcome == "PASSED" else reasons.get(test) or outcome
    # 0, 1: all tests ran, if it was pytest that said so; 5: there were none.
    if status not in (0, 1, 5) or (status != 5 and not found):
        last = found[-1][0] if found else "none"
        yield "pytest", f"did not come to its end; the last test was {last}:\n{log[-3000:]}"


def run_at_once(bundle, gpu, seconds, each):
    """What runs of pytest with each of these options say, joined."""
    end = time.monotonic() + seconds
    runs = []
    for options in each:
        log = tempfile.TemporaryFile("w+")
        runs.append((start(bundle, log, gpu, options), log))
    for process, log in runs:
        try:
            process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        log.seek(0)
        text = log.read()
        log.close()
        yield from outcomes(text, process.returncode)
        for traceback in TRACEBACKS.findall(text):  # what the short reason leaves out
            print(traceback, flush=True)


def second_gpu():
    """Another one, or the first once more under another name where there is one only."""
    return f"--second-gpu=gpu_cuda1,ordinal={1 if gpus() > 1 else 0}"


def suite(bundle, gpu="gpu_cuda0", shards=SHARDS, seconds=LIMIT_S, more=()):
    if gpu.startswith("gpu_cuda"):
        more = (second_gpu(), *more)
    parts = [("-m", "gpu and not alone", f"--shard={i}/{shards}", *more) for i in range(shards)]
    yield from run_at_once(bundle, gpu, seconds, parts)
    yield from run_at_once(bundle, gpu, seconds, [("-m", "gpu and alone", *more)])


def two_gpus(bundle):
    """The tests of two GPUs where there are two: suite() gives them one of its own under two names."""
    if gpus() < 2:
        yield "pytest -m two_gpus", Skipped("needs two GPUs")
        return
    yield from run_at_once(bundle, "gpu_cuda0", TWO_GPUS_LIMIT_S, [
        ("-m", "two_gpus", f"--shard={i}/{SHARDS}", second_gpu()) for i in range(SHARDS)])
