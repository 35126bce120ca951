"""What an import of Python binds."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding, renamed


def bindings(statement: str, source: str, _before: str) -> Iterable[Binding]:
    """What an `import` or `from ... import` binds."""
    text = re.sub(r"#[^\n]*|\\\n", " ", statement) if "#" in statement or "\\" in statement else statement
    _, word, names = text.partition(" import ")
    if not word and text.startswith("from"):
        # `from .import a` and `from . import(a)` need no space.
        names = re.split(r"\bimport\b", text, maxsplit=1)[-1]
        word = names if names != text else ""
    if not text.startswith("from") or not word:
        match = re.search(rf"(?<![\w.]){re.escape(source)}\s+as\s+(\w+)", text) if " as" in text else None
        return [Binding("", match[1] if match else source)]
    if names.strip() == EVERYTHING:
        return [Binding(EVERYTHING, EVERYTHING)]
    return [renamed(part) for part in names.strip().strip("()").split(",") if part.strip()]
