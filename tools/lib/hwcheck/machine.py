# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The machine as sysfs, procfs and a few programs show it; or a copy of their files below a folder,
where answers/ holds what the programs say."""
import json
import os
import subprocess
from pathlib import Path


def full_address(address):
    return (address if address.count(":") == 2 else f"0000:{address}").lower()


class Machine:
    def __init__(self, root, sysroot=None):
        self.root = root
        self.sysroot = sysroot

    def path(self, path):
        """Where an absolute path of the machine lies."""
        return Path(path) if self.sysroot is None else self.sysroot / str(path).lstrip("/")

    def read(self, path):
        """The text of a file, stripped; None where it cannot be read."""
        try:
            return self.path(path).read_text(errors="replace").strip()
        except OSError:
            return None

    def read_bytes(self, path):
        try:
            return self.path(path).read_bytes()
        except OSError:
            return b""

    def names(self, path):
        """Names in a folder, sorted; None where it cannot be read."""
        try:
            return sorted(entry.name for entry in self.path(path).iterdir())
        except OSError:
            return None

    def pci_folder(self):
        default = "/sys/bus/pci/devices"
        # As DPDK does; softcx shows its ports so.
        return default if self.sysroot else os.environ.get("SYSFS_PCI_DEVICES", default)

    def pci(self, address):
        return f"{self.pci_folder()}/{address}"

    def netdevs(self, address):
        return self.names(f"{self.pci(address)}/net") or []

    def answer(self, name, argv):
        """(what a program printed, '') or (None, why not). name: of the file that holds it in a
        copy of a machine."""
        if self.sysroot is not None:
            text = self.read(f"/answers/{name}")
            return (text, "") if text is not None else (None, f"no answers/{name}")
        try:
            done = subprocess.run(argv, capture_output=True, text=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, str(error)
        if done.returncode != 0:
            lines = (done.stderr or done.stdout).strip().splitlines()
            return None, lines[-1] if lines else f"{argv[0]} ended with {done.returncode}"
        return done.stdout, ""

    def json_answer(self, name, argv):
        text, why = self.answer(name, argv)
        if text is None:
            return None, why
        try:
            return json.loads(text), ""
        except ValueError as error:
            return None, f"{argv[0]}: {error}"

    def nic_info(self, address):
        """What the device says by verbs and DevX (ringside nic-info)."""
        build = Path(os.environ.get("RINGSIDE_BUILD", self.root / "build")).resolve()
        program = build / "app" / "ringside"
        installed = self.root.parents[1] / "bin" / "ringside"  # where root is share/ringside
        program = program if program.exists() or not installed.exists() else installed
        return self.json_answer(f"nic-info-{address}", [str(program), "nic-info", address, "--json"])
