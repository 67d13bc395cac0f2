# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Which ports the tests run on: softcx's, or ConnectX ports that are cabled.

--ports=BDF,BDF (RINGSIDE_PORTS) names two ports that are cabled to each other, --ports=BDF one whose
cable leads back to it. Tests then start programs as they are; those that need a wire that only
softcx has are skipped. --gpu=BDF (RINGSIDE_GPU) names the GPU; without it host threads are one.
"""
import os

import pytest


class Quiet(str):
    """A wire of a test that sends nothing: any cable will do."""


QUIET = Quiet("loop")
cabled = []
nic, nic2 = "0000:ca:00.0", "0000:ca:00.1"
gpu_eal = ("--vdev=gpu_host0",)


def add_options(parser):
    parser.addoption("--ports", default=os.environ.get("RINGSIDE_PORTS", ""),
                     help="PCI addresses of one looped or two cabled ports, comma between")
    parser.addoption("--gpu", default=os.environ.get("RINGSIDE_GPU", ""),
                     help="PCI address of the GPU; host threads without it")


def configure(config):
    """Before test modules are imported: they take the addresses from here."""
    global nic, nic2, gpu_eal
    cabled[:] = [address for address in config.getoption("--ports").split(",") if address]
    if len(cabled) > 2:
        raise pytest.UsageError(f"--ports={','.join(cabled)}: one looped port, or two cabled ones")
    if cabled:
        nic, nic2 = cabled[0], cabled[-1]
    if config.getoption("--gpu"):
        gpu_eal = ("-a", config.getoption("--gpu"))


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
