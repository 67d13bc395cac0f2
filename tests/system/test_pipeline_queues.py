# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Options of queues in pipelines: what the NIC does to packets that leave, batches that wait."""
import json
import re

import pipelines
import pytest
import support
from pipeline_runs import EAL, packets_lie_there, pipeline  # noqa: F401
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.utils import wrpcap

pytestmark = pytest.mark.gpu

BOTH = "offloads: [ipv4_checksum, l4_checksum]"
HEADS = r"[{name: packets, kind: \1}, {name: heads, kind: \1, buf_size: 256}]"
QUEUES = "[{name: tx0}, {name: tx1}]"
STAGES = "    stages: []\n"
LAYOUTS = {
    "one kernel": lambda text: text,
    "two kernels": lambda text: text.replace(
        STAGES, "    kernels: [{name: one, stages: [count]}, {name: two, stages: [count]}]\n"),
    "split headers": lambda text: re.sub(r"\[\{name: packets, kind: (\w+)\}\]", HEADS, text).replace(
        "[packets]", "[heads, packets]"),
}


def run(tmp_path, text, frames, options=()):
    """(the report, what came out)."""
    wrpcap(str(tmp_path / "in.pcap"), [Ether(frame) for frame in frames])
    file = tmp_path / "p.yaml"
    file.write_text(text)
    done = support.run(support.softcx_command(
        [f"pcap:in={tmp_path}/in.pcap,out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", "--packets", len(frames), *options, "--", *EAL]))
    assert done.rc == 0, done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["adds_up"] and report["sent"] == len(frames)
    return report, support.frames(tmp_path / "out.pcap")


