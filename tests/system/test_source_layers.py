# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Includes between the rooms of the source tree point one way."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Room -> rooms that it may include besides itself. Longest prefix wins.
ALLOWED = {
    "lib/base": set(),
    "lib/mlx5/format": set(),
    "lib/mlx5": {"lib/base", "lib/mlx5/format"},
    "lib/device": {"lib/mlx5/format", "lib/base"},
    "kernels": {"lib/device", "lib/mlx5/format"},
    "lib/dpdk": {"lib/base"},
    "lib/gpu": {"lib/base", "lib/dpdk", "lib/device", "kernels", "lib/mlx5/format"},
    "lib/flow": {"lib/base", "lib/dpdk"},
    "lib/runtime": {"lib/base", "lib/mlx5/format", "lib/mlx5", "lib/device", "kernels", "lib/dpdk",
                    "lib/gpu", "lib/flow"},
    "lib/cli": {"lib/base", "lib/runtime"},
    "lib/pipeline": {"lib/base", "lib/dpdk", "lib/device", "kernels", "lib/gpu", "lib/flow",
                     "lib/runtime", "lib/cli"},
    "lib/softcx": {"lib/base", "lib/mlx5/format"},
    "app": {"lib/base", "lib/runtime", "lib/cli", "lib/pipeline", "lib/softcx"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def room_of(path: str) -> str:
    rooms = [room for room in ALLOWED if path == room or path.startswith(room + "/")]
    return max(rooms, key=len, default="")


def violations(path: str, text: str) -> list[str]:
    room = room_of(path)
    found = []
    for included in INCLUDE.findall(text):
        target = room_of(included)
        if target and target != room and target not in ALLOWED[room]:
            found.append(f"{path}: {room} must not include {included}")
    return found


def sources() -> list[pathlib.Path]:
    suffixes = {".cpp", ".hpp", ".cu", ".cuh", ".c", ".h"}
    files = [p for top in ("app", "lib", "kernels") for p in (ROOT / top).rglob("*")]
    return [p for p in files if p.suffix in suffixes]


def test_every_source_file_lies_in_a_known_room():
    assert [str(p) for p in sources() if not room_of(str(p.relative_to(ROOT)))] == []


def test_no_room_includes_one_above_it():
    found = []
    for path in sources():
        found += violations(str(path.relative_to(ROOT)), path.read_text())
    assert found == []


@pytest.mark.parametrize("path, include", [
    ("lib/runtime/port.cpp", "lib/softcx/nic/device.hpp"),
    ("lib/softcx/data/engine.cpp", "lib/mlx5/context.hpp"),
    ("lib/mlx5/format/wqe.hpp", "lib/base/error.hpp"),
])
def test_a_forbidden_include_is_found(path, include):
    assert violations(path, f'#include "{include}"\n') != []
