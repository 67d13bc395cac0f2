# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Packets through GPU-driven rings: captures in, captures out, judged by dpkt and by the NIC's own
account of what it dropped and why.
"""
import re
import struct

import ports as cabling
import pytest
import support
from frames import check, nic_account, split_by_fate
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.utils import wrpcap

pytestmark = pytest.mark.gpu

GPU_EAL = ("-a", cabling.nic, *cabling.gpu_eal())
JUMBO = ("--max-pkt-len=9100", "--mbuf-size=9344")
OWN = [support.DATA / name for name in ("http-dns-icmp.pcap", "vlan.pcap", "jumbo.pcap")]
FOREIGN = support.shared_capture_paths()
# Foreign captures with frames above the default MTU.
LARGE = ("trex_http_browsing.pcap", "trex_udp_rand_len_9k.pcap")
CAPTURES = pytest.mark.parametrize("capture", OWN + FOREIGN, ids=lambda path: path.name)


@pytest.fixture
def gpu_testpmd(testpmd_session, packet_memory):
    def start(ports, mode, queues=1, eal=GPU_EAL, opts=(), memory=packet_memory):
        return testpmd_session(
            ports=ports, ringside=True, eal=eal,
            opts=["-i", f"--rxq={queues}", f"--txq={queues}", f"--forward-mode={mode}",
                  f"--mp-alloc={memory}", "--gpu-id=0", *opts])
    return start


@pytest.fixture
def through(gpu_testpmd, tmp_path):
    """through(CAPTURE, MODE, queues, count, opts): forwards a capture until count packets are
    sent; returns (statistics, frames sent, the NIC's account)."""
    def run(capture, mode, queues=1, count=0, opts=()):
        out = tmp_path / "out.pcap"
        session = gpu_testpmd([f"pcap:in={capture},out={out}"], mode, queues, opts=opts)
        session.cmd("start")
        stats = session.wait_stats("TX-packets", count)
        session.cmd("stop")
        stats = session.stats()
        status, text = session.quit()
        assert status == 0, text
        return stats, support.frames(out), nic_account(text)
    return run


@CAPTURES
@pytest.mark.parametrize("queues", (1, 2, 4))
@pytest.mark.parametrize("mode", ("macswap", "io"))
def test_capture_comes_out_as_it_went_in(through, capture, mode, queues):
    change = support.swap_macs if mode == "macswap" else bytes
    frames = support.frames(capture)
    fits, oversize, runts = split_by_fate(frames)
    stats, sent, nic = through(capture, mode, queues, len(fits))
    # Flows are those of the frames as sent: the addresses that macswap changes are not part of them.
    check(sent, [change(frame) for frame in fits], queues)
    assert stats["RX-packets"] == stats["TX-packets"] == len(fits)
    assert stats["RX-bytes"] == stats["TX-bytes"] == sum(map(len, fits))
    assert (nic["received"], nic["delivered"]) == (len(frames), len(fits))
    assert (nic.get("rx_oversize", 0), nic.get("rx_runt", 0)) == (oversize, runts)
    assert nic["dropped"] == oversize + runts


@pytest.mark.parametrize("capture", ("http-dns-icmp.pcap", "vlan.pcap"))
@pytest.mark.parametrize("queues", (1, 4))
def test_invert_touches_every_byte_behind_the_ethernet_header(through, capture, queues):
    frames = support.frames(support.DATA / capture)
    stats, sent, _ = through(support.DATA / capture, "invert", queues, len(frames))
    assert stats["TX-packets"] == len(frames)
    expected = [frame[6:12] + frame[0:6] + frame[12:14] + bytes(255 - byte for byte in frame[14:])
                for frame in frames]
    # No flows can be told apart in what is inverted: over several queues the order is open.
    assert sent == expected if queues == 1 else sorted(sent) == sorted(expected)


def pcap(order, magic):
    """Writes frames as a classic capture of this byte order; the magic tells the time's unit."""
    def write(frames):
        header = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
        return header + b"".join(struct.pack(order + "IIII", i, 7, len(f), len(f)) + f
                                 for i, f in enumerate(frames))
    return write


def pcapng(order):
    """Writes frames as a pcapng section of this byte order with one Ethernet interface."""
    def block(kind, body):
        body += bytes(-len(body) % 4)
        length = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + length + body + length

    def write(frames):
        start = block(0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1))
        interface = block(1, struct.pack(order + "HHI", 1, 0, 0))
        return start + interface + b"".join(
            block(6, struct.pack(order + "IIIII", 0, 0, i, len(f), len(f)) + f)
            for i, f in enumerate(frames))
    return write


