# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""SIGHUP to a `ringside run`: what changes while packets come, and what is refused."""
import pathlib
import re
import signal
import time

import pytest
import support
from pipeline_runs import CAPTURE, datagrams, packets_lie_there, pipeline, running  # noqa: F401

pytestmark = pytest.mark.gpu


def test_a_reload_changes_a_stage_while_packets_come(running, tmp_path, veth):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}, name: port}"))
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 .* sent 5 ")
    file.write_text(pipeline("{match: {fields: {udp: {dst: 54}}}, name: port}"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: pipeline main: new parameters")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 24 .* sent 12 ")
    status, text = run.end()
    assert status == 0 and "received 24 == sent 12 + consumed 0 + dropped 12" in text


def test_a_reload_to_other_fields_takes_effect_while_packets_come(running, tmp_path):
    """A kernel that was compiled for the file goes on with a chain that it was not compiled for."""
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 1}}}, name: port}"))
    run = running(f"pcap:in={CAPTURE},loop=0", file)
    run.line(r"received \d{3,} .* sent 0 ")
    file.write_text(pipeline("{match: {fields: {ipv4: {ttl: 1-255, src: 0.0.0.0/0}}}, name: port}"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: pipeline main: new parameters")
    run.line(r"received \d+ .* sent \d{3,} ")
    status, text = run.end()
    assert status == 0 and re.search(r"dropped by port: \d{3,}", text), text


def test_a_reload_changes_flows_while_packets_come(running, tmp_path, veth):
    flows = "flows: [{name: web, match: {udp: {dst: PORT}}, actions: [drop: {}]}]"
    file = tmp_path / "p.yaml"
    file.write_text(pipeline(flows=flows.replace("PORT", "53")))
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 7 ")
    file.write_text(pipeline(flows=flows.replace("PORT", "54")))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: port0: new flows")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 ")
    status, text = run.end()
    assert status == 0 and "received 12 == sent 12" in text


def memory_of(file):
    """KiB that the program that runs a file has of GPU memory, which the host GPU makes of shared
    memory."""
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            command = (status.parent / "cmdline").read_bytes().split(b"\0")
            if command[0].endswith(b"/ringside") and str(file).encode() in command:
                return int(re.search(r"RssShmem:\s+(\d+)", status.read_text())[1])
        except OSError:
            continue  # it has ended
    raise AssertionError("it does not run")


def test_reloads_take_no_more_memory_while_no_packets_come(running, tmp_path, veth):
    entries = 30000  # 1.8 MB of table

    def write(value):
        rows = [f"10.{i >> 16}.{i >> 8 & 255}.{i & 255},10.9.9.9,17,1,2,{value}" for i in range(entries)]
        (tmp_path / "table.csv").write_text("src,dst,proto,src_port,dst_port,value\n" + "\n".join(rows))
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{lookup: {table: known, otherwise: next}}") +
                    "\ntables: [{name: known, file: table.csv}]\n")
    write(0)
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    veth.send(datagrams(53, 5))
    run.line(r"received 5 .* sent 5 ")
    before = 0
    for number in range(1, 25):
        write(number)
        run.process.send_signal(signal.SIGHUP)
        assert support.eventually(lambda: sum("new parameters" in line for line in run.lines) >= number)
        if number == 4:  # what it keeps for the next one is there
            before = memory_of(file)
    assert memory_of(file) - before < 8 * 1024
    veth.send(datagrams(53, 5))
    run.line(r"received 10 .* sent 10 ")
    assert run.end()[0] == 0


def test_a_reload_that_cannot_be_is_refused_and_all_goes_on(running, tmp_path, veth):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}}"))
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    file.write_text(pipeline("{drop: {}}"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: pipeline main has other stages")
    file.write_text("version: 1\nnonsense: 1\n")
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: the file has errors")
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}}").replace(
        "sinks: [", f"sinks: [{{name: other, pcap: {tmp_path}/other.pcap}}, "))
    run.process.send_signal(signal.SIGHUP)
    run.line(r"reload refused: pipelines\[0\].sinks is another one")
    file.write_text(pipeline("{match: {fields: {udp: {dst: 53}}}}").replace(
        "0000:ca:00.0", "0000:ca:00.1"))
    run.process.send_signal(signal.SIGHUP)
    run.line(r"reload refused: interfaces\[0\].address is another one")
    time.sleep(0.3)
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 .* sent 5 ")
    assert run.end()[0] == 0


def test_flows_that_the_nic_refuses_leave_all_as_it_was(running, tmp_path, veth):
    flows = "flows: [{name: web, match: {MATCH}, actions: [drop: {}]}]"
    stage = "{match: {fields: {udp: {src: RANGE}}}}"
    both = pipeline(stage.replace("RANGE", "0-65535"), flows.replace("MATCH", "udp: {dst: 53}"))
    file = tmp_path / "p.yaml"
    file.write_text(both)
    run = running(f"netdev:{veth.name}", file)
    run.line("^running")
    time.sleep(0.3)
    file.write_text(pipeline(stage.replace("RANGE", "0"),
                             flows.replace("MATCH", "ecpri: {type: 2, pc_id: 1}")))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload refused: flow web: ")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 7 .* sent 7 ")
    file.write_text(both.replace("dst: 53", "dst: 54"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: port0: new flows")
    veth.send(datagrams(53, 5) + datagrams(54, 7))
    run.line(r"received 12 .* sent 12 ")
    assert run.end()[0] == 0
