# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Chains that the machine's compiler compiles for CPU threads, and what becomes of it without one."""
import os
import pathlib
import re
import signal

import pipelines
import ports as cabling
import pytest
import support
from pipeline_runs import CAPTURE, EAL, packets_lie_there, pipeline, running  # noqa: F401

FILTER = pipelines.CONFIG / "filter.yaml"


@pytest.fixture(autouse=True)
def nothing_kept(tmp_path, monkeypatch):
    """From runs before."""
    cabling.require_host_gpu("on another one NVRTC compiles")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def compilations(tmp_path, monkeypatch):
    """compilations() is how many there were."""
    log = tmp_path / "log"
    log.touch()
    compiler = tmp_path / "cxx"
    compiler.write_text(f'#!/bin/sh\n[ "$1" = --version ] || echo >>{log}\n'
                        f'exec {os.environ.get("CXX") or "c++"} "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    return lambda: len(log.read_text())


def run_filter(tmp_path):
    """What it prints, once what it sends has been judged."""
    out = tmp_path / "filtered.pcap"
    done = support.run(support.softcx_command(
        [f"pcap:in={CAPTURE},out={out}"],
        [support.RINGSIDE, "run", FILTER, "--packets", "159", "--", *EAL]))
    assert done.rc == 0, done.err
    before = support.frames(CAPTURE)
    assert support.frames(out) == [
        pipelines.swapped(frame) for frame in before
        if pipelines.is_dns(frame) or pipelines.is_http(frame)]
    return done.out


def test_a_file_is_compiled_once(tmp_path, compilations):
    assert re.search(r"gpu_host0: kernel made for this file in \d+\.\d\d s\n", run_filter(tmp_path))
    assert compilations() == 1
    assert "kernel made for this file" in run_filter(tmp_path)
    assert compilations() == 1


@pytest.mark.parametrize("compiler, why", [
    ("/nowhere/c++",
     "there is no compiler: cannot start /nowhere/c++: ENOENT (No such file or directory)"),
    ("g++ 'half", "CXX is not a command with arguments: 'g++ 'half'"),
    ("c++ -include nothing.hpp",
     "the compiler does not take a chain: <command-line>: fatal error: nothing.hpp: No such file")])
def test_without_a_compiler_it_runs_all_the_same_and_says_so(tmp_path, monkeypatch, compiler, why):
    monkeypatch.setenv("CXX", compiler)
    said = run_filter(tmp_path)
    assert said.count(f"gpu_host0: kernel not made for this file, which costs speed: {why}") == 1


def test_without_a_folder_for_temporary_files_it_runs_all_the_same_and_says_so(tmp_path,
                                                                               monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "missing"))
    said = run_filter(tmp_path)
    assert "kernel not made for this file, which costs speed: there is no folder for temporary" in said


def test_a_reload_to_other_fields_is_compiled_too(running, tmp_path, compilations):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 1}}}, name: port}"))
    run = running(f"pcap:in={CAPTURE},loop=0", file)
    run.line(r"received \d{3,} .* sent 0 ")
    for fields, compiled in (("udp: {dst: 2}", 1), ("ipv4: {src: 0.0.0.0/0}", 2)):
        run.lines.clear()
        file.write_text(pipeline(f"{{match: {{fields: {{{fields}}}}}, name: port}}"))
        run.process.send_signal(signal.SIGHUP)
        run.line("reload: pipeline main: new parameters$")
        assert compilations() == compiled
    run.line(r"received \d+ .* sent \d{3,} ")
    assert run.end()[0] == 0


def test_a_reload_that_cannot_be_compiled_says_why_and_is_walked(running, tmp_path, monkeypatch):
    broken = tmp_path / "broken"
    compiler = tmp_path / "cxx"
    compiler.write_text(f"""#!/bin/sh
[ ! -e {broken} ] || [ "$1" = --version ] || {{ printf 'from a.hpp:1:\nb.hpp:2:3: error: no more\n' >&2; exit 1; }}
exec {os.environ.get("CXX") or "c++"} "$@"
""")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 1}}}, name: port}"))
    run = running(f"pcap:in={CAPTURE},loop=0", file)
    run.line(r"received \d{3,} .* sent 0 ")
    broken.touch()
    file.write_text(pipeline("{match: {fields: {ipv4: {src: 0.0.0.0/0}}}, name: port}"))
    run.process.send_signal(signal.SIGHUP)
    run.line("reload: pipeline main: new parameters, kernel not made for them, which costs speed: "
             "the compiler does not take a chain: b.hpp:2:3: error: no more$")
    run.line(r"received \d+ .* sent \d{3,} ")
    assert run.end()[0] == 0


