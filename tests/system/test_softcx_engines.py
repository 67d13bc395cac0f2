# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run --engines`: ports that are served by threads of their own."""
import re
from pathlib import Path

import pytest
import support

NICS = ["0000:ca:00.0", "0000:ca:00.1", "0000:ca:00.2"]
ENGINE = "softcx-engine"


def start(ports, engines, opts, faults=""):
    """Debian's testpmd on all ports, as a session; the caller closes it."""
    addresses = [word for nic in NICS[:len(ports)] for word in ("-a", nic)]
    return support.TestpmdSession(
        ports, ["dpdk-testpmd", *support.EAL, *addresses, "--", "-i", *opts], engines=engines,
        faults=faults)


def engine_threads(launcher):
    """How many engine threads the processes below the launcher have."""
    processes, threads = [launcher], 0
    while processes:
        process = Path(f"/proc/{processes.pop()}")
        for task in process.glob("task/*"):
            threads += (task / "comm").read_text().startswith(ENGINE)
            processes += (task / "children").read_text().split()
    return threads


@pytest.mark.parametrize("ports, engines, threads", [
    (["loop", "loop"], 2, 2), (["loop", "loop"], 1, 1),
    (["cross:1", "cross:0", "loop"], 2, 2), (["loop"], None, 1)])
def test_ports_forward_on_as_many_threads_as_asked_for(ports, engines, threads):
    session = start(ports, engines, ["--port-topology=loop"])
    try:
        assert engine_threads(session.child.pid) == threads
        session.cmd("start tx_first")
        for port in range(len(ports)):
            assert session.wait_stats("RX-packets", 5000, port)["RX-packets"] >= 5000
        session.cmd("stop")
        status, text = session.quit()
    finally:
        session.close()
    assert status == 0, text
    assert "violation" not in text
    counts = re.findall(r"received (\d+) packets \(\d+ bytes\) = delivered (\d+) \+ dropped (\d+)",
                        text)
    assert len(counts) == len(ports), text
    for received, delivered, dropped in counts:
        assert int(received) == int(delivered) and int(dropped) == 0


def test_fault_of_one_port_is_not_felt_at_the_port_of_another_engine():
    session = start(["loop", "loop"], 2, ["--port-topology=loop"], "stalled-nic:port=0:packet=500")
    try:
        session.cmd("start tx_first")
        stopped = session.wait_stats("RX-packets", 500, 0)["RX-packets"]
        assert 500 <= stopped < 564  # the WQE in hand, of 64 packets at most, is sent as a whole
        before = session.stats(1)["RX-packets"]
        grown = session.wait_stats("RX-packets", before + 5000, 1)["RX-packets"]
        assert grown >= before + 5000 and session.stats(0)["RX-packets"] == stopped
        status, text = session.quit()
    finally:
        session.close()
    assert status == 0, text


def test_queues_and_rules_of_one_port_change_while_the_engine_of_another_forwards():
    session = start(["loop", "loop"], 2, ["--port-topology=loop", "--rxq=2", "--txq=2"])
    try:
        session.cmd("set portlist 0")
        session.cmd("start tx_first")
        for _ in range(3):
            before = session.stats(0)["RX-packets"]
            assert "Done" in session.cmd("port stop 1")
            assert "Done" in session.cmd("port start 1")
            created = session.cmd("flow create 1 ingress pattern eth / ipv4 / end "
                                  "actions queue index 1 / end")
            assert "created" in created
            session.cmd("flow flush 1")
            assert session.wait_stats("RX-packets", before + 1000)["RX-packets"] >= before + 1000
        session.cmd("stop")
        status, text = session.quit()
    finally:
        session.close()
    assert status == 0, text
    assert "violation" not in text


@pytest.mark.parametrize("engines, ports, most", [
    (0, ["loop"], 1), (2, ["loop"], 1), (2, ["cross:1", "cross:0"], 1), (3, ["loop", "null"], 2)])
def test_number_that_the_ports_cannot_use_is_refused(engines, ports, most):
    result = support.run(support.softcx_command(ports, ["true"], engines=engines))
    assert result.rc == 2
    assert f"--engines={engines}" in result.err and f"from 1 to {most}" in result.err


def test_what_is_no_number_is_refused():
    result = support.run(support.softcx_command(["loop"], ["true"], engines="many"))
    assert result.rc == 2
    assert "--engines" in result.err
