# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Which ports and which GPU the tests run on.

--ports=BDF,BDF (RINGSIDE_PORTS) names two ports that are cabled to each other, --ports=BDF one whose
cable leads back to it. Tests then start programs as they are; those that need a wire that only
softcx has are skipped.

--gpu=GPU (RINGSIDE_GPU) is a PCI address or a vdev with its arguments (gpu_cuda0,ordinal=1); without
it host threads are one. --second-gpu=GPU (RINGSIDE_SECOND_GPU) is one more, for tests of two.
--gpu-memory=gpu,gpu-pinned (RINGSIDE_GPU_MEMORY) says where packets lie:
tests that do not choose for themselves run once for each. `-m gpu` takes what runs on the GPU.
"""
import os

import pytest


class Quiet(str):
    """A wire of a test that sends nothing: any cable will do."""


QUIET = Quiet("loop")
MEMORIES = ("gpu", "gpu-pinned")
cabled = []
nic, nic2 = "0000:ca:00.0", "0000:ca:00.1"
gpu, second_gpu = "gpu_host0", ""
memories = ["gpu"]


def add_options(parser):
    parser.addoption("--ports", default=os.environ.get("RINGSIDE_PORTS", ""),
                     help="PCI addresses of one looped or two cabled ports, comma between")
    parser.addoption("--gpu", default=os.environ.get("RINGSIDE_GPU", ""),
                     help="PCI address or vdev of the GPU; gpu_host0 without it")
    parser.addoption("--second-gpu", default=os.environ.get("RINGSIDE_SECOND_GPU", ""),
                     help="another GPU; gpu_host1 where --gpu is gpu_host0")
    parser.addoption("--gpu-memory", default=os.environ.get("RINGSIDE_GPU_MEMORY", "gpu"),
                     help="gpu, gpu-pinned or both, comma between")


def configure(config):
    """Before test modules are imported: they take the addresses from here."""
    global nic, nic2, gpu, second_gpu
    cabled[:] = [address for address in config.getoption("--ports").split(",") if address]
    if len(cabled) > 2:
        raise pytest.UsageError(f"--ports={','.join(cabled)}: one looped port, or two cabled ones")
    if cabled:
        nic, nic2 = cabled[0], cabled[-1]
    gpu = config.getoption("--gpu") or gpu
    second_gpu = config.getoption("--second-gpu") or ("gpu_host1" if gpu_is_host() else "")
    memories[:] = config.getoption("--gpu-memory").split(",")
    if unknown := set(memories) - set(MEMORIES):
        raise pytest.UsageError(f"--gpu-memory={','.join(unknown)}: one of {', '.join(MEMORIES)}")


def gpu_is_host():
    return gpu.startswith("gpu_host")


def gpu_eal(*host_arguments, which=None):
    """EAL's arguments for the GPU, or the one that `which` names. host_arguments: of the driver where
    host threads are it; a real GPU is as it is."""
    which = which or gpu
    if which.startswith("gpu_"):
        more = host_arguments if gpu_is_host() else ()
        return ("--vdev=" + ",".join((which, *more)),)
    return ("-a", which)


def two_gpus_eal(*host_arguments):
    if not second_gpu:
        pytest.skip("needs a second GPU (--second-gpu)")
    return (*gpu_eal(*host_arguments), *gpu_eal(*host_arguments, which=second_gpu))


def opaque_gpu_eal():
    """A GPU whose memory the CPU cannot reach, as that of a real one is."""
    return gpu_eal("opaque=1")


def block_threads(few, many):
    """Numbers of threads that a block can have."""
    return (few, many) if gpu_is_host() else (32 * few, 512)


def require_host_gpu(reason):
    if not gpu_is_host():
        pytest.skip(f"needs a GPU of host threads: {reason}")


def skip_reason(wires, faults=""):
    """Why a test with these wires cannot run on the cabled ports; '' where it can."""
    if faults:
        return "needs a fault that softcx injects"
    if any(wire.partition(":")[0] in ("pcap", "netdev", "null") for wire in wires):
        return "needs a capture wire"
    crossed = any(wire.startswith("cross:") for wire in wires)
    looped = any(not isinstance(wire, Quiet) and wire == "loop" for wire in wires)
    if crossed and len(cabled) != 2:
        return "needs two ports that are cabled to each other"
    if looped and len(cabled) != 1:
        return "needs a port whose cable leads back to it"
    return ""


def require_wires(wires, faults=""):
    if reason := skip_reason(wires, faults):
        pytest.skip(reason)


def require_softcx(reason):
    if cabled:
        pytest.skip(reason)
