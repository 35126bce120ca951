"""Symbols of an index as definitions: those that other files can name, with their owners."""

from cairn.graph.customs import FIELDS
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.semantics import SEMANTIC
from cairn.semantic.scip import ScipError, Suffix, parse_symbol
from cairn.store import SemanticSymbol, SymbolRow

_SHOWN = (FIELDS | FUNCTIONS | TYPES) - {"module"}
_AROUND = frozenset({Suffix.NAMESPACE, Suffix.META})
_OWNING = frozenset({Suffix.TYPE, Suffix.TERM})


def is_type(symbol: SemanticSymbol) -> bool:
    """Whether a symbol is a class or another type."""
    return symbol.kind in TYPES


def row_of(symbol: SemanticSymbol, line: int) -> SymbolRow | None:
    """A symbol as a definition on a line; None for locals, parameters and modules."""
    if symbol.kind not in _SHOWN:
        return None
    try:
        parsed = parse_symbol(symbol.symbol)
    except ScipError:
        return None
    owners = [each for each in parsed.descriptors[:-1] if each.suffix not in _AROUND]
    if owners and owners[-1].suffix not in _OWNING:
        return None  # Nobody else can name what is defined in a function.
    container = ".".join(each.name for each in owners)
    qualified = f"{container}.{symbol.name}" if container else symbol.name
    return SymbolRow(
        SEMANTIC,
        symbol.name,
        qualified,
        symbol.kind,
        symbol.signature,
        line,
        line,
        line,
        container,
        exported=True,
        doc="",
    )
