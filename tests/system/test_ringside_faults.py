# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What a first day on hardware brings, from softcx's faults: Ringside names the cause and what to do
about it, and goes on or stops.
"""
import re
import time

import pexpect
import ports as cabling
import pytest
import support
from frames import nic_account
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

pytestmark = pytest.mark.gpu

GPU = ("--mp-alloc=gpu", "--gpu-id=0")
NIC_MAC = "02:73:63:78:00:00"


@pytest.fixture
def faulty(testpmd_session, packet_memory):
    def start(faults, *opts, ports=("loop",), memory=packet_memory):
        return testpmd_session(
            ports=ports, ringside=True, faults=faults, opts=["-i", f"--mp-alloc={memory}", *opts],
            eal=("-a", support.NIC, *cabling.gpu_eal()))
    return start


def refusal(softcx, faults, gpu=cabling.gpu_eal(), memory=GPU):
    result = softcx([support.RINGSIDE, "testpmd", *support.EAL, "-a", support.NIC, *gpu,
                     "--", "-i", *memory], ports=["loop"], faults=faults, stdin="quit\n")
    lines = [line for line in result.err.splitlines() if line.startswith("ringside: ")]
    assert (result.rc, len(lines)) == (1, 1), result.err
    return lines[0]


def circulates(session, port=0):
    """Do packets go round, now?"""
    before = session.stats(port)["RX-packets"]
    return session.wait_stats("RX-packets", before + 1000, port)["RX-packets"] >= before + 1000


def start_until(session, words, seconds=60, command="start tx_first"):
    """Starts; returns what the program says then, asked or not, when all words have come."""
    text, end = session.cmd(command), time.monotonic() + seconds
    while not all(word in text for word in words):
        assert time.monotonic() < end, (words, text)
        text += session.unasked()
    return text


@pytest.mark.parametrize("faults, words", [
    ("no-dmabuf,no-peermem",
     ["EFAULT", "nvidia-peermem", "CONFIG_PCI_P2PDMA", "--mp-alloc=gpu-pinned"]),
    ("mtu:value=1400", ["1400", "1500", "maxmtu", "--max-pkt-len=1418"]),
    ("min-inline:mode=1", ["inline", f"devlink dev eswitch set pci/{support.NIC} inline-mode none"]),
    ("bond", ["bond", "nomaster"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_what_cannot_work_is_refused_with_cause_and_remedy(softcx, faults, words):
    line = refusal(softcx, faults)
    assert [word for word in words if word not in line] == [], line


@pytest.mark.parametrize("arguments", ((), ("opaque=1",)))
def test_gpu_memory_that_no_way_leads_to_is_refused_with_both_causes(softcx, arguments):
    cabling.require_host_gpu("whose memory has a dma-buf here")
    line = refusal(softcx, "no-dmabuf,no-peermem", cabling.gpu_eal(*arguments))
    assert "EOPNOTSUPP" in line and "EFAULT" in line, line


def test_pmd_queues_without_peermem_name_the_other_way(softcx):
    line = refusal(softcx, "no-peermem", memory=(*GPU, "--datapath=cpu"))
    assert "nvidia-peermem" in line and "--datapath=gpu" in line


@pytest.mark.parametrize("choice", ("auto", "cpu"))
def test_doorbells_that_the_gpu_may_not_write_a_cpu_thread_rings(testpmd_session, choice):
    cabling.require_host_gpu("no NVIDIA driver can be told to refuse")
    session = testpmd_session(
        ports=["loop"], ringside=True, opts=["-i", "--mp-alloc=gpu", f"--gpu-doorbells={choice}"],
        eal=("-a", support.NIC, *cabling.gpu_eal("iomem=denied")))
    text = session.cmd("show config rxtx")
    assert "regular doorbells by a CPU thread" in text
    assert ("the GPU may not write the NIC's doorbell" in text) == (choice == "auto"), text
    session.cmd("start tx_first")
    assert circulates(session)
    assert session.quit()[0] == 0


def test_doorbells_that_only_the_gpu_is_to_ring_are_refused_with_the_remedy(softcx):
    cabling.require_host_gpu("no NVIDIA driver can be told to refuse")
    line = refusal(softcx, "", cabling.gpu_eal("iomem=denied"), (*GPU, "--gpu-doorbells=gpu"))
    for word in ("doorbell", "root", "PeerMappingOverride", "--gpu-doorbells=cpu"):
        assert word in line


@pytest.mark.parametrize("faults, place", [
    ("no-dmabuf", "host memory (not in the GPU's: "), ("no-peermem", "GPU memory,")])
def test_rings_go_to_host_memory_where_the_nic_takes_no_dmabuf(faulty, faults, place):
    cabling.require_host_gpu("softcx has no GPU's rings in its memory")
    session = faulty(faults, memory="gpu")
    text = session.cmd("show config rxtx")
    assert f"rings in {place}" in text
    assert ("EOPNOTSUPP" in text) == (faults == "no-dmabuf"), text
    session.cmd("start tx_first")
    assert circulates(session)
    assert session.quit()[0] == 0


def test_rings_that_are_to_lie_where_the_nic_cannot_reach_them_are_refused(softcx):
    """softcx takes no dma-buf of an NVIDIA GPU."""
    line = refusal(softcx, "no-dmabuf" if cabling.gpu_is_host() else "",
                   memory=(*GPU, "--gpu-rings=device"))
    assert "dma-buf for rings" in line, line


@pytest.mark.parametrize("faults, memory", [
    ("no-dmabuf", "gpu"), ("no-peermem", "gpu"), ("no-dmabuf,no-peermem", "gpu-pinned"),
    ("mtu:value=9000", "gpu")])
def test_what_has_another_way_works(faulty, faults, memory):
    session = faulty(faults, memory=memory)
    session.cmd("start tx_first")
    assert circulates(session)
    assert session.quit()[0] == 0


def test_late_link_is_waited_for(faulty):
    began = time.monotonic()
    session = faulty("link-delay:ms=1500")
    assert time.monotonic() - began >= 1.4
    assert "no link" not in session.banner
    session.cmd("start tx_first")
    assert circulates(session)
    assert session.quit()[0] == 0


def test_wait_for_a_link_can_be_ended():
    command = support.softcx_command(
        ["loop"], [support.RINGSIDE, "testpmd", *support.EAL, "-a", support.NIC,
                   *cabling.gpu_eal(), "--", "-i", *GPU], faults="link-delay:ms=600000")
    child = pexpect.spawn(command[0], command[1:], timeout=60, encoding="utf-8",
                          dimensions=(50, 500), env=support.environment({"TERM": "dumb"}))
    child.expect_exact("Checking link statuses...")
    began = time.monotonic()
    child.sendintr()
    child.expect_exact("Port 0: no link: look at the cable")
    assert time.monotonic() - began < 8  # it would wait for nine
    child.expect_exact("Bye...")
    child.expect(pexpect.EOF)
    child.close()


def test_link_that_flaps_is_told_and_the_loss_is_the_links(faulty):
    session = faulty("link-down:packet=5000:ms=600")
    start_until(session, ["port 0: link down: look at the cable", "port 0: link up"])
    session.cmd("stop")
    session.cmd("start tx_first")  # the burst before was lost with the link
    assert circulates(session)
    status, text = session.quit()
    # Some of the burst may have been on the wire when the link went down: lost as they came in.
    lost = [int(count) for count in re.findall(r"\(link_down (\d+)\)", text)]
    assert status == 0 and sum(lost) == 32, text


def test_untrusted_function_is_told_apart_and_gets_its_own_frames(faulty, tmp_path):
    capture, out = tmp_path / "in.pcap", tmp_path / "out.pcap"
    addresses = [NIC_MAC, "02:00:00:00:00:77", "ff:ff:ff:ff:ff:ff"]
    wrpcap(str(capture), [Ether(dst=dst, src="02:00:00:00:00:01") / IP() / UDP() / bytes(20)
                          for dst in addresses * 10])
    session = faulty("vf-untrusted", "--forward-mode=io", ports=[f"pcap:in={capture},out={out}"])
    assert "is a virtual function" in session.banner and "trust on" in session.banner
    session.cmd("start")
    session.wait_stats("TX-packets", 20)
    status, text = session.quit()
    assert status == 0
    assert {frame[:6].hex(":") for frame in support.frames(out)} == {addresses[0], addresses[2]}
    assert (nic_account(text)["not_for_vf"], len(support.frames(out))) == (10, 20)


@pytest.mark.parametrize("doorbells", ("gpu", "cpu"))
@pytest.mark.parametrize("faults, queue", [
    ("tx-error:packet=500", "send"), ("tx-error:packet=500:syndrome=0x02", "send"),
    ("rx-error:packet=500", "receive")])
def test_error_that_stops_a_queue_is_named_and_the_kernel_goes_on(faulty, tmp_path, faults, queue,
                                                                  doorbells):
    capture, out = tmp_path / "in.pcap", tmp_path / "out.pcap"
    frames = 4000
    wrpcap(str(capture), [Ether(dst=NIC_MAC, src="02:00:00:00:00:01") / IP() / UDP() / bytes(20)])
    session = faulty(faults, f"--gpu-doorbells={doorbells}", "--forward-mode=io",
                     ports=[f"pcap:in={capture},out={out},loop={frames}"])
    text = start_until(session, [" goes on"], command="start")
    assert f"stopped by its {queue} queue: LOCAL_" in text and "vendor syndrome 0x" in text
    assert "recovery 1 of 5 in 10 ms" in text and "start recovers it" not in text
    session.settle()
    assert session.stats()["RX-errors"] == (1 if queue == "receive" else 0)
    text = session.cmd("stop")
    received, sent, dropped = map(int, re.search(
        r"RX-packets: (\d+)[^\0]*TX-packets: (\d+) +TX-dropped: (\d+)", text).groups())
    assert received == sent + dropped and received > 500, text
    assert (dropped > 0) == (queue == "send") == ("send queue stopped" in text), text
    status, text = session.quit()
    nic = nic_account(text)
    assert status == 0 and (nic["received"], nic["delivered"]) == (frames, received), text
    assert sent == len(support.frames(out))


def test_errors_that_cost_a_packet_are_counted_and_the_queue_goes_on(faulty):
    session = faulty("rx-error:packet=300:count=5:seed=7:syndrome=0x01")
    session.cmd("start tx_first")
    assert session.wait_stats("RX-errors", 5)["RX-errors"] == 5
    assert circulates(session)
    status, text = session.quit()
    assert status == 0 and nic_account(text)["injected_error"] == 5


def test_stale_key_is_named_and_given_up_after_the_last_recovery(faulty):
    session = faulty("bad-mkey", "--forward-mode=txonly")
    for _ in range(2):
        text = start_until(session, ["start recovers it"], command="start")
        assert "LOCAL_PROTECTION_ERR (0x04): memory that the WQE's key does not cover" in text
        assert "recovery 1 of 5 in 10 ms" in text and "recovery 5 of 5 in 160 ms" in text
        assert "5 recoveries in a row did not help" in text
        assert "Done." in session.cmd("stop")
    assert session.quit()[0] == 0


@pytest.mark.parametrize("queues", (1, 2))
def test_dead_completion_queues_are_named_and_made_anew_while_the_kernel_runs(faulty, queues):
    session = faulty("cq-overrun:packet=3000", f"--rxq={queues}", f"--txq={queues}")
    for _ in range(3):
        text = start_until(session, ["goes on"])
        assert "queue: its completion queue has overrun; recovery 1 of 5 in 10 ms" in text
        text = session.cmd("stop").partition("Accumulated")[2]
        assert "Done." in text and "overrun" not in text, text
        received, sent, dropped = map(int, re.search(
            r"RX-packets: (\d+)[^\0]*TX-packets: (\d+) +TX-dropped: (\d+)", text).groups())
        # Each kernel had a burst of its own.
        assert received + 32 * queues == sent + dropped, text
    assert session.quit()[0] == 0


def test_completion_queues_that_die_again_and_again_are_given_up_by_name_until_the_next_start(faulty):
    each = 50000
    session = faulty(f"cq-overrun:packet={each}", "--forward-mode=txonly")
    for _ in range(2):
        text = start_until(session, ["start recovers it"], command="start")
        assert text.count("send queue: its completion queue has overrun; recovery ") == 5
        assert text.count("goes on") == 5
        assert "overrun: 5 recoveries in a row did not help; start recovers it" in text
        text = session.cmd("stop").partition("Accumulated")[2]
        sent, dropped = map(int, re.search(r"TX-packets: (\d+) +TX-dropped: (\d+)", text).groups())
        assert 5 * each < sent + dropped and 5 * each <= sent + 6 * 32 <= 6 * each + 6 * 32, text
        assert "send queue: its completion queue has overrun" in text
    assert session.quit()[0] == 0


def test_nic_that_stands_still_is_named_and_stop_is_bounded(faulty):
    session = faulty("stalled-nic:packet=500")
    text = start_until(session, ["stands still"])
    assert "send queue" in text and "rx_pause" in text and "dmesg" in text
    began = time.monotonic()
    text = session.cmd("stop")
    assert "Done." in text and time.monotonic() - began < 30
    sent, dropped = map(int, re.search(r"TX-packets: (\d+) +TX-dropped: (\d+)", text).groups())
    # What no completion tells of is not told as sent; a batch has one.
    assert 500 - 32 < sent <= 500 and dropped > 0
    status, text = session.quit()
    assert status == 0 and nic_account(text)["delivered"] == 500


def test_nic_that_stands_still_for_a_while_loses_nothing(faulty):
    session = faulty("stalled-nic:packet=500:ms=400")
    session.cmd("start tx_first")
    assert circulates(session)
    session.cmd("stop")
    status, text = session.quit()
    assert status == 0 and nic_account(text)["dropped"] == 0


def test_stalled_wire_costs_what_was_on_it(faulty):
    session = faulty("stalled-wire:packet=500:ms=300")
    session.cmd("start tx_first")
    session.settle()
    session.cmd("stop")
    session.cmd("start tx_first")
    assert circulates(session)
    status, text = session.quit()
    assert status == 0 and re.search(r"dropped 32 \(wire_full 32\)", text)
