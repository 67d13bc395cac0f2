# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Debian's unmodified testpmd meets softcx's faults as it would meet them on hardware: the PMD's own
answers to them are the judge of where and how they strike.
"""
import pytest
import support
from frames import nic_account


@pytest.fixture
def faulty(testpmd_session, dumps_removed):
    def start(faults, devargs=""):
        return testpmd_session(faults=faults, eal=("-a", f"{support.NIC}{devargs}"),
                               opts=("-i", "--forward-mode=io", "--no-flush-rx"))
    return start


def grows(session):
    before = session.stats()["RX-packets"]
    return session.wait_stats("RX-packets", before + 1000)["RX-packets"] >= before + 1000


@pytest.mark.parametrize("mode", (1, 2, 3))
def test_pmd_gives_the_headers_inline_that_the_nic_wants(faulty, mode):
    """And the NIC fails a WQE without them: the PMD reads the mode from the vport context."""
    session = faulty(f"min-inline:mode={mode}")
    session.cmd("start tx_first")
    assert grows(session)
    assert nic_account(session.quit()[1])["dropped"] == 0


def test_mtu_above_the_netdevs_is_refused_by_the_kernel(faulty):
    session = faulty("mtu:value=1400")
    assert "failed to set MTU to 1500" in session.banner and "Fail to configure" in session.banner


def test_link_that_goes_down_is_an_event_and_a_status(faulty):
    session = faulty("link-down:packet=500")
    seen = []

    def status_is(word):
        text = session.cmd("show port summary 0")
        seen.append(session.child.before)
        return f" {word} " in text
    assert status_is("up")
    session.cmd("start tx_first")
    assert support.eventually(lambda: status_is("down"))
    assert "Port 0: link state change event" in "".join(seen)


def test_pmd_recovers_a_send_queue_by_itself(faulty):
    session = faulty("tx-error:packet=500")
    session.cmd("start tx_first")
    session.wait_stats("TX-packets", 400)  # the error comes a moment later
    session.cmd("stop")
    session.cmd("start tx_first")
    assert grows(session)
    text = session.quit()[1]
    assert "failed_wqe 1" in text and "1 send queue errors" in text


def test_pmd_recovers_a_receive_queue_by_itself(faulty):
    """By its scalar code. The vector code of 22.11 looks at the old error again after recovery, and
    resets a queue that is ready for ever, which the NIC refuses."""
    session = faulty("rx-error:packet=500", ",rx_vec_en=0")
    session.cmd("start tx_first")
    session.wait_stats("RX-packets", 400)  # the error comes a moment later
    session.cmd("stop")
    session.cmd("start tx_first")
    assert grows(session)
    assert nic_account(session.quit()[1])["injected_error"] == 1


def test_nic_that_stands_still_keeps_nobody_from_quitting(faulty):
    session = faulty("stalled-nic:packet=500")
    session.cmd("start tx_first")
    session.settle()
    status, text = session.quit()
    assert status == 0 and nic_account(text)["received"] <= 600
