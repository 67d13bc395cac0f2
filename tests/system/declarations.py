# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
"""What a header of ours declares for others: types, functions and macros. It reads our style of
C++, not all of the language: bodies are skipped, and so is what is not public."""
import re

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
MACRO = re.compile(r"^#define (\w+)", re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
TYPE = re.compile(r"\b(class|struct|enum(?: class)?|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)[^()=]*$")
ALIAS = re.compile(r"^(?:template\s*<.*>\s*)?(?:using|concept)\s+(\w+)\s*=", re.DOTALL)
CONCEPT = re.compile(r"\bconcept\s+(\w+)\s*=", re.DOTALL)
FUNCTION = re.compile(r"(~?\b\w+|operator[^\w\s(]+|operator\(\))\s*\(")
ACCESS = re.compile(r"\b(public|protected|private):(?!:)")
NO_NAMES = {"alignas", "requires", "noexcept", "static_assert", "sizeof", "decltype", "explicit",
            "asm", "defined", "if", "while", "for", "return", "constexpr"}


def without_templates(text):
    """Without what is between < and > of template heads, which may have parentheses of their own."""
    text = re.sub(r"\brequires\s*requires\b.*", "", text, flags=re.DOTALL)
    while (stripped := re.sub(r"template\s*<[^<>]*(<[^<>]*>[^<>]*)*>", " ", text)) != text:
        text = stripped
    return text


class Scope:
    def __init__(self, kind, name="", visible=True, public=True):
        self.kind = kind  # namespace, type, or body
        self.name = name
        self.visible = visible  # from outside
        self.public = visible and public  # what comes next in it


class Declared:
    def __init__(self, macros):
        self.types = set()
        self.functions = set()
        self.macros = macros


def _declare(text, scope, found):
    """Notes what `text`, up to a ; or {, declares in the scope."""
    text = text.strip()
    if not text or scope.kind == "body" or not scope.public:
        return
    if text.startswith(("friend", "static_assert", "extern \"C\"")):
        return
    if concept := CONCEPT.search(text):
        found.types.add(concept.group(1))
        return
    if alias := ALIAS.match(text):
        found.types.add(alias.group(1))
        return
    head = without_templates(text)
    if kind := TYPE.search(head):
        found.types.add(kind.group(2))
        return
    head = head.split("=")[0] if "operator" not in head else head
    for match in FUNCTION.finditer(head):
        name = match.group(1)
        if name in NO_NAMES or name.startswith("~"):
            continue
        if name != scope.name:  # of constructors the type speaks
            found.functions.add(name)
        return


def _opens(text, scope):
    """What begins with the { behind `text`."""
    head = without_templates(text.strip())
    if "namespace" in head and "(" not in head:
        return Scope("namespace")
    kind = TYPE.search(head)
    if scope.kind == "body" or not kind or kind.group(1).startswith("enum") or CONCEPT.search(text):
        return Scope("body")
    return Scope("type", kind.group(2), scope.public, kind.group(1) == "struct")


def declared(text):
    """Types, functions and macros of a header. Of a type nested in what is not public, none."""
    text = COMMENT.sub("", text)
    found = Declared(set(MACRO.findall(text)))
    text = DIRECTIVE.sub("", text)
    scopes = [Scope("namespace")]
    pending = ""
    for piece in re.split(r"([{};])", text):
        scope = scopes[-1]
        if piece == "{":
            _declare(pending, scope, found)
            scopes.append(_opens(pending, scope))
            pending = ""
        elif piece == "}":
            scopes.pop()
            pending = ""
        elif piece == ";":
            _declare(pending, scope, found)
            pending = ""
        else:
            while access := ACCESS.search(piece):
                if scope.kind == "type":
                    scope.public = access.group(1) == "public" and scope.visible
                piece = piece[access.end():]
            pending += piece
    assert len(scopes) == 1, "braces do not match"
    return found
