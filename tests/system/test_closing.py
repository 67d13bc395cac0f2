# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Closing four ports, each with an lcore and a NIC thread of its own, while frames go round: each
step ends, whatever drives the queues."""
import os
import re

import ports as cabling
import pytest
import support

PROGRAM = support.BUILD / "tests" / "system" / "closing"
PORTS = 4
STEPS = ["stop forwarding", "stop the ports", "destroy the data path's queues", "close the ports",
         "unplug NICs", "free packet buffers", "give GPUs back", "clean EAL up"]
LAUNCHES = ("persistent", "per-burst", "graph", "comm-list")
pytestmark = pytest.mark.gpu


def close_once(launch, memory, pages):
    cabling.require_softcx("opens four ports")
    nics = [word for port in range(PORTS) for word in ("-a", f"0000:ca:00.{port}")]
    result = support.run(support.softcx_command(
        ["loop"] * PORTS,
        [PROGRAM, launch, memory, pages, "closing", "--in-memory", "--no-telemetry",
         "--iova-mode=va", "--lcores", f"(0-{PORTS})@(0-{os.cpu_count() - 1})", *nics,
         *cabling.gpu_eal()], engines=PORTS))
    steps = re.findall(r"^([a-zA-Z' ]+): (?:(\d+) us)?", result.out, re.MULTILINE)
    assert result.rc == 0, f"stands still at: {steps[-1:]}\n{result.out}{result.err}"
    assert [step for step, _ in steps] == STEPS


@pytest.mark.parametrize("launch", LAUNCHES)
def test_each_step_of_closing_ends_time_and_again(packet_memory, launch):
    if (launch, packet_memory) == ("comm-list", "gpu") and support.every_run_is_sanitized():
        pytest.skip("refused, as on hardware: test_softcx_rules.py")
    for _ in range(4):
        close_once(launch, packet_memory, "shared")


def test_a_page_that_holds_but_the_pmds_note_of_a_mapping_goes_back_without_a_wait(packet_memory):
    close_once("per-burst", packet_memory, "lone")
