# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside testpmd` on a GPU, under `softcx run`, fed by a pipe."""
import contextlib
import re
import subprocess
import threading

from .host import EAL, environment, softcx

PPS = {"rx": re.compile(r"Rx-pps:\s+(\d+)"), "tx": re.compile(r"Tx-pps:\s+(\d+)")}
# What testpmd counts at a stop, of each port, and what softcx says at the end.
LOSSES = re.compile(r"(RX-missed|RX-dropped|TX-dropped): *([1-9]\d*)")
NIC_DROPS = re.compile(r"dropped \d+ \(([^)]*)\)")


class Testpmd:
    PATIENCE_S = 30

    def __init__(self, programs, wires, memory, options, eal=EAL, engines=None):
        """`programs`: the folder of a bundle, or of a build on the host that it was built on."""
        nics = [word for port in range(len(wires))
                for word in ("-a", f"0000:ca:{port // 8:02x}.{port % 8}")]
        self.process = subprocess.Popen(
            [*softcx(programs, wires, engines), f"{programs}/app/ringside", "testpmd", *eal, *nics,
             "--", "-i", f"--mp-alloc={memory}", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment(programs))
        self.output = ""
        self.until("testpmd> ")

    @contextlib.contextmanager
    def limited(self):
        """What is read within ends: a program that says nothing for ever is killed."""
        timer = threading.Timer(self.PATIENCE_S, self.process.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def until(self, text):
        seen = ""
        with self.limited():
            while not seen.endswith(text):
                byte = self.process.stdout.read(1)
                seen += byte
                if byte == "":
                    self.process.kill()
                    raise RuntimeError(f"no {text!r} in:\n{self.output}{seen}")
        self.output += seen
        return seen

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.until(command)  # its echo after the prompt
        return self.until("testpmd> ")

    def pps(self, direction):
        """Packets a second of all ports since it was last asked."""
        return sum(map(int, PPS[direction].findall(self.say("show port stats all"))))

    def end(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        with self.limited():
            rest = self.process.stdout.read()
            status = self.process.wait()
        self.output += rest
        if status != 0 or "violation" in rest:
            raise RuntimeError(f"exit code {status}:\n{self.output}")
        return rest
