# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside check`: each wrong file gets the errors at its end, each right one none."""
import json
import os
import re

import pytest
import support

PIPELINES = support.ROOT / "tests/data/pipelines"
SMALL_MACHINE = support.ROOT / "tests/data/machines/small"
WRONG = sorted(PIPELINES.glob("wrong/*.yaml"))
VALID = sorted([*PIPELINES.glob("valid/*.yaml"), *support.ROOT.glob("config/*.yaml")])
EXPECTATION = re.compile(r"^# (\S+: (?:error|warning): .*)$", re.MULTILINE)


def by_name(path):
    return path.stem


def check(*arguments, **options):
    return support.run([support.RINGSIDE, "check", *arguments], **options)


def check_bytes(tmp_path, content):
    """The errors about a file of these bytes, without its name."""
    file = tmp_path / "file.yaml"
    file.write_bytes(content)
    result = check("--no-machine", file)
    assert result.rc == 2, result.err
    return [line.removeprefix(f"{file}:") for line in result.err.splitlines()[:-1]]


def test_there_is_a_wrong_file_for_each_rule():
    assert len(WRONG) >= 60


@pytest.mark.parametrize("file", WRONG, ids=by_name)
def test_a_wrong_file_gets_exactly_the_errors_at_its_end(file):
    expected = EXPECTATION.findall(file.read_text())
    assert expected, "the file says no error"
    result = check("--sysroot", SMALL_MACHINE, file.name, cwd=file.parent)
    assert result.err.splitlines()[:-1] == expected
    assert re.fullmatch(rf"{file.name}: \d+ errors?", result.err.splitlines()[-1])
    assert result.out == ""
    assert result.rc == 2


@pytest.mark.parametrize("file", VALID, ids=by_name)
def test_a_right_file_has_no_errors(file):
    result = check("--no-machine", file)
    assert (result.rc, [line for line in result.err.splitlines() if ": error: " in line]) == (0, [])
    assert result.out.startswith(f"{file}: nothing wrong")


@pytest.mark.parametrize("file", VALID, ids=by_name)
def test_the_resolved_configuration_resolves_to_itself_anywhere(file, tmp_path):
    resolved = check("--no-machine", "--resolved", file)
    assert resolved.rc == 0, resolved.err
    copy = tmp_path / "copy.yaml"
    copy.write_text(resolved.out)
    again = check("--no-machine", "--resolved", copy)
    assert (again.rc, again.out) == (0, resolved.out)


def test_the_resolved_configuration_has_every_default(tmp_path):
    file = tmp_path / "least.yaml"
    file.write_text((PIPELINES / "wrong/version-unknown.yaml").read_text()
                    .replace("version: 2", "version: 1"))
    resolved = check("--no-machine", "--resolved", file).out
    for line in ("hugepages: true", "num_bufs: 1536", "buf_size: 1664", "mtu: 1500",
                 "unmatched: rss", "num_desc: 1024", "pacing: none", "threads_per_block: auto",
                 "- name: count", "stats_period: 1s"):
        assert re.search(rf"^ *{line}$", resolved, re.MULTILINE), line


def test_the_resolved_configuration_says_what_takes_how_much_memory(tmp_path):
    file = tmp_path / "memory.yaml"
    file.write_text("""
version: 1
memory_regions: [{name: data, num_bufs: 8192, buf_size: 2048}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {queues: [{name: rx0, num_desc: 4096, memory_regions: [data]}]}
    tx: {queues: [{name: tx0, num_desc: 4096}]}
tables: [{name: known, capacity: 1000000, entries: [{src: 10.0.0.1, dst: 10.0.0.2, proto: 17}]}]
pipelines:
  - name: main
    sources: [port0.rx0]
    kernels:
      - {name: one, stages: [{police: {packet_rate: 1, per: source_ip, buckets: 1048576}}]}
      - {name: two, depth: 65536, stages: [{lookup: {table: known}}, {mirror: {to: cap}}]}
    sinks: [{name: out, tx: [port0.tx0]}, {name: cap, pcap: {file: cap.pcap, snaplen: 960}}]
""")
    resolved = check("--no-machine", "--resolved", file)
    assert resolved.rc == 0, resolved.err
    lines = [line for line in resolved.out.splitlines() if line.startswith("#")]
    # 8192 buffers of 2 KiB; 4096 times 208 bytes and four pages; 4096 times 14 bytes; 2^20 words of
    # 8 bytes; 200 bytes for 3.4 entries of the table; 65536 times 28 bytes; two blocks' counters, one
    # block's 1024 samples of 1 KiB; 255 mbufs of the PMD's own.
    assert lines == [
        "# Memory, about:",
        "#   GPU 0: 84 MiB (packet buffers 16 MiB, rings 896 KiB, queue state 64 KiB, stages 220 KiB, "
        "state of stages 9 MiB, table known 57 MiB, semaphores 3 MiB)",
        "#   GPU 0 from a reload on: 140 MiB",
        "#   pinned host memory: 2 MiB (counters 12 KiB, rings of samples 1 MiB)",
        "#   hugepages: 49 MiB (EAL and ports 45 MiB, mbufs 4 MiB)"]