@pytest.mark.parametrize("write", [
    pcap("<", 0xa1b2c3d4), pcap(">", 0xa1b2c3d4), pcap("<", 0xa1b23c4d), pcap(">", 0xa1b23c4d),
    pcapng("<"), pcapng(">")],
    ids=["pcap-le-us", "pcap-be-us", "pcap-le-ns", "pcap-be-ns", "pcapng-le", "pcapng-be"])
def test_every_kind_of_capture_file_is_replayed(through, tmp_path, write):
    frames = support.frames(OWN[1])
    capture = tmp_path / "in.capture"
    capture.write_bytes(write(frames))
    assert support.frames(capture) == frames  # dpkt takes it for what it should be
    _, sent, _ = through(capture, "macswap", 1, len(frames))
    check(sent, [support.swap_macs(frame) for frame in frames], 1)


@pytest.mark.parametrize("capture", [OWN[2]] + [path for path in FOREIGN if path.name in LARGE],
                         ids=lambda path: path.name)
def test_large_frames_pass_with_a_larger_mtu_and_buffers(through, capture):
    frames = support.frames(capture)
    fits, oversize, _ = split_by_fate(frames, mtu=9100 - 18)
    assert split_by_fate(frames)[1] > 0 and oversize == 0
    _, sent, _ = through(capture, "macswap", 2, len(fits), JUMBO)
    check(sent, [support.swap_macs(frame) for frame in fits], 2)


def test_rxonly_counts_packets_and_bytes_and_sends_none(gpu_testpmd):
    frames = support.frames(OWN[0])
    session = gpu_testpmd([f"pcap:in={OWN[0]}"], "rxonly", 2)
    session.cmd("start")
    stats = session.wait_stats("RX-packets", len(frames))
    assert (stats["RX-packets"], stats["RX-bytes"]) == (len(frames), sum(map(len, frames)))
    assert (stats["RX-missed"], stats["TX-packets"]) == (0, 0)


def test_two_ports_cross(gpu_testpmd, tmp_path):
    """What comes in by one port leaves by the other, both ways."""
    outs = [tmp_path / "out0.pcap", tmp_path / "out1.pcap"]
    session = gpu_testpmd([f"pcap:in={OWN[0]},out={outs[0]}", f"pcap:in={OWN[1]},out={outs[1]}"],
                          "macswap", 2, eal=(*GPU_EAL, "-a", cabling.nic2))
    frames = [support.frames(OWN[0]), support.frames(OWN[1])]
    session.cmd("start")
    session.wait_stats("TX-packets", len(frames[0]), port=1)
    session.wait_stats("TX-packets", len(frames[1]), port=0)
    assert session.stats(0)["RX-packets"] == session.stats(1)["TX-packets"] == len(frames[0])
    status, text = session.quit()
    assert status == 0, text
    for port in (0, 1):
        check(support.frames(outs[1 - port]), list(map(support.swap_macs, frames[port])), 2)


