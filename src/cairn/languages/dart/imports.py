"""What an import of Dart binds."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding


def bindings(statement: str, _source: str, _before: str) -> Iterable[Binding]:
    """What an `import` or `export` binds."""
    alias = re.search(r"\bas\s+(\w+)", statement)
    if alias:
        return [Binding("", alias[1])]
    shown = re.search(r"\bshow\s+([\w\s,]+)", statement)
    if shown:
        return [Binding(name.strip(), name.strip()) for name in shown[1].split(",") if name.strip()]
    return [Binding(EVERYTHING, EVERYTHING)]