@pytest.mark.parametrize("capacity, warning", [
    (3_000_000, "a reload lays new stages and tables beside the old ones: 342 MiB of GPU memory are "
                "needed then, and 0000:17:00.0 may have no more than 256 MiB"),
    (6_000_000, "342 MiB of GPU memory are needed (packet buffers 4 MiB, rings 256 KiB, queue state "
                "64 KiB, table known 337 MiB, stages 99 KiB, state of stages 64 KiB): whether "
                "0000:17:00.0 has more than the 256 MiB that the NIC reaches cannot be read"),
])
def test_what_a_gpu_may_have_beyond_the_nics_reach_is_a_warning(tmp_path, capacity, warning):
    file = tmp_path / "table.yaml"
    file.write_text(f"""
version: 1
memory_regions: [{{name: data}}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {{queues: [{{name: rx0, memory_regions: [data]}}]}}
    tx: {{queues: [{{name: tx0}}]}}
tables:
  - {{name: known, capacity: {capacity}, entries: [{{src: 10.0.0.1, dst: 10.0.0.2, proto: 17}}]}}
pipelines:
  - name: main
    sources: [port0.rx0]
    stages: [{{lookup: {{table: known}}}}]
    sinks: [{{name: out, tx: [port0.tx0]}}]
""")
    result = check("--sysroot", SMALL_MACHINE, file)
    assert result.rc == 0
    assert result.err == f"{file}:3:17: warning: memory_regions: {warning}\n"


def test_warnings_are_shown_and_are_no_errors():
    result = check("--sysroot", SMALL_MACHINE, PIPELINES / "valid/unusual.yaml")
    assert result.rc == 0
    assert [line.split(": ", 1)[1] for line in result.err.splitlines()] == [
        "warning: pipelines[0].branches[0]: no stage leads to unused-names-may-have-dashes"]
    assert result.out.endswith("nothing wrong, 1 warning\n")


@pytest.mark.parametrize("file", WRONG, ids=by_name)
def test_run_refuses_what_check_refuses_in_the_same_words(file):
    refused = support.run([support.RINGSIDE, "run", file.name], cwd=file.parent)
    checked = check(file.name, cwd=file.parent)
    if checked.rc == 0:  # wrong for another machine only
        pytest.skip("right on this machine")
    assert (refused.rc, refused.out) == (2, "")
    assert refused.err.splitlines() == checked.err.splitlines()[:-1]


def test_a_device_that_is_missing_and_memory_that_cannot_be_read_are_warnings(tmp_path):
    machine = tmp_path / "machine"
    gpu = machine / "sys/bus/pci/devices/0000:17:00.0"
    gpu.mkdir(parents=True)
    (gpu / "vendor").write_text("0x10de\n")
    (gpu / "class").write_text("0x030200\n")
    pages = machine / "sys/kernel/mm/hugepages/hugepages-2048kB"
    pages.mkdir(parents=True)
    (pages / "nr_hugepages").write_text("512\n")
    (pages / "free_hugepages").write_text("3\n")
    result = check("--sysroot", machine, PIPELINES / "valid/everything.yaml")
    assert result.rc == 0
    assert "interfaces[0].address: 0000:ca:00.0: this machine has no such PCI device" in result.err
    assert "of GPU memory are needed, what 0000:17:00.0 has cannot be read" in result.err
    assert "this machine has 1024 MiB, 6 MiB of them free" in result.err


def test_the_manual_shows_what_check_says():
    manual = (support.ROOT / "docs/pipelines.md").read_text()
    command, said = re.search(r"^    \$ ringside (check .*)\n((?:    .*\n)+)", manual,
                              re.MULTILINE).groups()
    result = check(*command.split()[1:], cwd=support.ROOT)
    assert [line.removeprefix("    ") for line in said.splitlines()] == result.err.splitlines()


