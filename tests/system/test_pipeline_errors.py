# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside run` where something is wrong: files, disks, queues, a block that does not stop."""
import pytest
import support
from pipeline_runs import CAPTURE, EAL, packets_lie_there, pipeline, running  # noqa: F401

pytestmark = pytest.mark.gpu


@pytest.mark.alone  # what comes may lie before the first look where starts take their time
@pytest.mark.parametrize("faults, words", [
    ("vf-untrusted", "is a virtual function"),
    ("link-down:packet=20:ms=1500", "link up"),
    ("stalled-nic:packet=50:ms=3000", "send queue goes on again"),
])
def test_what_is_told_and_costs_nothing_is_no_failure(running, tmp_path, faults, words):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline())
    run = running(f"pcap:in={CAPTURE},out={tmp_path}/out.pcap", file, faults=faults)
    run.line(words)
    status, text = run.end()
    assert status == 0 and "stopped:" not in text, text


def test_a_queue_that_stands_still_at_the_end_is_a_failure(running, tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline())
    run = running(f"pcap:in={CAPTURE},out={tmp_path}/out.pcap", file, faults="stalled-nic:packet=20")
    run.line("send queue stands still")
    status, text = run.end()
    assert status == 1 and "  stopped: send queue stands still" in text, text


def test_a_file_with_errors_starts_nothing_and_names_them_all(tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{mathc: {}}") + "\nnonsense: 1\n")
    done = support.run([support.RINGSIDE, "run", file])
    assert done.rc == 2
    assert "mathc" in done.err and "nonsense" in done.err and "EAL" not in done.out + done.err


@pytest.mark.parametrize("text, words", [
    (pipeline().replace("tx: [port0.tx0, port0.tx1]", "tx: [port0.tx0, port0.tx0]"), "tx0"),
    (pipeline().replace("[{name: packets, kind: device}]", "[{name: packets}, {name: heads}]")
     .replace("{name: rx1, memory_regions: [packets]}",
              "{name: rx1, memory_regions: [heads, packets]}"),
     "either all queues split headers from data"),
])
def test_what_the_data_path_has_not_is_refused_by_name(tmp_path, text, words):
    file = tmp_path / "p.yaml"
    file.write_text(text)
    done = support.run([support.RINGSIDE, "run", file])
    assert done.rc == 2 and words in done.err


def run_with_full_disk(tmp_path, text):
    file = tmp_path / "p.yaml"
    file.write_text(text)
    return support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--packets", "159", "--", *EAL]))


def test_a_capture_that_cannot_be_written_to_its_end_fails_the_run(tmp_path):
    out = "{name: out, tx: [port0.tx0, port0.tx1]}"
    text = pipeline("{sample: {every: 40, to: cap}}").replace(
        out, out + ", {name: cap, pcap: /dev/full}")
    done = run_with_full_disk(tmp_path, text)
    assert done.rc == 1
    assert "the capture /dev/full is not complete: ENOSPC" in done.out


def test_a_report_that_cannot_be_written_to_its_end_fails_the_run(tmp_path):
    done = run_with_full_disk(tmp_path, pipeline().replace(
        "stats_period: 100ms", "stats_period: 100ms, json: /dev/full"))
    assert done.rc == 1
    assert "ringside: error: cannot write the report to /dev/full: ENOSPC" in done.err


def test_a_block_that_does_not_stop_is_named_and_left_to_the_end_of_the_process(tmp_path):
    (tmp_path / "stuck.cpp").write_text("""
#include "kernels/stage.hpp"
RINGSIDE_STAGE(stuck, packet, params) {
  volatile std::uint8_t* first = packet.data;  // a loop without effects may be left out
  while (*first < 256) {}
  return Next::kOn;
}
""")
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{user: {source: stuck.cpp, function: stuck}}"))
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--duration", "1", "--", *EAL]), timeout=120)
    assert done.rc == 1, done
    assert "did not stop in time" in done.out + done.err
