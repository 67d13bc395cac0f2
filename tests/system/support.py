# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What system tests share: where things are, running `softcx`, talking to a testpmd."""
import csv
import os
import re
import resource
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import dpkt
import pexpect
import ports as cabling
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
BUILD = Path(os.environ.get("RINGSIDE_BUILD", ROOT / "build")).resolve()
SOFTCX = BUILD / "app" / "softcx"
RINGSIDE = BUILD / "app" / "ringside"
SHARED_DATA = Path(os.environ.get("RINGSIDE_SHARED_DATA", ROOT.parent / "shared" / "data"))
# What tools/fetch-captures has fetched.
TCPDUMP_TESTS = Path(os.environ.get("RINGSIDE_TCPDUMP_TESTS") or Path(
    os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ringside" / "tcpdump-tests")

PROMPT = "testpmd> "
NIC = "0000:ca:00.0"  # softcx's; ports.nic where a test may run on others
# EAL arguments under which two programs can run side by side and leave no files behind.
EAL = ["-l", "0-1", "--in-memory", "--no-telemetry", "--iova-mode=va"]


def environment(extra=None):
    """The environment of programs under test; RINGSIDE_TEST_PRELOAD is a sanitizer's run time,
    which has to come before all other preloads; RINGSIDE_TEST_LIBRARIES are folders of libraries
    that came with the programs, which Python itself must not load."""
    env = {**os.environ, **(extra or {})}
    if libraries := os.environ.get("RINGSIDE_TEST_LIBRARIES"):
        env["LD_LIBRARY_PATH"] = libraries
    preloads = [os.environ.get("RINGSIDE_TEST_PRELOAD"), env.get("LD_PRELOAD")]
    if any(preloads):
        env["LD_PRELOAD"] = ":".join(filter(None, preloads))
    return env


@dataclass
class Result:
    rc: int
    out: str
    err: str


def every_run_is_sanitized():
    """By --sanitize, under which the NIC gives no order of memory that PCIe does not give."""
    return os.environ.get("RINGSIDE_TEST_SANITIZE") == "1" and not cabling.cabled


def softcx_command(ports, command, engines=None, faults="", line_rate=None, sanitize=False):
    """`softcx run` with one --port per wire in front of command (a list of arguments); on cabled
    ports the command alone, and the test is skipped where their cables do not give those wires.
    With RINGSIDE_TEST_SANITIZE=1 every run is sanitized that injects no fault."""
    if cabling.cabled:
        cabling.require_wires(ports, faults)
        return list(map(str, command))
    args = [str(SOFTCX), "run"]
    if engines is not None:
        args += ["--engines", str(engines)]
    if faults:
        args.append(f"--fault={faults}")
    if line_rate is not None:
        args += ["--line-rate", line_rate]
    if sanitize or (every_run_is_sanitized() and not faults):
        args.append("--sanitize")
    for wire in ports:
        args += ["--port", str(wire)]
    return args + ["--", *map(str, command)]


def run(args, timeout=120, stdin=None, env=None, cwd=None):
    """Runs args to the end and returns a Result; kills it and fails after timeout seconds."""
    done = subprocess.run(
        list(map(str, args)), input=stdin, capture_output=True, text=True, errors="replace",
        timeout=timeout, env=environment(env), cwd=cwd,
        stdin=subprocess.DEVNULL if stdin is None else None)
    return Result(done.returncode, done.stdout, done.stderr)


def frames(path):
    """All records of a pcap or pcapng file, as captured."""
    with open(path, "rb") as file:
        return [bytes(data) for _, data in dpkt.pcap.UniversalReader(file)]


def swap_macs(frame):
    """The frame that `macswap` makes of this one; frames without two addresses stay as they are."""
    return frame[6:12] + frame[0:6] + frame[12:] if len(frame) >= 12 else frame


def shared_captures(positive=True):
    """(file name, row of captures.tsv) of the Ethernet captures, or of all others, for
    pytest.mark.parametrize; skipped where the captures are not at hand."""
    table = SHARED_DATA / "captures.tsv"
    if not table.exists():
        reason = f"no captures in {SHARED_DATA}: set RINGSIDE_SHARED_DATA"
        return [pytest.param("captures.tsv", {}, marks=pytest.mark.skip(reason=reason))]
    with open(table, newline="") as file:
        rows = {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}
    # A capture whose container is whole is positive, whatever is in its frames or lengths.
    refused = {"tcpdump_ipoib.pcap", "gopacket_le_test100.pcapng", "neg_dpkt_truncated_dns_2.pcap"}
    return [(name, row) for name, row in rows.items() if (name not in refused) == positive]


def shared_capture_paths():
    """The Ethernet captures of shared_captures(); none where they are not at hand."""
    if not (SHARED_DATA / "captures.tsv").exists():
        return []
    return [SHARED_DATA / name for name, _ in shared_captures()]


def free_hugepages():
    return int(Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages").read_text())


def promised(seconds):
    """For what has to happen in so many seconds: a sanitizer's run time takes ten times as long."""
    return seconds * (10 if "RINGSIDE_TEST_PRELOAD" in os.environ else 1)


def cpu_seconds(action):
    """What programs that the action starts and waits for take of CPUs, theirs included. Other
    programs may share the machine: the time by the clock is theirs too."""
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = spent()
    action()
    return spent() - before


class Seconds:
    """A clock for what a program promises by the clock, on a machine that others load: it goes as a
    thread beside it gets on that works half of its time, so as fast as a clock where a CPU is free.

    with Seconds() as seconds: ...; assert seconds.passed() < 2
    """
    STEP = 0.005  # of work, and of sleep

    def __init__(self):
        self._steps = 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._go, daemon=True)

    def _go(self):
        while not self._end.is_set():
            done = time.thread_time() + self.STEP
            while time.thread_time() < done:
                pass
            time.sleep(self.STEP)
            self._steps += 1

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def passed(self):
        return self._steps * 2 * self.STEP


def eventually(condition, seconds=30):
    """True as soon as condition() is; False when it is not within seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class TestpmdSession:
    """A testpmd (Debian's or Ringside's) on a terminal, under `softcx run`.

    args is what follows `softcx run ... --`; the constructor returns at the first prompt.
    """
    __test__ = False

    def __init__(self, ports, args, timeout=60, env=None, engines=None, faults="", line_rate=None,
                 sanitize=False):
        argv = softcx_command(ports, args, engines, faults, line_rate, sanitize)
        self.child = pexpect.spawn(
            argv[0], argv[1:], timeout=timeout, encoding="utf-8", codec_errors="replace",
            dimensions=(50, 500), env=environment({"TERM": "dumb", **(env or {})}))
        self.child.delaybeforesend = None
        self.banner = self._until_prompt(timeout)

    def _until_prompt(self, timeout):
        try:
            self.child.expect_exact(PROMPT, timeout=timeout)
        except (pexpect.EOF, pexpect.TIMEOUT) as error:
            text = self.child.before
            self.close()
            raise AssertionError(f"no prompt ({type(error).__name__}); output was:\n{text}") from None
        return self.child.before.replace("\r", "")

    def cmd(self, line, timeout=60):
        """Sends one command; returns what is printed up to the next prompt, without the echo."""
        self.child.sendline(line)
        text = self._until_prompt(timeout)
        return text.partition("\n")[2]

    def unasked(self, seconds=0.3):
        """What it says without a command, until it is silent for so long; each time the prompt is
        painted anew, which the next command must not take for its own."""
        text = ""
        while self.child.expect_exact([PROMPT, pexpect.TIMEOUT], timeout=seconds) == 0:
            text += self.child.before.replace("\r", "")
        return text

    def stats(self, port=0):
        """`show port stats PORT` as a dict: 'RX-packets' -> 12, ..."""
        text = self.cmd(f"show port stats {port}")
        return {name: int(value) for name, value in re.findall(r"([RT][xX]-[\w-]+):\s*(\d+)", text)}

    def wait_stats(self, field, value, port=0, seconds=30):
        """Polls until the counter reaches value; returns the last statistics either way."""
        end = time.monotonic() + seconds
        while (last := self.stats(port))[field] < value and time.monotonic() < end:
            time.sleep(0.05)
        return last

    def settle(self, port=0, quiet=0.5):
        """Returns when the port's counters have stood still for so long; fails where they do not."""
        def still():
            before = self.stats(port)
            time.sleep(quiet)
            return self.stats(port) == before
        assert eventually(still), self.stats(port)

    def quit(self, timeout=60):
        """`quit`; returns (exit status of softcx, everything printed after the command)."""
        self.child.sendline("quit")
        return self.wait(timeout)

    def interrupt(self):
        """What Ctrl-C on the terminal does."""
        self.child.sendintr()

    def wait(self, timeout=60):
        try:
            self.child.expect(pexpect.EOF, timeout=timeout)
        except pexpect.TIMEOUT:
            text = self.child.before
            self.close()
            raise AssertionError(f"did not end within {timeout} s; output was:\n{text}") from None
        self.child.close()
        status = self.child.exitstatus
        return (status if status is not None else 128 + self.child.signalstatus,
                self.child.before.replace("\r", ""))

    def close(self):
        """Ends what still runs; safe to call twice."""
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)
        self.child.close(force=True)
