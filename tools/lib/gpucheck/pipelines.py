# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What chains of stages cost on a GPU."""
import re

from .host import run

CHAIN = re.compile(
    r"(\d+) stages, (\d+) blocks of (\d+): (\d+) ns a batch by hand, (\d+) as a chain")
TABLE = re.compile(r"table of (\d+), .*, (\d+) blocks of (\d+): ([\d.]+) M lookups/s")


def stages(bundle):
    """A batch of packets through chains of stages and through kernels written by hand for the same,
    in ns; lookups in a table, in M/s."""
    said = run(bundle, [f"{bundle}/app/stages_gpu_bench"], check=True).stdout
    chains = [dict(zip(("stages", "blocks", "threads", "by_hand_ns", "chain_ns"), map(int, row)))
              for row in CHAIN.findall(said)]
    tables = [{"entries": int(entries), "blocks": int(blocks), "threads": int(threads),
               "mlookups": float(rate)} for entries, blocks, threads, rate in TABLE.findall(said)]
    return chains + tables
