# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The command line of `ringside testpmd`, over a runtime without EAL (tests/unit/cli_fake_testpmd.cpp):
terminal, pipes, signals, wrong usage. test_testpmd_on_nic.py has it on a software NIC.
"""
import os
import re
import signal
import subprocess
import time

import pexpect
import pytest
import support
from support import PROMPT

FAKE = support.BUILD / "tests" / "unit" / "cli_fake_testpmd"


def run_fake(*args, stdin="", timeout=20, fault=""):
    return support.run([FAKE, *args], timeout=timeout, stdin=stdin, env={"RINGSIDE_FAKE": fault})


@pytest.fixture
def terminal():
    """terminal(ARGS...) -> a pexpect child at its first prompt; all are ended with the test."""
    children = []

    def start(*args, term="xterm", fault="", prompt=True):
        child = pexpect.spawn(
            str(FAKE), list(args), timeout=10, encoding="utf-8", codec_errors="replace",
            dimensions=(50, 500), env={**os.environ, "TERM": term, "RINGSIDE_FAKE": fault})
        child.delaybeforesend = None
        children.append(child)
        if prompt:
            child.expect_exact(PROMPT)
        return child

    yield start
    for child in children:
        child.close(force=True)


def reply(child, line):
    child.sendline(line)
    child.expect_exact(PROMPT)
    return child.before.replace("\r", "")


def ended(child, seconds=2.0):
    """The text up to the end and the exit status, which have to come within the seconds."""
    child.expect(pexpect.EOF, timeout=support.promised(seconds))
    text = child.before.replace("\r", "")
    child.close()
    return text, child.exitstatus


# --- Terminal ---

@pytest.mark.parametrize("term", ["xterm", "dumb", "no-such-terminal"])
def test_command_is_shown_once_and_answered_before_the_next_prompt(terminal, term):
    child = terminal("--", "-i", term=term)
    for _ in range(5):
        assert reply(child, "stop").endswith("stop\nPacket forwarding not started\n")


def test_lines_typed_ahead_keep_their_order(terminal):
    child = terminal("--", "-i", term="dumb")
    child.send("stop\nset fwd mac\nstart bogus\n")
    assert [reply_part(child) for _ in range(3)] == [
        "stop\nPacket forwarding not started\n",
        "set fwd mac\nSet mac packet forwarding mode\n",
        'start bogus\nBad arguments\nAfter "start" can come tx_first, not "bogus".\n']


def reply_part(child):
    child.expect_exact(PROMPT)
    return child.before.replace("\r", "")


def test_history_brings_commands_back(terminal):
    child = terminal("--", "-i")
    reply(child, "set fwd macswap")
    reply(child, "stop")
    child.send("\x1b[A\x1b[A\n")
    child.expect_exact("Set macswap packet forwarding mode")


def test_tab_completes_a_word_and_lists_several(terminal):
    child = terminal("--", "-i")
    child.send("sh\tp\ts\t\t")
    child.expect_exact("stats  summary")
    child.send("t\t0\n")
    child.expect_exact("NIC statistics for port 0 ")
    child.expect_exact(PROMPT)
    child.send("set f\tmacs\t\n")
    child.expect_exact("Set macswap packet forwarding mode")


def test_line_can_be_edited(terminal):
    child = terminal("--", "-i")
    child.send("sttop\x1b[D\x1b[D\x7f\n")
    child.expect_exact("Packet forwarding not started")


def test_stream_error_is_shown_at_the_prompt_while_nobody_types(terminal):
    child = terminal("--", "-i", fault="stream-error")
    reply(child, "start")
    child.expect_exact("port 0 queue 0: send queue stopped")
    child.expect_exact(PROMPT)


def test_binary_input_and_endless_lines_leave_the_prompt_alive(terminal):
    child = terminal("--", "-i")
    os.write(child.child_fd, bytes(range(0x80, 0x100)) * 4 + b"\n")
    child.expect_exact(PROMPT)
    for _ in range(5):
        child.send("x" * 1000)
    child.send("\n")
    child.expect_exact("The line is longer than 4096 bytes.")
    child.expect_exact(PROMPT)
    assert "not started" in reply(child, "stop")


@pytest.mark.parametrize("stop", [lambda c: c.sendintr(), lambda c: c.kill(signal.SIGTERM),
                                  lambda c: c.kill(signal.SIGHUP), lambda c: c.sendeof(),
                                  lambda c: c.sendline("quit")],
                         ids=["ctrl-c", "sigterm", "sighup", "ctrl-d", "quit"])
@pytest.mark.parametrize("forwarding", [False, True])
def test_every_way_out_stops_closes_and_says_so(terminal, stop, forwarding):
    child = terminal("--", "-i")
    if forwarding:
        reply(child, "start")
    stop(child)
    text, status = ended(child)
    assert status == 0
    assert text.endswith("\nBye...\n")
    assert text.count("is closed") == 2
    assert ("\nDone.\n" in text) == forwarding


def test_terminal_echoes_again_afterwards():
    shell = pexpect.spawn("/bin/sh", ["-c", f"{FAKE} -- -i; stty -a"], timeout=10, encoding="utf-8")
    shell.expect_exact(PROMPT)
    shell.sendline("quit")
    shell.expect(pexpect.EOF)
    settings = shell.before.split()
    assert "echo" in settings and "icanon" in settings and "isig" in settings


def test_signal_during_start_up_ends_it_within_two_seconds(terminal):
    child = terminal("--", "-i", fault="slow-start", prompt=False)
    child.expect_exact("starting up")
    child.sendintr()
    text, status = ended(child, seconds=2.5)
    assert status == 1
    assert "Stopped while starting up" in text


@pytest.mark.parametrize("fault, step", (("endless-close", "close the ports"),
                                         ("endless-exit", "end the process")))
def test_closing_that_does_not_end_is_said_and_ends_the_program(terminal, fault, step):
    child = terminal("--", "-i", fault=fault)
    child.sendline("quit")
    text, status = ended(child, seconds=12)
    assert status == 1
    assert f"Closing did not end in 10 s, at: {step}. " in text


def test_second_signal_ends_a_program_that_does_not_close(terminal):
    child = terminal("--", "-i", fault="endless-close")
    child.kill(signal.SIGTERM)
    child.kill(signal.SIGINT)  # the same wish
    child.expect_exact("Stopping port 1...")
    time.sleep(0.6)
    assert child.isalive()
    child.kill(signal.SIGTERM)
    text, status = ended(child)
    assert status == 1
    assert "Stopped a second time" in text


# --- Pipes and files ---

def test_piped_commands_read_like_a_dialogue():
    done = run_fake("--", "-i", stdin="set fwd mac\nbogus\nquit\nstart\n")
    assert done.rc == 0 and done.err == ""
    dialogue = done.out.partition("Checking link statuses...\nDone\n")[2]
    assert dialogue.startswith(
        "testpmd> set fwd mac\nSet mac packet forwarding mode\n"
        'testpmd> bogus\nCommand not found\n"bogus": help lists the commands.\n'
        "testpmd> quit\n\nStopping port 0...\n")


def test_end_of_piped_input_is_quit():
    done = run_fake("--", "-i", stdin="start")
    assert done.rc == 0
    assert done.out.endswith("Bye...\n")


def test_pipe_partner_gets_each_prompt_before_it_writes():
    with subprocess.Popen([FAKE, "--", "-i"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as fake:
        for command in (b"start\n", b"show port stats all\n", b"stop\n", b"quit\n"):
            text = b""
            while not text.endswith(PROMPT.encode()):
                byte = fake.stdout.read(1)
                assert byte, text
                text += byte
            fake.stdin.write(command)
            fake.stdin.flush()
        assert fake.stdout.read().endswith(b"Bye...\n")
        assert fake.wait(timeout=60) == 0


def test_binary_input_from_a_pipe_is_refused_line_by_line():
    noise = os.urandom(200_000).replace(b"\n", b"?") + b"\n\x00\n" + b"y" * 100_000
    done = subprocess.run([FAKE, "--", "-i"], input=noise, capture_output=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.count(b"The line is longer than 4096 bytes.") == 2
    assert done.stdout.count(b"Command not found") == 1
    assert b"\x1b" not in done.stdout


def test_reader_that_leaves_ends_the_program():
    with subprocess.Popen([FAKE, "--", "--stats-period=1"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as fake:
        fake.stdout.read(10)
        fake.stdout.close()
        assert fake.wait(timeout=60) == 1


def test_command_file_runs_first_and_then_the_prompt_comes(tmp_path):
    commands = tmp_path / "setup.cmd"
    commands.write_text("# set up\nset fwd macswap\nshow config fwd")
    done = run_fake(f"--", "-i", f"--cmdline-file={commands}", stdin="stop\n")
    shown = done.out.partition("Checking link statuses...\nDone\n")[2]
    assert shown.startswith("[setup.cmd] # set up\n[setup.cmd] set fwd macswap\n"
                            "Set macswap packet forwarding mode\n"
                            "[setup.cmd] show config fwd\nmacswap packet forwarding - ports=2")
    assert f"Read CLI commands from {commands}\ntestpmd> stop\n" in shown


def test_quit_in_a_command_file_is_the_end(tmp_path):
    commands = tmp_path / "all.cmd"
    commands.write_text("start\nstop\nquit\nstart\n")
    done = run_fake("--", f"--cmdline-file={commands}")
    assert done.rc == 0
    assert done.out.count("io packet forwarding - ") == 1
    assert done.out.endswith("Bye...\n")


# --- Not interactive ---

def test_unattended_run_forwards_until_enter(terminal):
    child = terminal("--", "--tx-first", prompt=False)
    child.expect_exact("Press enter to exit")
    child.sendline("")
    text, status = ended(child)
    assert status == 0
    assert "Accumulated forward statistics" in text and "\nDone.\n" in text


def test_unattended_run_ends_with_its_input():
    done = run_fake("--")
    assert done.rc == 0 and "Press enter to exit" in done.out and "\nDone.\n" in done.out


def read_until(program, words, times=1):
    text = ""
    while text.count(words) < times:
        line = program.stdout.readline()
        assert line, text
        text += line
    return text


def test_statistics_by_the_period_go_on_until_a_signal_and_clear_no_screen():
    with subprocess.Popen([FAKE, "--", "--stats-period=1"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as fake:
        text = read_until(fake, "NIC statistics for port 1 ", times=2)
        fake.terminate()
        text += fake.stdout.read()
        assert fake.wait(timeout=60) == 0
    assert "\033" not in text and "Press enter" not in text
    assert text.count("\nPort statistics ====") == 2
    assert text.count("NIC statistics for port 1 ") == 2
    rates = [int(rate) for rate in re.findall(r"Rx-pps: +(\d+)", text)]
    assert all(900 <= rate <= 1100 for rate in rates), rates


def test_unattended_run_in_which_a_stream_stops_has_failed():
    with subprocess.Popen([FAKE, "--", "--stats-period=60"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "RINGSIDE_FAKE": "stream-error"}) as fake:
        text = read_until(fake, "send queue stopped\n")
        fake.send_signal(signal.SIGINT)
        text += fake.stdout.read()
        assert fake.wait(timeout=60) == 1
    assert text.count("port 0 queue 0: send queue stopped\n") == 2, "as it happens, and at the end"


# --- Wrong usage: one sentence, exit code 2, before EAL starts ---

@pytest.mark.parametrize("args, error", [
    ([], "ringside: no subcommand given: ringside --help lists them"),
    (["tespmd"], 'ringside: unknown subcommand "tespmd": did you mean testpmd?'),
    (["testpmd", "--", "--rqx=4"], 'ringside: unknown option "--rqx": did you mean --rxq?'),
    (["testpmd", "--", "--rxq=0"],
     'ringside: --rxq: "0" is not possible: give a number from 1 to 1024'),
    (["testpmd", "--", "--datapath=gpu"],
     "ringside: --datapath=gpu needs packets in GPU memory: add --mp-alloc=gpu"),
    (["testpmd", "-i"], 'ringside: "-i" is a testpmd option: testpmd options come after --'),
    (["testpmd", "--", "--in-memory"],
     'ringside: "--in-memory" is an EAL option: EAL options come before --'),
])
def test_wrong_usage_is_one_sentence(args, error):
    done = support.run([support.RINGSIDE, *args])
    assert (done.rc, done.out, done.err) == (2, "", error + "\n")


def test_help_and_version():
    assert "testpmd" in support.run([support.RINGSIDE, "--help"]).out
    assert re.fullmatch(r"ringside \d+\.\d+\.\d+\n", support.run([support.RINGSIDE, "--version"]).out)
    usage = support.run([support.RINGSIDE, "testpmd", "--help"])
    assert usage.rc == 0 and "Usage: ringside testpmd [EAL options] -- [testpmd options]" in usage.out


def test_name_dpdk_testpmd_is_the_subcommand(tmp_path):
    (tmp_path / "dpdk-testpmd").symlink_to(support.RINGSIDE)
    usage = support.run([tmp_path / "dpdk-testpmd", "--help"])
    assert usage.rc == 0 and "dpdk-testpmd [EAL options] -- [testpmd options]" in usage.out


# --- On a software NIC ---
