# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The command line of `ringside testpmd` on a software NIC: a dialogue, signals, and what all gives back."""
import re
import time

import pexpect
import pytest
import support

GPU_EAL = ["-a", support.NIC, "--vdev=gpu_host0"]
GPU = ["--mp-alloc=gpu", "--gpu-id=0"]


@pytest.fixture
def gpu_session(testpmd_session):
    def start(*opts, ports=("loop",)):
        return testpmd_session(ports=ports, eal=GPU_EAL, opts=["-i", *GPU, *opts], ringside=True)
    return start


def test_dialogue_of_a_public_guide(gpu_session, hugepages_returned):
    session = gpu_session("--nb-cores=1", "--forward-mode=rxonly")
    banner = session.cmd("start")
    assert ("rxonly packet forwarding - ports=1 - cores=1 - streams=1 - NUMA support enabled, "
            "MP allocation mode: gpu\n") in banner
    assert "RX P=0/Q=0 (socket 0) -> TX P=0/Q=0 (socket 0)" in banner
    assert "Packet forwarding already started" in session.cmd("start")
    text = session.cmd("show port stats all")
    assert "######################## NIC statistics for port 0  ########################" in text
    assert re.search(r"  RX-packets: \d+ +RX-missed: \d+ +RX-bytes:  \d+\n", text)
    info = session.cmd("show port info 0")
    for key in ("MAC address: ", f"Device name: {support.NIC}\n", "Driver name: mlx5_pci\n",
                "Link status: up\n", "MTU: 1500\n"):
        assert key in info
    assert "\nDone.\n" in session.cmd("stop")
    with support.Seconds() as seconds:
        assert session.quit()[0] == 0
    assert seconds.passed() < support.promised(2)


def test_tx_first_goes_round_and_the_counters_show_it(gpu_session):
    session = gpu_session("--forward-mode=io")
    session.cmd("start tx_first")
    stats = session.wait_stats("RX-packets", 1000)
    assert stats["RX-packets"] >= 1000 and stats["Rx-pps"] > 0
    text = session.cmd("stop")
    ports, total = re.findall(r"  RX-packets: (\d+) +RX-dropped: (\d+) +RX-total: (\d+)", text)
    assert ports == total
    assert int(total[0]) + int(total[1]) == int(total[2])


@pytest.mark.parametrize("forwarding", [False, True])
def test_ctrl_c_leaves_within_two_seconds_and_gives_all_back(
        gpu_session, hugepages_returned, forwarding):
    session = gpu_session()
    if forwarding:
        session.cmd("start tx_first")
    with support.Seconds() as seconds:
        session.interrupt()
        status, text = session.wait()
    assert seconds.passed() < support.promised(2)
    assert status == 0 and "Port 0 is closed" in text and "\nBye...\n" in text


@pytest.mark.parametrize("delay", [0.05, 0.1, 0.15, 0.2, 0.3])
def test_ctrl_c_during_start_up_leaves_within_two_seconds(hugepages_returned, delay):
    command = support.softcx_command(
        ["loop"], [support.RINGSIDE, "testpmd", *support.EAL, *GPU_EAL, "--", "-i", *GPU])
    child = pexpect.spawn(command[0], command[1:], timeout=60, encoding="utf-8",
                          codec_errors="replace")
    time.sleep(delay)
    with support.Seconds() as seconds:
        child.sendintr()
        child.expect(pexpect.EOF)
    child.close()
    assert seconds.passed() < support.promised(2.5)


def test_port_stops_and_forwards_again_after_start(gpu_session):
    session = gpu_session()
    assert session.cmd("port stop 0").endswith("Done\n")
    assert session.cmd("start") == "Not all ports were started\n"
    assert session.cmd("port start 0").endswith("Done\n")
    session.cmd("start tx_first")
    assert session.wait_stats("RX-packets", 100)["RX-packets"] >= 100


def test_commands_from_a_pipe_on_a_nic(softcx):
    done = softcx([support.RINGSIDE, "testpmd", *support.EAL, *GPU_EAL, "--", "-i", *GPU],
                  ports=["loop"], stdin="start\nshow port stats 0\nstop\nquit\n", timeout=30)
    assert done.rc == 0, done.err
    order = [done.out.index(text) for text in
             ("testpmd> start\n", "io packet forwarding - ports=1", "testpmd> show port stats 0\n",
              "NIC statistics for port 0", "testpmd> stop\n", "\nDone.\n", "testpmd> quit\n",
              "Bye...\n")]
    assert order == sorted(order)


@pytest.mark.parametrize("eal, opts, words", [
    (["-a", "0000:ff:1f.7"], [], ["0000:ff:1f.7"]),
    (["-a", support.NIC], GPU, ["gpu_host0"]),
    (GPU_EAL, ["--mp-alloc=gpu", "--gpu-id=7"], ["7"]),
    (GPU_EAL, [*GPU, "--rxd=1000", "--txd=1000"], ["1000", "512", "1024"]),
    (GPU_EAL, [*GPU, "--forward-mode=zap"], ["zap", "macswap"]),
    (GPU_EAL, [*GPU, "--rxq=1024", "--txq=1024"], ["--rxq 1024", support.NIC, "999"]),
])
def test_what_the_machine_lacks_is_one_sentence(softcx, eal, opts, words):
    done = softcx([support.RINGSIDE, "testpmd", *support.EAL, *eal, "--", "-i", *opts],
                  ports=["loop"], stdin="", timeout=30)
    assert done.rc == 2, done.err
    [sentence] = [line for line in done.err.splitlines() if line.startswith("ringside: ")]
    assert [word for word in words if word not in sentence] == [], sentence
