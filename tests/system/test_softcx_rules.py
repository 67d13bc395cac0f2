# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run --sanitize` and `softcx rules`: what is told, and that each rule is proved by a test."""
import json
import re

import pytest
import support
from launcher import shell

UNIT = support.ROOT / "tests" / "unit"
BROKEN_RULES, NOT_JUDGED = 66, 67


def rule_table():
    """The rows of `softcx rules`, by name: (what has to hold, the NIC's answer, source)."""
    result = support.run([support.SOFTCX, "rules"])
    assert result.rc == 0
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in result.out.splitlines()[2:]]
    return {name: tuple(rest) for name, *rest in rows}


def test_every_rule_of_queues_has_a_unit_test_that_breaks_it():
    broken = re.compile(r'(?:RS_EXPECT_BROKEN\(\w+, |LoopPort::expect_broken\()"([a-z0-9.-]+)"\)')
    tested = {name for path in UNIT.glob("*.cpp") for name in broken.findall(path.read_text())}
    rules = {name for name, (_, answer, _) in rule_table().items() if answer in ("error CQE", "none")}
    assert rules - tested == set(), "rules without a test"
    assert tested - set(rule_table()) == set(), "tests of no rule"


def test_every_rule_of_commands_and_calls_has_a_unit_test_that_is_refused_by_it():
    """They are told by number; a call of libmlx5 that only has an errno tells the name in its log."""
    rules = dict(re.findall(r'RuleId::(k\w+),[^"]*"([a-z0-9.-]+)"', "".join(
        path.read_text() for path in (support.ROOT / "lib" / "softcx" / "rules").glob("*_rules.cpp"))))
    told = re.compile(r"EXPECT_REFUSED\([^;]*\b(k\w+)\);|RefusedBy(?: \w+)?\(RuleId::(k\w+),")
    logged = re.compile(r'refused by ([a-z0-9.-]+)"')
    tested = set()
    for path in UNIT.glob("*.cpp"):
        text = path.read_text()
        tested |= {rules.get(number) for found in told.findall(text) for number in found}
        tested |= set(logged.findall(text))
    refused = {name for name, (_, answer, _) in rule_table().items()
               if answer not in ("error CQE", "none")}
    assert refused <= set(rules.values()) and refused - tested == set(), "rules without a test"


def report_script(broken):
    """A command that writes a report as the preload library does, and succeeds."""
    return ["/usr/bin/python3", "-c", "import json, os, sys\n"
            "fd = json.load(open(os.environ['SOFTCX_CONFIG']))['report_fd']\n"
            "os.write(fd, sys.argv[1].encode())",
            json.dumps({"ports": [], "violations": [], "broken": broken})]


BROKEN = [{"rule": "cq.overrun", "object": "mlx5_0: completion queue 0x101", "times": 2,
           "first": "overrun (consumer index 0)"}]


def test_broken_rule_turns_success_into_an_exit_status_of_its_own(softcx):
    result = softcx(report_script(BROKEN), sanitize=True)
    assert result.rc == BROKEN_RULES
    assert ("sanitize: cq.overrun: mlx5_0: completion queue 0x101: 2 times, first: overrun "
            "(consumer index 0)") in result.err
    assert rule_table()["cq.overrun"][0] in result.err
    assert rule_table()["cq.overrun"][2] in result.err


def test_without_sanitize_the_exit_status_is_the_commands(softcx):
    result = softcx(report_script(BROKEN))
    assert result.rc == 0
    assert "sanitize" not in result.err


def test_a_command_that_fails_keeps_its_exit_status(softcx):
    assert shell(softcx, "exit 7", sanitize=True).rc == 7


def test_clean_run_says_so(softcx):
    result = softcx(report_script([]), sanitize=True)
    assert result.rc == 0
    assert result.err == "softcx: sanitize: no rule was broken\n"


def test_run_that_opens_no_port_says_that_nothing_was_judged(softcx):
    result = softcx(["true"], sanitize=True)
    assert result.rc == 0
    assert "nothing was judged" in result.err


def open_port(then):
    """A command that opens a port by libibverbs, and goes on."""
    return ["/usr/bin/python3", "-c", "import ctypes, os\n"
            "verbs = ctypes.CDLL(None)\n"
            "verbs.ibv_get_device_list.restype = ctypes.POINTER(ctypes.c_void_p)\n"
            "verbs.ibv_open_device.restype = ctypes.c_void_p\n"
            "devices = verbs.ibv_get_device_list(None)\n"
            "assert verbs.ibv_open_device(ctypes.c_void_p(devices[0]))\n" + then]


def test_process_with_an_open_port_that_leaves_no_report_does_not_pass(softcx):
    result = softcx(open_port("os._exit(0)"), sanitize=True)
    assert result.rc == NOT_JUDGED
    assert "1 of 1 processes that opened a port cannot be judged" in result.err
    assert "no rule was broken" not in result.err
    assert softcx(open_port("os._exit(0)")).rc == 0


def test_one_unjudged_process_is_enough_and_its_commands_failure_comes_first(softcx):
    both = ["/bin/sh", "-c", '"$0" "$1" "$2"; exec "$0" "$1" "$3"']
    program = open_port("")
    run = [*both, *program, program[2] + "os._exit(0)"]
    assert softcx(run, sanitize=True).rc == NOT_JUDGED
    run = [*both, *program, program[2]]
    result = softcx(run, sanitize=True)
    assert (result.rc, "no rule was broken" in result.err) == (0, True)
    assert softcx(open_port("os._exit(9)"), sanitize=True).rc == 9


# What the runtime must not rely on, as ConnectX does not give it (receive.completion-order).

OPAQUE = (*support.EAL, "-a", support.NIC, "--vdev=gpu_host0,opaque=1")
CAPTURE = support.DATA / "http-dns-icmp.pcap"


def start_testpmd(softcx, *options):
    return softcx([support.RINGSIDE, "testpmd", *OPAQUE, "--", "-i", "--gpu-id=0", *options],
                  ports=[f"pcap:in={CAPTURE}"], sanitize=True, stdin="quit\n")


@pytest.mark.parametrize("options", (
    ("--mp-alloc=gpu", "--gpu-rings=pinned"), ("--mp-alloc=gpu-pinned", "--gpu-rings=device"),
    ("--mp-alloc=gpu", "--gpu-launch=comm-list")), ids=" ".join)
def test_sanitized_nic_gives_no_order_on_two_paths_and_the_runtime_asks(softcx, options):
    result = start_testpmd(softcx, *options)
    assert result.rc == 2
    assert "could overtake" in result.err
    assert "sanitize: no rule was broken" in result.err


def test_rings_left_to_themselves_lie_on_their_packets_path(testpmd_session):
    session = testpmd_session(ports=[f"pcap:in={CAPTURE}"], ringside=True, eal=OPAQUE[len(support.EAL):],
                              opts=["-i", "--mp-alloc=gpu", "--gpu-id=0"], sanitize=True)
    assert "rings in GPU memory" in session.cmd("show config rxtx")
    session.cmd("start")
    session.wait_stats("TX-packets", len(support.frames(CAPTURE)))
    status, text = session.quit()
    assert status == 0
    assert "sanitize: no rule was broken" in text


def test_help_names_the_exit_status_and_the_table():
    result = support.run([support.SOFTCX, "run", "--help"])
    assert f"status {BROKEN_RULES}, and {NOT_JUDGED}" in " ".join(result.out.split())
    assert "softcx rules" in " ".join(result.out.split())
