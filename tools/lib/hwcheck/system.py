# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Checks of the machine: rights and hugepages."""
import re

from .report import FAIL, PASS, UNKNOWN, WARN

CAP_NET_ADMIN, CAP_NET_RAW = 12, 13
NEEDED_MIB, BETTER_MIB = 64, 256


def capability(machine, report, number, name, why_needed):
    path = "/proc/self/status"
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", machine.read(path) or "", re.MULTILINE)
    if not found:
        report.add(UNKNOWN, name.lower(), "", "rights cannot be read", path, "capsh --print")
    elif int(found.group(1), 16) >> number & 1:
        report.add(PASS, name.lower(), "", "there", f"{path}: CapEff {found.group(1)}")
    else:
        report.add(FAIL, name.lower(), "", f"missing: {why_needed}", f"{path}: CapEff {found.group(1)}",
                   "run as root, or add the capability to the program or the container")


def rights(machine, report):
    capability(machine, report, CAP_NET_RAW, "CAP_NET_RAW", "DevX is for those who may send raw packets")
    capability(machine, report, CAP_NET_ADMIN, "CAP_NET_ADMIN", "the MTU cannot be set")


def hugepages(machine, report):
    folder = "/sys/kernel/mm/hugepages"
    sizes = machine.names(folder)
    if sizes is None:
        report.add(UNKNOWN, "hugepages", "", "cannot be read", folder, "grep Huge /proc/meminfo")
        return
    free = {size: machine.read(f"{folder}/{size}/free_hugepages") for size in sizes}
    if unreadable := [size for size, pages in free.items() if pages is None]:
        report.add(UNKNOWN, "hugepages", "", "how many are free cannot be read",
                   ", ".join(f"{folder}/{size}/free_hugepages" for size in unreadable),
                   "grep Huge /proc/meminfo")
        return
    free = {size: int(pages) for size, pages in free.items()}
    mib = sum(pages * int(re.search(r"\d+", size).group()) for size, pages in free.items()) // 1024
    evidence = ", ".join(f"{folder}/{size}/free_hugepages: {pages}" for size, pages in free.items())
    remedy = "echo 512 > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
    if mib < NEEDED_MIB:
        report.add(FAIL, "hugepages", "", f"{mib} MiB are free", evidence, remedy)
    elif mib < BETTER_MIB:
        report.add(WARN, "hugepages", "", f"{mib} MiB are free, enough for small pools", evidence, remedy)
    else:
        report.add(PASS, "hugepages", "", f"{mib} MiB are free", evidence)
