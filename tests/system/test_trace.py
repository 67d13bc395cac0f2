# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside testpmd --trace=FILE`: a run's events, and where its time went."""
import collections
import json
import re
import time

import ports as cabling
import pytest
import support

pytestmark = pytest.mark.gpu

CAPTURE = support.DATA / "http-dns-icmp.pcap"
LOOPS = 20
STEPS = ["wire to seen", "seen to processed", "processed to written", "written to rung",
         "rung to sent", "sent to completed"]


@pytest.fixture
def traced(testpmd_session, packet_memory, tmp_path):
    """traced(mode, option, queues, exits): forwards a capture; returns (what stop printed, `show
    queue stats` before, the capture's frames that came out, the seconds that it took), or what start
    printed where it did not start."""
    def run(mode, option, queues=1, exits=0):
        out = tmp_path / "out.pcap"
        session = testpmd_session(
            ports=[f"pcap:in={CAPTURE},out={out},loop={LOOPS}"], ringside=True,
            eal=("-a", cabling.nic, *cabling.gpu_eal()),
            opts=["-i", f"--rxq={queues}", f"--txq={queues}", f"--forward-mode={mode}",
                  f"--mp-alloc={packet_memory}", "--gpu-id=0", f"--trace={option}"])
        begin = time.monotonic()
        started = session.cmd("start")
        if "cannot write the trace" in started or "cannot be traced" in started:
            assert session.quit()[0] == 0
            return started, "", [], 0
        session.wait_stats("TX-packets", LOOPS * len(support.frames(CAPTURE)))
        time.sleep(0.1)
        stopped = session.cmd("stop")
        seconds = time.monotonic() - begin
        counted = session.cmd("show queue stats all")
        status, text = session.quit()
        assert status == exits, text
        return stopped + text, counted, support.frames(out), seconds
    return run


def steps_of(events, process):
    """[{step: (begin, end)}] of each batch of a stream, in microseconds, from what Perfetto reads."""
    batches = collections.defaultdict(dict)
    for event in events:
        if event["ph"] == "X" and event["pid"] == process:
            batches[event["args"]["first"]][event["name"]] = (event["ts"], event["ts"] + event["dur"])
        elif event["ph"] == "b" and event["pid"] == process:
            batches[event["id"]][event["name"]] = (event["ts"], None)
        elif event["ph"] == "e" and event["pid"] == process:
            batches[event["id"]][event["name"]] = (batches[event["id"]][event["name"]][0], event["ts"])
    return list(batches.values())


@pytest.mark.parametrize("mode, queues", (("macswap", 1), ("io", 2)))
def test_steps_follow_each_other_and_add_up_to_the_whole(traced, tmp_path, mode, queues):
    file = tmp_path / "trace.json"
    stopped, counted, sent, seconds = traced(mode, file, queues)
    frames = support.frames(CAPTURE) * LOOPS
    change = support.swap_macs if mode == "macswap" else bytes
    assert sorted(sent) == sorted(map(change, frames))
    trace = json.loads(file.read_text())
    assert len(trace["latency"]) == queues
    assert sum(stream["batches"] for stream in trace["latency"]) == sum(
        map(int, re.findall(r"RX queue.* batches (\d+)", counted)))
    packets = 0
    for number, stream in enumerate(trace["latency"]):
        assert (stream["fault"], stream["lost_events"]) == ("", 0)
        assert f"Latency of port 0 queue {number} to port 0 queue {number}" in stopped
        assert list(stream["steps"]) == STEPS
        mean = sum(step["mean"] for step in stream["steps"].values())
        assert mean == pytest.approx(stream["whole"]["mean"], abs=1)
        batches = steps_of(trace["traceEvents"], number)
        assert len(batches) == stream["batches"]
        wholes = []
        for batch in batches:
            assert list(batch) == STEPS
            for before, after in zip(STEPS, STEPS[1:]):
                assert batch[before][1] == pytest.approx(batch[after][0], abs=0.002)
            # By one clock: never backwards.
            for step in STEPS[1:4]:
                assert batch[step][0] <= batch[step][1]
            wholes.append(1000 * (batch[STEPS[-1]][1] - batch[STEPS[0]][0]))
        # By two: by no more than they were read wrong.
        off = stream["clocks_off"]
        assert stream["steps"]["wire to seen"]["min"] >= -off["receiving_nic"] - off["gpu"]
        assert stream["steps"]["sent to completed"]["min"] >= -off["sending_nic"] - off["gpu"]
        assert sum(wholes) / len(wholes) == pytest.approx(stream["whole"]["mean"], rel=1e-3, abs=10)
        assert max(wholes) == pytest.approx(stream["whole"]["max"], abs=10)
        assert 0 < stream["whole"]["p50"] <= stream["whole"]["max"] < seconds * 1e9
        packets += sum(event["args"]["received"] for event in trace["traceEvents"]
                       if event["ph"] == "X" and event["pid"] == number) // 3
    assert packets == len(frames)


def test_a_small_trace_has_the_last_batches_and_says_how_much_is_gone(traced, tmp_path):
    file = tmp_path / "trace.json"
    stopped, _, sent, _ = traced("macswap", f"{file},events=16")
    assert sent == list(map(support.swap_macs, support.frames(CAPTURE) * LOOPS))
    stream, = json.loads(file.read_text())["latency"]
    assert 0 < stream["batches"] <= 3 and stream["lost_events"] > 0
    assert f"{stream['lost_events']} events before were written over" in stopped
    last = max(event["args"]["first"] + event["args"]["received"]
               for event in json.loads(file.read_text())["traceEvents"] if event["ph"] == "X")
    assert last == LOOPS * len(support.frames(CAPTURE))


