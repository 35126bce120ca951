"""What an import of PHP binds."""

import re
from collections.abc import Iterable

from cairn.languages.imports import EVERYTHING, Binding, last_part, renamed


def bindings(statement: str, source: str, before: str) -> Iterable[Binding]:
    """What a `use`, `include` or `require` binds."""
    if not statement.lstrip().startswith("use"):
        return [Binding(EVERYTHING, EVERYTHING)]
    group = re.search(r"\{([^{}]*)\}", statement)
    if group:
        parts = (re.sub(r"^\s*(?:function|const)\s+", "", part) for part in group[1].split(",") if part.strip())
        found = (renamed(part) for part in parts)
        return [Binding(name.replace("\\", "."), local.rpartition("\\")[2]) for name, local in found]
    match = re.search(rf"{re.escape(source)}\s+as\s+(\w+)", statement)
    return [Binding("", match[1])] if match else last_part(source, source, before)
