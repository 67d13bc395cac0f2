# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What `ringside run` prints on a terminal and into a pipe, and that it takes what check resolves."""
import re
import signal

import pexpect
import pytest
import support
from pipeline_runs import CAPTURE, EAL, packets_lie_there, pipeline, running  # noqa: F401

LINE = r"\d+\.\d s  received \d+ \(\d+/s\)  sent \d+"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text(pipeline())
    return path


def test_a_terminal_has_one_line_that_is_written_over(file):
    command = support.softcx_command(["null"], [support.RINGSIDE, "run", file, "--", *EAL])
    child = pexpect.spawn(command[0], command[1:], timeout=60, encoding="utf-8",
                          dimensions=(50, 300), env=support.environment())
    try:
        for _ in range(3):
            child.expect(rf"\r\x1b\[K{LINE}")
            assert "\n" not in child.after
        child.sendintr()
        child.expect("received 0 == sent 0")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)


def test_a_pipe_has_a_line_each_time_and_no_control_characters(running, file):
    run = running("null", file)
    for count in range(1, 4):
        assert support.eventually(
            lambda: sum(bool(re.match(LINE, line)) for line in run.lines) >= count)
    status, text = run.end(signal.SIGINT)
    assert status == 0 and not re.search(r"[\r\x1b]", text)


def test_what_check_resolves_runs_as_it_is(file, tmp_path):
    resolved = support.run([support.RINGSIDE, "check", "--no-machine", "--resolved", file])
    copy = tmp_path / "resolved.yaml"
    copy.write_text(resolved.out)
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", copy, "--packets", "159", "--", *EAL]))
    assert done.rc == 0, done.err
    assert sorted(support.frames(tmp_path / "out.pcap")) == sorted(support.frames(CAPTURE))