def wrong_sums():
    """Frames of several protocols whose checksums are all wrong, those of ICMP and ARP none."""
    def ethernet(payload):
        return bytes(Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02") / payload)
    ip = IP(src="192.0.2.1", dst="198.51.100.2", chksum=0x1234)
    data = b"ringside" * 9
    return [ethernet(payload) for payload in (
        ip / UDP(sport=5000, dport=53, chksum=0x5678) / data,
        ip / TCP(sport=5000, dport=80, flags="A", chksum=0x5678) / data,
        IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP(sport=1, dport=2, chksum=0x5678) / data,
        Dot1Q(vlan=7) / ip / TCP(sport=9, dport=10, chksum=0x5678) / data,
        ip / ICMP() / data,
        ARP(psrc="192.0.2.1", pdst="192.0.2.2"))]


def layer_sums_right(frame, layer):
    packet, again = Ether(frame), Ether(frame)
    if layer not in packet:
        return None
    del again[layer].chksum
    return packet[layer].chksum == Ether(bytes(again))[layer].chksum


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_nic_writes_checksums_that_no_stage_has_written(tmp_path, layout):
    before = wrong_sums()
    copies = f", {{name: copies, pcap: {tmp_path}/copies.pcap}}"
    plain = LAYOUTS[layout](pipeline())
    assert sorted(run(tmp_path, plain, before)[1]) == sorted(before)
    text = plain.replace("{name: tx0}", f"{{name: tx0, {BOTH}}}").replace(
        "{name: tx1}", f"{{name: tx1, {BOTH}}}")
    if layout == "one kernel":
        text = text.replace("stages: []", "stages: [{mirror: {to: copies}}]").replace(
            "port0.tx1]}", "port0.tx1]}" + copies)
    after = run(tmp_path, text, before)[1]
    assert sorted(map(len, after)) == sorted(map(len, before))
    for frame in after:
        assert pipelines.sums_right(frame), Ether(frame)
    if layout == "one kernel":  # where the CPU looks, the stages' work is all that was done
        assert sorted(support.frames(tmp_path / "copies.pcap")) == sorted(before)


@pytest.mark.parametrize("offload, right, wrong", [("ipv4_checksum", IP, (TCP, UDP)),
                                                   ("l4_checksum", None, (IP,))])
def test_each_checksum_is_an_offload_of_its_own(tmp_path, offload, right, wrong):
    text = pipeline().replace(QUEUES, f"[{{name: tx0, offloads: [{offload}]}}, "
                                      f"{{name: tx1, offloads: [{offload}]}}]")
    after = run(tmp_path, text, wrong_sums())[1]
    for layer in [right] if right else [TCP, UDP]:
        assert {layer_sums_right(frame, layer) for frame in after} == {True, None}
    for layer in wrong:
        assert False in {layer_sums_right(frame, layer) for frame in after}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_nic_puts_a_tag_into_every_packet_of_a_queue(tmp_path, layout):
    before = wrong_sums()
    text = LAYOUTS[layout](pipeline()).replace(
        QUEUES, "[{name: tx0, vlan: 42, vlan_priority: 3}, {name: tx1, vlan: 42, vlan_priority: 3}]")
    report, after = run(tmp_path, text, before)
    tag = b"\x81\x00" + (3 << 13 | 42).to_bytes(2, "big")
    assert sorted(after) == sorted(frame[:12] + tag + frame[12:] for frame in before)
    assert [(packet[Dot1Q].prio, packet[Dot1Q].vlan) for packet in map(Ether, after)] == [(3, 42)] * 6


def test_a_nic_that_inserts_no_tags_is_refused_where_a_queue_asks_for_one(tmp_path):
    """The PMD offers tags then too, which its CPU would insert."""
    file = tmp_path / "p.yaml"
    for queues, rc in ("[{name: tx0, vlan: 42}, {name: tx1, vlan: 42}]", 2), (f"[{{name: tx0, {BOTH}}}, {{name: tx1}}]", 0):
        file.write_text(pipeline().replace(QUEUES, queues))
        done = support.run(support.softcx_command(
            ["null"], [support.RINGSIDE, "run", file, "--duration", "0", "--", *EAL],
            faults="no-vlan-insert"))
        assert done.rc == rc, done.err
        assert ("vlan of port0.tx0: the NIC 0000:ca:00.0 does not offer it" in done.err) == (rc == 2)


def test_other_queues_of_the_port_have_no_offloads(tmp_path):
    flows = ("flows: [{name: udp, match: {udp: {}}, actions: [queue: rx1]}, "
             "{name: rest, match: {}, actions: [queue: rx0]}]")
    text = pipeline(flows=flows).replace("{name: tx1}", f"{{name: tx1, {BOTH}, vlan: 9}}")
    before = wrong_sums()
    after = run(tmp_path, text, before)[1]
    plain = [frame for frame in before if UDP not in Ether(frame)]
    offloaded = [frame for frame in after if frame not in plain]
    assert len(plain) + len(offloaded) == len(after) == len(before) and len(offloaded) == 2
    assert all(Ether(frame)[Dot1Q].vlan == 9 and pipelines.sums_right(frame) for frame in offloaded)


def test_a_generators_frames_have_the_offloads_of_their_queue(tmp_path):
    text = pipeline().replace(QUEUES, f"[{{name: tx0, {BOTH}, vlan: 42}}, {{name: tx1}}]")
    text = text[:text.index("pipelines:")] + (
        "generator: [{name: flood, queues: [port0.tx0, port0.tx1], count: 200, sizes: [64, 200]}]\n")
    text = re.sub(r"    rx:\n(      .*\n)+", "", text)
    file = tmp_path / "p.yaml"
    file.write_text(text)
    done = support.run(support.softcx_command(
        [f"pcap:out={tmp_path}/out.pcap"], [support.RINGSIDE, "run", file, "--json", "--", *EAL]))
    assert done.rc == 0, done.err
    frames = support.frames(tmp_path / "out.pcap")
    tagged = [frame for frame in frames if Dot1Q in Ether(frame)]
    assert len(tagged) == 100 and len(frames) == 200 and all(map(pipelines.sums_right, frames))
    numbers = [pipelines.number_of(frame[:12] + frame[16:]) for frame in tagged]
    assert numbers == list(range(0, 200, 2))


def one_queue(queue):
    """The batches of 64 are of one queue."""
    text = pipeline().replace("{name: rx0, memory_regions: [packets]}, {name: rx1, memory_regions: [packets]}",
                              f"{{name: rx0, {queue}, memory_regions: [packets]}}")
    return text.replace("port0.rx0, port0.rx1", "port0.rx0").replace("port0.tx0, port0.tx1", "port0.tx0")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_batch_that_does_not_fill_waits_its_time_and_full_ones_do_not(tmp_path, layout):
    before = wrong_sums() * 20  # 120
    text = LAYOUTS[layout](one_queue("batch_size: 64, timeout_us: 1s"))
    report, after = run(tmp_path, text, before)
    assert after == before and report["seconds"] >= 1
    text = LAYOUTS[layout](one_queue("batch_size: 60, timeout_us: 1s"))
    assert min(run(tmp_path, text, before)[0]["seconds"] for _ in range(5)) < 1
