# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""docs/device-api.md names all that the headers of the device API give, and nothing else."""
import re

import declarations
import pytest
import support

PAGE = support.ROOT / "docs" / "device-api.md"
HEADERS = sorted([*(support.ROOT / "lib" / "device").glob("*.hpp"),
                  support.ROOT / "lib/mlx5/format/queue.hpp",
                  support.ROOT / "lib/mlx5/format/clock_map.hpp",
                  support.ROOT / "lib/mlx5/format/nic_time.hpp",
                  support.ROOT / "kernels/user_kernel.hpp"])
SECTION = re.compile(r"^### `([^`]+)`\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`(\w+)[^`]*`")
CALL = re.compile(r"`([^`\s]+?)\(\)`")
COLUMNS = ["call", "who", "waits", "order", "gives"]


def rows(section):
    """The cells of each row of the section's tables, without their heads."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in section.splitlines() if line.startswith("|")]
    return [row for row in cells if row != COLUMNS and set("".join(row)) != {"-"}]


def faults(name, text, section):
    """What the section does not say of the header, or says of no call of it."""
    given = declarations.declared(text)
    found = [f"{name}: row {row} has not {COLUMNS}" for row in rows(section)
             if len(row) != len(COLUMNS) or not all(row)]
    calls = {call for row in rows(section) for call in CALL.findall(row[0])}
    found += [f"{name}: {function}() has no row" for function in given.functions - calls]
    found += [f"{name}: there is no {call}()" for call in calls - given.functions]
    named = set(NAMED.findall(section))
    found += [f"{name}: {missing} is not named" for missing in (given.types | given.macros) - named]
    return sorted(found)


def test_every_header_has_its_section_and_every_section_its_header():
    names = [name for name, _ in SECTION.findall(PAGE.read_text())]
    assert sorted(names) == sorted(str(path.relative_to(support.ROOT)) for path in HEADERS)


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.stem)
def test_every_type_and_call_of_a_header_is_on_the_page(header):
    name = str(header.relative_to(support.ROOT))
    section = dict(SECTION.findall(PAGE.read_text())).get(name, "")
    assert faults(name, header.read_text(), section) == []


TEXT = """
namespace n {
/// call_in_comment()
class Queue {
 public:
  RS_DEVICE explicit Queue(int depth);
  template <class T, bool (*f)(int)>
  RS_DEVICE T look(const T& at) const { return helper(at); }
 private:
  struct Hidden { int unseen(); };
  RS_DEVICE void helper(int);
};
using Alias = Queue;
template <class T>
concept Kind = requires(T t) { t.nothing(); };
struct Plain { int count = 0; };
RS_DEVICE int free_call(Queue queue = {});
}
"""
SAID = """`Queue` `Alias` `Kind` `Plain`
| call | who | waits | order | gives |
|---|---|---|---|---|
| `look()` | thread | no | none | it |
| `free_call()` | thread | no | none | it |
"""


def test_declarations_are_what_is_public():
    given = declarations.declared(TEXT)
    assert given.types == {"Queue", "Alias", "Kind", "Plain"}
    assert given.functions == {"look", "free_call"}


@pytest.mark.parametrize("said, fault", [
    (SAID, []),
    (SAID.replace("`Kind`", ""), ["x: Kind is not named"]),
    (SAID.replace("look()", "looks()"), ["x: look() has no row", "x: there is no looks()"]),
    (SAID.replace("| `look()` | thread | no |", "| `look()` | thread | |"),
     [f"x: row ['`look()`', 'thread', '', 'none', 'it'] has not {COLUMNS}"]),
])
def test_what_is_missing_or_wrong_is_found(said, fault):
    assert faults("x", TEXT, said) == fault
