# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Ports spread over two GPUs by --gpu-id: each GPU forwards what its ports receive, whichever port
sends it, and none touches another's memory.
"""
import json

import ports as cabling
import pytest
import support
from frames import check

pytestmark = [pytest.mark.gpu, pytest.mark.two_gpus]

NICS = ("-a", support.NIC, "-a", "0000:ca:00.1")
CAPTURES = [support.DATA / name for name in ("http-dns-icmp.pcap", "vlan.pcap")]


@pytest.fixture
def two_gpus(testpmd_session, packet_memory):
    def start(wires, *opts, nics=NICS):
        return testpmd_session(
            ports=wires, ringside=True, eal=(*nics, *cabling.two_gpus_eal("opaque=1")),
            opts=["-i", f"--mp-alloc={packet_memory}", *opts])
    return start


@pytest.mark.parametrize("doorbells", ("auto", "cpu"))
@pytest.mark.parametrize("queues", (1, 2))
def test_ports_of_two_gpus_forward_to_each_other(two_gpus, tmp_path, queues, doorbells):
    outs = [tmp_path / "out0.pcap", tmp_path / "out1.pcap"]
    session = two_gpus(
        [f"pcap:in={capture},out={out}" for capture, out in zip(CAPTURES, outs)], "--gpu-id=0,1",
        f"--rxq={queues}", f"--txq={queues}", "--forward-mode=macswap",
        f"--gpu-doorbells={doorbells}")
    config = session.cmd("show config rxtx")
    for gpu in (cabling.gpu, cabling.second_gpu):
        assert f"kernels on {gpu.split(',')[0]} " in config
    frames = list(map(support.frames, CAPTURES))
    assert "GPUs 0,1 (" in session.cmd("start")
    for port in (0, 1):
        session.wait_stats("TX-packets", len(frames[port]), port=1 - port)
    status, text = session.quit()
    assert status == 0, text
    for port in (0, 1):
        check(support.frames(outs[1 - port]), list(map(support.swap_macs, frames[port])), queues)


def test_four_ports_have_the_gpus_in_turn_and_start_again(two_gpus):
    nics = [word for port in range(4) for word in ("-a", f"0000:ca:00.{port}")]
    session = two_gpus(["loop", "loop", "cross:3", "cross:2"], "--gpu-id=1,0", nics=nics)
    for _ in range(2):
        session.cmd("start tx_first")
        for port in range(4):
            before = session.stats(port)["RX-packets"]
            assert session.wait_stats("RX-packets", before + 1000, port)["RX-packets"] > before
        assert "TX-dropped: 0 " in session.cmd("stop")
    assert session.quit()[0] == 0


def test_one_of_two_gpus_is_chosen_by_its_id(two_gpus, tmp_path):
    out = tmp_path / "out.pcap"
    session = two_gpus([f"pcap:in={CAPTURES[0]},out={out}"], "--gpu-id=1", nics=NICS[:2])
    assert f"kernels on {cabling.second_gpu.split(',')[0]} " in session.cmd("show config rxtx")
    frames = support.frames(CAPTURES[0])
    session.cmd("start")
    session.wait_stats("TX-packets", len(frames))
    assert session.quit()[0] == 0
    check(support.frames(out), frames, 1)


@pytest.mark.parametrize("options, words", [
    (["--gpu-id=0,1,0"], ["0,1,0", "2 ports"]),
    (["--gpu-id=0,5"], ["GPU 5 does not exist", "known are 0 ("]),
    (["--gpu-id=0,"], ["--gpu-id", "number from 0"]),
    (["--gpu-id=0,1", "--gpu-launch=graph"], ["--gpu-id 0,1", "--datapath=gpu"]),
    (["--gpu-id=0,1", "--datapath=cpu"], ["--gpu-id 0,1", "--datapath=gpu"]),
], ids=lambda value: value[-1])
def test_what_two_gpus_cannot_do_is_refused_by_name(softcx, options, words):
    result = softcx([support.RINGSIDE, "testpmd", *support.EAL, *NICS, *cabling.two_gpus_eal(),
                     "--", "-i", "--mp-alloc=gpu", *options],
                    ports=["loop", "loop"], stdin="quit\n")
    lines = [line for line in result.err.splitlines() if line.startswith("ringside: ")]
    assert (result.rc, len(lines)) == (2, 1), result.err
    assert [word for word in words if word not in lines[0]] == [], lines[0]


PIPELINES = """
version: 1
memory_regions: [{name: near, affinity: 0}, {name: far, affinity: 1}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {queues: [{name: rx0, memory_regions: [near]}]}
    tx: {queues: [{name: tx0}]}
  - name: port1
    address: 0000:ca:00.1
    rx: {queues: [{name: rx0, memory_regions: [far]}]}
    tx: {queues: [{name: tx0}]}
pipelines:
  - name: first
    sources: [port0.rx0]
    stages: [{swap: {macs: true}}, count]
    sinks: [{name: out, tx: [port1.tx0]}]
  - name: second
    sources: [port1.rx0]
    stages: [{match: {fields: {vlan: {}}}}, {swap: {macs: true}}]
    sinks: [{name: out, tx: [port0.tx0]}]
"""


def test_pipelines_run_where_their_regions_are(tmp_path):
    if cabling.second_gpu.endswith("ordinal=0"):
        pytest.skip("needs two NVIDIA GPUs: the file is checked against the machine")
    file = tmp_path / "two.yaml"
    file.write_text(PIPELINES)
    outs = [tmp_path / "out0.pcap", tmp_path / "out1.pcap"]
    frames = list(map(support.frames, CAPTURES))
    done = support.run(support.softcx_command(
        [f"pcap:in={capture},out={out}" for capture, out in zip(CAPTURES, outs)],
        [support.RINGSIDE, "run", file, "--json", "--packets", str(sum(map(len, frames))), "--",
         *support.EAL, *cabling.two_gpus_eal("opaque=1")]))
    assert done.rc == 0, done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["received"] == report["sent"] == sum(map(len, frames))
    for port in (0, 1):
        assert support.frames(outs[1 - port]) == list(map(support.swap_macs, frames[port]))


def test_gpus_of_two_kinds_are_not_mixed(softcx):
    if cabling.gpu_is_host():
        pytest.skip("needs an NVIDIA GPU beside the host's (--gpu=gpu_cuda0)")
    result = softcx([support.RINGSIDE, "testpmd", *support.EAL, *NICS, *cabling.gpu_eal(),
                     "--vdev=gpu_host0", "--", "-i", "--mp-alloc=gpu", "--gpu-id=0,1"],
                    ports=["loop", "loop"], stdin="quit\n")
    assert result.rc == 2 and "GPUs of one kind" in result.err, result.err
