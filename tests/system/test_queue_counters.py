# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What is counted of each queue, read while its kernel runs and compared with the capture."""
import json
import re

import pipelines
import ports as cabling
import pytest
import support

pytestmark = pytest.mark.gpu

CAPTURE = support.DATA / "http-dns-icmp.pcap"


def queues(session, port="all"):
    """`show queue stats`: {("RX", 0): {"packets": 12, ...}, ...}"""
    found = {}
    for line in session.cmd(f"show queue stats {port}").splitlines():
        if match := re.fullmatch(r"  ([RT]X) queue (\d+): (.*)", line):
            found[match[1], int(match[2])] = {
                name: int(value) for name, value in re.findall(r"([a-z-]+) (\d+)", match[3])}
    return found


def total(counters, direction, name):
    return sum(one[name] for (way, _), one in counters.items() if way == direction)


def test_counters_grow_while_packets_pass_and_end_as_the_capture(testpmd_session, packet_memory):
    loops = 4000
    frames = support.frames(CAPTURE)
    packets, size = len(frames) * loops, sum(map(len, frames)) * loops
    session = testpmd_session(
        ports=[f"pcap:in={CAPTURE},loop={loops}"], ringside=True,
        eal=("-a", cabling.nic, *cabling.gpu_eal()),
        opts=["-i", "--rxq=2", "--txq=2", "--forward-mode=macswap", f"--mp-alloc={packet_memory}",
              "--gpu-id=0"])
    session.cmd("start")
    looks = [queues(session)]

    def over():
        looks.append(queues(session))
        return total(looks[-1], "TX", "packets") >= packets
    assert support.eventually(over, support.promised(60)), looks[-1]
    assert any(0 < total(look, "RX", "packets") < packets for look in looks), "it never saw it run"
    for before, after in zip(looks, looks[1:]):
        assert before.keys() == after.keys() and len(after) == 4
        for queue, counts in before.items():
            for name, value in counts.items():
                assert name == "in-flight" or value <= after[queue][name], (queue, name)
    session.cmd("stop")
    end = queues(session)
    assert (total(end, "RX", "packets"), total(end, "RX", "bytes")) == (packets, size)
    assert (total(end, "TX", "packets"), total(end, "TX", "bytes")) == (packets, size)
    assert total(end, "RX", "errors") == total(end, "TX", "errors") == 0
    for queue in (0, 1):
        rx, tx = end["RX", queue], end["TX", queue]
        assert 0 < tx["doorbells"] <= rx["batches"] <= rx["packets"]
        assert tx["completions"] == tx["doorbells"] and tx["in-flight"] == 0
    status, text = session.quit()
    assert status == 0, text


def test_a_pipelines_report_has_its_queues(tmp_path):
    frames = support.frames(CAPTURE)
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE}"],
        [support.RINGSIDE, "run", pipelines.CONFIG / "forward.yaml", "--json", "--packets",
         str(len(frames)), "--", *cabling.gpu_eal()]))
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["queues"], report
    for way in ("rx", "tx"):
        assert sum(pair[way]["packets"] for pair in report["queues"]) == len(frames)
        assert sum(pair[way]["bytes"] for pair in report["queues"]) == sum(map(len, frames))
    for pair in report["queues"]:
        # A thread asks for a completion every 64 packets of a batch as large as the ring.
        assert 0 < pair["tx"]["doorbells"] <= pair["tx"]["completions"] <= len(frames)
        assert pair["tx"]["doorbells"] <= pair["rx"]["batches"]
