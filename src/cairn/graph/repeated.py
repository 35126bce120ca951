"""Definitions of one qualified name: one thing and its declarations, or several that syntax can't choose from."""

import re
from collections.abc import Iterable, Iterator, Sequence

from cairn.base.values import replace
from cairn.graph.customs import FIELDS, customs_of, family, is_header
from cairn.graph.meaning import LIKELY, PROVEN, Meaning, weaker
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.store import SymbolRow

_LONGEST = 40
"""Lines; no prototype is longer."""
_HEAD_LINES = 4
_HEAD_ENDS = re.compile("[;{]")


def is_declaration(world: World, item: Definition) -> bool:
    """Whether something in C or its kin is only declared, and defined elsewhere."""
    symbol = item.symbol
    if symbol.kind == "macro" or not is_c(world, item):
        return False
    if symbol.kind in TYPES:
        return symbol.signature.startswith("@interface")
    if symbol.kind not in FUNCTIONS:
        return symbol.signature.startswith("extern ") and "=" not in symbol.signature
    if symbol.signature.endswith(";"):
        return True
    if symbol.end_line - symbol.start_line > _LONGEST:
        return False
    lines = world.lines(item.path)
    if symbol.end_line == symbol.start_line:
        # Attributes behind a head, which no grammar takes for some, may go on after the line.
        head = _HEAD_ENDS.search("\n".join(lines[symbol.start_line - 1 :][:_HEAD_LINES]))
        return head is not None and head[0] == ";"
    # A signature is one line, and the head may go on.
    return not any("{" in line for line in lines[symbol.start_line - 1 : symbol.end_line])


def is_static(item: Definition) -> bool:
    """Whether a member is one of its class, and not of the values of it."""
    return "static" in item.symbol.signature.partition("(")[0].split()


def bodies_of(world: World, items: Iterable[Definition]) -> list[Definition]:
    """Of some declarations the definitions that other files can mean by them, each once."""
    found = (
        body
        for item in items
        for body in _namesakes(world, item)
        if not is_declaration(world, body) and (body.symbol.exported or body.symbol.container)
    )
    return list(dict.fromkeys(found))


def declared_with(world: World, item: Definition) -> Iterator[Definition]:
    """What says in other files of C that a definition is there, or is what a declaration says."""
    symbol = item.symbol
    if symbol.exported or symbol.container or is_header(item.path):
        if is_declaration(world, item):
            yield from bodies_of(world, [item])
        yield from (each for each in _namesakes(world, item) if is_declaration(world, each))


def is_piece(world: World, item: Definition) -> bool:
    """Whether a definition may be one of several of its name that are one thing: what is partial, or opened again."""
    symbol, language = item.symbol, world.languages.get(item.path, "")
    customs = customs_of(language)
    if customs.pieces is not None:
        return customs.pieces.search(symbol.signature) is not None or symbol.kind == "module"
    # A type of C++ is of its file, and only a namespace is opened again.
    return customs.reopened and (symbol.kind == "module" or (symbol.kind in TYPES and family(language) != "c"))


def defined(world: World, found: Meaning) -> Meaning:
    """C's prototypes stand for the definition, which is in a file that nothing names."""
    heads = [item for item in found.targets if is_declaration(world, item)]
    bodies = bodies_of(world, heads)
    targets = tuple(dict.fromkeys((*bodies, *found.targets)))
    several = len(bodies) > 1
    return weaker(replace(found, targets=targets), LIKELY if several else "") if bodies else found


def _namesakes(world: World, item: Definition) -> Iterable[Definition]:
    return (
        each
        for each in world.namesakes(item.symbol.name)
        if each.symbol.qualified_name == item.symbol.qualified_name and is_c(world, each)
    )


def is_c(world: World, item: Definition) -> bool:
    """Whether a definition is one of C, C++ or what shares their names."""
    return family(world.languages.get(item.path, "")) == "c"


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
