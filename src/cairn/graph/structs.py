"""Fields that a struct or an interface of Go writes in its body, where they are no definitions of their own."""

import re

from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.languages.record import UNDIVIDED
from cairn.languages.registry import record_of

_TAG = re.compile(r"//.*|`[^`]*`|\"[^\"]*\"")
_FIELD = re.compile(r"\s*([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s+([^=]+?)\s*$")
_INNER = re.compile(r"\s*(\*?\s*[^\W\d][\w.]*(?:\[.*\])?)\s*$")


def struct_fields(world: World, item: Definition) -> dict[str, str]:
    """The types of a struct's fields as written, by name; what is embedded has the name of its type."""
    if record_of(world.languages.get(item.path, "")).heads.order != UNDIVIDED:
        return {}
    found: dict[str, str] = {}
    for line in _body(world, item):
        said = _FIELD.match(line)
        if said is not None:
            found |= dict.fromkeys((name.strip() for name in said[1].split(",")), said[2])
        elif (inner := _INNER.match(line)) is not None:
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
