# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside testpmd` on the GPU, under `softcx run`, fed by a pipe."""
import contextlib
import subprocess
import threading

from .host import EAL, environment, softcx


class Testpmd:
    PATIENCE_S = 30

    def __init__(self, bundle, wires, memory, options):
        nics = [word for port in range(len(wires)) for word in ("-a", f"0000:ca:00.{port}")]
        self.process = subprocess.Popen(
            [*softcx(bundle, wires), f"{bundle}/app/ringside", "testpmd", *EAL, *nics, "--", "-i",
             f"--mp-alloc={memory}", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment(bundle))
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

    def end(self):
        self.process.stdin.write("quit\n")
        self.process.stdin.close()
        with self.limited():
            self.output += self.process.stdout.read()
            status = self.process.wait()
        if status != 0:
            raise RuntimeError(f"exit code {status}:\n{self.output}")
        return self.output
