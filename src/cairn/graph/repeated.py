"""Definitions that share a file and a qualified name: one thing, or several that syntax can't choose from."""

import re
from collections.abc import Sequence

from cairn.graph.customs import FIELDS, customs_of, family
from cairn.graph.meaning import LIKELY, PROVEN, Meaning
from cairn.graph.prototypes import is_declaration
from cairn.graph.scopes import FUNCTIONS, FileScope
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.store import SymbolRow

_PARTS = re.compile(r"@\s*(?:[\w.]*\boverload\b|(?P<own>\w+)\s*\.)")


def here(world: World, scope: FileScope, symbols: Sequence[SymbolRow]) -> Meaning:
    """What one place of a file calls by one name: likely all of them where they may be several things."""
    if len(symbols) > 1 and scope.language == "python":
        return _python(world, scope, symbols)
    found = tuple(Definition(scope.path, symbol) for symbol in symbols)
    return Meaning(found, LIKELY if are_several(world, scope.language, found) else PROVEN)


def are_several(world: World, language: str, items: Sequence[Definition]) -> bool:
    """Whether definitions of one name and container are more than one thing: a declaration and its body are one."""
    if len(items) < 2 or not customs_of(language).overloads:
        return False
    functions = [item for item in items if item.symbol.kind in FUNCTIONS]
    if family(language) == "c":
        functions = [item for item in functions if not is_declaration(world, item)] or _heads(functions)
    if customs_of(language).macros_apart:
        macros = [item for item in functions if item.symbol.kind == "macro"]
        functions = macros if len(macros) > 1 else [item for item in functions if item.symbol.kind != "macro"]
    types = [item for item in items if item.symbol.kind not in FUNCTIONS | FIELDS]
    return len(functions) > 1 or (len(types) > 1 and not customs_of(language).reopened and family(language) != "c")


def _heads(declared: Sequence[Definition]) -> list[Definition]:
    """Declarations that differ in what they take."""
    return list({" ".join(item.symbol.signature.split()): item for item in declared}.values())


def _python(world: World, scope: FileScope, symbols: Sequence[SymbolRow]) -> Meaning:
    """The last definition replaces those before it, unless they are its parts or stand in another block."""
    lines = world.lines(scope.path)
    last = symbols[-1]
    kept = tuple(Definition(scope.path, symbol) for symbol in symbols)
    if all(symbol.kind in FIELDS for symbol in symbols) or any(_is_part(lines, symbol) for symbol in symbols):
        return Meaning(kept, PROVEN)
    if not all(_is_beside(lines, symbol, last) for symbol in symbols[:-1]):
        return Meaning(kept, LIKELY)
    return Meaning(kept[-1:], PROVEN)


def _is_part(lines: Sequence[str], symbol: SymbolRow) -> bool:
    """Whether it is an overload's signature, or a setter of the property before it."""
    decorated = (_PARTS.match(line.strip()) for line in lines[symbol.start_line - 1 : symbol.name_line])
    return any(each is not None and each["own"] in (None, symbol.name) for each in decorated)


def _is_beside(lines: Sequence[str], first: SymbolRow, last: SymbolRow) -> bool:
    """Whether no line between two definitions is further out than they are: an `else`, an `except`."""
    depth = _depth(lines[first.start_line - 1])
    between = lines[first.start_line - 1 : last.start_line]
    return depth == _depth(lines[last.start_line - 1]) and all(
        _depth(line) >= depth for line in between if line.strip() and not line.lstrip().startswith("#")
    )


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
