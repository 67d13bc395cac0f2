# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
import support


def test_what_an_error_stops_is_named_and_starts_again(softcx):
    result = softcx([support.BUILD / "tests" / "system" / "stream_recovery"], ports=["loop"])
    assert result.rc == 0, result.out + result.err
    assert "5 tests from 1 test suite ran" in result.out
