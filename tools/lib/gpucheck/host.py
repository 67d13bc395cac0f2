# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""A host with a GPU, set up for the programs of a bundle."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
PMD_ROOT = pathlib.Path("/usr/lib/x86_64-linux-gnu/dpdk")  # where Debian's EAL looks
HUGEPAGES = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")
EAL = ("-l", "0-1", "--in-memory", "--no-telemetry", "--vdev=gpu_cuda0")
CAPTURE = f"{ROOT}/tests/data/http-dns-icmp.pcap"


def set_up(bundle):
    name = (bundle / "pmds/name").read_text().strip()
    PMD_ROOT.mkdir(parents=True, exist_ok=True)
    if not (PMD_ROOT / name).exists():
        (PMD_ROOT / name).symlink_to(bundle / "pmds")
    if int(HUGEPAGES.read_text()) < 1024:
        HUGEPAGES.write_text("1024")


def libraries(bundle):
    return f"{bundle}/lib/debian:{bundle}/pmds:{bundle}/lib/gpu"


def environment(bundle):
    return {**os.environ, "LD_LIBRARY_PATH": libraries(bundle)}


def softcx(bundle, wires, engines=None):
    threads = [] if engines is None else [f"--engines={engines}"]
    return [f"{bundle}/app/softcx", "run", *(f"--port={wire}" for wire in wires), *threads, "--"]


def run(bundle, command, seconds=60, check=False):
    """Runs a program of the bundle to its end; output and errors together where not checked."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=seconds, check=check, env=environment(bundle))


def of_each_gpu(field):
    return subprocess.run(["nvidia-smi", f"--query-gpu={field}", "--format=csv,noheader"],
                          capture_output=True, text=True, check=True).stdout.splitlines()


def nvidia(field):
    return of_each_gpu(field)[0]


def gpus():
    return len(of_each_gpu("name"))
