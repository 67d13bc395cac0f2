# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Debian's unmodified dpdk-testpmd schedules packets by the NIC's clock (wait-on-time WQEs); each
carries its time, and the capture says when it left."""
import struct

import pytest
import support

SEND_ON_TIMESTAMP = 1 << 21
SIGNATURE = 0xBEEFC0DE
RING, BURST = 512, 16
NANOSECONDS, GLOBAL_HEADER = 0xA1B23C4D, 24  # of a pcap file
HEADERS = 14 + 20 + 8


def records(path):
    """(scheduled, left) in ns of each frame of testpmd's with a time; a capture's times are UTC."""
    data = path.read_bytes()
    assert struct.unpack_from("<I", data)[0] == NANOSECONDS
    found, at = [], GLOBAL_HEADER
    while at < len(data):
        seconds, nanoseconds, length, _ = struct.unpack_from("<IIII", data, at)
        signature, _, _, scheduled = struct.unpack_from(">IHHQ", data, at + 16 + HEADERS)
        if signature == SIGNATURE and scheduled:
            found.append((scheduled, seconds * 10**9 + nanoseconds))
        at += 16 + length
    return found


@pytest.fixture
def scheduled(testpmd_session, tmp_path):
    """scheduled(inter, intra, ...) -> records() of bursts so many ns apart, and packets in them."""
    def run(inter, intra, packets, length=64, line_rate=None):
        sink = tmp_path / "out.pcap"
        session = testpmd_session(
            ports=[f"pcap:out={sink}"], line_rate=line_rate,
            opts=["-i", "--forward-mode=txonly", f"--burst={BURST}",
                  f"--tx-offloads={SEND_ON_TIMESTAMP:#x}"])
        session.cmd(f"set txpkts {length}")
        session.cmd(f"set txtimes {inter},{intra}")
        # testpmd counts its times on whether or not the ring takes the packets: it must.
        session.cmd("set burst tx delay 10 retry 1000000")
        session.cmd("set fwd txonly retry")
        session.cmd("start")
        session.wait_stats("TX-packets", packets + RING)  # counted when they are posted
        status, text = session.quit()
        assert status == 0 and "violation" not in text, text
        return records(sink)
    return run


def errors_ns(times):
    """How late each packet left, beside the one that was least late."""
    offset = min(left - scheduled for scheduled, left in times)
    return [left - scheduled - offset for scheduled, left in times]


# testpmd begins late; what it posts once the ring is full, it posts in time.
PACKETS, IN_TIME = 50 * BURST, 25 * BURST


@pytest.mark.parametrize("line_rate, length, intra", [(None, 64, 700), ("25G", 1514, 493)])
def test_packets_leave_at_their_times(scheduled, line_rate, length, intra):
    # 1514 bytes take 492.2 ns at 25 Gb/s.
    times = scheduled(10_000_000, intra, PACKETS, length=length, line_rate=line_rate)
    assert len(times) >= PACKETS
    late = errors_ns(times[IN_TIME:PACKETS])
    assert max(late) <= 50, sorted(late)[-5:]


def test_a_line_that_is_too_slow_delays(scheduled):
    # 1514 bytes take 1230.4 ns at 10 Gb/s.
    times = scheduled(10_000_000, 600, PACKETS, length=1514, line_rate="10G")
    late = errors_ns(times[IN_TIME:IN_TIME + BURST])
    assert late == pytest.approx([i * 630.4 for i in range(BURST)], abs=1)


def test_without_times_packets_leave_at_once(testpmd_session, tmp_path):
    session = testpmd_session(ports=[f"pcap:out={tmp_path / 'out.pcap'}"],
                              opts=["-i", "--forward-mode=txonly"])
    session.cmd("start")
    session.wait_stats("TX-packets", 1000)
    assert session.quit()[0] == 0
    assert records(tmp_path / "out.pcap") == []
