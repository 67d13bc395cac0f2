# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run`: signals, and what is left behind however it ends."""
import os
import signal
import subprocess

import pexpect
import pytest
import support
from launcher import host_state, init_of, processes_in, shell


def test_nothing_is_left_behind_when_the_command_ends(softcx):
    before = host_state()
    assert shell(softcx, "exit 3", ports=["null", "netdev:lo"]).rc == 3
    assert host_state() == before


@pytest.mark.parametrize("victim", ["launcher", "init"])
def test_nothing_is_left_behind_by_kill_9(victim):
    before = host_state()
    script = "fallocate -l 4M $(grep hugetlbfs /proc/mounts | cut -d' ' -f2)/held; echo ready; sleep 300"
    child = subprocess.Popen(support.softcx_command(["null"], ["sh", "-c", script]),
                             stdout=subprocess.PIPE, text=True, env=support.environment())
    assert child.stdout.readline() == "ready\n"
    init = init_of(child.pid)
    namespace = os.readlink(f"/proc/{init}/ns/net")
    assert len(processes_in(namespace)) >= 3
    os.kill(child.pid if victim == "launcher" else init, signal.SIGKILL)
    status = child.wait(timeout=60)
    assert status == (-signal.SIGKILL if victim == "launcher" else 128 + signal.SIGKILL)
    assert support.eventually(lambda: not processes_in(namespace))
    assert support.eventually(lambda: host_state() == before), host_state()


def test_nothing_is_left_behind_by_kill_9_of_a_forwarding_testpmd(testpmd_session):
    before = host_state()
    session = testpmd_session(ports=["loop"], opts=["-i", "--total-num-mbufs=4096"])
    session.cmd("start tx_first")
    namespace = os.readlink(f"/proc/{init_of(session.child.pid)}/ns/net")
    assert host_state()["hugepages"] < before["hugepages"]
    os.kill(session.child.pid, signal.SIGKILL)
    assert support.eventually(lambda: not processes_in(namespace))
    assert support.eventually(lambda: host_state() == before), host_state()


def test_terminate_is_forwarded_to_the_command():
    script = "trap 'echo terminated; exit 9' TERM; echo ready; while :; do sleep 0.1; done"
    child = subprocess.Popen(support.softcx_command(["null"], ["sh", "-c", script]),
                             stdout=subprocess.PIPE, text=True, env=support.environment())
    assert child.stdout.readline() == "ready\n"
    child.terminate()
    assert child.communicate(timeout=60)[0] == "terminated\n"
    assert child.returncode == 9


def test_interrupt_of_the_terminal_reaches_the_command_once():
    script = """n=0; trap 'n=$((n+1))' INT; echo ready
                for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done; echo interrupts $n; exit 4"""
    argv = support.softcx_command(["null"], ["bash", "-c", script])
    child = pexpect.spawn(argv[0], argv[1:], timeout=60, encoding="utf-8",
                          env=support.environment())
    child.expect_exact("ready")
    child.sendintr()
    child.expect_exact("interrupts 1")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 4


def test_interrupt_ends_a_command_that_does_not_catch_it():
    argv = support.softcx_command(["null"], ["sh", "-c", "echo ready; exec sleep 300"])
    child = pexpect.spawn(argv[0], argv[1:], timeout=60, encoding="utf-8", env=support.environment())
    child.expect_exact("ready")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 128 + signal.SIGINT


def test_interrupt_sent_to_the_launcher_alone_is_forwarded():
    child = subprocess.Popen(support.softcx_command(["null"], ["sh", "-c", "echo ready; exec sleep 300"]),
                             stdout=subprocess.PIPE, text=True, env=support.environment(),
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert child.stdout.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 128 + signal.SIGINT
