# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""The pipelines of config/ on a GPU: their contents, and what chains of stages cost."""
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

from .checks import frames
from .host import CAPTURE, EAL, ROOT, environment, run

# cpu-tap needs a TAP device
NAMES = ("forward", "filter", "loadbalance", "capture", "icmp-echo", "two-kernels")
DATA, MAIN = pathlib.Path(CAPTURE).parent, pathlib.Path(CAPTURE).stem
SPLIT = [(f"headers in {headers}, data in {data}, {capture}", capture,
          {"kind: device": f"kind: {data}", "kind: host_pinned, buf": f"kind: {headers}, buf"})
         for capture in (MAIN, "jumbo")
         for headers, data in (("host_pinned", "device"), ("device", "device"))]
CHAIN = re.compile(
    r"(\d+) stages, (\d+) blocks of (\d+): (\d+) ns a batch by hand, (\d+) as a chain")
TABLE = re.compile(r"table of (\d+), .*, (\d+) blocks of (\d+): ([\d.]+) M lookups/s")


def problem(bundle, name, capture=MAIN, changes=None):
    """None, or what is wrong with what a file makes of a capture, by the judge that it has in the
    system tests. A block of many threads settles anew which one of ten packets is copied.
    `changes`: to the file's text."""
    import pipelines  # of tests/system
    judges = {**pipelines.JUDGES, "capture": functools.partial(pipelines.capture, exact=False)}
    words = pipelines.command_of(name)
    words = [f"{bundle}/app/{word}" if word in ("softcx", "ringside") else word for word in words]
    packets = frames(DATA / f"{capture}.pcap")
    if "--packets" in words:
        words[words.index("--packets") + 1] = str(len(packets))
    words = [word.replace(MAIN, capture) for word in words]
    limit = [] if "--duration" in words else ["--duration", "5"]
    with tempfile.TemporaryDirectory() as folder:
        for part in ("config", "tests"):
            pathlib.Path(folder, part).symlink_to(ROOT / part)
        if changes:
            text = (ROOT / f"config/{name}.yaml").read_text()
            for old, new in changes.items():
                text = text.replace(old, new)
            pathlib.Path(folder, "changed.yaml").write_text(text)
            words[words.index(f"config/{name}.yaml")] = "changed.yaml"
        done = subprocess.run([*words[:-2], "--json", *limit, "--", *EAL], cwd=folder, timeout=30,
                              capture_output=True, text=True, env=environment(bundle))
        if done.returncode != 0:
            return done.stdout + done.stderr
        try:
            judges[name](packets, lambda file: frames(f"{folder}/{file}"),
                         json.loads(done.stdout))
        except AssertionError as error:
            return f"not so: {traceback.extract_tb(error.__traceback__)[-1].line}"
    return None


def contents(bundle):
    sys.path.insert(0, str(ROOT / "tests/system"))
    for name in NAMES:
        yield f"pipeline config/{name}.yaml", problem(bundle, name)
    for label, capture, changes in SPLIT:
        yield (f"pipeline config/header-split.yaml, {label}",
               problem(bundle, "header-split", capture, changes))


def stages(bundle):
    """A batch of packets through chains of stages and through kernels written by hand for the same,
    in ns; lookups in a table, in M/s."""
    said = run(bundle, [f"{bundle}/app/stages_gpu_bench"], check=True).stdout
    chains = [dict(zip(("stages", "blocks", "threads", "by_hand_ns", "chain_ns"), map(int, row)))
              for row in CHAIN.findall(said)]
    tables = [{"entries": int(entries), "blocks": int(blocks), "threads": int(threads),
               "mlookups": float(rate)} for entries, blocks, threads, rate in TABLE.findall(said)]
    return chains + tables
