# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from types import SimpleNamespace

import ports as cabling
import pytest
import support

pytest.register_assert_rewrite("pipelines")



def pytest_addoption(parser):
    cabling.add_options(parser)
    parser.addoption("--shard", default="0/1",
                     help="I/N: of all tests each Nth from the Ith on, to run N of these at once")


def pytest_configure(config):
    # A shell's job in the background ignores it, and what the tests start would too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    cabling.configure(config)
    config.addinivalue_line("markers", "gpu: runs on the GPU that --gpu names")
    config.addinivalue_line("markers", "two_gpus: of two GPUs, which may be one under two names")
    config.addinivalue_line("markers", "alone: looks at what all programs of the machine share")


def pytest_generate_tests(metafunc):
    if "packet_memory" in metafunc.fixturenames:
        metafunc.parametrize("packet_memory", cabling.memories, indirect=True)


def pytest_collection_modifyitems(config, items):
    for item in items:
        if "hugepages_returned" in item.fixturenames:
            item.add_marker("alone")
    if not cabling.cabled and not support.SOFTCX.exists():
        raise pytest.UsageError(
            f"{support.SOFTCX} does not exist: build it, or set RINGSIDE_BUILD to the build folder")
    if os.geteuid() != 0:
        skip = pytest.mark.skip(reason="needs root: softcx makes network and mount namespaces")
        for item in items:
            item.add_marker(skip)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session):
    index, _, count = session.config.getoption("--shard").partition("/")
    session.items[:] = session.items[int(index)::int(count)]


@pytest.fixture
def packet_memory(request):
    """Where packets lie, as --mp-alloc names it: each of --gpu-memory."""
    return request.param


@pytest.fixture
def softcx():
    """softcx(COMMAND list, ports=[...], faults=, sanitize=, timeout=, stdin=, env=) -> Result."""
    def run(command, ports=(), faults="", sanitize=False, **options):
        return support.run(
            support.softcx_command(ports, command, faults=faults, sanitize=sanitize), **options)
    return run


@pytest.fixture
def testpmd_session():
    """Makes TestpmdSessions; all of them are ended with the test.

    testpmd_session(ports=[...], eal=[...], opts=[...]) is Debian's dpdk-testpmd;
    with ringside=True it is `ringside testpmd`.
    """
    sessions = []

    def start(ports=("loop",), eal=("-a", cabling.nic), opts=("-i",), ringside=False, **options):
        program = [support.RINGSIDE, "testpmd"] if ringside else ["dpdk-testpmd"]
        session = support.TestpmdSession(
            ports, [*program, *support.EAL, *eal, "--", *opts], **options)
        sessions.append(session)
        return session

    yield start
    for session in sessions:
        session.close()


@pytest.fixture
def dumps_removed():
    """The PMD writes what a failed queue holds into files."""
    def dumps():
        return set(Path("/var/log").glob("dpdk_mlx5_port_*"))
    before = dumps()
    yield
    for dump in dumps() - before:
        dump.unlink()


@pytest.fixture
def veth():
    """A veth pair: veth.name for `netdev:`, veth.send(packets) at its other end, veth.peer."""
    if shutil.which("ip") is None:
        pytest.skip("needs ip (iproute2)")
    name, other = f"rsf{os.getpid()}a", f"rsf{os.getpid()}b"
    subprocess.run(["ip", "link", "add", name, "type", "veth", "peer", "name", other], check=True)
    try:
        for end in (name, other):
            with open(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6", "w") as file:
                file.write("1")
            subprocess.run(["ip", "link", "set", end, "up"], check=True)
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
            sender.bind((other, 0))

            def send(packets):
                for packet in packets:
                    sender.send(bytes(packet))
            yield SimpleNamespace(name=name, peer=other, send=send)
    finally:
        subprocess.run(["ip", "link", "del", name], check=False)


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
