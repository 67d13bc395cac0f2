# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Checks of a port's network device."""
import re
import time

from .report import FAIL, PASS, UNKNOWN, WARN

IFF_UP, IFF_PROMISC = 0x1, 0x100
STANDARD_MTU = 1500
# VFs of ConnectX-4 to -5 and BlueField; one id for all generations since.
VIRTUAL_FUNCTIONS = {"0x1014", "0x1016", "0x1018", "0x101a", "0x101c", "0xa2d3", "0x101e"}


def net(name, file):
    return f"/sys/class/net/{name}/{file}"


def flags(machine, name):
    text = machine.read(net(name, "flags"))
    return None if text is None else int(text, 16)


def link(machine, report, port, name, wait_s):
    path = net(name, "carrier")
    end = time.monotonic() + (0 if machine.sysroot else wait_s)
    while machine.read(path) != "1" and time.monotonic() < end:
        time.sleep(0.1)
    carrier, up = machine.read(path), flags(machine, name)
    if carrier == "1":
        speed = machine.read(net(name, "speed"))
        report.add(PASS, "link", port, f"{name} is up, {speed or 'unknown'} Mb/s", f"{path}: 1")
    elif up is not None and not up & IFF_UP:  # carrier cannot be read then
        report.add(FAIL, "link", port, f"{name} is switched off", f"{net(name, 'flags')}: {up:#x}",
                   f"ip link set dev {name} up")
    elif carrier == "0":
        report.add(FAIL, "link", port, f"{name} has no carrier after {wait_s:g} s", f"{path}: 0",
                   f"look at cable, transceiver (ethtool -m {name}) and the port at the other end")
    else:
        report.add(UNKNOWN, "link", port, f"the state of {name} cannot be read", path,
                   f"ip link show dev {name}")


def mtu(machine, report, port, name):
    path = net(name, "mtu")
    text = machine.read(path)
    if text is None:
        report.add(UNKNOWN, "mtu", port, "cannot be read", path, f"ip link show dev {name}")
    elif int(text) < STANDARD_MTU:
        report.add(FAIL, "mtu", port, f"{text} is less than frames of 1518 bytes need",
                   f"{path}: {text}", f"ip link set dev {name} mtu {STANDARD_MTU}; where that is "
                   f"refused: ip -d link show dev {name} (maxmtu), mlxconfig, the hypervisor")
    else:
        report.add(PASS, "mtu", port, text, f"{path}: {text}")


def is_virtual(machine, port):
    """True, False, or None where it cannot be told."""
    device = machine.read(f"{machine.pci(port)}/device")
    return None if device is None else device.lower() in VIRTUAL_FUNCTIONS


def promiscuous(machine, report, port, name):
    path, value = net(name, "flags"), flags(machine, name)
    if value is None:
        report.add(UNKNOWN, "promiscuous", port, "cannot be read", path, f"ip link show dev {name}")
    elif value & IFF_PROMISC:
        report.add(PASS, "promiscuous", port, "on", f"{path}: {value:#x}")
    elif is_virtual(machine, port) is False:
        report.add(PASS, "promiscuous", port, "off; flow rules decide on a physical function",
                   f"{path}: {value:#x}")
    else:
        report.add(WARN, "promiscuous", port, "off: a VF's port drops other addresses' frames",
                   f"{path}: {value:#x}", f"ip link set dev {name} promisc on")


def host_of(machine, port):
    """(PF netdev, VF number) of a VF, where the host's side can be seen."""
    physical = machine.path(f"{machine.pci(port)}/physfn")
    if not physical.exists():
        return None
    pf = physical.resolve().name
    names = machine.netdevs(pf)
    for entry in machine.names(machine.pci(pf)) or []:
        number = re.fullmatch(r"virtfn(\d+)", entry)
        if number and names and (physical / entry).resolve().name == port:
            return names[0], int(number.group(1))
    return None


def trust(machine, report, port):
    device, virtual = f"{machine.pci(port)}/device", is_virtual(machine, port)
    if virtual is None:
        report.add(UNKNOWN, "vf-trust", port, "cannot tell whether it is a VF", device, "lspci -s " + port)
        return
    if not virtual:
        report.add(PASS, "vf-trust", port, "a physical function", f"{device}: {machine.read(device)}")
        return
    host = host_of(machine, port)
    ask = "on its host: ip link set dev PF vf N trust on"
    if host is None:
        report.add(UNKNOWN, "vf-trust", port, "a VF, and its host cannot be seen from here",
                   f"{device}: {machine.read(device)}", ask)
        return
    pf, number = host
    answer, why = machine.json_answer(f"ip-link-{pf}", ["ip", "-j", "link", "show", "dev", pf])
    functions = answer[0].get("vfinfo_list", []) if answer else []
    state = next((f.get("trust") for f in functions if f.get("vf") == number), None)
    evidence = f"ip -j link show dev {pf}: vf {number} trust {state}"
    if state is True:
        report.add(PASS, "vf-trust", port, "the host trusts it", evidence)
    elif state is False:
        report.add(FAIL, "vf-trust", port, "the host does not trust it: it receives frames for its own "
                   "addresses only", evidence, f"ip link set dev {pf} vf {number} trust on")
    else:
        report.add(UNKNOWN, "vf-trust", port, "the host's answer does not say", why or evidence, ask)


def bond(machine, report, port, name, info, why):
    """The device's word counts: a bond in another namespace does not show here."""
    master = machine.path(net(name, "master"))
    remedy = (f"ip link set dev {name} nomaster; where the bond must stay, set the LAG port affinity "
              "(mlx5_lag, devlink) and use one port")
    if master.exists():
        report.add(FAIL, "bond", port, f"{name} is a part of {master.resolve().name}", str(master), remedy)
    elif info is None:
        report.add(UNKNOWN, "bond", port, "the device cannot be asked", why, "see the other checks")
    elif info["bonded"]:
        report.add(FAIL, "bond", port, "the device is in a bond (LAG): either port may send and receive",
                   "ringside nic-info: bonded true", remedy)
    else:
        report.add(PASS, "bond", port, "none", "ringside nic-info: bonded false")
