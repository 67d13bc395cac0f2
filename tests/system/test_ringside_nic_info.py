# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""`ringside nic-info`: what a NIC says of itself."""
import json

import ports as cabling
import pytest
import support


def nic_info(softcx, *arguments, faults=""):
    return softcx([support.RINGSIDE, "nic-info", *arguments], ports=[cabling.QUIET], faults=faults)


def test_sound_nic_has_what_the_rings_need(softcx):
    facts = json.loads(nic_info(softcx, cabling.nic, "--json").out)
    assert facts["pci_address"] == cabling.nic and facts["device"].startswith("mlx5_")
    assert (facts["link"], facts["bonded"], facts["min_inline_mode"]) == ("up", False, 0)
    assert facts["max_ring_entries"] >= 1024 and facts["max_completion_entries"] >= 1024


def test_text_has_a_line_for_each_fact(softcx):
    facts = json.loads(nic_info(softcx, cabling.nic, "--json").out)
    lines = dict(line.split(maxsplit=1) for line in nic_info(softcx, cabling.nic).out.splitlines())
    assert list(lines) == list(facts)
    assert lines["pci_address"] == cabling.nic


@pytest.mark.parametrize("faults, fact, value", [
    ("bond", "bonded", True), ("min-inline:mode=3", "min_inline_mode", 3),
    ("no-dmabuf", "takes_dmabuf", False), ("no-blueflame", "blue_flame", False),
    ("no-vlan-insert", "inserts_vlan", False),
    ("vf-untrusted", "virtual_function", True),
    ("link-delay:ms=60000", "link", "down")])
def test_fault_changes_one_fact(softcx, faults, fact, value):
    sound = json.loads(nic_info(softcx, cabling.nic, "--json").out)
    facts = json.loads(nic_info(softcx, cabling.nic, "--json", faults=faults).out)
    assert facts == {**sound, fact: value} and sound[fact] != value


@pytest.mark.parametrize("arguments", [(), ("a", "b"), ("--frobnicate",)], ids=str)
def test_wrong_usage_gives_2(softcx, arguments):
    result = nic_info(softcx, *arguments)
    assert result.rc == 2 and "ringside nic-info BDF" in result.err


def test_address_without_a_nic_names_those_that_have_one(softcx):
    result = nic_info(softcx, "0000:99:00.0")
    assert result.rc == 2 and cabling.nic in result.err
