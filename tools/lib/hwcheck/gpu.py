# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Checks of the GPU's driver: what lets a NIC reach its memory, and it the NIC's doorbells."""
import ctypes
import os
import platform

from .report import FAIL, PASS, UNKNOWN, WARN

PARAMETERS = "/proc/driver/nvidia/params"
VERSION = "/proc/driver/nvidia/version"
PEERMEM = "/sys/module/nvidia_peermem"
# CUdevice_attribute
WRITES_ORDERING, DMA_BUF_SUPPORTED = 118, 124
ORDERINGS = {0: "none", 100: "owner", 200: "all devices"}


def attribute(machine, gpu, number):
    """(value, '') of a CUDA device attribute, or (None, why not)."""
    if machine.sysroot is not None:
        text, why = machine.answer(f"cuda-{gpu}-{number}", [])
        return (None, why) if text is None else (int(text), "")
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return None, str(error)
    device, value = ctypes.c_int(), ctypes.c_int()
    for call in (lambda: cuda.cuInit(0),
                 lambda: cuda.cuDeviceGetByPCIBusId(ctypes.byref(device), gpu.encode()),
                 lambda: cuda.cuDeviceGetAttribute(ctypes.byref(value), number, device)):
        if (error := call()) != 0:
            return None, f"CUDA error {error}"
    return value.value, ""


def doorbells(machine, report, root=None):
    """Mapping a NIC's registers to the GPU."""
    text = machine.read(PARAMETERS)
    root = os.geteuid() == 0 if root is None else root
    if text is None:
        report.add(UNKNOWN, "doorbells", "", "no NVIDIA driver is loaded", PARAMETERS,
                   "modprobe nvidia")
        return
    line = next((one for one in text.splitlines() if one.startswith("RegistryDwords:")), "")
    evidence = f"{PARAMETERS}: {line or 'no RegistryDwords'}"
    if "PeerMappingOverride=1" in line:
        report.add(PASS, "doorbells", "", "every user may map a NIC's doorbells", evidence)
    elif root:
        report.add(PASS, "doorbells", "", "root may map a NIC's doorbells", evidence)
    else:
        report.add(WARN, "doorbells", "", "the driver maps a NIC's doorbells for root only: a CPU thread "
                   "rings them (--gpu-doorbells)", evidence,
                   "run as root, or load nvidia with NVreg_RegistryDwords=\"PeerMappingOverride=1;\"")


def kernel_setting(machine, name):
    """(True or False, evidence); None where the kernel's configuration cannot be read."""
    path = f"/boot/config-{platform.release()}" if machine.sysroot is None else "/boot/config"
    text = machine.read(path)
    if text is None:
        return None, path
    return f"{name}=y" in text.splitlines(), f"{path}: {name}"


def memory(machine, report, gpu):
    """One of the two ways of the NIC to the GPU's memory."""
    if gpu is None:
        report.add(UNKNOWN, "gpu-memory", "", "no NVIDIA GPU is used", machine.pci_folder(),
                   "host threads serve as GPU")
        return
    peermem = machine.path(PEERMEM).exists()
    open_modules = "Open Kernel Module" in (machine.read(VERSION) or "")
    exported, why = attribute(machine, gpu, DMA_BUF_SUPPORTED)
    p2pdma, setting = kernel_setting(machine, "CONFIG_PCI_P2PDMA")
    remedy = ("modprobe nvidia-peermem; or NVIDIA's open kernel modules on a kernel with "
              "CONFIG_PCI_P2PDMA")
    if peermem:
        report.add(PASS, "gpu-memory", gpu, "nvidia-peermem is loaded", PEERMEM)
    elif exported == 1:
        report.add(PASS, "gpu-memory", gpu, "its driver exports dma-bufs",
                   "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED: 1")
    elif exported == 0 or p2pdma is False:
        kind = "open" if open_modules else "proprietary"
        report.add(FAIL, "gpu-memory", gpu, f"no nvidia-peermem, and the {kind} driver exports no dma-bufs",
                   f"{PEERMEM}: none; {setting}: {p2pdma}", remedy)
    else:
        report.add(UNKNOWN, "gpu-memory", gpu, "no nvidia-peermem; dma-buf cannot be asked about", why,
                   remedy)


def write_ordering(machine, report, gpu):
    if gpu is None:
        report.add(UNKNOWN, "write-ordering", "", "no NVIDIA GPU is used", machine.pci_folder(),
                   "host threads serve as GPU")
        return
    value, why = attribute(machine, gpu, WRITES_ORDERING)
    name = "CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING"
    if value is None:
        report.add(UNKNOWN, "write-ordering", gpu, "CUDA cannot be asked", why, "install NVIDIA's driver")
    elif value == 0:
        report.add(WARN, "write-ordering", gpu, "a NIC's writes are not ordered for the GPU",
                   f"{name}: {value}", "use --mp-alloc=gpu-pinned")
    else:
        report.add(PASS, "write-ordering", gpu, ORDERINGS.get(value, str(value)), f"{name}: {value}")
