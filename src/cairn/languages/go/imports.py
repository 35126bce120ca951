"""What an import of Go binds."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding


def bindings(statement: str, source: str, _before: str) -> Iterable[Binding]:
    """What an `import` binds."""
    alias = statement.partition('"')[0].partition("`")[0].strip()
    if alias == "_":
        return []
    if alias == ".":
        return [Binding(EVERYTHING, EVERYTHING)]
    if alias:
        return [Binding("", alias)]
    parts = [part for part in source.split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"v\d+", parts[-1]):
        parts.pop()
    last = re.sub(r"\.v\d+$", "", parts[-1]) if parts else ""
    return [Binding("", last.removeprefix("go-").removesuffix("-go").removesuffix(".go").replace("-", "_"))]
