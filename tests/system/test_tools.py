# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The judges must be able to say no."""
import os
import re
import runpy
import shutil
import subprocess
import time

import dpkt
import pytest
import support

TOOLS = support.ROOT / "tools"
FRAMES = [bytes(range(n, n + 60)) for n in range(5)]
SWAPPED = [support.swap_macs(frame) for frame in FRAMES]


def write_capture(path, frames):
    with open(path, "wb") as file:
        writer = dpkt.pcap.Writer(file)
        for frame in frames:
            writer.writepkt(frame, 1.0)
    return path


@pytest.mark.parametrize("received, rc, verdict", [
    (SWAPPED, 0, "OK: 5 of 5"),
    (FRAMES, 1, "packet 1 differs at byte 0"),
    (SWAPPED[:4], 1, "4 packets came out, 5 went in"),
    (SWAPPED + SWAPPED[:1], 1, "6 packets came out, 5 went in"),
    ([SWAPPED[1], SWAPPED[0], *SWAPPED[2:]], 1, "packet 1 differs"),
    ([*SWAPPED[:4], SWAPPED[4][:-1]], 1, "packet 5 has 59 bytes, not 60"),
    ([*SWAPPED[:4], SWAPPED[4][:-1] + b"\0"], 1, "packet 5 differs at byte 59"),
    ([], 1, "0 packets came out"),
])
def test_verify_macswap_tells_right_from_wrong(tmp_path, received, rc, verdict):
    result = support.run([TOOLS / "verify-macswap", write_capture(tmp_path / "in.pcap", FRAMES),
                          write_capture(tmp_path / "out.pcap", received)])
    assert result.rc == rc
    assert verdict in result.out


def test_verify_macswap_refuses_what_it_cannot_read(tmp_path):
    bad = tmp_path / "bad.pcap"
    bad.write_bytes(b"bad")
    for path in (bad, tmp_path / "none.pcap"):
        result = support.run([TOOLS / "verify-macswap", path, path])
        assert result.rc == 2 and result.err.startswith("verify-macswap: ")


@pytest.fixture
def fetch_captures(tmp_path):
    """Runs it with an apt-get that fails, or does what fetch.apt says; `tries` counts its runs."""
    tries = tmp_path / "tries"
    apt = tmp_path / "apt-get"
    apt.write_text(f"""#!/bin/sh
[ "$1" != indextargets ] || exec echo deb-src http://127.0.0.1/ stable main
echo "$*" >>{tries}
[ ! -e {tmp_path}/script ] || . {tmp_path}/script
echo 'E: Failed to fetch it' >&2
exit 100
""")
    apt.chmod(0o755)

    def fetch(*options):
        return support.run([TOOLS / "fetch-captures", *options], env={
            "XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": f"{tmp_path}:/usr/bin:/bin"})
    fetch.apt = (tmp_path / "script").write_text
    fetch.tries = lambda: tries.read_text().splitlines()
    return fetch


def test_captures_that_cannot_be_fetched_are_said_and_nothing_stays(tmp_path, fetch_captures):
    for tries in (1, 2):
        result = fetch_captures()
        assert result.rc == 1
        assert result.err == "fetch-captures: apt-get cannot update: E: Failed to fetch it\n"
        assert len(fetch_captures.tries()) == tries
    assert "Acquire::Retries=0" in fetch_captures.tries()[0]
    assert [path.name for path in tmp_path.glob("cache/ringside/*")] == ["tcpdump-tests.failed"]


def test_captures_that_cannot_be_fetched_are_tried_and_told_once_a_day(tmp_path, fetch_captures):
    said = ("fetch-captures: apt-get cannot update: E: Failed to fetch it; "
            "this is tried again tomorrow, and by tools/fetch-captures\n")
    assert fetch_captures("--daily").err == said
    again = fetch_captures("--daily")
    assert (again.rc, again.out, again.err) == (1, "", "")
    assert len(fetch_captures.tries()) == 1
    yesterday = time.time() - 25 * 3600
    os.utime(tmp_path / "cache/ringside/tcpdump-tests.failed", (yesterday, yesterday))
    assert fetch_captures("--daily").err == said


