# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""--gpu-launch: the CPU receives and sends, kernels process bursts in between. What comes out is
what GPU-driven rings give."""
import json

import ports as cabling
import pytest
import support
from frames import check, nic_account, split_by_fate

LAUNCHES = ("per-burst", "graph", "comm-list")
pytestmark = pytest.mark.gpu

GPU_EAL = ("-a", support.NIC, *cabling.gpu_eal())
OPAQUE_EAL = ("-a", support.NIC, *cabling.opaque_gpu_eal())
CAPTURE = support.DATA / "http-dns-icmp.pcap"
BYTES = {"io": bytes, "macswap": support.swap_macs}

every_launch = pytest.mark.parametrize("launch", LAUNCHES)


@pytest.fixture
def launch_testpmd(testpmd_session, packet_memory):
    def start(ports, launch, mode, queues=1, eal=GPU_EAL, opts=(), memory=packet_memory):
        return testpmd_session(
            ports=ports, ringside=True, eal=eal,
            opts=["-i", f"--rxq={queues}", f"--txq={queues}", f"--forward-mode={mode}",
                  f"--mp-alloc={memory}", f"--gpu-launch={launch}", *opts])
    return start


@pytest.mark.parametrize("capture", ("http-dns-icmp.pcap", "vlan.pcap", "jumbo.pcap"))
@pytest.mark.parametrize("queues", (1, 4))
@pytest.mark.parametrize("mode", ("macswap", "io"))
@every_launch
def test_capture_comes_out_as_it_went_in(launch_testpmd, tmp_path, launch, mode, queues, capture):
    out = tmp_path / "out.pcap"
    frames = support.frames(support.DATA / capture)
    fits, oversize, runts = split_by_fate(frames)
    session = launch_testpmd([f"pcap:in={support.DATA / capture},out={out}"], launch, mode, queues)
    session.cmd("start")
    session.wait_stats("TX-packets", len(fits))
    session.cmd("stop")
    stats = session.stats()
    status, text = session.quit()
    assert status == 0, text
    check(support.frames(out), [BYTES[mode](frame) for frame in fits], queues)
    assert stats["RX-packets"] == stats["TX-packets"] == len(fits)
    assert stats["RX-bytes"] == stats["TX-bytes"] == sum(map(len, fits))
    nic = nic_account(text)
    assert (nic["received"], nic["delivered"]) == (len(frames), len(fits))
    assert nic["dropped"] == oversize + runts


@pytest.mark.parametrize("eal, memory", ((OPAQUE_EAL, "gpu"), (GPU_EAL, "gpu-pinned")),
                         ids=("opaque", "pinned"))
@every_launch
def test_packets_may_lie_where_only_kernels_reach_them_or_in_pinned_memory(
        launch_testpmd, tmp_path, launch, eal, memory):
    if (launch, memory) == ("comm-list", "gpu") and support.every_run_is_sanitized():
        pytest.skip("refused, as on hardware: test_softcx_rules.py")
    out = tmp_path / "out.pcap"
    frames = support.frames(CAPTURE)
    session = launch_testpmd([f"pcap:in={CAPTURE},out={out}"], launch, "macswap", 2, eal,
                             (f"--gpu-block-threads={cabling.block_threads(4, 32)[0]}",), memory)
    session.cmd("start")
    session.wait_stats("TX-packets", len(frames))
    status, text = session.quit()
    assert status == 0, text
    check(support.frames(out), list(map(support.swap_macs, frames)), 2)


@every_launch
def test_packets_wait_for_start_and_none_is_lost(launch_testpmd, tmp_path, launch):
    """A capture of more packets than the rings hold, and a send queue that is often full."""
    out = tmp_path / "out.pcap"
    frames = support.frames(CAPTURE) * 20
    session = launch_testpmd([f"pcap:in={CAPTURE},out={out},loop=20"], launch, "macswap",
                             opts=("--rxd=256", "--txd=64"))
    assert session.stats()["RX-packets"] == 0
    session.cmd("start")
    stats = session.wait_stats("TX-packets", len(frames))
    assert (stats["TX-packets"], stats["RX-missed"], stats["RX-nombuf"]) == (len(frames), 0, 0)
    assert session.quit()[0] == 0
    assert support.frames(out) == list(map(support.swap_macs, frames))


@every_launch
def test_rxonly_counts_packets_and_bytes_and_sends_none(launch_testpmd, launch):
    frames = support.frames(CAPTURE)
    session = launch_testpmd([f"pcap:in={CAPTURE}"], launch, "rxonly", 2)
    session.cmd("start")
    stats = session.wait_stats("RX-packets", len(frames))
    assert (stats["RX-packets"], stats["RX-bytes"]) == (len(frames), sum(map(len, frames)))
    assert stats["TX-packets"] == 0
    assert session.quit()[0] == 0


@every_launch
def test_txonly_makes_frames_on_the_gpu(launch_testpmd, tmp_path, launch):
    out = tmp_path / "out.pcap"
    session = launch_testpmd([f"pcap:in={CAPTURE},out={out}"], launch, "txonly",
                             opts=("--txpkts=200",))
    session.cmd("start")
    session.wait_stats("TX-packets", 1000)
    session.cmd("stop")
    sent = session.stats()["TX-packets"]
    assert session.quit()[0] == 0
    frames = support.frames(out)
    assert len(frames) == sent >= 1000
    assert {len(frame) for frame in frames} == {200} and len(set(frames)) == 1
    assert frames[0][12:14] == b"\x08\x00" and frames[0][26:30] == bytes((198, 18, 0, 1))


@every_launch
def test_what_is_sent_first_goes_round_and_survives_stops(launch_testpmd, launch):
    """32 frames in a loop wire stay 32 over stops and starts: none is lost, none made."""
    session = launch_testpmd(["loop"], launch, "macswap", opts=("--burst=16",))
    for start in ("start tx_first 2", "start", "start"):
        before = session.stats()["TX-packets"]
        session.cmd(start)
        session.wait_stats("TX-packets", before + 1000)
        stopped = session.cmd("stop")
        assert "RX-dropped: 0 " in stopped and "TX-dropped: 0 " in stopped
    stats = session.stats()
    assert stats["TX-packets"] - stats["RX-packets"] == 32
    assert session.quit()[0] == 0


def test_reports_say_how_packets_reach_the_gpu(launch_testpmd):
    threads = cabling.block_threads(4, 32)[0]
    session = launch_testpmd(["loop"], "graph", "io", memory="gpu",
                             opts=(f"--gpu-block-threads={threads}",))
    text = session.cmd("show config rxtx")
    assert "Rings: the PMD's queues on 1 lcore, a graph launch a burst on " in text
    assert f"a block of {threads}, buffers in GPU memory" in text
    assert "GPU 0 (graph, by 1 core) forwards packets on 1 streams" in session.cmd("start")
    assert session.quit()[0] == 0


def test_too_few_lcores_are_named(softcx):
    result = softcx([support.RINGSIDE, "testpmd", *support.EAL, *GPU_EAL, "--", "--mp-alloc=gpu",
                     "--gpu-launch=graph", "--nb-cores=2"], ports=["loop"], stdin="")
    assert result.rc == 2
    assert "--nb-cores 2: EAL has 1 lcores beside the main one" in result.err


def test_the_benchmark_compares_all_launches(tmp_path):
    cabling.require_host_gpu("tools/gpu-check runs the benchmark")
    result = tmp_path / "result.json"
    run = support.run([support.ROOT / "tests/bench/launch_modes.py", "--bursts=16",
                       "--seconds=0.05", "--sessions=1", f"--json={result}"],
                      env={"RINGSIDE_BUILD": str(support.BUILD)})
    assert run.rc == 0, run.err
    rows = json.loads(result.read_text())["rows"]
    assert [(row["window"], row["mode"]) for row in rows] == [
        (window, mode) for window in (16, 512) for mode in ("persistent", *LAUNCHES)]
    for row in rows:
        assert row["mpps"] > 0 and row["persistent_is"] > 0
        assert row["mode"] != "persistent" or row["persistent_is"] == 1
