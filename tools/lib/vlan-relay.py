# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""vlan-relay.py UNTAGGED TAGGED VLAN PRIORITY: the two interfaces become one link whose frames
carry an 802.1Q tag on the second, until it is killed. For kernels without VLAN devices."""
import select
import socket
import struct
import sys

ETH_P_ALL = 3
ETH_P_8021Q = 0x8100
SOL_PACKET = 263
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
TP_STATUS_VLAN_VALID = 0x10


def open_interface(name):
    packet_socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    packet_socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    packet_socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    packet_socket.bind((name, ETH_P_ALL))
    return packet_socket


def receive(packet_socket):
    """(frame, whether it came with a tag); the kernel has taken the tag out of the frame."""
    frame, ancillary, _, _ = packet_socket.recvmsg(65536, 256)
    tagged = any(kind == PACKET_AUXDATA and struct.unpack_from("I", data)[0] & TP_STATUS_VLAN_VALID
                 for _, kind, data in ancillary)
    return frame, tagged


untagged, tagged = open_interface(sys.argv[1]), open_interface(sys.argv[2])
tag = struct.pack("!HH", ETH_P_8021Q, int(sys.argv[4]) << 13 | int(sys.argv[3]))
while True:
    for ready in select.select([untagged, tagged], [], [])[0]:
        frame, has_tag = receive(ready)
        if ready is untagged:
            tagged.send(frame[:12] + tag + frame[12:])
        elif has_tag:
            untagged.send(frame)
