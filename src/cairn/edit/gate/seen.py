"""What a language lets a place know of a thing."""

import re

from cairn.edit.gate.thing import MEMBER, Thing
from cairn.graph.customs import customs_of
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition

_MODIFIERS = re.compile(r"^(?:(?:static|readonly|override|async|abstract|declare)\s+)*(private|protected|#)")


def kept_by(item: Definition) -> str:
    """TypeScript: how a class keeps a member from others; empty if it doesn't."""
    said = _MODIFIERS.search(item.symbol.signature)
    return said[1] if said is not None else ""


def is_of_class(thing: Thing) -> bool:
    """Scripts, Go: whether values have it, a method, from their type: no list of what they hold themselves has it."""
    if thing.family == "go":
        return thing.kind in FUNCTIONS
    if thing.reach != MEMBER or not thing.owners or any(owner.symbol.kind != "class" for owner in thing.owners):
        return False
    # A field may hold a function: `name = () => 1`.
    symbols = [item.symbol for item in thing.definitions]
    return all(re.search(rf"(?<![\w$]){re.escape(each.name)}\s*[(<]", each.signature) for each in symbols)


def is_seen(thing: Thing, path: str, line: int) -> bool:
    """Whether a place may know the thing: Go's small letters end with the package, `private` with the class."""
    if thing.family == "go" and not thing.name[:1].isupper():
        return path.rpartition("/")[0] in {item.path.rpartition("/")[0] for item in thing.definitions}
    if not customs_of(thing.family).merged or thing.reach != MEMBER:
        return True
    if not all(kept_by(item) in ("private", "#") for item in thing.definitions):
        return True
    bodies = ((owner.path, owner.symbol.start_line, owner.symbol.end_line) for owner in thing.owners)
    return any(path == own and start <= line <= end for own, start, end in bodies)
