# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Captures of others, damaged ones too, through every stage that there is."""
import json
import re
import subprocess

import dpkt
import ports as cabling
import pytest
import support
from pipeline_runs import EAL, packets_lie_there, pipeline  # noqa: F401

pytestmark = pytest.mark.gpu

CAPTURES = support.shared_capture_paths()


@pytest.fixture(scope="module")
def short_hops(tmp_path_factory):
    """The example of a user's stage: an object, or for a GPU, whose code needs nvcc, its source."""
    source = support.DATA / "user-stage/short_hops.cpp"
    if not cabling.gpu_is_host():
        return f"source: {source}"
    built = tmp_path_factory.mktemp("stage") / "short_hops.so"
    subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", f"-I{support.ROOT}",
                    source, "-o", built], check=True)
    return f"object: {built}"


EVERY_STAGE = """
  {parse: {malformed: next}}, {count: {by: protocol}}, {lookup: {table: flows, otherwise: next}},
  {split: {rules: [{when: {tcp: {}}, to: aside}, {when: {icmp: {}}, to: aside}]}}, join,
  {rewrite: {set: {ipv4: {tos: 4}, ipv6: {hop: 9}, vlan: {vid: 7}, tcp: {src: 1}}}},
  {swap: {macs: true, ips: true, ports: true}}, {icmp_echo: {to: out}},
  {load_balance: {backends: [{ip: 192.0.2.9}]}, when: {ipv4: {}}, name: four},
  {load_balance: {backends: [{ip: "2001:db8::9"}]}, when: {ipv6: {}}, name: six},
  {match: {fields: {vxlan: {}, inner: {tcp: {dst: 0-65535}}}, otherwise: next}},
  {police: {packet_rate: 1, exceed: next}},
  {police: {packet_rate: 1, exceed: next, per: fields, fields: [inner.ipv4.src, gtpu.teid]}},
  {sample: {every: 3, to: copies}}, {mirror: {to: copies}},
  {user: {CODE, function: short_hops, params: [255]}},
  {drop: {}, when: {meta: {length: 65535}}}"""
BESIDE_EVERY_STAGE = """
    branches: [{name: aside, stages: [swap], then: join}]
tables: [{name: flows, entries: [{src: 10.0.0.1, dst: 10.0.0.2, proto: 17}]}]
"""


def test_every_stage_is_among_those_that_captures_pass_through():
    schema = json.loads(support.run([support.RINGSIDE, "check", "--json-schema"]).out)
    names = schema["definitions"]["stage"]["anyOf"][0]["enum"]
    assert len(names) == 15
    assert [name for name in names if not re.search(rf"\b{name}\b", EVERY_STAGE)] == []


def pass_through_every_stage(capture, frames, tmp_path, short_hops):
    """The capture, of which frames are those that a port of this MTU takes."""
    file = tmp_path / "p.yaml"
    out = "{name: out, tx: [port0.tx0, port0.tx1]}"
    text = pipeline(EVERY_STAGE.replace("CODE", short_hops)) + BESIDE_EVERY_STAGE
    text = text.replace(out, out + f", {{name: copies, pcap: {tmp_path}/copies.pcap}}")
    text = text.replace("    address: 0000:ca:00.0", "    address: 0000:ca:00.0\n    mtu: 9000")
    file.write_text(text)
    limit = ["--packets", str(len(frames)), "--duration", "60"] if frames else ["--duration", "1"]
    done = support.run(support.softcx_command(
        [f"pcap:in={capture},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", *limit, "--", *EAL]), timeout=120)
    assert done.rc == 0, done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["received"] == report["sent"] == len(frames)


def fits(frame):
    return 14 <= len(frame) <= 9014


@pytest.mark.skipif(not CAPTURES, reason="no foreign captures: set RINGSIDE_SHARED_DATA")
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
def test_foreign_and_damaged_captures_pass_through_every_stage(capture, tmp_path, short_hops):
    frames = list(filter(fits, support.frames(capture)))
    pass_through_every_stage(capture, frames, tmp_path, short_hops)


@pytest.fixture
def tcpdump_tests():
    """The folder of the captures of tcpdump's tests."""
    if not any(support.TCPDUMP_TESTS.glob("*.pcap")):
        pytest.skip("no captures of tcpdump's: run tools/fetch-captures")
    return support.TCPDUMP_TESTS


BEFORE_IP = {12: 0, 101: 0, 228: 0, 229: 0, 0: 4, 108: 4, 113: 16}  # bytes, by the type of link


def as_ethernet(path):
    """The frames of a capture of Ethernet, or of IP on other links behind a header of Ethernet."""
    with open(path, "rb") as file:
        reader = dpkt.pcap.UniversalReader(file)
        link = reader.datalink() & 0xffff  # above is how long the FCS is
        packets = [bytes(data) for _, data in reader]
    if link == 1:
        return packets
    ethertypes = {4: b"\x08\x00", 6: b"\x86\xdd"}
    packets = [packet[BEFORE_IP[link]:] for packet in packets] if link in BEFORE_IP else []
    return [bytes(12) + ethertypes[packet[0] >> 4] + packet
            for packet in packets if packet and packet[0] >> 4 in ethertypes]


def test_the_malformed_captures_of_tcpdump_pass_through_every_stage(
        tcpdump_tests, tmp_path, short_hops):
    captures = sorted(tcpdump_tests.glob("*.pcap*"))
    frames = [frame for path in captures for frame in filter(fits, as_ethernet(path))]
    assert len(captures) > 600 and len(frames) > 8000
    with open(tmp_path / "in.pcap", "wb") as file:
        writer = dpkt.pcap.Writer(file)
        for number, frame in enumerate(frames):
            writer.writepkt(frame, ts=number)
    pass_through_every_stage(tmp_path / "in.pcap", frames, tmp_path, short_hops)


PROGRAMS = [support.BUILD / "tests/fuzz" / name for name in ("stages_fuzz_corpus",
                                                             "chains_fuzz_corpus")]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_the_malformed_captures_of_tcpdump_harm_no_stage(tcpdump_tests, program):
    """Cut anywhere and with bits turned, under the sanitizers."""
    if not program.exists():
        pytest.skip(f"{program.name} is not built here")
    done = support.run([program, tcpdump_tests], timeout=600)
    assert done.rc == 0, done.out[-500:] + done.err
    assert int(re.search(r"(\d+) packets\n$", done.out)[1]) > 9000
