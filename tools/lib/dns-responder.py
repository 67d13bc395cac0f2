# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Answers every A and AAAA question on UDP port 53 with one fixed address, until it is killed."""
import ipaddress
import socket
import struct

ADDRESSES = {1: ipaddress.ip_address("192.0.2.80").packed,
             28: ipaddress.ip_address("2001:db8::80").packed}


def answer(query):
    """The response to one query (RFC 1035, section 4.1)."""
    end = 12
    while query[end]:
        end += 1 + query[end]
    question = query[12:end + 5]
    address = ADDRESSES.get(struct.unpack_from("!H", query, end + 1)[0])
    header = query[:2] + struct.pack("!HHHHH", 0x8580, 1, 1 if address else 0, 0, 0)
    if not address:
        return header + question
    # 0xc00c points back to the name in the question.
    record = b"\xc0\x0c" + question[-4:] + struct.pack("!IH", 300, len(address)) + address
    return header + question + record


with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as server:
    server.bind(("::", 53))
    while True:
        data, client = server.recvfrom(4096)
        server.sendto(answer(data), client)