def test_packets_wait_for_start_and_none_is_lost(gpu_testpmd, tmp_path):
    """A capture of more packets than the ring holds, with start a while after the port."""
    out = tmp_path / "out.pcap"
    frames = support.frames(OWN[0]) * 20
    session = gpu_testpmd([f"pcap:in={OWN[0]},out={out},loop=20"], "macswap",
                          opts=("--rxd=256", "--txd=256"))
    assert session.stats()["RX-packets"] == 0
    session.cmd("start")
    stats = session.wait_stats("TX-packets", len(frames))
    assert stats["TX-packets"] == len(frames) and stats["RX-missed"] == 0
    session.quit()
    assert support.frames(out) == list(map(support.swap_macs, frames))


def test_every_queue_gets_its_share_with_more_blocks_than_cores(gpu_testpmd, tmp_path):
    """256 flows over 8 queues, whose blocks share two cores."""
    capture, out = tmp_path / "in.pcap", tmp_path / "out.pcap"
    wrpcap(str(capture), [Ether() / IP(src="198.18.0.1", dst="198.18.0.2")
                          / UDP(sport=40503 * i % 65536, dport=9) / bytes([n] * 40)
                          for n in range(4) for i in range(256)])
    session = gpu_testpmd([f"pcap:in={capture},out={out}"], "macswap", 8)
    frames = support.frames(capture)
    session.cmd("start")
    session.wait_stats("TX-packets", len(frames))
    shares = list(map(int, re.findall(r"Forward Stats.*\n.*RX-packets: (\d+)",
                                      session.cmd("show fwd stats all"))))
    assert len(shares) == 8 and min(shares) > len(frames) / 16, shares
    session.quit()
    check(support.frames(out), list(map(support.swap_macs, frames)), 8)


@pytest.mark.parametrize("threads", cabling.block_threads(4, 32))
def test_blocks_of_several_threads_keep_order(through, threads):
    frames = support.frames(OWN[0])
    _, sent, _ = through(OWN[0], "macswap", 1, len(frames), (f"--gpu-block-threads={threads}",))
    check(sent, list(map(support.swap_macs, frames)), 1)


def test_packets_that_the_cpu_cannot_read_go_through(gpu_testpmd, tmp_path):
    out = tmp_path / "out.pcap"
    session = gpu_testpmd([f"pcap:in={OWN[0]},out={out}"], "macswap", 2,
                          eal=("-a", cabling.nic, *cabling.opaque_gpu_eal()))
    frames = support.frames(OWN[0])
    session.cmd("start")
    session.wait_stats("TX-packets", len(frames))
    status, text = session.quit()
    assert status == 0, text
    check(support.frames(out), list(map(support.swap_macs, frames)), 2)


@pytest.mark.parametrize("rings, place", (("auto", "GPU"), ("device", "GPU"), ("pinned", "host")))
@pytest.mark.parametrize("packets", ("gpu", "gpu-pinned"))
def test_rings_lie_where_they_are_told_to(gpu_testpmd, tmp_path, packets, rings, place):
    """Left to themselves, with the packets; or where softcx can have them."""
    if not cabling.gpu_is_host() and rings == "device":
        pytest.skip("refused: test_ringside_faults.py")
    if rings == "auto" and (packets == "gpu-pinned" or not cabling.gpu_is_host()):
        place = "host"
    if (place == "GPU") != (packets == "gpu") and support.every_run_is_sanitized():
        pytest.skip("refused, as on hardware: test_softcx_rules.py")
    out = tmp_path / "out.pcap"
    session = gpu_testpmd([f"pcap:in={OWN[0]},out={out}"], "io",
                          eal=("-a", support.NIC, *cabling.opaque_gpu_eal()), memory=packets,
                          opts=(f"--gpu-rings={rings}",))
    assert f"rings in {place} memory" in session.cmd("show config rxtx")
    frames = support.frames(OWN[0])
    session.cmd("start")
    session.wait_stats("TX-packets", len(frames))
    status, text = session.quit()
    assert status == 0, text
    check(support.frames(out), frames, 1)


