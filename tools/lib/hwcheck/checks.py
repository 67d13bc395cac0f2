# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""All checks, in the order in which what they find stands in the way."""
from . import gpu as gpu_checks
from . import netdev, nic, pci, system
from .pci import nearest_gpu
from .report import FAIL

__all__ = ["nearest_gpu", "run"]


def check_port(machine, report, port, gpu, wait_s):
    if not machine.path(machine.pci(port)).exists():
        report.add(FAIL, "port", port, "there is no such PCI function", machine.pci(port),
                   "lspci -d 15b3: lists the mlx5 ones")
        return
    info, why = machine.nic_info(port)
    nic.answers(report, port, info, why)
    names = machine.netdevs(port)
    if not names:
        report.add(FAIL, "netdev", port, "it has no network device", f"{machine.pci(port)}/net",
                   "modprobe mlx5_core; take it from vfio-pci or another network namespace")
    for name in names[:1]:
        netdev.link(machine, report, port, name, wait_s)
        netdev.mtu(machine, report, port, name)
        netdev.promiscuous(machine, report, port, name)
        netdev.bond(machine, report, port, name, info, why)
    netdev.trust(machine, report, port)
    nic.inline_mode(report, port, info, why)
    nic.dmabuf(report, port, info, why)
    pci.path_to_gpu(machine, report, port, gpu)
    pci.link_speed(machine, report, port)
    pci.acs(machine, report, port, gpu)
    pci.iommu(machine, report, port)


def run(machine, report, ports, gpu, wait_s):
    for port in ports:
        check_port(machine, report, port, gpu, wait_s)
    if gpu is not None:
        pci.link_speed(machine, report, gpu)
        pci.iommu(machine, report, gpu)
    gpu_checks.doorbells(machine, report)
    gpu_checks.memory(machine, report, gpu)
    gpu_checks.write_ordering(machine, report, gpu)
    system.rights(machine, report)
    system.hugepages(machine, report)
