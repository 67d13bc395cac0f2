# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Stages of the user's: sources that are compiled at the start, and shared objects."""
import shutil
import subprocess

import pipelines
import ports as cabling
import pytest
import support
from pipeline_runs import CAPTURE, EAL, packets_lie_there, pipeline  # noqa: F401

pytestmark = pytest.mark.gpu


@pytest.fixture
def outside(tmp_path):
    """The example of a user's stage, in a folder of its own."""
    return shutil.copytree(support.DATA / "user-stage", tmp_path / "mine")


def run_outside(outside, *options):
    return support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={outside}/out.pcap"],
        [support.RINGSIDE, "run", outside / "pipeline.yaml", "--packets", "159", *options, "--",
         *EAL]), timeout=300)


def judge_outside(outside):
    assert support.frames(outside / "out.pcap") == pipelines.short_hops(support.frames(CAPTURE))


def test_a_source_file_of_the_users_is_compiled_and_runs(outside):
    done = run_outside(outside)
    assert done.rc == 0, done.err
    judge_outside(outside)


def compile_for_gpus(outside):
    """As kernels/stage.hpp says; host threads do not look at it."""
    if cabling.gpu_is_host():
        (outside / "mine.fatbin").write_bytes(b"what nvcc makes of it")
        return
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None:
        pytest.skip("needs nvcc")
    subprocess.run([nvcc, "-std=c++20", "-x", "cu", "-rdc=true", "-fatbin", "-arch=native",
                    f"-I{support.ROOT}", outside / "short_hops.cpp", "-o",
                    outside / "mine.fatbin"], check=True, cwd=outside)


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
@pytest.mark.parametrize("for_gpus", (False, True), ids=("for CPUs", "for GPUs too"))
def test_a_shared_object_of_the_users_runs(outside, for_gpus):
    options = []
    if for_gpus:
        compile_for_gpus(outside)
        options = ['-DRINGSIDE_STAGE_CUDA="mine.fatbin"']
    subprocess.run(["c++", "-std=c++20", "-shared", "-fPIC", f"-I{support.ROOT}", *options,
                    outside / "short_hops.cpp", "-o", outside / "mine.so"], check=True, cwd=outside)
    file = outside / "pipeline.yaml"
    file.write_text(file.read_text().replace("source: short_hops.cpp", "object: mine.so"))
    done = run_outside(outside)
    if not for_gpus and not cabling.gpu_is_host():
        assert done.rc == 2 and "has no code for a GPU" in done.err, done.err
        return
    assert done.rc == 0, done.err
    judge_outside(outside)


def test_an_error_in_a_users_source_is_shown_by_its_own_line(outside):
    source = outside / "short_hops.cpp"
    source.write_text(source.read_text().replace("Next::kDrop", "Next::kDorp"))
    line = 1 + source.read_text().split("\n").index(
        "  if (ttl.low > params[0]) return Next::kDorp;")
    done = run_outside(outside)
    assert done.rc == 2
    assert f"short_hops.cpp:{line}:" in done.err and "kDorp" in done.err


@pytest.mark.parametrize("change, words", [
    (("function: short_hops", "function: long_hops"), "has no function"),
    (("source: short_hops.cpp", "object: pipeline.yaml"), "cannot load the stage"),
])
def test_a_users_stage_that_is_not_there_is_named(outside, change, words):
    file = outside / "pipeline.yaml"
    file.write_text(file.read_text().replace(*change))
    done = run_outside(outside)
    assert done.rc == 2 and words in done.err
