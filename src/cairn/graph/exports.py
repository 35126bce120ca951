"""What files offer that isn't what they call so themselves: `export { y as x }`, `__all__`."""

import re

from cairn.base.values import dataclass

_EXPORTED = re.compile(r"^[ \t]*export\s*(?:type\s*)?\{(?P<names>[^{}]*)\}(?!\s*from\b)", re.MULTILINE)
_RENAMED = re.compile(r"\s*(?:type\s+)?([\w$]+)\s+as\s+([\w$]+)\s*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ALL = re.compile(r"^[ \t]*[^#\n]*\b__all__\b", re.MULTILINE)
_TEXT = re.compile(r"""(["'])([^"'\\\n]*)\1""")
_NOTE = re.compile(r"#[^\n]*")
_LISTED = re.compile(
    r"""^__all__[ \t]*(?::[^=\n]*)?=[ \t]*[\[(]"""
    r"""(?P<names>(?:\s|,|\#[^\n]*\n|"[^"\\\n]*"|'[^'\\\n]*')*)[\])][ \t]*(?:\#[^\n]*)?$""",
    re.MULTILINE,
)


def renamed_exports(text: str) -> dict[str, str]:
    """What a file calls its exports, by the other names that it gives them."""
    found: dict[str, str] = {}
    for statement in _EXPORTED.finditer(text):
        for part in _COMMENT.sub(" ", statement["names"]).split(","):
            pair = _RENAMED.fullmatch(part)
            if pair is not None and pair[1] != pair[2]:
                found[pair[2]] = pair[1]
    return found


@dataclass(frozen=True, slots=True)
class Starred:
    """What a module of Python gives to those who import everything of it."""

    names: frozenset[str] | None = None
    """None where it doesn't list them."""
    known: bool = True
    """Whether the list is one of plain texts, so that it could be read."""


def starred(text: str) -> Starred:
    """What `__all__` says, where one literal list does."""
    if "__all__" not in text:
        return Starred()
    if len(_ALL.findall(text)) == 1 and (said := _LISTED.search(text)) is not None:
        # An escape in a name is nothing that anyone writes.
        return Starred(frozenset(name for _, name in _TEXT.findall(_NOTE.sub("", said["names"]))))
    return Starred(known=False)
