# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Captures of others, damaged ones too, through every stage that there is."""
import json
import re
import subprocess

import pytest
import support
from pipeline_runs import EAL, packets_lie_there, pipeline  # noqa: F401

pytestmark = pytest.mark.gpu

CAPTURES = support.shared_capture_paths()


@pytest.fixture(scope="module")
def short_hops(tmp_path_factory):
    """The example of a user's stage as an object."""
    built = tmp_path_factory.mktemp("stage") / "short_hops.so"
    subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", f"-I{support.ROOT}",
                    support.DATA / "user-stage/short_hops.cpp", "-o", built], check=True)
    return built


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
  {user: {object: OBJECT, function: short_hops, params: [255]}},
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


@pytest.mark.skipif(not CAPTURES, reason="no foreign captures: set RINGSIDE_SHARED_DATA")
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
def test_foreign_and_damaged_captures_pass_through_every_stage(capture, tmp_path, short_hops):
    file = tmp_path / "p.yaml"
    out = "{name: out, tx: [port0.tx0, port0.tx1]}"
    text = pipeline(EVERY_STAGE.replace("OBJECT", str(short_hops))) + BESIDE_EVERY_STAGE
    text = text.replace(out, out + f", {{name: copies, pcap: {tmp_path}/copies.pcap}}")
    text = text.replace("    address: 0000:ca:00.0", "    address: 0000:ca:00.0\n    mtu: 9000")
    file.write_text(text)
    frames = [frame for frame in support.frames(capture) if 14 <= len(frame) <= 9014]
    limit = ["--packets", str(len(frames)), "--duration", "60"] if frames else ["--duration", "1"]
    done = support.run(support.softcx_command(
        [f"pcap:in={capture},out={tmp_path}/out.pcap"],
        [support.RINGSIDE, "run", file, "--json", *limit, "--", *EAL]), timeout=120)
    assert done.rc == 0, done.err
    report = json.loads(done.out[done.out.index("{\n"):])
    assert report["received"] == report["sent"] == len(frames)
