# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The gpu_host driver as a plugin of DPDK's own programs."""
import shutil
import tempfile

import pytest
import support

PLUGIN = support.BUILD / "lib" / "gpu" / "librte_gpu_ringside_host.so"


@pytest.fixture
def plugin():
    """A copy of the plugin where EAL takes it: no folder above may be writable for all."""
    if shutil.which("dpdk-test-gpudev") is None:
        pytest.skip("dpdk-test-gpudev is not installed")
    with tempfile.TemporaryDirectory(dir="/run", prefix="ringside-") as folder:
        yield shutil.copy(PLUGIN, folder)


def gpudev_test(plugin, vdevs):
    devices = [f"--vdev={vdev}" for vdev in vdevs]
    return support.run(["dpdk-test-gpudev", "--no-pci", "--no-huge", "-m", "128", "-l", "0",
                        "--no-shconf", "--no-telemetry", "-d", plugin, *devices])


@pytest.mark.parametrize("arguments", ["", ",opaque=1", ",memory=1M,opaque=1"])
def test_all_five_tests_of_dpdk_pass(plugin, arguments):
    result = gpudev_test(plugin, ["gpu_host0" + arguments])
    # The program ends with 0 even when its tests fail.
    assert result.out.count("TEST: PASSED") == 5, result.out + result.err
    assert "FAILED" not in result.out


def test_device_tells_its_memory_and_name(plugin):
    result = gpudev_test(plugin, ["gpu_host3,memory=64M"])
    assert "gpu_host3" in result.out
    assert "Tot memory 64.00 MB" in result.out


def test_two_devices_do_not_share_memory_or_names(plugin):
    result = gpudev_test(plugin, ["gpu_host0,memory=32M", "gpu_host1,memory=64M"])
    assert "32.00 MB" in result.out and "64.00 MB" in result.out
    assert result.out.count("TEST: PASSED") == 5


@pytest.mark.parametrize("arguments, named", [("opaque=yes", "opaque=yes"), ("memory=1", "memory=1"),
                                              ("speed=9", "speed=9")])
def test_wrong_arguments_are_named_and_stop_the_program(plugin, arguments, named):
    result = gpudev_test(plugin, ["gpu_host0," + arguments])
    assert result.rc != 0
    assert named in result.err + result.out
    assert "TEST: PASSED" not in result.out


def test_too_little_memory_fails_a_test_and_says_so(plugin):
    result = gpudev_test(plugin, ["gpu_host0,memory=64K"])
    assert result.out.count("TEST: PASSED") < 5
    assert "the device has 65536" in result.err + result.out


def test_plugin_exports_nothing():
    """So that it cannot get in the way of a program that holds the same driver."""
    nm = support.run(["nm", "-D", "--defined-only", PLUGIN])
    ours = [line for line in nm.out.splitlines() if "ringside" in line.lower()]
    assert ours == []
