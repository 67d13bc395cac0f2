# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run`: the command and its exit status, wrong usage, the report."""
import json
import signal
import subprocess
import sys
import time

import pytest
import support
from launcher import MAIN_CAPTURE, shell


# The command and its exit status

@pytest.mark.parametrize("status", [0, 1, 7, 255])
def test_exit_status_of_the_command_is_passed_on(softcx, status):
    assert shell(softcx, f"exit {status}").rc == status


def test_signal_that_ends_the_command_is_passed_on_as_128_plus_number(softcx):
    assert shell(softcx, "kill -KILL $$").rc == 128 + signal.SIGKILL


def test_arguments_and_streams_reach_the_command_untouched(softcx):
    result = softcx(["sh", "-c", 'cat; printf "<%s>" "$@"; echo oops >&2', "sh",
                     "a b", "--", "", "[1,2]", "--port"], stdin="from stdin\n")
    assert result.out == "from stdin\n<a b><--><><[1,2]><--port>"
    assert result.err == "oops\n"


def test_unknown_command_is_named_and_gives_127(softcx):
    result = softcx(["no-such-program"])
    assert result.rc == 127
    assert "'no-such-program'" in result.err and "PATH" in result.err


def test_command_that_cannot_be_executed_gives_126(softcx):
    result = softcx(["/etc/passwd"])
    assert result.rc == 126
    assert "/etc/passwd" in result.err


def test_command_is_not_the_init_of_its_namespace(softcx):
    pids = shell(softcx, "echo $$; ls -d /proc/[0-9]*").out.split()
    assert pids[0] != "1"
    assert "/proc/1" in pids
    assert len(pids) <= 5  # a fresh /proc: none of the machine's processes


def test_processes_left_behind_by_the_command_end_with_it(softcx):
    begin = time.monotonic()
    result = shell(softcx, "setsid sleep 47.11 >/dev/null 2>&1 & echo started")
    assert result.out == "started\n"
    assert time.monotonic() - begin < 40
    assert subprocess.run(["pgrep", "-f", "sleep 47.11"], stdout=subprocess.DEVNULL).returncode == 1


def test_orphans_are_reaped(softcx):
    script = "(setsid sh -c : &) ; sleep 0.3; grep -l '^State:.Z' /proc/[0-9]*/status"
    assert shell(softcx, script).out == ""


def test_parent_that_ignores_the_end_of_children_changes_nothing():
    command = support.softcx_command(["null"], ["sh", "-c", "exit 6"])
    assert support.run(["env", "--ignore-signal=CHLD", *command], timeout=60).rc == 6


# Wrong usage

@pytest.mark.parametrize("ports, named", [
    (["wifi"], "'wifi'"),
    (["loop:1"], "'loop:1'"),
    (["cross:x"], "'cross:x'"),
    (["cross:1"], "port 1 is not cross:0"),
    (["cross:0"], "use loop"),
    (["cross:1", "loop"], "port 1"),
    (["pcap:"], "'pcap:'"),
    (["pcap:in="], "'pcap:in='"),
    (["pcap:in=a,speed=3"], "'speed=3'"),
    (["pcap:in=a,loop=many"], "'loop=many'"),
    (["pcap:in=/nonexistent.pcap"], "'/nonexistent.pcap'"),
    (["pcap:in=/tmp"], "'/tmp'"),
    (["pcap:out=/nonexistent/out.pcap"], "'/nonexistent/out.pcap'"),
    (["pcap:out=/dev/null"], "'/dev/null' cannot be written: it is not a regular file"),
    ([f"pcap:in={MAIN_CAPTURE},out={MAIN_CAPTURE}"], str(MAIN_CAPTURE)),
    (["netdev:nosuch0"], "'nosuch0'"),
    (["netdev:"], "'netdev:'"),
    (["null"] * 17, "at most 16"),
])
def test_wrong_wire_is_refused_in_one_sentence_that_names_it(softcx, ports, named):
    result = softcx(["true"], ports=ports)
    assert result.rc == 2
    assert named in result.err
    assert result.err.startswith("softcx: ") and result.err.count("\n") == 1


def test_the_ninth_port_is_the_next_devices_first_function_and_forwards(softcx):
    wires = [*["null"] * 8, f"pcap:in={MAIN_CAPTURE}"]
    result = softcx([support.RINGSIDE, "testpmd", *support.EAL, "-a", "0000:ca:01.0",
                     "--vdev=gpu_host0", "--", "--mp-alloc=gpu", "--forward-mode=macswap", "-i"],
                    ports=wires, stdin="start\nshow port info 0\nstop\nquit\n")
    assert result.rc == 0, result.out + result.err
    assert "port 8 (0000:ca:01.0, pcap): received" in result.out + result.err


