# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside testpmd` on the GPU, under `softcx run`, fed by a pipe."""
import subprocess
import time

from .host import EAL, environment, softcx


class Testpmd:
    def __init__(self, bundle, wires, memory, options):
        nics = [word for port in range(len(wires)) for word in ("-a", f"0000:ca:00.{port}")]
        self.process = subprocess.Popen(
            [*softcx(bundle, wires), f"{bundle}/app/ringside", "testpmd", *EAL, *nics, "--", "-i",
             f"--mp-alloc={memory}", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment(bundle))
        self.output = ""
        self.until("testpmd> ")

    def until(self, text, seconds=30):
        end = time.monotonic() + seconds
        seen = ""
        while not seen.endswith(text):
            byte = self.process.stdout.read(1)
            seen += byte
            if byte == "" or time.monotonic() > end:
                self.process.kill()
                raise RuntimeError(f"no {text!r} in:\n{self.output}{seen}")
        self.output += seen
        return seen

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.until(command)  # its echo after the prompt
        return self.until("testpmd> ")

    def end(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        self.output += self.process.stdout.read()
        if self.process.wait() != 0:
            raise RuntimeError(f"exit code {self.process.returncode}:\n{self.output}")
        return self.output
