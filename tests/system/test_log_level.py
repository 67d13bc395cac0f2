# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Ringside's own diagnostics on standard error, and EAL's --log-level, which holds for them too."""
import pytest
import support

PIPELINE = """
version: 1
memory_regions: [{name: packets}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {queues: [{name: rx0, memory_regions: [packets]}]}
    tx: {queues: [{name: tx0}]}
pipelines:
  - {name: main, sources: [port0.rx0], stages: [count], sinks: [{name: out, tx: [port0.tx0]}]}
telemetry: {json: REPORT}
"""
EAL = [*support.EAL, "--vdev=gpu_host0"]


@pytest.fixture
def run(softcx, tmp_path):
    """run(EAL options, fault): a run that tells of a virtual function, and cannot write its report."""
    def start(*options, report="/dev/full"):
        file = tmp_path / "p.yaml"
        file.write_text(PIPELINE.replace("REPORT", str(report)))
        result = softcx([support.RINGSIDE, "run", file, "--duration", "0.1", "--", *EAL, *options],
                        faults="vf-untrusted", ports=["null"])
        own = [line for line in result.err.splitlines() if line.startswith("ringside: ")]
        return result, own
    return start


def levels(lines):
    return {line.split(": ")[1] for line in lines}


def test_warnings_and_errors_are_told_on_standard_error(run):
    result, own = run()
    assert result.rc == 1
    assert levels(own) == {"warning", "error"}
    assert any("is a virtual function" in line for line in own)
    assert "ringside: error: cannot write the report to /dev/full: ENOSPC" in "\n".join(own)
    assert "virtual function" not in result.out and "cannot write" not in result.out


@pytest.mark.parametrize("option, expected", [
    ("--log-level=ringside:error", {"error"}),
    ("--log-level=ringside:critical", set()),
    ("--log-level=ringside,info", {"info", "warning", "error"}),
    ("--log-level=*:info", {"info", "warning", "error"}),
    ("--log-level=ring.*,7", {"info", "warning", "error"}),
    ("--log-level=pmd.net.mlx5:debug", {"warning", "error"}),
    ("--log-level=error", {"error"}),  # a limit for all, as for DPDK's own
    ("--log-level=debug", {"warning", "error"}),
])
def test_eals_option_sets_their_level(run, option, expected):
    result, own = run(option)
    assert (result.rc, levels(own)) == (1, expected), result.err


def test_what_starts_with_which_values_is_information(run, tmp_path):
    result, own = run("--log-level=ringside:info", report=tmp_path / "report.json")
    assert result.rc == 0
    for line in ("ringside: info: GPU 0: gpu_host0 (gpu_host), ",
                 "ringside: info: mempool gpu0_packets: 1536 mbufs of 1664 bytes",
                 "ringside: info: port 0: started, kernels on gpu_host0",
                 "ringside: info: kernel pipeline on gpu_host0: 1 blocks of 1 threads"):
        assert any(one.startswith(line) for one in own), own


def test_testpmd_has_it_before_its_separator(testpmd_session):
    session = testpmd_session(ports=["null"], ringside=True,
                              eal=["-a", support.NIC, "--vdev=gpu_host0", "--log-level=ringside:info"],
                              opts=["-i", "--mp-alloc=gpu"])
    assert "ringside: info: mempool gpu0_packets" in session.banner
    assert session.quit()[0] == 0


def test_eal_lists_it(softcx):
    result = softcx([support.RINGSIDE, "testpmd", "--log-level=help"], ports=["null"])
    assert "ringside" in (result.out + result.err).split()
