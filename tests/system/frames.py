# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What becomes of frames on their way through a NIC, told by dpkt alone."""
import re
from collections import defaultdict

import dpkt


def vlan_tags(frame):
    """802.1Q and 802.1ad tags in front of the EtherType."""
    count = 0
    while frame[12 + 4 * count:14 + 4 * count] in (b"\x81\x00", b"\x88\xa8"):
        count += 1
    return count


def split_by_fate(frames, mtu=1500):
    """(deliverable, number above the MTU, number too short for an Ethernet header)."""
    fits = [f for f in frames if 14 <= len(f) <= mtu + 14 + 4 * min(vlan_tags(f), 2)]
    runts = sum(len(f) < 14 for f in frames)
    return fits, len(frames) - runts - len(fits), runts


def flow_of(frame):
    """What stays in order: VLAN tags and IP addresses, with ports where no fragment lacks them."""
    tags = vlan_tags(frame)
    at = 14 + 4 * tags
    key = (frame[12:at],)
    try:
        if frame[at - 2:at] == b"\x08\x00":
            ip = dpkt.ip.IP(frame[at:])
            fragment = bool(ip.mf or ip.offset)
            ports = ip.data
        elif frame[at - 2:at] == b"\x86\xdd":
            ip = dpkt.ip6.IP6(frame[at:])
            fragment = 44 in ip.extension_hdrs
            ports = ip.data
        else:
            return key
    except dpkt.UnpackError:
        return key
    key += (ip.src, ip.dst)
    if not fragment and isinstance(ports, (dpkt.tcp.TCP, dpkt.udp.UDP)):
        key += (type(ports), ports.sport, ports.dport)
    return key


def by_flow(frames):
    flows = defaultdict(list)
    for frame in frames:
        flows[flow_of(frame)].append(frame)
    return flows


def nic_account(text, port=0):
    """The launcher's summary of a port: ({'received': n, 'delivered': n, cause: n...})."""
    line = re.search(rf"port {port} \(.*\): received (\d+) .*delivered (\d+) \+ dropped (\d+)(.*)", text)
    assert line, text
    account = dict(zip(("received", "delivered", "dropped"), map(int, line.groups()[:3])))
    account.update({name: int(n) for name, n in re.findall(r"(\w+) (\d+)", line.group(4))})
    assert account["received"] == account["delivered"] + account["dropped"]
    return account


def check(sent, expected, queues):
    if queues == 1:
        assert sent == expected
    else:
        assert len(sent) == len(expected)
        assert by_flow(sent) == by_flow(expected)
