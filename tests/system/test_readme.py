# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Commands and examples of README and of docs, as they stand there."""
import os
import subprocess

import documents
import pytest
import support
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

README = support.ROOT / "README.md"
PIPELINES = support.ROOT / "docs/pipelines.md"
CAPTURE = support.DATA / "http-dns-icmp.pcap"


@pytest.fixture
def clone(tmp_path):
    """A folder that looks like a clone that was built."""
    (tmp_path / "build").symlink_to(support.BUILD)
    for name in ("tests", "tools"):
        (tmp_path / name).symlink_to(support.ROOT / name)
    return tmp_path


def answer(frame):
    """To a DNS request: itself, back where it came from; None to anything else."""
    packet = Ether(frame)
    if UDP not in packet or packet[UDP].dport != 53:
        return None
    for layer, ends in ((Ether, "src dst"), (IP, "src dst"), (IPv6, "src dst"), (UDP, "sport dport")):
        if layer in packet:
            one, other = ends.split()
            header = packet[layer]
            here, there = getattr(header, one), getattr(header, other)
            setattr(header, one, there)
            setattr(header, other, here)
    return bytes(packet)


@pytest.mark.skipif("RINGSIDE_TEST_PRELOAD" in os.environ,
                    reason="programs with a sanitizer do not start by these commands alone")
def test_the_pipeline_chapter_leads_from_a_clone_to_a_filter(clone):
    blocks = documents.blocks(README)
    script = "".join(block.text for block in blocks if block.language == "sh")
    assert "tools/quickstart" in script and "ringside run" in script
    done = subprocess.run(["bash", "-euc", script], cwd=clone, capture_output=True, text=True,
                          timeout=600, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    for block in blocks:
        assert block.language != "text" or block.text in done.stdout
    expected = list(filter(None, map(answer, support.frames(CAPTURE))))
    assert support.frames(clone / "dns.pcap") == expected and len(expected) == 4


def test_the_stage_of_the_pipeline_manual_is_the_one_that_is_tested():
    example = (support.DATA / "user-stage" / "short_hops.cpp").read_text()
    stage = "\n".join(line for line in example.split("\n") if not line.startswith("//"))
    indented = "".join(f"    {line}\n" if line else "\n" for line in stage.strip().split("\n"))
    assert "RINGSIDE_STAGE" in stage and indented in PIPELINES.read_text()
