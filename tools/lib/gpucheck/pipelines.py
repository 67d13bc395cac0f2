# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What chains of stages cost on a GPU."""
import json
import pathlib
import re
import tempfile
import time

from .host import EAL, run, softcx
from .testpmd import PPS, Testpmd

CHAIN = re.compile(
    r"(\d+) stages, (\d+) blocks of (\d+): (\d+) ns a batch by hand, (\d+) compiled, \S+ times, "
    r"(\d+) from memory")
TABLE = re.compile(r"table of (\d+), .*, (\d+) blocks of (\d+): ([\d.]+) M lookups/s")


# What tests/bench/stages_chains.cpp has, as files have it.
FILE = """
version: 1
memory_regions: [{{name: packets, kind: host_pinned}}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {{queues: [{{name: rx0, num_desc: 4096, batch_size: 512, memory_regions: [packets]}}]}}
    tx: {{queues: [{{name: tx0, num_desc: 4096}}]}}
pipelines:
  - {{name: main, sources: [port0.rx0], sinks: [{{name: out, tx: [port0.tx0]}}], stages: [{}]}}
"""
PORT = "{match: {fields: {udp: {dst: 1-1023}}}}"
WRITE = "{rewrite: {set: {ipv4: {ttl: 63, dst: 192.0.2.9}}}}"
BACKENDS = ", ".join(f'{{mac: "02:00:00:00:01:0{i}"}}' for i in range(1, 5))
CHAINS = {1: ["{swap: {}}"], 4: [PORT, "{count: {}}", WRITE, "{swap: {}}"],
          8: ["{parse: {}}", "{match: {fields: {ipv4: {src: 10.0.0.0/8}}}}", PORT, "{count: {}}",
              WRITE, "{icmp_echo: {addresses: [192.0.2.1], arp: false, to: out}}",
              f"{{load_balance: {{backends: [{BACKENDS}]}}}}", "{swap: {}}"]}


def end_to_end(bundle, seconds=2):
    """Mpps of 60-byte frames that a capture replays without end, by the number of stages; 0: by
    testpmd's macswap."""
    from scapy.all import IP, UDP, Ether, wrpcap
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        wrpcap(f"{folder}/in.pcap", [
            Ether(src="02:00:00:00:00:02", dst="02:00:00:00:00:01") /
            IP(src=f"10.0.{i >> 8}.{i & 255}", dst="10.0.0.1") / UDP(sport=i, dport=53) / bytes(18)
            for i in range(1024)])
        wire = f"pcap:in={folder}/in.pcap,loop=0"
        session = Testpmd(bundle, [wire], "gpu-pinned",
                          ["--forward-mode=macswap", "--rxd=4096", "--txd=4096", "--burst=512"])
        session.say("start")
        session.say("show port stats all")
        time.sleep(seconds)
        found = PPS["rx"].search(session.say("show port stats all"))
        session.say("stop")
        session.end()
        rows.append({"stages": 0, "mpps": int(found[1]) / 1e6})
        for count, chain in CHAINS.items():
            file = pathlib.Path(folder, "p.yaml")
            file.write_text(FILE.format(", ".join(chain)))
            done = run(bundle, [*softcx(bundle, [wire]), f"{bundle}/app/ringside", "run", file,
                                "--json", "--duration", seconds, "--", *EAL], check=True)
            report = json.loads(done.stdout[done.stdout.index("{\n"):done.stdout.rindex("}") + 1])
            rows.append({"stages": count, "mpps": report["received"] / report["seconds"] / 1e6})
    return rows


def stages(bundle):
    """A batch of packets through chains of stages and through kernels written by hand for the same,
    in ns; lookups in a table, in M/s; packets through a port and back, in M/s."""
    said = run(bundle, [f"{bundle}/app/stages_gpu_bench"], check=True).stdout
    chains = [dict(zip(("stages", "blocks", "threads", "by_hand_ns", "compiled_ns",
                          "stored_ns"), map(int, row)))
              for row in CHAIN.findall(said)]
    tables = [{"entries": int(entries), "blocks": int(blocks), "threads": int(threads),
               "mlookups": float(rate)} for entries, blocks, threads, rate in TABLE.findall(said)]
    return chains + tables + end_to_end(bundle)
