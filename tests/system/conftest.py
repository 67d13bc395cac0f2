# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
import os

import pytest
import support


def pytest_collection_modifyitems(config, items):
    if not support.SOFTCX.exists():
        raise pytest.UsageError(
            f"{support.SOFTCX} does not exist: build it, or set RINGSIDE_BUILD to the build folder")
    if os.geteuid() != 0:
        skip = pytest.mark.skip(reason="needs root: softcx makes network and mount namespaces")
        for item in items:
            item.add_marker(skip)


@pytest.fixture
def softcx():
    """softcx(COMMAND list, ports=[...], timeout=, stdin=, env=) -> Result."""
    def run(command, ports=(), **options):
        return support.run(support.softcx_command(ports, command), **options)
    return run


@pytest.fixture
def testpmd_session():
    """Makes TestpmdSessions; all of them are ended with the test.

    testpmd_session(ports=[...], eal=[...], opts=[...]) is Debian's dpdk-testpmd;
    with ringside=True it is `ringside testpmd`.
    """
    sessions = []

    def start(ports=("loop",), eal=("-a", support.NIC), opts=("-i",), ringside=False, **options):
        program = [support.RINGSIDE, "testpmd"] if ringside else ["dpdk-testpmd"]
        session = support.TestpmdSession(
            ports, [*program, *support.EAL, *eal, "--", *opts], **options)
        sessions.append(session)
        return session

    yield start
    for session in sessions:
        session.close()


@pytest.fixture
def shared_data():
    """The folder of foreign captures that are not part of the repository."""
    if not (support.SHARED_DATA / "captures.tsv").exists():
        pytest.skip(f"no captures in {support.SHARED_DATA}: set RINGSIDE_SHARED_DATA")
    return support.SHARED_DATA


@pytest.fixture
def hugepages_returned():
    """Fails the test when it ends with fewer free hugepages than it began with."""
    before = support.free_hugepages()
    yield
    assert support.eventually(lambda: support.free_hugepages() >= before), (
        f"{before - support.free_hugepages()} hugepages were not given back")
