# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
import ports as cabling
import pytest
import support


@pytest.mark.parametrize("program, tests", (("stream_recovery", 10), ("launch_recovery", 4)))
def test_what_an_error_stops_is_named_and_starts_again(softcx, program, tests):
    cabling.require_softcx("its errors are made for softcx's loop")
    result = softcx([support.BUILD / "tests" / "system" / program], ports=["loop"])
    assert result.rc == 0, result.out + result.err
    assert f"{tests} tests from 1 test suite ran" in result.out
