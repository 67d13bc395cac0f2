# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""docs/pipeline-reference.md: what ringside knows, no more and no less."""
import json
import re
import subprocess

import support

REFERENCE = support.ROOT / "docs/pipeline-reference.md"
COMMAND = "ringside check --json-schema | tools/pipeline-reference >docs/pipeline-reference.md"


def schema():
    return support.run([support.RINGSIDE, "check", "--json-schema"]).out


def reference(text):
    done = subprocess.run([support.ROOT / "tools/pipeline-reference"], input=text, text=True,
                          capture_output=True, check=True)
    return done.stdout


def test_the_reference_is_made_of_this_programs_schema():
    assert REFERENCE.read_text() == reference(schema()), f"make it again: {COMMAND}"


def keys(part, found):
    """All that a file can say, and each kind's description."""
    if isinstance(part, dict):
        for key, value in part.get("properties", {}).items():
            found.add((key, value.get("description", "") if isinstance(value, dict) else ""))
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            keys(one, found)
    return found


def test_every_key_and_what_it_is_for_stands_in_the_reference():
    text = REFERENCE.read_text()
    for key, description in keys(json.loads(schema()), set()) - {("inner", "headers behind the tunnel's")}:
        assert f"`{key}`" in text or f".{key}`" in text, key
        shown = description.replace("|", "/")
        assert shown in text or shown[0].upper() + shown[1:] in text, description


def test_links_of_the_reference_lead_to_its_chapters():
    text = REFERENCE.read_text()
    chapters = {re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")
                for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert len(links) > 15 and links - chapters == set()


def test_a_key_that_is_new_is_missed():
    changed = json.loads(schema())
    changed["properties"]["gpu"]["properties"]["speed"] = {"type": "boolean", "description": "new"}
    assert "| `speed` | `false` or `true` |  | new |" in reference(json.dumps(changed))
