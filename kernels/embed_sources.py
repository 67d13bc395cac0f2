#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Writes the headers that chains and kernels are compiled from at run time as tables of C++, so that
an installed program needs no source tree: those named and all that they include, and what stands in
for the C++ library on a GPU."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def table(name, texts):
    entries = "".join(f'    {{"{file}", R"ringside({text})ringside"}},\n'
                      for file, text in sorted(texts.items()))
    return (f"namespace {{\nconstexpr SourceFile k_{name}[] = {{\n{entries}}};\n}}\n"
            f"std::span<const SourceFile> {name}() {{ return k_{name}; }}\n")


def main(root, output, depfile, *wanted):
    root = pathlib.Path(root)
    texts = {}
    wanted = list(wanted)
    while wanted:
        name = wanted.pop()
        if name not in texts:
            texts[name] = (root / name).read_text()
            wanted += INCLUDE.findall(texts[name])
    library = {path.name: path.read_text() for path in (root / "kernels/nvrtc").iterdir()}
    paths = [root / name for name in texts] + [root / "kernels/nvrtc" / name for name in library]
    pathlib.Path(output).write_text(
        '#include "kernels/embedded_sources.hpp"\nnamespace ringside {\n'
        f"{table('embedded_sources', texts)}{table('embedded_cuda_library', library)}}}\n")
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(map(str, paths))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