@pytest.mark.parametrize("who, said", (("auto", "GPU"), ("gpu", "GPU"), ("cpu", "a CPU thread")))
@pytest.mark.parametrize("queues", (1, 4))
def test_doorbells_are_rung_by_whom_they_are_told_to(gpu_testpmd, tmp_path, queues, who, said):
    """More packets than rings hold, so that each value comes many times, and stops between."""
    out = tmp_path / "out.pcap"
    session = gpu_testpmd([f"pcap:in={OWN[0]},out={out},loop=20"], "macswap", queues,
                          opts=("--rxd=256", "--txd=256", f"--gpu-doorbells={who}"))
    assert f"regular doorbells by {'the ' if said == 'GPU' else ''}{said}" in session.cmd("show config rxtx")
    frames = support.frames(OWN[0]) * 20
    for part in (1, 2):
        session.cmd("start")
        session.wait_stats("TX-packets", len(frames) * part // 2)
        session.cmd("stop")
    assert session.stats()["TX-packets"] == len(frames)
    assert session.quit()[0] == 0
    check(support.frames(out), list(map(support.swap_macs, frames)), queues)


def test_packets_that_find_the_ring_full_are_missed_and_counted(gpu_testpmd):
    """txonly receives nothing, and the wire brings everything back."""
    session = gpu_testpmd(["loop"], "txonly", opts=("--rxd=64", "--txd=64"))
    session.cmd("start")
    session.wait_stats("RX-missed", 1000)
    session.cmd("stop")
    stats = session.stats()
    assert stats["RX-missed"] == stats["TX-packets"] - 64 and stats["RX-packets"] == 0
    session.cmd("clear port stats all")
    assert session.stats()["RX-missed"] == 0


def test_frame_above_the_buffer_but_not_the_mtu_costs_one_packet(gpu_testpmd, tmp_path):
    """Buffers of 1408 bytes take the MTU's 1390 with one tag, and not with two."""
    capture, out = tmp_path / "in.pcap", tmp_path / "out.pcap"
    udp = IP(src="198.18.0.1", dst="198.18.0.2") / UDP()
    frames = [Ether() / udp / bytes(100), Ether() / Dot1Q() / udp / bytes(1390 - 28),
              Ether() / Dot1Q() / Dot1Q() / udp / bytes(1390 - 28), Ether() / udp / bytes(200)]
    wrpcap(str(capture), frames * 10)
    session = gpu_testpmd([f"pcap:in={capture},out={out}"], "macswap",
                          opts=("--max-pkt-len=1408", "--mbuf-size=1536", "--rxd=16", "--txd=16"))
    session.cmd("start")
    session.wait_stats("TX-packets", 30)
    stats = session.stats()
    assert (stats["RX-packets"], stats["RX-errors"], stats["TX-packets"]) == (30, 10, 30)
    status, text = session.quit()
    assert status == 0 and nic_account(text)["length_error"] == 10, text
    del frames[2]
    assert support.frames(out) == [support.swap_macs(bytes(frame)) for frame in frames] * 10


def test_default_run_takes_little_of_the_hugepages_and_returns_them(
        gpu_testpmd, hugepages_returned):
    before = support.free_hugepages()
    session = gpu_testpmd(["loop"], "macswap")
    session.cmd("start tx_first")
    assert (before - support.free_hugepages()) * 2 < 1024
    assert session.quit()[0] == 0


@pytest.mark.parametrize("memory", ([], ["--in-memory"], ["--no-huge"]), ids=str)
def test_memory_options_of_eal_work(softcx, memory, packet_memory):
    result = softcx([support.RINGSIDE, "testpmd", "-l", "0-1", "--no-telemetry", *memory, *GPU_EAL,
                     "--", "-i", "--forward-mode=macswap", f"--mp-alloc={packet_memory}"],
                    ports=["loop"], stdin="start tx_first 1\nshow port stats all\nquit\n")
    assert result.rc == 0, result.err
    assert "Bye..." in result.out
