# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""A port with packets on a GPU, and what an application does with the GPU beside it."""
import ports as cabling
import pytest
import support

pytestmark = pytest.mark.gpu
PROGRAMS = support.BUILD / "tests" / "system"
REPLAY = f"pcap:in={support.DATA / 'http-dns-icmp.pcap'},loop=1000000"


def test_frees_end_while_packets_move_and_while_the_port_is_open(softcx):
    result = softcx([PROGRAMS / "gpu_free", *support.EAL, "-a", support.NIC, *cabling.gpu_eal()],
                    ports=[REPLAY])
    assert result.rc == 0, result.out + result.err
    assert "violation" not in result.err


@pytest.mark.skipif(cabling.gpu_is_host(), reason="needs an NVIDIA GPU (--gpu=gpu_cuda0)")
def test_kernel_that_faults_stops_the_port_by_name_and_hangs_nothing(softcx):
    result = softcx([PROGRAMS / "gpu_lost", *support.EAL, "-a", support.NIC, *cabling.gpu_eal()],
                    ports=[REPLAY])
    assert result.rc == 0, result.out + result.err
    assert "violation: copy engine of GPU memory: cannot" in result.err
