# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Checks on a GPU. Each function yields (what was checked, what is wrong or None)."""
import itertools
import re
import tempfile
import time

from .host import CAPTURE, EAL, ROOT, run, softcx
from .testpmd import Testpmd

CAPTURES = {"http-dns-icmp.pcap": [], "vlan.pcap": [],
            "jumbo.pcap": ["--max-pkt-len=9018", "--mbuf-size=9344"]}
MEMORY = ("gpu", "gpu-pinned")
QUEUES = (1, 2, 4)
LAUNCHES = ("per-burst", "graph", "comm-list")  # the persistent kernel is checked by threads
GPUDEV_TESTS = 5  # that dpdk-test-gpudev has


def frames(path):
    import dpkt  # the bundle's
    with open(path, "rb") as file:
        return [bytes(data) for _, data in dpkt.pcap.UniversalReader(file)]


def wanted(mode, frame):
    return frame[6:12] + frame[0:6] + frame[12:] if mode == "macswap" else frame


def forward(bundle, mode, memory, capture, queues, options, laps):
    """None, or what is wrong. Over several queues order holds by flow only: compared as sets."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out.pcap"
        wire = f"pcap:in={ROOT}/tests/data/{capture},out={out},loop={laps}"
        try:
            session = Testpmd(bundle, [wire], memory,
                              [f"--forward-mode={mode}", f"--rxq={queues}", f"--txq={queues}",
                               *options, *CAPTURES[capture]])
            sent = frames(ROOT / "tests/data" / capture) * laps
            session.say("start")
            end = time.monotonic() + 10
            while f"TX-packets: {len(sent)} " not in session.say("show port stats all"):
                if time.monotonic() > end:
                    break
            session.say("stop")
            session.end()
        except RuntimeError as error:
            return str(error)
        expected = [wanted(mode, frame) for frame in sent]
        received = frames(out)
        if queues > 1:
            expected.sort()
            received.sort()
        return None if received == expected else f"{len(received)} of {len(sent)}, or other bytes"


def capture_cases():
    """Mode, memory, capture, queues, further options, laps."""
    for memory in MEMORY:
        for capture, queues in itertools.product(CAPTURES, QUEUES):
            for mode, threads in itertools.product(("io", "macswap"), (32, 256)):
                yield mode, memory, capture, queues, [f"--gpu-block-threads={threads}"], 1
        for capture, queues, launch in itertools.product(CAPTURES, (1, 4), LAUNCHES):
            yield "macswap", memory, capture, queues, [f"--gpu-launch={launch}"], 1
        for capture in CAPTURES:
            # The PMD's own queues: the CPU moves buffers that it cannot read.
            yield "io", memory, capture, 2, ["--datapath=cpu"], 1
        # Each buffer is used many times: a CQE before its packet would show an older one.
        yield "macswap", memory, "http-dns-icmp.pcap", 1, ["--rxd=256", "--txd=256"], 500


def captures(bundle):
    for mode, memory, capture, queues, options, laps in capture_cases():
        yield (f"{mode} --mp-alloc={memory} {capture} x {laps} queues={queues} {' '.join(options)}",
               forward(bundle, mode, memory, capture, queues, options, laps))


def beside_a_port(bundle):
    """Programs that have a port with packets on the GPU while something else happens there."""
    for name, program, said in (
            ("4 MiB are freed while a port is open", "gpu_free", ""),
            ("a kernel faults while a port is open", "gpu_lost",
             "violation: copy engine of GPU memory: cannot")):
        done = run(bundle, [*softcx(bundle, [f"pcap:in={CAPTURE},loop=1000000"]),
                            f"{bundle}/app/{program}", *EAL, "-a", "0000:ca:00.0"])
        output = done.stdout + done.stderr
        yield name, None if done.returncode == 0 and said in output else output


def gpudev(bundle):
    """DPDK's own test of gpudev drivers, over our plugin."""
    done = run(bundle, [f"{bundle}/app/dpdk-test-gpudev", "--no-pci", "--in-memory", "-l", "0",
                        "--no-telemetry", "-d", f"{bundle}/lib/gpu/librte_gpu_ringside_cuda.so",
                        "--vdev=gpu_cuda0"])
    output = done.stdout + done.stderr
    passed = len(re.findall(r"TEST: PASSED", output))
    name, wanted_passes = "dpdk-test-gpudev", GPUDEV_TESTS
    if "needs GDRCopy" in output:  # the driver's own words where the CPU cannot map GPU memory
        name, wanted_passes = f"{name}, but for the CPU's mapping: no GDRCopy", GPUDEV_TESTS - 1
    yield name, None if passed == wanted_passes else (
        f"{passed} of {wanted_passes} tests passed:\n{output}")


def fault(bundle):
    """An illegal address in a kernel of the forwarding loop."""
    done = run(bundle, [f"{bundle}/app/gpu_fault"], seconds=20)
    yield "a kernel's fault is one error that names it", (
        None if done.returncode == 0 else done.stdout + done.stderr)


def sanitizer(bundle):
    """The forwarding kernels and the send queues under compute-sanitizer."""
    programs = ([f"{bundle}/app/gpu_turnaround_bench", "200", "128"],
                [f"{bundle}/app/gpu_send_bench", "--repeats", "1", "--bursts", "5",
                 "--only", "1 queues x 1 blocks x 256 threads"])
    for tool, program in itertools.product(("memcheck", "racecheck"), programs):
        done = run(bundle, ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", *program],
                   seconds=120)
        name = f"{tool}: {program[0].rsplit('/', 1)[1]}"
        yield name, None if done.returncode == 0 else (done.stdout + done.stderr)[-4000:]


def sequence(bundle):
    """10^9 numbered packets through one queue: none lost, doubled or out of order within it."""
    for name in ("ringside exclusive, 1 queues x 1 blocks x 1024 threads, bursts of 1024",
                 "ringside shared, 1 queues x 8 blocks x 1024 threads"):
        done = run(bundle, [f"{bundle}/app/gpu_send_bench", "--repeats", "1", "--packets",
                            "1000000000", "--only", name], seconds=30)
        yield f"10^9 packets in order: {name}", (
            None if done.returncode == 0 else done.stdout + done.stderr)