def seen_of(word):
    """How many processes have it in their command lines."""
    count = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            count += word in (process / "cmdline").read_bytes()
        except OSError:  # it has ended
            pass
    return count


@pytest.mark.parametrize("number", (signal.SIGINT, signal.SIGTERM))
@pytest.mark.parametrize("reloads", (False, True), ids=("at the start", "in a reload"))
def test_a_signal_ends_it_while_the_compiler_runs(running, tmp_path, monkeypatch, number, reloads):
    endless, started, temporary = (tmp_path / name for name in ("endless", "started", "temporary"))
    compiler = tmp_path / "cxx"
    compiler.write_text(f"""#!/bin/sh
[ -e {endless} ] && [ "$1" != --version ] || exec {os.environ.get("CXX") or "c++"} "$@"
touch {started}
sleep 1234.5
""")
    compiler.chmod(0o755)
    temporary.mkdir()
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("TMPDIR", str(temporary))
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 1}}}, name: port}"))
    if not reloads:
        endless.touch()
    run = running(f"pcap:in={CAPTURE},loop=0", file)
    if reloads:
        run.line(r"received \d{3,} ")
        endless.touch()
        file.write_text(pipeline("{match: {fields: {ipv4: {src: 0.0.0.0/0}}}, name: port}"))
        run.process.send_signal(signal.SIGHUP)
    assert support.eventually(started.exists)
    assert list(temporary.glob("ringside-stage-*"))
    with support.Seconds() as seconds:
        status, text = run.end(number)
    assert seconds.passed() < support.promised(2), text
    assert status == (0 if reloads else 1), text
    said = "reload refused" if reloads else "ringside"
    assert f"{said}: stopped while {compiler} was running" in text
    assert not list(temporary.glob("ringside-stage-*"))
    assert seen_of(b"1234.5") == 0


def loaded_chains(file):
    """That each `ringside run` of the file has open."""
    counts = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[:2] == [bytes(support.RINGSIDE), b"run"] and bytes(file) in words:
                counts.append(sum("ringside-chains" in os.readlink(fd)
                                  for fd in (process / "fd").iterdir()))
        except OSError:  # it has ended
            pass
    return counts


def test_reloads_let_go_of_what_was_compiled_for_those_before(running, tmp_path):
    file = tmp_path / "p.yaml"
    file.write_text(pipeline("{match: {fields: {udp: {dst: 1}}}, name: port}"))
    run = running(f"pcap:in={CAPTURE},loop=0", file)
    run.line(r"received \d{3,} .* sent 0 ")
    assert loaded_chains(file) == [1]
    for fields in ("udp: {src: 2}", "ipv4: {src: 0.0.0.0/0}", "ipv4: {dst: 0.0.0.0/0}",
                   "ipv4: {ttl: 1-255}", "eth: {type: 0x800}"):
        run.lines.clear()
        file.write_text(pipeline(f"{{match: {{fields: {{{fields}}}}}, name: port}}"))
        run.process.send_signal(signal.SIGHUP)
        run.line("reload: pipeline main: new parameters$")
        run.line(r"received \d{3,}")  # by then the block has left the chain before
    assert max(loaded_chains(file)) <= 3, "the last one, and those that a block may just have left"
    run.line(r"received \d+ .* sent \d{3,} ")
    assert run.end()[0] == 0


@pytest.mark.alone  # what others run beside it costs time
def test_a_first_start_takes_so_little_of_the_cpu_that_packets_come_within_two_seconds(
        tmp_path, monkeypatch, compilations):
    """The rest is sleep, which test_pipeline_run.py measures."""
    def run(number):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / f"cache{number}"))
        return support.cpu_seconds(lambda: run_filter(tmp_path))
    assert min(map(run, range(3))) < support.promised(1.2)
    assert compilations() == 3