def test_interface_that_is_down_is_refused(softcx):
    # The inner softcx runs in the namespaces of the outer one, whose device is its own to set.
    inner = " ".join(map(str, support.softcx_command(["netdev:cx0"], ["true"])))
    result = shell(softcx, f"ip link set cx0 down; {inner}")
    assert result.rc == 2
    assert "'cx0' is down" in result.err and "ip link set cx0 up" in result.err


@pytest.mark.parametrize("arguments", [
    [], ["walk"], ["run"], ["run", "--port"], ["run", "--speed", "--", "true"],
    ["run", "true"], ["run", "--"]])
def test_wrong_usage_gives_2(arguments):
    result = support.run([support.SOFTCX, *arguments])
    assert result.rc == 2
    assert result.err


@pytest.mark.parametrize("clock", ["utc", "0", "156250kHz", "4000001"])
def test_wrong_clock_is_refused_in_a_sentence_that_names_it(clock):
    result = support.run([support.SOFTCX, "run", f"--clock={clock}", "--", "true"])
    assert result.rc == 2
    assert f"--clock={clock} is no clock" in result.err and "real-time" in result.err


@pytest.mark.parametrize("clock, khz", [(None, 1_000_000), ("156250", 156_250),
                                        ("real-time", 1_000_000)])
def test_clock_is_the_devices(clock, khz):
    option = [] if clock is None else [f"--clock={clock}"]
    config = "import json, os; c = json.load(open(os.environ['SOFTCX_CONFIG'])); "
    result = support.run([support.SOFTCX, "run", *option, "--", sys.executable, "-c",
                          config + "print(c['clock_khz'], c['real_time'])"])
    assert result.out.split() == [str(khz), str(clock == "real-time")], result.err


def test_help_names_every_wire():
    result = support.run([support.SOFTCX, "run", "--help"])
    assert result.rc == 0
    assert all(wire in result.out for wire in ("loop", "cross:N", "pcap:", "netdev:", "null"))


@pytest.mark.parametrize("lost, named", [("sys_admin", "CAP_SYS_ADMIN"),
                                         ("net_admin", "CAP_NET_ADMIN"),
                                         ("net_raw", "CAP_NET_RAW")])
def test_missing_capability_is_named(lost, named):
    drop = ["setpriv", f"--bounding-set=-{lost}", f"--inh-caps=-{lost}", "--"]
    result = support.run(drop + support.softcx_command(["netdev:lo"], ["true"]))
    assert result.rc == 2
    assert named in result.err and "root" in result.err and result.err.count("\n") == 1


def test_missing_preload_library_is_named(softcx):
    result = softcx(["true"], env={"SOFTCX_PRELOAD": "/nonexistent.so"})
    assert result.rc == 2
    assert "/nonexistent.so" in result.err


# The report

def report_script(text):
    """A command that writes a report as the preload library does."""
    return ["/usr/bin/python3", "-c", "import json, os, sys\n"
            "fd = json.load(open(os.environ['SOFTCX_CONFIG']))['report_fd']\n"
            "os.write(fd, sys.argv[1].encode())", text]


def test_report_accounts_for_every_packet_by_cause(softcx):
    result = softcx(report_script(json.dumps({"ports": [{
        "index": 0, "rx_wire_packets": 10, "rx_wire_bytes": 640, "rx_delivered": 7,
        "rx_dropped": {"rx_runt": 2, "no_rule": 1, "rule_drop": 0}, "tx_packets": 5,
        "tx_bytes": 320, "tx_dropped": {"tx_oversize": 1}, "cut_records": 4,
        "replay": {"total": 12, "left": 2}}], "violations": ["a doorbell went backwards"]})))
    assert result.rc == 0
    assert "received 10 packets (640 bytes) = delivered 7 + dropped 3 (no_rule 1, rx_runt 2)" in result.err
    assert "sent 5 packets (320 bytes), dropped 1 (tx_oversize 1)" in result.err
    assert "2 of 12 records" in result.err
    assert "4 cut records" in result.err
    assert "violation: a doorbell went backwards" in result.err
    assert "rule_drop" not in result.err and "add up" not in result.err


def test_report_says_when_packets_are_missing(softcx):
    result = softcx(report_script(json.dumps(
        {"ports": [{"index": 0, "rx_wire_packets": 10, "rx_delivered": 7}], "violations": []})))
    assert "do not add up: 10 against 7" in result.err


def test_report_larger_than_a_pipe_does_not_block_the_command(softcx):
    violations = ["v" * 100] * 1000
    report = json.dumps({"ports": [], "violations": violations})
    result = softcx(["/usr/bin/python3", "-c", report_script("")[2].replace(
        "sys.argv[1]", repr(report))])
    assert result.rc == 0
    assert result.err.count("violation: ") == 1000


def test_damaged_report_is_said(softcx):
    result = softcx(report_script('{"ports": [{"index"'))
    assert result.rc == 0
    assert "damaged" in result.err


def test_command_that_opens_no_port_causes_no_report(softcx):
    assert softcx(["true"]).err == ""
