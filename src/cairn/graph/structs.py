"""What a struct of Go embeds: fields that have the names of their types, and are no definitions of their own."""

import re

from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.languages.record import UNDIVIDED
from cairn.languages.registry import record_of

_TAG = re.compile(r"//.*|`[^`]*`|\"[^\"]*\"")
_INNER = re.compile(r"\s*(\*?\s*[^\W\d][\w.]*(?:\[.*\])?)\s*$")


def embedded_fields(world: World, item: Definition) -> dict[str, str]:
    """The types that a struct embeds as written, by name: that of the type."""
    if record_of(world.languages.get(item.path, "")).heads.order != UNDIVIDED:
        return {}
    found: dict[str, str] = {}
    for line in _body(world, item):
        if (inner := _INNER.match(line)) is not None:
            found[_last(inner[1])] = inner[1]
    return found


def _body(world: World, item: Definition) -> list[str]:
    """The lines between the outer braces of a type, without what stands in braces there."""
    symbol = item.symbol
    text = "\n".join(_TAG.sub("", line) for line in world.lines(item.path)[symbol.start_line - 1 : symbol.end_line])
    opened = re.search(rf"\b{re.escape(symbol.name)}\b[^{{\n]*\b(?:struct|interface)\s*{{", text)
    if opened is None:
        return []
    kept, depth = [], 1
    for char in text[opened.end() :]:
        depth += (char == "{") - (char == "}")
        if not depth:
            break
        if depth == 1:
            kept.append(char)
    return re.split(r"[;\n]", "".join(kept))


def _last(written: str) -> str:
    return written.lstrip("* ").partition("[")[0].rpartition(".")[2]
