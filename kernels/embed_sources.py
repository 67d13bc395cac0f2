#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""Writes the headers that kernels are compiled from at run time as a table of C++, so that an
installed program needs no source tree: those named and all that they include, and what stands in
for the C++ library."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def main(root, output, depfile, *wanted):
    root = pathlib.Path(root)
    texts = {}
    wanted = list(wanted)
    while wanted:
        name = wanted.pop()
        if name not in texts:
            texts[name] = (root / name).read_text()
            wanted += INCLUDE.findall(texts[name])
    paths = [root / name for name in texts]
    for path in (root / "kernels/nvrtc").iterdir():
        texts[path.name] = path.read_text()
        paths.append(path)
    entries = "".join(f'    {{"{name}", R"ringside({text})ringside"}},\n'
                      for name, text in sorted(texts.items()))
    pathlib.Path(output).write_text(
        '#include "kernels/embedded_sources.hpp"\n'
        "namespace ringside {\nnamespace {\n"
        f"constexpr SourceFile kSources[] = {{\n{entries}}};\n"
        "}\nstd::span<const SourceFile> embedded_sources() { return kSources; }\n}\n")
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(map(str, paths))}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
