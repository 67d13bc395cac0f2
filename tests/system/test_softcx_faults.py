# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`softcx run --fault`: names and values, and what a fault changes outside the NIC's queues."""
import json

import pytest
import support
from launcher import shell

LINKS = "cat /sys/class/net/cx0/carrier /sys/class/net/cx0/mtu"


@pytest.mark.parametrize("faults, words", [
    ("no-dmabuff", ["no-dmabuff", "did you mean no-dmabuf?"]),
    ("frobnicate", ["frobnicate", "link-delay", "cq-overrun"]),
    ("link-delay:s=1", ["link-delay", "'s'", "ms"]),
    ("mtu:value=12", ["value=12", "68", "9978"]),
    ("bond:port=1", ["port=1", "from 0 to 0"]),
    ("bond,bond", ["bond", "twice"]),
    ("iomem-denied", ["iomem-denied", "--vdev=gpu_host0,iomem=denied"]),
])
def test_wrong_fault_is_refused_in_one_sentence_that_names_it(softcx, tmp_path, faults, words):
    earlier = tmp_path / "out.pcap"
    earlier.write_text("of an earlier run")
    result = softcx(["true"], ports=[f"pcap:out={earlier}"], faults=faults)
    assert result.rc == 2 and len(result.err.splitlines()) == 1
    assert [word for word in words if word not in result.err] == []
    assert earlier.read_text() == "of an earlier run"


def test_help_lists_every_fault_with_its_values():
    text = support.run([support.SOFTCX, "run", "--help"]).out
    for word in ("--fault", "no-dmabuf", "no-peermem", "iomem-denied", "link-delay", ":ms=N",
                 "link-down", "vf-untrusted", "mtu", ":value=N", "tx-error", "rx-error", ":seed=N",
                 "bad-mkey", "cq-overrun", "stalled-nic", "stalled-wire", "bond", "min-inline",
                 "no-blueflame", "no-vlan-insert"):
        assert word in text


def test_faults_reach_the_library_as_they_were_given(softcx):
    text = shell(softcx, "cat $SOFTCX_CONFIG", faults="bond:port=0,mtu:value=1300").out
    assert json.loads(text)["faults"] == ["bond:port=0,mtu:value=1300"]
    assert json.loads(shell(softcx, "cat $SOFTCX_CONFIG").out)["faults"] == []


def test_late_link_has_no_carrier_before_its_time(softcx):
    late = "until grep -q 1 /sys/class/net/cx0/carrier; do sleep 0.1; done"
    result = shell(softcx, f"{LINKS}; {late}; {LINKS}", faults="link-delay:ms=3000")
    assert result.out.split() == ["0", "1500", "1", "1500"]


def test_limit_of_the_mtu_is_the_kernels(softcx):
    result = shell(softcx, f"ip link set cx0 mtu 1301; {LINKS}; ip link set cx0 mtu 1300 && {LINKS}",
                   faults="mtu:value=1300")
    assert result.out.split() == ["1", "1300", "1", "1300"]
    assert result.err.startswith("RTNETLINK answers: Invalid argument")


def test_untrusted_function_is_a_virtual_one_by_its_pci_id(softcx):
    script = "cat $SYSFS_PCI_DEVICES/0000:ca:00.*/device"
    assert shell(softcx, script, ports=["loop", "loop"], faults="vf-untrusted:port=1").out.split() == [
        "0x1021", "0x101e"]


def test_processes_of_a_late_link_end_with_the_command(softcx, hugepages_returned):
    assert shell(softcx, "exit 3", faults="link-delay:ms=60000").rc == 3