@pytest.mark.parametrize("script, why", [
    ("exit 124", "apt-get cannot update: it did not end within 60 s"),
    ("exit 7", "apt-get cannot update: it ended with exit code 7"),
    ("exit 0", "tar cannot take them out of what apt-get brought: "
               "tar: tcpdump_*.orig.tar.?z: Cannot open: No such file or directory"),
    ("tar -cJf tcpdump_1.orig.tar.xz sources.list; exit 0",
     "tar cannot take them out of what apt-get brought: "
     "tar: */tests/*.pcap*: Not found in archive")])
def test_whatever_fails_of_fetching_captures_is_told_by_its_cause_once_a_day(tmp_path, fetch_captures,
                                                                           script, why):
    fetch_captures.apt(script)
    result = fetch_captures("--daily")
    assert (result.rc, result.err) == (1, f"fetch-captures: {why}; this is tried again tomorrow, "
                                          "and by tools/fetch-captures\n")
    assert [path.name for path in tmp_path.glob("cache/ringside/*")] == ["tcpdump-tests.failed"]
    assert fetch_captures("--daily").err == ""


REPORT = """<testsuites><testsuite><testcase name="a"/><testcase name="b">{}</testcase></testsuite>
<testsuite><testcase name="c"/></testsuite></testsuites>"""


@pytest.mark.parametrize("child, failed_runs, rc, line", [
    ("", 0, 0, "3 passed, 0 failed"),
    ("<failure/>", 1, 1, "2 passed, 1 failed"),
    ("<error/>", 1, 1, "2 passed, 1 failed"),
    ("<skipped/>", 0, 0, "2 passed, 0 failed, 1 skipped"),
    ("", 1, 1, "3 passed, 1 failed"),  # a crash after the last test
])
def test_total_counts_every_outcome(tmp_path, child, failed_runs, rc, line):
    report = tmp_path / "report.xml"
    report.write_text(REPORT.format(child))
    result = support.run(["/usr/bin/python3", TOOLS / "lib" / "total.py", failed_runs, report])
    assert (result.rc, result.out) == (rc, line + "\n")


def test_total_fails_without_tests_or_reports(tmp_path):
    total = ["/usr/bin/python3", TOOLS / "lib" / "total.py", 0]
    empty = tmp_path / "empty.xml"
    empty.write_text("<testsuites/>")
    assert support.run([*total, empty]).rc == 1
    assert support.run([*total, tmp_path / "none.xml"]).out == "0 passed, 1 failed\n"


