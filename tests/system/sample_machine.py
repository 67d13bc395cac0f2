# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""A machine's sysfs and procfs below a folder, for tools/hw-check --sysroot: two ports of a NIC and a
GPU below one switch, all in order. Tests spoil a file each.
"""
import json
import os
from pathlib import Path

PORTS = ("0000:03:00.0", "0000:03:00.1")
GPU = "0000:04:00.0"
ROOT_PORT, UPSTREAM, TO_NIC, TO_GPU = (f"0000:{n}" for n in ("00:01.0", "01:00.0", "02:00.0", "02:01.0"))
SWITCH = f"pci0000:00/{ROOT_PORT}/{UPSTREAM}"
PF = "0000:05:00.0"  # of the ports, where they are VFs

LINK = {"current_link_speed": "32.0 GT/s PCIe", "max_link_speed": "32.0 GT/s PCIe",
        "current_link_width": "16", "max_link_width": "16"}
NIC_INFO = {"pci_address": "", "device": "mlx5_0", "firmware": "28.39.1002", "virtual_function": False,
            "link": "up", "bonded": False, "min_inline_mode": 0, "takes_dmabuf": True}


def config_space(acs_control):
    """Of a bridge with one extended capability before ACS, which has this control register."""
    space = bytearray(4096)
    space[0x100:0x104] = (0x148 << 20 | 1 << 16 | 0x0001).to_bytes(4, "little")
    space[0x148:0x14c] = (1 << 16 | 0x000d).to_bytes(4, "little")
    space[0x14e:0x150] = acs_control.to_bytes(2, "little")
    return bytes(space)


class SampleMachine:
    def __init__(self, folder):
        self.folder = Path(folder)
        for bridge in (ROOT_PORT, UPSTREAM, TO_NIC, TO_GPU):
            below = "" if bridge == ROOT_PORT else f"/{UPSTREAM}" if bridge == UPSTREAM else (
                f"/{UPSTREAM}/{bridge}")
            self.add_function(bridge, f"pci0000:00/{ROOT_PORT}{below}", {**LINK, "class": "0x060400"})
            self.write(f"/sys/bus/pci/devices/{bridge}/config", config_space(0))
        for number, port in enumerate(PORTS):
            self.add_function(port, f"{SWITCH}/{TO_NIC}/{port}", {
                **LINK, "vendor": "0x15b3", "device": "0x1021", "class": "0x020000"})
            self.write(f"/sys/bus/pci/devices/{port}/net/eth{number}/dev_port", "0")
            for file, text in (("carrier", "1"), ("speed", "200000"), ("mtu", "1500"), ("flags", "0x1103")):
                self.write(f"/sys/class/net/eth{number}/{file}", text)
            self.write_nic_info(port)
        self.add_gpu(f"{SWITCH}/{TO_GPU}")
        self.write("/sys/class/iommu/.keep", "")
        (self.folder / "sys/class/iommu/.keep").unlink()
        self.write("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "512")
        self.write("/proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n")
        self.write("/proc/driver/nvidia/params", 'RegistryDwords: "PeerMappingOverride=1;"\n')
        self.write("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module 580\n")
        self.write("/sys/module/nvidia_peermem/refcnt", "0")
        self.write(f"/answers/cuda-{GPU}-118", "200")
        self.write(f"/answers/cuda-{GPU}-124", "1")
        self.write("/boot/config", "CONFIG_PCI_P2PDMA=y\n")

    def write(self, path, content):
        file = self.folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def write_nic_info(self, port, **changes):
        self.write(f"/answers/nic-info-{port}", json.dumps({**NIC_INFO, "pci_address": port, **changes}))

    def add_function(self, address, place, files):
        for name, text in {"numa_node": "0", **files}.items():
            self.write(f"/sys/devices/{place}/{name}", text)
        link = self.folder / "sys/bus/pci/devices" / address
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_symlink():
            link.unlink()
        link.symlink_to(os.path.relpath(self.folder / "sys/devices" / place, link.parent))

    def add_gpu(self, below, numa_node="0"):
        self.add_function(GPU, f"{below}/{GPU}", {
            **LINK, "vendor": "0x10de", "class": "0x030200", "numa_node": numa_node})

    def remove(self, path):
        file = self.folder / path.lstrip("/")
        if file.is_dir() and not file.is_symlink():
            for entry in file.iterdir():
                entry.unlink()
            file.rmdir()
        else:
            file.unlink()

    def make_vf(self, trust):
        """The first port as VF 3 of a PF; trust: as `ip` says it, None: says nothing."""
        port = f"/sys/bus/pci/devices/{PORTS[0]}"
        self.write(f"{port}/device", "0x101e")
        self.add_function(PF, f"{SWITCH}/{TO_NIC}/{PF}", {"vendor": "0x15b3", "device": "0x1021"})
        self.write(f"/sys/bus/pci/devices/{PF}/net/pf0/dev_port", "0")
        for file, target in ((f"{port}/physfn", PF), (f"/sys/bus/pci/devices/{PF}/virtfn3", PORTS[0])):
            place = (self.folder / file.lstrip("/")).parent.resolve()
            (place / file.rpartition("/")[2]).symlink_to(place.parent / target)
        state = {} if trust is None else {"trust": trust}
        self.write("/answers/ip-link-pf0", json.dumps([{"vfinfo_list": [{"vf": 3, **state}]}]))
