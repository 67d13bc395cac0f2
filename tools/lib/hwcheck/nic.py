# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Checks that ask the NIC itself, by ringside nic-info."""
from .report import FAIL, PASS, UNKNOWN, WARN

INLINE_MODES = {1: "L2", 2: "IP", 3: "TCP and UDP"}


def answers(report, port, info, why):
    if info is None:
        report.add(FAIL, "verbs", port, "the device cannot be opened for DevX", why,
                   "load mlx5_ib and ib_uverbs; run as root or with CAP_NET_RAW; build Ringside first")
    else:
        report.add(PASS, "verbs", port, f"{info['device']}, firmware {info['firmware']}",
                   "ringside nic-info")


def inline_mode(report, port, info, why):
    if info is None:
        report.add(UNKNOWN, "min-inline", port, "the device cannot be asked", why, "see verbs")
        return
    mode = info["min_inline_mode"]
    evidence = f"ringside nic-info: min_inline_mode {mode}"
    if mode == 0:
        report.add(PASS, "min-inline", port, "no headers inline", evidence)
    else:
        report.add(FAIL, "min-inline", port, f"wants {INLINE_MODES.get(mode, mode)} headers inline in "
                   "send WQEs, which kernels that send from GPU memory cannot give", evidence,
                   f"devlink dev eswitch set pci/{port} inline-mode none; or a ConnectX-5 or later")


def dmabuf(report, port, info, why):
    if info is None:
        report.add(UNKNOWN, "dma-buf", port, "the device cannot be asked", why, "see verbs")
    elif info["takes_dmabuf"]:
        report.add(PASS, "dma-buf", port, "the NIC's driver takes dma-bufs",
                   "ringside nic-info: takes_dmabuf true")
    else:
        report.add(WARN, "dma-buf", port, "the NIC's driver takes no dma-bufs",
                   "ringside nic-info: takes_dmabuf false",
                   "Linux 5.12 or later with CONFIG_INFINIBAND_ON_DEMAND_PAGING, or nvidia-peermem")
