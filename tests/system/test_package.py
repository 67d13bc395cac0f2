# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What is installed is whole: outside projects build against it, wherever it lies."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess

import documents
import dpkt
import pytest
import support

GUIDE = support.ROOT / "docs" / "your-own-kernel.md"
CAPTURE = support.DATA / "http-dns-icmp.pcap"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")

pytestmark = pytest.mark.skipif(
    "RINGSIDE_TEST_PRELOAD" in os.environ,
    reason="an outside project is built without the sanitizer that the libraries would need")


def sh(script, cwd, home, timeout=300):
    """Runs the script in a new shell and returns what it prints; fails where a command does."""
    env = {name: value for name, value in os.environ.items() if name != "PKG_CONFIG_PATH"}
    done = subprocess.run(["bash", "-euc", script], cwd=cwd, env={**env, "HOME": str(home)},
                          capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A folder that looks like a clone that was built."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "build").symlink_to(support.BUILD)
    (folder / "tests").symlink_to(support.ROOT / "tests")
    return folder


@pytest.fixture(scope="module")
def installed(clone):
    """The prefix of what the guide's first commands install, moved to where nothing points to."""
    home = clone / "first"
    home.mkdir()
    sh(documents.blocks(GUIDE, "sh")[0].text, clone, home)
    moved = clone / "moved"
    shutil.move(home / "ringside" / "usr" / "local", moved)
    return moved


def is_dns(frame):
    ip = dpkt.ethernet.Ethernet(frame).data
    udp = getattr(ip, "data", None)
    return isinstance(udp, dpkt.udp.UDP) and 53 in (udp.sport, udp.dport)


def test_the_guide_leads_from_the_clone_to_a_running_filter(clone):
    """All its commands, as they stand there, in one shell."""
    home = clone / "home"
    home.mkdir()
    script = "".join(block.text for block in documents.blocks(GUIDE, "sh"))
    said = sh(script, clone, home)
    expected = [frame for frame in support.frames(CAPTURE) if is_dns(frame)]
    assert 0 < len(expected) < len(support.frames(CAPTURE))
    assert support.frames(home / "packet-filter" / "dns.pcap") == expected
    assert documents.blocks(GUIDE, "text")[0].text in said
    assert said.endswith(f"\n{len(expected)}\n")


def test_the_guide_shows_the_example_as_it_is():
    shown = {block.name: block.text for block in documents.blocks(GUIDE)}
    example = support.ROOT / "examples" / "packet-filter"
    for file in example.iterdir():
        licence, text = file.read_text().split("authors\n", 1)
        assert "SPDX" in licence
        assert shown.get(f"examples/packet-filter/{file.name}") == text, file


def pkg_config(prefix, *options):
    path = next(prefix.rglob("ringside.pc")).parent
    return support.run(["pkg-config", *options, "ringside"],
                       env={"PKG_CONFIG_PATH": str(path)}).out.split()


def check_syntax(prefix, *arguments, cwd=None):
    return support.run(["c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-volatile",
                        "-fsyntax-only", "-x", "c++",  # -Wno-volatile: DPDK 22.11
                        *pkg_config(prefix, "--cflags"), *arguments], cwd=cwd)


def compile_alone(prefix, text, folder):
    (folder / "outside.cpp").write_text(text)
    return check_syntax(prefix, "outside.cpp", cwd=folder)


def test_the_guides_own_loop_compiles_against_what_is_installed(installed, tmp_path):
    loop = next(block for block in documents.blocks(GUIDE, "cpp") if block.name == "loop")
    done = compile_alone(installed, loop.text, tmp_path)
    assert done.rc == 0, done.err
    assert compile_alone(installed, loop.text.replace("release", "let_go"), tmp_path).rc != 0


def headers(prefix):
    root = prefix / "include" / "ringside"
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*.hpp")}


def test_installed_headers_include_only_what_is_installed(installed):
    there = headers(installed)
    assert "lib/runtime/runtime.hpp" in there
    for room in ("lib/device", "lib/mlx5"):  # all of them
        for path in (support.ROOT / room).rglob("*.hpp"):
            assert str(path.relative_to(support.ROOT)) in there
    missing = {(name, included) for name, text in there.items()
               for included in INCLUDE.findall(text) if included not in there}
    assert missing == set()


@pytest.fixture(scope="module")
def for_any_compiler(installed):
    return sorted(name for name in headers(installed) if "cuda" not in name)


def test_each_installed_header_compiles_alone_with_what_pkg_config_says(installed, for_any_compiler):
    """But for those of the CUDA compiler. Without DPDK's macro for what it calls experimental."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(lambda name: check_syntax(installed, "-include", name, os.devnull),
                        for_any_compiler)
        wrong = {name: one.err for name, one in zip(for_any_compiler, done) if one.rc != 0}
    assert wrong == {}


def test_all_installed_headers_compile_together(installed, for_any_compiler, tmp_path):
    text = "".join(f'#include "{name}"\n' for name in for_any_compiler)
    done = compile_alone(installed, text, tmp_path)
    assert done.rc == 0, done.err


def test_installed_programs_find_their_parts_where_they_were_moved(installed, tmp_path):
    """softcx its library. The headers for a stage of the user's are in the program, whatever lies on
    the disk."""
    compiler = tmp_path / "compiler"
    compiler.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/commands\nexec c++ "$@"\n')
    compiler.chmod(0o755)
    folder = support.DATA / "user-stage"
    done = support.run(
        [installed / "bin" / "softcx", "run", "--port", f"pcap:in={CAPTURE}", "--",
         installed / "bin" / "ringside", "run", next(folder.glob("*.yaml")), "--packets", "159",
         "--", "--in-memory", "--vdev=gpu_host0"], cwd=folder, env={"CXX": str(compiler)})
    assert done.rc == 0, done.err
    commands = (tmp_path / "commands").read_text()
    assert "short_hops.cpp" in commands
    assert [word for word in commands.split() if word.startswith("-I")
            and (str(installed) in word or str(support.ROOT) in word)] == []


def test_installed_hw_check_finds_the_installed_ringside(installed):
    done = support.run(
        [installed / "bin" / "softcx", "run", "--port", "cross:1", "--port", "cross:0", "--",
         installed / "bin" / "ringside-hw-check", "0000:ca:00.0", "0000:ca:00.1", "--json"],
        env={"RINGSIDE_BUILD": str(installed / "no-build")})
    found = {f["check"]: f["status"] for f in json.loads(done.out)["findings"]}
    assert done.rc == 0 and found["link"] == found["min-inline"] == "PASS", done.out


def test_what_users_copy_and_read_is_installed(installed):
    share = installed / "share"
    doc = share / "doc" / "ringside"
    texts = {path.relative_to(doc): path.read_bytes() for path in doc.rglob("*") if path.is_file()}
    results = "tests/bench/results"
    names = ("LICENSE", "README.md", f"{results}/send_cost.md", f"{results}/h200.svg", "docs/*.md")
    assert texts == {path.relative_to(support.ROOT): path.read_bytes()
                     for name in names for path in support.ROOT.glob(name)}
    configs = sorted(path.name for path in (support.ROOT / "config").iterdir())
    assert sorted(path.name for path in (share / "ringside" / "config").iterdir()) == configs
    schema = support.run([installed / "bin" / "ringside", "check", "--json-schema"]).out
    assert (share / "ringside" / "pipeline.schema.json").read_text() == schema
    assert pkg_config(installed, "--modversion") == support.run(
        [installed / "bin" / "ringside", "--version"]).out.split()[1:]


def anchors(document):
    """Where links lead to inside of a document: its headings."""
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", documents.without_blocks(document), re.MULTILINE)}


def dead_links(folder):
    """(document, link) of each link of a document below the folder to a file or heading that is not there."""
    for document in folder.rglob("*.md"):
        for link in LINK.findall(documents.without_blocks(document)):
            name, _, anchor = link.partition("#")
            target = document.parent / name if name else document
            if not (target.exists() and target.resolve().is_relative_to(folder.resolve())
                    and (not anchor or anchor in anchors(target))):
                yield str(document.relative_to(folder)), link


def test_links_of_installed_documents_lead_to_what_is_installed(installed, tmp_path):
    doc = installed / "share" / "doc" / "ringside"
    assert list(dead_links(doc)) == []
    moved = shutil.copytree(doc, tmp_path / "doc")
    (moved / "tests/bench/results/send_cost.md").unlink()
    (moved / "README.md").write_text("# Sped\n")
    assert set(dead_links(moved)) == {
        ("docs/performance.md", "../README.md#speed"), ("docs/pipelines.md", "../README.md#pipelines"),
        ("docs/performance.md", "../tests/bench/results/send_cost.md")}
