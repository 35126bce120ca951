"""Definitions that were found in a syntax tree, and how they stand in each other."""

import re
from bisect import bisect_left
from typing import Any

from cairn.base.values import dataclass

MAX_DOC = 600
Comment = tuple[int, int, int, int, bool]
"""First and last row, first and last byte, and whether it is a comment: else an attribute."""
_TAGS = re.compile(r"</?(?:summary|remarks|para|returns|param|typeparam|value|example|inheritdoc|c|see)\b[^<>]*>")
_MAGIC = re.compile(r"frozen_string_literal|eslint|@ts-|(?:-\*- )?coding[:=]|vim?:|prettier|<?xml")
_PARAGRAPHS = re.compile(r"\n[ \t*#/;-]*\n")
_LEGAL = re.compile(
    r"copyright|licen[sc]e|spdx|all rights reserved|maintainer|stability|portability|redistribut|warrant|liab"
    r"|^\W*(?:module|author)\s*:",
    re.IGNORECASE,
)
_WHITE = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_BEFORE_WORDS = "/*#!;%-\"'`(<{|" + _WHITE
_BEHIND_WORDS = "*/\"'`)->}|" + _WHITE


def top_comment(comments: list[Comment], data: bytes) -> str:
    """The comment at the head of a file, licences aside."""
    texts: list[str] = []
    expected: int | None = None
    for first, last, left, right, is_comment in comments:
        if not is_comment or data.startswith(b"#!", left):
            continue
        if not texts and _MAGIC.match(clean_comment(data[left : min(right, left + 200)].decode("utf-8", "replace"))):
            continue
        if expected is None and data[:left].count(b"\n") > 40:
            break
        if expected is not None and first > expected:
            text = clean_comment("\n".join(texts))
            if text and not _is_licence(text):
                return text
            texts = []
        texts.append(_without_law(data[left:right].decode("utf-8", "replace")))
        expected = last + 1
    text = clean_comment("\n".join(texts))
    return "" if _is_licence(text) else text


def _without_law(text: str) -> str:
    """A head comment without its paragraphs about law: what a file is for often stands beside them."""
    kept = []
    for paragraph in _PARAGRAPHS.split(text):
        legal = [line for line in paragraph.splitlines() if _LEGAL.search(line)]
        if not legal:
            kept.append(paragraph)
        elif all(":" in line or "opyright" in line for line in legal):
            # A block of fields or one line of copyright above the text that matters.
            kept.append("\n".join(line for line in paragraph.splitlines() if line not in legal))
    return "\n".join(kept)


def _is_licence(text: str) -> bool:
    low = text[:400].lower()
    return "copyright" in low or "licen" in low or "spdx" in low


def clean_comment(text: str) -> str:
    """A comment's words without its signs."""
    tagged = "<" in text
    kept: list[str] = []
    size = 0
    for line in text.splitlines():
        plain = _TAGS.sub("", line) if tagged else line
        words = spaced(plain.lstrip(_BEFORE_WORDS).rstrip(_BEHIND_WORDS))
        if words:
            kept.append(words)
            size += len(words) + 1
            if size > MAX_DOC:
                break
    return " ".join(kept)[:MAX_DOC]


def spaced(text: str) -> str:
    """Words with one space between them."""
    return " ".join(text.split())


_TYPES = frozenset({"class", "enum", "interface", "struct", "trait", "type"})


@dataclass(slots=True)
class FoundDefinition:
    """A definition as the syntax tree has it, before it is known what is around it."""

    start: int
    end: int
    start_row: int
    end_row: int
    name: str
    name_row: int
    kind: str
    signature: str
    head: str
    container: str
    doc: str
    is_scope: bool
    pattern: int
    outer: Any
    """The node with its wrappers."""
    symbol: int = -1
    qualified: str = ""


def one_of_clauses(ordered: list[FoundDefinition], comments: list[Comment], data: bytes) -> list[FoundDefinition]:
    """A signature and the equations after it are one definition."""
    kept: list[FoundDefinition] = []
    for item in ordered:
        before = kept[-1] if kept else None
        if before is not None and (before.name, before.kind) == (item.name, item.kind) and before.end <= item.start:
            between = data[before.end : item.start]
            first = bisect_left(comments, (before.end_row,))
            for _, _, left, right, _ in comments[first : bisect_left(comments, (item.start_row,))]:
                between = between.replace(data[left:right], b"")
            if not between.strip():
                before.end, before.end_row = item.end, item.end_row
                before.doc = before.doc or item.doc
                continue
        kept.append(item)
    return kept


def qualify(ordered: list[FoundDefinition]) -> None:
    """Containers by nesting; `ordered` is sorted so that what is around comes first."""
    stack: list[FoundDefinition] = []
    for item in ordered:
        while stack and stack[-1].end <= item.start:
            stack.pop()
        around = next((outer for outer in reversed(stack) if outer.end >= item.end and not _same(outer, item)), None)
        if not item.container and around is not None:
            item.container = around.qualified
        elif item.container and around is not None and around.kind == "module":
            item.container = f"{around.qualified}.{item.container}"
        if item.kind == "function" and around is not None and (around.is_scope or around.kind in _TYPES):
            item.kind = "method"
        item.qualified = f"{item.container}.{item.name}" if item.container else item.name
        if item.is_scope:
            # A scope may repeat a type's own name: it names its members, it is no member itself.
            item.qualified = item.name
        stack.append(item)


def _same(one: FoundDefinition, other: FoundDefinition) -> bool:
    """Names of one declaration stand side by side, not in each other."""
    return one.start == other.start and one.end == other.end and not (one.is_scope or other.is_scope)
