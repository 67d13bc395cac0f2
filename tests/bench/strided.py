#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Packets per second of 64-byte forwarding out of buffers that packets share, to that out of buffers
of a packet each.

Frames bounce in softcx's closed loop, macswap on a GPU made of one CPU thread, and the rate is
testpmd's own Rx-pps. Rounds of both are interleaved, since the machine may be shared: what counts is
the ratio of the medians.

  tests/bench/strided.py [--rounds N] [--seconds N] [--json FILE]
"""

import argparse
import json
import pathlib
import statistics
import time

from forwarding import BUILD, EAL, SOFTCX, TX_FIRST, Session, measured_rate

CYCLIC = "a packet a buffer"
CASES = {
    CYCLIC: (),
    "64 strides of 64 bytes": ("--rx-stride-num=64", "--rx-stride-size=64"),
    "64 strides of 256 bytes": ("--rx-stride-num=64", "--rx-stride-size=256"),
}


def rate(strides, seconds):
    session = Session([*SOFTCX, str(BUILD / "app/ringside"), "testpmd", "-l", "0-1", *EAL,
                       "-a", "0000:ca:00.0", "--vdev=gpu_host0", "--", "-i", "--nb-cores=1",
                       "--forward-mode=macswap", "--mp-alloc=gpu", "--gpu-id=0", *strides])
    time.sleep(3)
    session.say(f"start tx_first {TX_FIRST}")
    time.sleep(0.5)
    return measured_rate(session, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()

    rates = {case: [] for case in CASES}
    for _ in range(options.rounds):
        for case, strides in CASES.items():
            rates[case].append(rate(strides, options.seconds))
    cyclic = statistics.median(rates[CYCLIC])
    rows = {case: {"mpps_median": round(statistics.median(values) / 1e6, 2),
                   "mpps_all": [round(value / 1e6, 2) for value in values],
                   "ratio": round(statistics.median(values) / cyclic, 2)}
            for case, values in rates.items()}
    print(f"{'case':28} {'Mpps':>8} {'ratio':>8}")
    for case, row in rows.items():
        print(f"{case:28} {row['mpps_median']:8.2f} {row['ratio']:8.2f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