BYTES = {
    "empty": (b"", "1:1: error: the file says nothing: begin with version: 1"),
    "nul": (b"version: 1\nx: a\0b\n", "2:5: error: a NUL byte: this is no text file"),
    "control": (b"version: \x07", "1:10: error: control character 0x07: remove it"),
    "latin1": (b"# caf\xe9\n", "1:6: error: byte 0xe9 is no UTF-8: save the file as UTF-8"),
    "cut-utf8": (b"version: 1 # \xe2\x82", "1:14: error: byte 0xe2 is no UTF-8"),
    "surrogate": (b"version: 1 # \xed\xa0\x80", "1:14: error: byte 0xed is no UTF-8"),
    "overlong": (b"version: 1 # \xc0\xaf", "1:14: error: byte 0xc0 is no UTF-8"),
    "utf16": ("version: 1".encode("utf-16"), "1:1: error: this is UTF-16: save the file as UTF-8"),
    "no-break-space": ("version: 1\n\u00a0 mtu: 1\n".encode(),
                       "2:1: error: a no-break space as indentation: YAML wants spaces"),
    "old-mac": (b"version: 1\rmemory_regions: []\r",
                "1:11: error: a carriage return alone: end lines with a line feed"),
    "elf": (b"\x7fELF\x02\x01\x01\0\0", "1:1: error: control character 0x7f"),
    "deep": (b"[" * 100_000, "nested deeper than 32 levels"),
    "deep-maps": (b"{a: " * 5000, "nested deeper than 32 levels"),
    "many-values": (b"x: [" + b"1," * 200_000 + b"]", "error: more than 100000 values"),
}


@pytest.mark.parametrize("content, expected", BYTES.values(), ids=BYTES)
def test_bytes_that_are_no_configuration_get_one_clear_error(tmp_path, content, expected):
    errors = check_bytes(tmp_path, content)
    assert len(errors) == 1
    assert expected in errors[0]


def test_more_than_1000_errors_are_counted(tmp_path):
    errors = check_bytes(tmp_path, b"".join(b"key%d: 1\n" % i for i in range(5000)))
    assert len(errors) == 1001
    # And the three keys that every file needs.
    assert errors[-1] == " error: and 4003 more errors"


def test_references_are_shown_without_control_characters(tmp_path):
    text = (PIPELINES / "wrong/rss-queue-twice.yaml").read_text()
    errors = check_bytes(tmp_path, text.replace("[rx0, rx0]", r'["\e[31m", "\e[31m"]').encode())
    assert any('"\\x1b[31m": no receive queue' in error for error in errors)
    assert not any("\x1b" in error for error in errors)


def test_under_softcx_its_ports_are_there(softcx):
    file = PIPELINES / "valid/everything.yaml"
    result = softcx([support.RINGSIDE, "check", file])
    assert result.rc == 0
    assert f"{file}: nothing wrong" in result.out
    assert "no such PCI device" not in result.err


def test_a_byte_order_mark_and_windows_line_ends_are_welcome(tmp_path):
    text = (PIPELINES / "valid/everything.yaml").read_text().replace("\n", "\r\n")
    file = tmp_path / "windows.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    result = check("--no-machine", file)
    assert (result.rc, ": error: " in result.err) == (0, False)


def test_what_is_no_file_is_named(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "huge.yaml").write_bytes(b"# " + b"x" * (1 << 20))
    for name, reason in (("", "is a folder: name a file in it"), ("none.yaml", "ENOENT"),
                         ("fifo", "is no regular file"),
                         ("huge.yaml", "is larger than the 1 MiB that are allowed")):
        result = check(tmp_path / name, timeout=10)
        assert result.rc == 2
        assert f"{tmp_path / name}: error: " in result.err
        assert reason in result.err


@pytest.mark.parametrize("arguments, reason", [
    ([], "no file to check"), (["--frobnicate"], "--frobnicate"), (["a", "b"], "b"),
    (["--resolved"], "FILE"), (["--sysroot", "/nowhere", "a"], "/nowhere"),
])
def test_wrong_usage_exits_with_2(arguments, reason):
    result = check(*arguments)
    assert result.rc == 2
    assert reason in result.err


def long_file(queues):
    """A file of about 21 lines a queue."""
    lines = ["version: 1", "memory_regions:"]
    lines += [line for i in range(queues) for line in (f"  - name: region{i}", "    kind: device")]
    lines += ["interfaces:", "  - name: port0", "    address: 0000:ca:00.0", "    rx:",
              "      queues:"]
    for i in range(queues):
        lines += [f"        - name: rx{i}", "          num_desc: 1024", "          batch_size: 64",
                  f"          memory_regions: [region{i}]"]
    lines.append("      flows:")
    for i in range(queues):
        lines += [f"        - name: flow{i}", f"          match: {{udp: {{dst: {1000 + i}}}}}",
                  f"          actions: [queue: rx{i}]"]
    lines += ["    tx:", "      queues:"]
    lines += [line for i in range(queues) for line in (f"        - name: tx{i}",
                                                       "          num_desc: 1024")]
    lines.append("pipelines:")
    for i in range(queues):
        lines += [f"  - name: pipeline{i}", f"    sources: [port0.rx{i}]", "    stages:",
                  "      - parse", "      - match:", "          fields: {ipv4: {dst: 10.0.0.0/8}}",
                  "      - swap", "    sinks:", "      - name: out",
                  f"        tx: [port0.tx{i}]"]
    return "\n".join(lines) + "\n"


