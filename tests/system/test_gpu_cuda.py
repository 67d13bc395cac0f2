# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The gpu_cuda driver on a real GPU: as a plugin of DPDK's own programs, and when a kernel faults."""
import shutil
import tempfile

import ports as cabling
import pytest
import support

PLUGIN = support.BUILD / "lib" / "gpu" / "librte_gpu_ringside_cuda.so"
FAULT = support.BUILD / "tests" / "system" / "gpu_fault"

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(
    cabling.gpu_is_host(), reason="needs an NVIDIA GPU (--gpu=gpu_cuda0)")]


@pytest.mark.skipif(shutil.which("dpdk-test-gpudev") is None, reason="needs dpdk-test-gpudev")
def test_all_five_tests_of_dpdk_pass_or_four_where_memory_cannot_be_mapped():
    with tempfile.TemporaryDirectory(dir="/run", prefix="ringside-") as folder:
        result = support.run(["dpdk-test-gpudev", "--no-pci", "--no-huge", "-m", "128", "-l", "0",
                              "--no-shconf", "--no-telemetry", "-d", shutil.copy(PLUGIN, folder),
                              *cabling.gpu_eal()])
    # The program ends with 0 even when its tests fail.
    text = result.out + result.err
    unmapped = "device memory cannot be mapped to the CPU" in text
    assert result.out.count("TEST: PASSED") == (4 if unmapped else 5), text
    assert result.out.count("TEST: FAILED") == (1 if unmapped else 0), text


def test_illegal_address_is_one_error_and_never_a_hang():
    result = support.run([FAULT], timeout=30)
    assert result.rc == 0, result.out + result.err
