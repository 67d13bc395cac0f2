# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What documents show, so that tests can hold it against what they show it of."""
import re
from dataclasses import dataclass

FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Block:
    language: str
    name: str  # of the file that it is, or whatever stands there; empty: nothing does
    text: str


def blocks(path, language=None):
    """The fenced blocks of a document, in order: "```language name"."""
    found = [Block(language, name, text) for language, name, text in FENCE.findall(path.read_text())]
    return [block for block in found if language in (None, block.language)]


def without_blocks(path):
    """The document's text without its fenced blocks."""
    return FENCE.sub("", path.read_text())