def test_500_lines_are_checked_in_50_ms_of_a_cpu(tmp_path):
    file = tmp_path / "long.yaml"
    file.write_text(long_file(24))
    assert len(file.read_text().splitlines()) >= 500

    def run():
        result = check("--no-machine", file)
        assert (result.rc, result.err) == (0, "")
    assert min(support.cpu_seconds(run) for _ in range(10)) < support.promised(0.05)


# Wrong in structure. What JSON Schema cannot say: references, how parts fit together, files, the
# machine, the forms of addresses and units.
STRUCTURAL = {
    "address-format", "alias-bomb", "alias-of-itself", "choice-kind", "choice-offload",
    "dangling-queue-without-interface", "empty-list", "flow-arp", "flow-meta", "flow-unknown-action",
    "generator-range-field",
    "generator-range-of-one-end", "generator-range-order", "generator-varies-no-field",
    "generator-varies-nothing",
    "kernel-depth", "key-empty", "key-of-other-letters", "key-with-a-point", "many-at-once",
    "match-unknown-field", "match-unknown-item",
    "match-value-too-large", "missing-address", "missing-name", "missing-sinks", "name-characters",
    "nested-too-deep", "no-value", "not-a-power-of-two", "number-exponent", "number-negative",
    "number-octal", "number-range", "number-unit",
    "number-word", "only-a-comment", "only-a-list", "police-field-unknown", "police-per-unknown",
    "rewrite-read-only",
    "rss-queue-of-another-interface", "sink-kind-unknown", "stage-missing-parameter",
    "stage-not-a-stage", "stage-two-kinds", "stage-unknown", "stage-unknown-parameter",
    "tap-address", "tap-name-too-long", "too-many-regions", "unknown-key-no-hint", "unknown-key-queue",
    "unknown-key-root", "version-missing", "version-unknown", "vlan-id-reserved", "wrong-type-list", "wrong-type-map",
}


# What PyYAML cannot read either.
NO_YAML = {"alias-unknown", "key-is-a-list", "second-document", "syntax-missing-colon",
           "syntax-blank-missing", "syntax-colon-in-a-value", "syntax-tab",
           "syntax-too-little-indentation",
           "syntax-unclosed-list", "syntax-unclosed-map", "syntax-value-begins-with-at"}


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(check("--json-schema").out)
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@pytest.mark.parametrize("file", VALID, ids=by_name)
def test_the_json_schema_accepts_right_files_as_written_and_resolved(validator, file):
    yaml = pytest.importorskip("yaml")
    for text in (file.read_text(), check("--no-machine", "--resolved", file).out):
        assert [error.message for error in validator.iter_errors(yaml.safe_load(text))] == []


@pytest.mark.parametrize("file", [file for file in WRONG if file.stem not in NO_YAML], ids=by_name)
def test_the_json_schema_refuses_what_is_wrong_in_structure_and_nothing_else(validator, file):
    yaml = pytest.importorskip("yaml")
    content = yaml.safe_load(file.read_text())
    assert validator.is_valid(content) == (file.stem not in STRUCTURAL)


def test_right_files_have_every_kind_of_stage_sink_and_action(validator):
    kinds = set()

    def visit(node):
        if isinstance(node, dict):
            if "oneOf" in node:
                kinds.update(name for choice in node["oneOf"] for name in choice["required"])
            for value in node.values():
                visit(value)
        elif isinstance(node, list):
            for value in node:
                visit(value)

    visit(validator.schema)
    assert len(kinds) >= 20
    resolved = "".join(check("--no-machine", "--resolved", file).out for file in VALID)
    assert {kind for kind in kinds if not re.search(rf"[ -] {kind}:", resolved)} == set()


def test_every_key_in_the_json_schema_is_described(validator):
    missing = []

    def visit(node, path):
        if isinstance(node, dict):
            for name, value in node.get("properties", {}).items():
                if "description" not in value:
                    missing.append(f"{path}.{name}")
            for key, value in node.items():
                visit(value, f"{path}.{key}")
        elif isinstance(node, list):
            for index, value in enumerate(node):
                visit(value, f"{path}[{index}]")

    visit(validator.schema, "")
    assert missing == []