@pytest.fixture
def setup(tmp_path):
    """setup(functions of tools/lib/setup.sh, in bash) -> Result; meson prints its arguments, nvcc is there."""
    def run(script):
        (tmp_path / "bin").mkdir(exist_ok=True)
        for name, text in (("meson", 'echo "$@" >>meson.log; mkdir -p build; touch build/build.ninja'), ("nvcc", "")):
            (tmp_path / "bin" / name).write_text(f"#!/bin/bash\n{text}\n")
            (tmp_path / "bin" / name).chmod(0o755)
        script = f"set -euo pipefail; root=.; . {TOOLS}/lib/setup.sh; cd {tmp_path}; {script}"
        result = support.run(["/bin/bash", "-c", script],
                             env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        log = tmp_path / "meson.log"
        result.meson = log.read_text().splitlines() if log.exists() else []
        return result
    return run


def test_gpu_code_is_left_out_where_no_gpu_is_and_added_for_the_tests(setup):
    no_gpu = "sees_nvidia_gpu() { false; }; "
    result = setup(no_gpu + "configure_for_this_machine build")
    assert result.meson == ["setup -Dcpp_args=-g1 -Dcuda=disabled build ."]
    assert "No NVIDIA GPU" in result.out and "meson configure build -Dcuda=auto" in result.out
    assert setup(no_gpu + "configure_for_this_machine build").meson == result.meson
    added = [*result.meson, "configure -Dcuda=auto build"]
    assert setup("configure build").meson == added
    assert setup("configure build").meson == added
    assert setup(no_gpu + "configure_for_this_machine build").meson == added


def test_gpu_code_that_was_left_out_is_added_once_a_gpu_is_there(setup):
    setup("sees_nvidia_gpu() { false; }; configure_for_this_machine build")
    result = setup("sees_nvidia_gpu() { true; }; configure_for_this_machine build")
    assert result.meson[1:] == ["configure -Dcuda=auto build"]


def test_gpu_code_that_the_user_leaves_out_stays_out(setup):
    assert setup("meson setup -Dcuda=disabled build; configure build").meson == ["setup -Dcuda=disabled build"]


NO_NVCC = "sees_nvidia_gpu() { true; }; find_nvcc() { false; }; "
NO_GPU_CODE = ["setup -Dcpp_args=-g1 -Dcuda=disabled build ."]


@pytest.mark.parametrize("configure", ["configure", "configure_for_this_machine"])
def test_a_gpu_without_nvcc_is_said_until_nvcc_is_there(setup, configure):
    """By quickstart and by test."""
    for _ in range(2):
        result = setup(f"{NO_NVCC} {configure} build")
        assert result.meson == NO_GPU_CODE and len(result.out.splitlines()) == 1
        assert "There is an NVIDIA GPU, but no nvcc" in result.out
    for _ in range(2):
        result = setup(f"sees_nvidia_gpu() {{ true; }}; {configure} build")
        assert (result.meson, result.out) == ([*NO_GPU_CODE, "configure -Dcuda=auto build"], "")


def test_without_gpu_and_nvcc_nothing_is_said_and_gpu_code_comes_with_nvcc(setup):
    neither = NO_NVCC.replace("true", "false")
    result = setup(neither + "configure_for_this_machine build")
    assert (result.meson, result.out) == (NO_GPU_CODE, "")
    assert setup("configure build").meson == [*NO_GPU_CODE, "configure -Dcuda=auto build"]


def test_a_build_that_is_to_have_no_gpu_code_needs_no_nvcc(setup):
    result = setup(NO_NVCC + "configure build -Dcuda=disabled")
    assert (result.meson, result.out) == (NO_GPU_CODE, "")
    assert setup("configure build").meson == NO_GPU_CODE


def test_nvcc_is_found_where_sudo_does_not_look(setup, tmp_path):
    where = "PATH=/usr/bin:/bin; find_nvcc machine && command -v nvcc"
    assert setup(where).rc == 1
    nvcc = tmp_path / "machine/usr/local/cuda/bin/nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.touch()
    assert setup(where).rc == 1
    nvcc.chmod(0o755)
    assert setup(where).out == "machine/usr/local/cuda/bin/nvcc\n"
    assert setup("find_nvcc machine && command -v nvcc").out == f"{tmp_path}/bin/nvcc\n"


@pytest.mark.parametrize("vendor, device_class, seen", [
    ("0x10de", "0x030200", 0), ("0x10de", "0x040300", 1), ("0x1002", "0x030000", 1)])
def test_an_nvidia_gpu_is_seen_on_the_pci_bus(setup, tmp_path, vendor, device_class, seen):
    device = tmp_path / "machine/sys/bus/pci/devices/0000:81:00.0"
    device.mkdir(parents=True)
    (device / "vendor").write_text(vendor + "\n")
    (device / "class").write_text(device_class + "\n")
    assert setup("sees_nvidia_gpu machine").rc == seen


def test_an_nvidia_gpu_is_seen_by_its_driver(setup, tmp_path):
    (tmp_path / "machine/dev").mkdir(parents=True)
    assert setup("sees_nvidia_gpu machine").rc == 1
    (tmp_path / "machine/dev/nvidia0").touch()
    assert setup("sees_nvidia_gpu machine").rc == 0


@pytest.mark.parametrize("tool", ["test", "quickstart"])
def test_unknown_options_give_2(tool):
    result = support.run([TOOLS / tool, "--frobnicate"])
    assert result.rc == 2
    assert "--frobnicate" in result.err


@pytest.fixture
def ci(tmp_path):
    """ci(what tools/test does, second at which it begins) -> Result: .ci/run with a tools/test that does that,
    and makes it later by the seconds that it writes to `took`, and a `timeout` that prints its limit."""
    def run(test, begins_s=0):
        script = (support.ROOT / ".ci" / "run").read_text()
        for line, then in (("passed=0", f"SECONDS={begins_s}"),
                           ("  status=${PIPESTATUS[0]}",
                            "[[ ! -f took ]] || { SECONDS=$((SECONDS + $(<took))); rm took; }")):
            assert script.count(f"\n{line}\n") == 1
            script = script.replace(f"\n{line}\n", f"\n{line}\n{then}\n")
        for name, text in ((".ci/run", script),
                           ("tools/test", f"#!/bin/bash\n{test}\n"),
                           ("bin/timeout", '#!/bin/bash\necho "limit $3"\nexec "${@:4}"\n')):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
            (tmp_path / name).chmod(0o755)
        result = support.run([tmp_path / ".ci" / "run"],
                             env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        result.runs = [line.removeprefix("== tools/test ") for line in result.out.splitlines()
                       if line.startswith("== tools/test")]
        result.limits = [int(line.split()[1]) for line in result.out.splitlines()
                         if line.startswith("limit ")]
        return result
    return run


ASAN_PARTS = [f"--asan={part}/8" for part in range(8)]


@pytest.mark.parametrize("mandatory, rc, total", [
    ("3 passed, 0 failed, 1 skipped", 0, "13 passed, 0 failed, 1 skipped"),
    ("2 passed, 1 failed", 1, "12 passed, 1 failed"),
    ("cannot compile", 1, "10 passed, 1 failed"),
])
def test_ci_runs_all_tests_first_and_then_the_sanitizers(ci, mandatory, rc, total):
    result = ci(f'[[ $# == 0 ]] && echo "{mandatory}" || echo "1 passed, 0 failed"')
    assert (result.rc, result.out.splitlines()[-1]) == (rc, total)
    assert result.runs[:3] == ["", "--asan=unit", "--tsan"]
    first = ASAN_PARTS.index(result.runs[3])
    assert result.runs[3:] == ASAN_PARTS[first:] + ASAN_PARTS[:first]
    assert "left out" not in result.out


def left_out(result):
    """What the line before the total says: how many runs of how many, and which."""
    line = re.fullmatch(r"left out for lack of time, (\d+) of 10 runs with a sanitizer: (.*)",
                        result.out.splitlines()[-2])
    assert line and int(line[1]) == len(line[2].split())
    return line[2].split()


PASSES = 'echo "1 passed, 0 failed"'


def test_ci_ends_in_time_and_names_and_counts_what_it_leaves_out(ci):
    result = ci(f"[[ $# == 0 ]] && echo 1590 >took || echo 300 >took; {PASSES}")
    assert (result.rc, result.out.splitlines()[-1]) == (0, "2 passed, 0 failed")
    assert result.runs == ["", "--asan=unit"]
    assert left_out(result)[0] == "--tsan" and sorted(left_out(result)[1:]) == ASAN_PARTS


def test_ci_fails_where_nothing_ran_with_a_sanitizer(ci):
    result = ci(PASSES, begins_s=1700)
    assert (result.rc, result.out.splitlines()[-1]) == (1, "1 passed, 1 failed")
    assert result.runs == [""] and "nothing ran with a sanitizer" in result.out
    assert left_out(result)[:2] == ["--asan=unit", "--tsan"]
    assert sorted(left_out(result)[2:]) == ASAN_PARTS


def test_ci_fails_where_a_sanitizer_finds_no_tests(ci):
    result = ci('[[ $# == 0 ]] && echo "1 passed, 0 failed" || { echo "0 passed, 0 failed"; exit 1; }')
    assert (result.rc, result.out.splitlines()[-1]) == (1, "1 passed, 10 failed")


def test_ci_begins_with_another_part_each_time(ci):
    def first():
        return ci(f"[[ $1 != --asan=[0-9]* ]] || echo 450 >took; {PASSES}", begins_s=1500).runs[3]

    one = first()
    assert any(first() != one for _ in range(20))


def test_ci_takes_a_part_to_last_a_third_longer_than_the_longest_so_far(ci):
    takes = "[[ $1 != *=[0-9]* ]] || { [[ -f first ]] && echo 100 >took || echo 450 >took; touch first; }"
    result = ci(f"{takes}; {PASSES}", begins_s=1000)
    assert result.rc == 0 and len(result.runs) == 3 + 5  # at 1850 s, 1.3 times 450 s are too long
    assert len(left_out(result)) == 3


def test_ci_gives_no_run_more_time_than_is_left(ci):
    result = ci('echo "1 passed, 0 failed"', begins_s=1500)
    assert len(result.limits) == len(result.runs) == 11
    assert all(2400 - 1500 - 60 < limit <= 2400 - 1500 for limit in result.limits)


ONLY_PARTS = "[[ $1 == --asan=[0-9]* ]] || exec echo '1 passed, 0 failed';"


def test_ci_takes_a_run_that_only_the_end_cut_off_for_left_out(ci):
    result = ci(f"{ONLY_PARTS} echo 900 >took; exit 124", begins_s=1500)
    assert (result.rc, result.out.splitlines()[-1]) == (0, "3 passed, 0 failed")
    assert len(result.runs) == 4 and sorted(left_out(result)) == ASAN_PARTS
    assert left_out(result)[0] == result.runs[3]
    assert f"tools/test {result.runs[3]}: not at its end after {result.limits[3]} s" in result.out


def test_ci_takes_a_run_that_hangs_for_failed(ci):
    """The end cut it off too, but twice the time that it takes had passed."""
    result = ci(f"{ONLY_PARTS} echo 1800 >took; exit 124", begins_s=600)
    assert (result.rc, result.out.splitlines()[-1]) == (1, "3 passed, 1 failed")
    assert len(left_out(result)) == 7 and result.runs[3] not in left_out(result)


@pytest.mark.parametrize("said, failed", [
    ("..F.", 1), (".....E.s         [ 12%]", 1), ("  7/90 gpu_run_test      FAIL     0.10s", 1),
    ("90/90 gpu_run_test       TIMEOUT 30.00s", 1),
    (".s.x.            [ 12%]", 0), ("  7/90 gpu_run_test      OK       0.10s", 0),
    ("[7/90] Compiling FAIL.cpp", 0)])
def test_ci_takes_a_run_that_was_cut_off_after_a_failure_for_failed(ci, said, failed):
    result = ci(f"{ONLY_PARTS} echo '{said}'; echo 900 >took; exit 124", begins_s=1500)
    assert (result.rc, result.out.splitlines()[-1]) == (failed, f"3 passed, {failed} failed")


def test_ci_fails_where_the_tests_without_sanitizer_hang(ci):
    result = ci("echo 2400 >took; exit 137")
    assert (result.rc, result.out.splitlines()[-1]) == (1, "0 passed, 2 failed")
    assert result.runs == [""] and len(left_out(result)) == 10


def test_gpu_check_names_the_parts_when_asked_for_one_that_it_has_not():
    result = support.run([support.ROOT / "tools" / "gpu-check", "bundle", "r.json", "--only=rate"])
    assert result.rc == 2
    assert "there is no part 'rate'" in result.err and "suite" in result.err


SAID = """\
collected 4 items
tests/system/test_a.py::test_one[gpu-x y] PASSED                     [ 25%]
tests/system/test_a.py::test_two SKIPPED (needs ip (iproute2))       [ 50%]
tests/system/test_b.py::test_three FAILED                            [ 75%]
tests/system/test_b.py::test_four PASSED                             [100%]
tests/system/test_b.py::test_four ERROR                              [100%]
=== short test summary info ===
FAILED tests/system/test_b.py::test_three - AssertionError: no prompt
ERROR tests/system/test_b.py::test_four - OSError: gone
"""


def test_gpu_check_reads_every_outcome_of_the_system_tests(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS / "lib")
    from gpucheck import suite
    outcomes = dict(suite.outcomes(SAID, 1))
    assert outcomes == {
        "tests/system/test_a.py::test_one[gpu-x y]": None,
        "tests/system/test_a.py::test_two": "needs ip (iproute2)",
        "tests/system/test_b.py::test_three": "AssertionError: no prompt",
        "tests/system/test_b.py::test_four": "OSError: gone"}
    assert isinstance(outcomes["tests/system/test_a.py::test_two"], suite.Skipped)


@pytest.mark.parametrize("log, status, last", [
    (SAID, -9, "test_four"), (SAID, 2, "test_four"), ("No module named pytest", 1, "none")])
def test_gpu_check_takes_tests_that_did_not_end_for_failed(monkeypatch, log, status, last):
    monkeypatch.syspath_prepend(TOOLS / "lib")
    from gpucheck import suite
    name, problem = list(suite.outcomes(log, status))[-1]
    assert name == "pytest" and f"{last}:" in problem


def test_gpu_check_goes_on_after_a_check_that_dies(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS / "lib")
    check = runpy.run_path(str(TOOLS / "gpu-check"))

    def dies():
        raise subprocess.TimeoutExpired("softcx", 60)

    def pipe_breaks():
        raise BrokenPipeError("the program has gone")
    monkeypatch.setitem(check["CHECKS"], "sanitizer", lambda bundle: [
        ("first", dies), ("second", pipe_breaks), ("third", lambda: None), ("fourth", "wrong")])
    value = check["run_part"]("sanitizer", None)
    assert value["passed"] == 1
    assert [problem.split(":")[0:2] for problem in value["failed"]] == [
        ["first", " TimeoutExpired"], ["second", " BrokenPipeError"], ["fourth", " wrong"]]
    monkeypatch.setitem(check["MEASURES"], "send", lambda bundle: dies())
    assert check["run_part"]("send", None)["failed"][0].startswith("send: TimeoutExpired")


def test_gpu_check_keeps_what_another_machine_found_of_two_gpus(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS / "lib")
    check = runpy.run_path(str(TOOLS / "gpu-check"))
    from gpucheck import suite
    monkeypatch.setattr(suite, "gpus", lambda: 1)
    here = check["run_part"]("two_gpus", None)
    assert (here["passed"], here["failed"], here["skipped"]) == (0, [], {"needs two GPUs": 1})
    assert not check["found_something"](here)
    for value in ({"passed": 3, "failed": [], "seconds": 1}, {"rows": [1]},
                  {"passed": 0, "failed": ["a: b"], "seconds": 1}):
        assert check["found_something"](value)
    assert not check["found_something"]({"failed": ["send: TimeoutExpired"]})


def test_gpu_check_ends_a_program_that_says_nothing(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(TOOLS / "lib")
    from gpucheck import testpmd
    monkeypatch.setattr(testpmd.Testpmd, "PATIENCE_S", 0.3)
    (tmp_path / "app").mkdir()
    silent = tmp_path / "app" / "softcx"
    silent.write_text("#!/bin/sh\necho here; exec sleep 600\n")
    silent.chmod(0o755)
    with pytest.raises(RuntimeError, match="no 'testpmd> '"):
        testpmd.Testpmd(tmp_path, ["loop"], "gpu", [])


def test_gpu_report_says_how_the_system_tests_went():
    report = runpy.run_path(str(support.ROOT / "tests/bench/gpu_report.py"), run_name="module")
    lines = list(report["suite_lines"]({"suite": {
        "passed": 300, "failed": ["a: b"], "skipped": {"needs ip": 7, "needs TAP": 1},
        "seconds": 99}}))
    assert "| `pytest -m gpu` | 300 | 1 | 8 | 99 |" in lines
    assert "Skipped: needs TAP (1); needs ip (7)." in lines
    two = list(report["suite_lines"]({"two_gpus": {"passed": 20, "failed": [], "seconds": 30}}))
    assert "| `pytest -m two_gpus`, on a host with two GPUs | 20 | 0 | 0 | 30 |" in two
    assert list(report["suite_lines"]({})) == []


def test_gpu_report_puts_a_result_into_the_readme(tmp_path):
    pytest.importorskip("matplotlib", reason="no python3-matplotlib")
    for name in ("tests/bench/gpu_report.py", "tests/bench/results/h200.json", "README.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(support.ROOT / name, tmp_path / name)
    result = support.run(["/usr/bin/python3", tmp_path / "tests/bench/gpu_report.py"])
    assert (result.rc, result.err) == (0, "")
    assert (tmp_path / "README.md").read_text() == (support.ROOT / "README.md").read_text()
