# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Checks of PCIe: the way between a NIC and a GPU, links below their maximum, ACS, IOMMU."""
import re

from .report import PASS, UNKNOWN, WARN

NVIDIA, DISPLAY = "0x10de", "0x03"
WAYS = ("PIX", "PXB", "PHB", "NODE", "SYS")  # as nvidia-smi topo, nearest first
ACS_CAPABILITY, ACS_CONTROL = 0x000d, 6
ACS_REDIRECTS = 0x04 | 0x08 | 0x10  # requests, completions, upstream forwarding
FIRST_EXTENDED = 0x100


def chain(machine, address):
    """PCI functions from the root port down to the device, and the name of its root; (None, [])
    where sysfs does not show it."""
    path = machine.path(machine.pci(address))
    if not path.exists():
        return None, []
    parts = path.resolve().parts
    roots = [i for i, part in enumerate(parts) if re.fullmatch(r"pci[0-9a-f]{4}:[0-9a-f]{2}", part)]
    if not roots:
        return None, []
    return parts[roots[0]], list(parts[roots[0] + 1:])


def numa_node(machine, address):
    text = machine.read(f"{machine.pci(address)}/numa_node")
    return -1 if text is None else int(text)


def way(machine, a, b):
    """One of WAYS, or None."""
    root_a, chain_a = chain(machine, a)
    root_b, chain_b = chain(machine, b)
    if root_a is None or root_b is None:
        return None
    if root_a == root_b:
        shared = 0
        while shared < min(len(chain_a), len(chain_b)) - 1 and chain_a[shared] == chain_b[shared]:
            shared += 1
        if shared == 0:
            return "PHB"
        # Below the common bridge: a switch's own downstream port, then the device.
        return "PIX" if max(len(chain_a), len(chain_b)) - shared <= 2 else "PXB"
    node_a, node_b = numa_node(machine, a), numa_node(machine, b)
    if node_a < 0 or node_b < 0:
        return None
    return "NODE" if node_a == node_b else "SYS"


def gpus(machine):
    found = []
    for address in machine.names(machine.pci_folder()) or []:
        folder = machine.pci(address)
        if (machine.read(f"{folder}/vendor") == NVIDIA
                and (machine.read(f"{folder}/class") or "").startswith(DISPLAY)):
            found.append(address)
    return found


def nearest_gpu(machine, ports):
    def distance(gpu):
        ways = [way(machine, port, gpu) for port in ports]
        return [WAYS.index(one) if one else len(WAYS) for one in ways]
    return min(gpus(machine), key=distance, default=None)


def path_to_gpu(machine, report, port, gpu):
    if gpu is None:
        report.add(UNKNOWN, "pcie-path", port, "no NVIDIA GPU is used", machine.pci_folder(),
                   "host threads serve as GPU")
        return
    found = way(machine, port, gpu)
    evidence = " / ".join(chain(machine, port)[1]) + " and " + " / ".join(chain(machine, gpu)[1])
    better = f"put NIC and GPU {gpu} below one PCIe switch, or take another GPU (--gpu)"
    if found is None:
        report.add(UNKNOWN, "pcie-path", port, f"to GPU {gpu} cannot be seen", machine.pci(port),
                   "lspci -tv; nvidia-smi topo -m")
    elif found in ("PIX", "PXB"):
        report.add(PASS, "pcie-path", port, f"{found} to GPU {gpu}", evidence)
    else:
        report.add(WARN, "pcie-path", port, f"{found} to GPU {gpu}: packets go through the CPU's root "
                   "complex", evidence, better)


def link_speed(machine, report, address):
    """The device's own link and those of the bridges above it."""
    hops = chain(machine, address)[1] or [address]
    slow, unread = [], []
    for hop in hops:
        for what in ("speed", "width"):
            now = machine.read(f"/sys/bus/pci/devices/{hop}/current_link_{what}")
            most = machine.read(f"/sys/bus/pci/devices/{hop}/max_link_{what}")
            numbers = [re.match(r"[\d.]+", text or "") for text in (now, most)]
            if not all(numbers):
                unread.append(f"{hop} {what}")
            elif float(numbers[0].group()) < float(numbers[1].group()):
                slow.append(f"{hop} {what} {now} of {most}")
    file = f"{machine.pci(address)}/current_link_speed"
    if slow:
        report.add(WARN, "pcie-link", address, "below its maximum: " + ", ".join(slow), file,
                   "reseat the card; look for a slot or a BIOS setting with more")
    elif unread:
        report.add(UNKNOWN, "pcie-link", address, "cannot be read: " + ", ".join(unread), file,
                   f"lspci -vv -s {unread[0].split()[0]} (LnkSta)")
    else:
        report.add(PASS, "pcie-link", address, "at its maximum on every hop", file)


def acs_control(config):
    """The control register of the ACS capability; None: the bridge has none. Throws ValueError where
    the extended configuration space cannot be read (as other users than root)."""
    if len(config) <= FIRST_EXTENDED:
        raise ValueError("extended configuration space cannot be read")
    at = FIRST_EXTENDED
    for _ in range(len(config) // 8):
        header = int.from_bytes(config[at:at + 4], "little")
        if header & 0xffff == ACS_CAPABILITY:
            return int.from_bytes(config[at + ACS_CONTROL:at + ACS_CONTROL + 2], "little")
        at = header >> 20 & 0xffc
        if at < FIRST_EXTENDED:
            return None
    return None


def acs(machine, report, port, gpu):
    bridges = chain(machine, port)[1][:-1]
    if not bridges:
        report.add(UNKNOWN, "acs", port, "no bridges above it can be seen", machine.pci(port), "lspci -tv")
        return
    if gpu is not None:
        bridges += [bridge for bridge in chain(machine, gpu)[1][:-1] if bridge not in bridges]
    redirecting = []
    for bridge in bridges:
        path = f"/sys/bus/pci/devices/{bridge}/config"
        try:
            control = acs_control(machine.read_bytes(path))
        except ValueError as error:
            report.add(UNKNOWN, "acs", port, str(error), path, "run as root")
            return
        if control is not None and control & ACS_REDIRECTS:
            redirecting.append(f"{bridge} {control:#06x}")
    if redirecting:
        report.add(WARN, "acs", port, "bridges send peer-to-peer traffic up to the CPU",
                   "ACS control: " + ", ".join(redirecting),
                   "; ".join(f"setpci -s {one.split()[0]} ECAP_ACS+6.w=0" for one in redirecting))
    else:
        report.add(PASS, "acs", port, "no redirection on the way", "config of " + ", ".join(bridges))


def iommu(machine, report, address):
    kind = machine.read(f"{machine.pci(address)}/iommu_group/type")
    units = machine.names("/sys/class/iommu")
    evidence = f"{machine.pci(address)}/iommu_group/type: {kind}"
    if kind == "identity":
        report.add(PASS, "iommu", address, "passes addresses through", evidence)
    elif kind is not None:
        report.add(WARN, "iommu", address, f"translates ({kind}): traffic between NIC and GPU goes "
                   "through it, or not at all", evidence, "boot with iommu=pt")
    elif units == []:
        report.add(PASS, "iommu", address, "there is none", "/sys/class/iommu: empty")
    else:
        report.add(UNKNOWN, "iommu", address, "its kind cannot be read", evidence,
                   "dmesg | grep -i iommu; /proc/cmdline")
