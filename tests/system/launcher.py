# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What tests of `softcx run` share."""
import os
import subprocess
from pathlib import Path

import support

MAIN_CAPTURE = support.DATA / "http-dns-icmp.pcap"


def host_state():
    """What a run could leave on the machine."""
    return {
        "links": subprocess.run(["ip", "-br", "link"], capture_output=True, text=True).stdout,
        "netns": subprocess.run(["ip", "netns"], capture_output=True, text=True).stdout,
        "mounts": Path("/proc/mounts").read_text(),
        "shm": sorted(os.listdir("/dev/shm")),
        "hugepages": support.free_hugepages(),
    }


def processes_in(namespace):
    """The processes in a network namespace, given as its link in /proc."""
    found = []
    for link in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            if os.readlink(link) == namespace:
                found.append(link.parts[2])
        except OSError:  # ended meanwhile
            pass
    return found


def init_of(launcher):
    """The launcher's child, the first process of the command's namespaces."""
    return int(Path(f"/proc/{launcher}/task/{launcher}/children").read_text())


def shell(softcx, script, **options):
    return softcx(["sh", "-c", script], **options)
