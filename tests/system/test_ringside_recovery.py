# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
import support


def test_stopped_stream_is_named_and_the_next_start_recovers_it(softcx):
    result = softcx([support.BUILD / "tests" / "system" / "stream_recovery"], ports=["loop"])
    assert result.rc == 0, result.out + result.err
    assert "1 test from 1 test suite ran" in result.out
