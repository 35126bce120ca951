"""What a type is derived from, as its head says."""

import re

from cairn.languages.heads import BEHIND_ANGLE, BEHIND_COLON, IN_PARENTHESES
from cairn.languages.registry import record_of

_MOST = 20
_WORDS = re.compile(r"\b(?:extends|implements|with|mixin|mixins)\b")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_CALLED = re.compile(r"\([^()]*\)")
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*")
_ACCESS = re.compile(r"\b(?:public|private|protected|virtual|by|where)\b.*?(?=[^\W\d])")


def bases_of(language: str, signature: str) -> tuple[str, ...]:
    """Dotted names of what a class, interface or trait extends, in order; empty where its head names none."""
    text = _without(_GENERIC, signature)
    where = record_of(language).heads.bases
    if where == IN_PARENTHESES:
        opened, _, _ = text.partition("(")
        inside = text[len(opened) + 1 : text.rfind(")")] if "(" in text else ""
        parts = [part for part in _without(_CALLED, inside).split(",") if "=" not in part and "*" not in part]
    elif where == BEHIND_ANGLE:
        parts = [text.partition("<")[2]]
    elif where == BEHIND_COLON:
        # A constructor's parameters have colons of their own.
        parts = _ACCESS.sub("", _without(_CALLED, text).replace("::", "\0").partition(":")[2]).split(",")
        parts = [part.replace("\0", "::") for part in parts]
    else:
        parts = [part for clause in _WORDS.split(_without(_CALLED, text))[1:] for part in clause.split(",")]
    found = (match[0] for part in parts if (match := _NAME.search(part)))
    return tuple(re.sub(r"::|\\", ".", name) for name in found)[:_MOST]


def _without(pattern: re.Pattern[str], text: str) -> str:
    """A text without what a pattern matches, from the inside out."""
    before = ""
    while before != text:
        before, text = text, pattern.sub("", text)
    return text
