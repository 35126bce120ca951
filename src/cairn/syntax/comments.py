"""The words of comments: without their signs, and at the head of a file without licences."""

import re

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