def test_a_mode_that_cannot_be_traced_is_refused(traced, tmp_path):
    started, *_ = traced("invert", tmp_path / "trace.json")
    assert "mode invert cannot be traced: set fwd io, mac, macswap, rxonly or txonly" in started


@pytest.fixture
def traced_loop(testpmd_session, packet_memory, tmp_path):
    """traced_loop(mode, wire, counter, enough, events): runs until the port's counter says enough; returns
    (what stop printed, the trace)."""
    def run(mode, wire, counter, enough, events):
        file = tmp_path / "trace.json"
        session = testpmd_session(
            ports=[wire], ringside=True, eal=("-a", cabling.nic, *cabling.gpu_eal()),
            opts=["-i", f"--forward-mode={mode}", f"--mp-alloc={packet_memory}", "--gpu-id=0",
                  f"--trace={file},events={events}"])
        session.cmd("start")
        session.wait_stats(counter, enough)
        time.sleep(0.1)
        text = session.cmd("stop")
        status, rest = session.quit()
        assert status == 0, rest
        return text, json.loads(file.read_text())
    return run


def test_a_mode_that_only_receives_has_the_steps_up_to_its_program(traced_loop):
    loops = 100
    frames = loops * len(support.frames(CAPTURE))
    text, trace = traced_loop("rxonly", f"pcap:in={CAPTURE},loop={loops}", "RX-packets",
                              frames, 1000000)
    stream, = trace["latency"]
    assert list(stream["steps"]) == STEPS[:2] and "wire to processed" in text
    batches = steps_of(trace["traceEvents"], 0)
    assert len(batches) == stream["batches"] > 0
    assert all(list(batch) == STEPS[:2] for batch in batches)
    assert sum(event["args"]["received"] for event in trace["traceEvents"]
               if event["ph"] == "X") == frames


def test_a_mode_that_only_sends_has_the_steps_from_its_frames(traced_loop):
    text, trace = traced_loop("txonly", "null", "TX-packets", 1000, 4096)
    stream, = trace["latency"]
    assert list(stream["steps"]) == STEPS[3:] and "written to completed" in text
    sent = [event["args"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(sent) == stream["batches"] > 0
    assert all(batch["received"] == 0 for batch in sent)
    for before, after in zip(sent, sent[1:]):
        assert before["first"] + before["sent"] <= after["first"]


def test_batches_on_both_sides_of_a_recovery_are_told_apart(testpmd_session, packet_memory,
                                                            tmp_path):
    cabling.require_softcx("its faults are softcx's")
    file = tmp_path / "trace.json"
    session = testpmd_session(
        ports=[f"pcap:in={CAPTURE},loop=100"], faults="tx-error:packet=500", ringside=True,
        eal=("-a", cabling.nic, *cabling.gpu_eal()),
        opts=["-i", "--forward-mode=io", f"--mp-alloc={packet_memory}", "--gpu-id=0",
              f"--trace={file},events=1000000"])
    session.cmd("start")
    session.settle()
    text = session.cmd("stop")  # or what was printed before: events come with a prompt of their own
    status, rest = session.quit()
    text += rest
    assert status == 0
    assert "queues went on after an error: 1 times" in text
    trace = json.loads(file.read_text())
    stream, = trace["latency"]
    assert (stream["recoveries"], stream["fault"], stream["lost_events"]) == (1, "", 0)
    stopped, again = (event for event in trace["traceEvents"] if event["ph"] == "i")
    assert stopped["name"] == "send queue stopped" and stopped["args"] == {"syndrome": 4}
    assert again["name"] == "send queue goes on" and again["args"]["lost"] > 0
    assert stopped["ts"] < again["ts"]
    # Each id once, and no batch is under way while the queue stands still.
    batches = steps_of(trace["traceEvents"], 0)
    assert len(batches) == stream["batches"]
    spans = [(batch[STEPS[3]][0], batch[STEPS[-1]][1]) for batch in batches]
    assert all(begin <= end and (end <= stopped["ts"] or begin >= again["ts"])
               for begin, end in spans)
    assert spans[0][1] < stopped["ts"] and spans[-1][0] > again["ts"]


def test_a_file_that_cannot_be_made_is_told_before_the_run(traced, tmp_path):
    started, *_ = traced("io", tmp_path / "missing" / "trace.json")
    assert f"cannot write the trace to {tmp_path / 'missing' / 'trace.json'}: ENOENT" in started


def test_a_start_that_fails_leaves_the_file_as_it_was(traced, tmp_path):
    file = tmp_path / "trace.json"
    file.write_text("the run before")
    traced("invert", file)
    assert file.read_text() == "the run before"


def test_a_trace_that_cannot_be_written_is_told_and_tried_again_at_the_end(traced):
    said, *_ = traced("io", "/dev/full", exits=1)
    assert said.count("cannot write the trace to /dev/full: ENOSPC") == 2
    assert "Latency of port 0" in said and "Port 0 is closed" not in said.split("Bye")[1]


def test_the_second_try_saves_a_run_that_the_first_could_not(testpmd_session, packet_memory,
                                                             tmp_path):
    file = tmp_path / "trace.json"
    session = testpmd_session(
        ports=["loop"], ringside=True, eal=("-a", cabling.nic, *cabling.gpu_eal()),
        opts=["-i", "--forward-mode=io", f"--mp-alloc={packet_memory}", "--gpu-id=0",
              f"--trace={file}"])
    session.cmd("start tx_first")
    session.wait_stats("TX-packets", 1000)
    time.sleep(0.1)
    file.unlink()
    file.mkdir()  # nothing can be written there
    assert f"cannot write the trace to {file}: EISDIR" in session.cmd("stop")
    file.rmdir()
    status, text = session.quit()
    assert status == 0 and "cannot write" not in text
    stream, = json.loads(file.read_text())["latency"]
    assert stream["batches"] > 0
