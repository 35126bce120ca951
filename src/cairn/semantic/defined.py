"""Symbols of an index as definitions: those that other files can name, with their owners."""

from cairn.graph.semantics import SEMANTIC
from cairn.semantic.scip import ScipError, Suffix, parse_symbol
from cairn.store import SemanticSymbol, SymbolRow

_AROUND = frozenset({Suffix.NAMESPACE, Suffix.META})
_KINDS = {Suffix.TYPE: "class", Suffix.MACRO: "macro"}


def is_type(symbol: SemanticSymbol) -> bool:
    return _suffix(symbol) is Suffix.TYPE


def row_of(symbol: SemanticSymbol, line: int) -> SymbolRow | None:
    """A symbol as a definition on a line; None for locals, parameters and modules."""
    try:
        parsed = parse_symbol(symbol.symbol)
    except ScipError:
        return None
    owners = [each for each in parsed.descriptors[:-1] if each.suffix not in _AROUND]
    if owners and owners[-1].suffix not in (Suffix.TYPE, Suffix.TERM):
        return None  # what stands in a function is nobody's but its own
    member = bool(owners)
    kinds = {
        **_KINDS,
        Suffix.TERM: "field" if member else "variable",
        Suffix.METHOD: "method" if member else "function",
    }
    kind = kinds.get(parsed.kind)
    if kind is None:
        return None
    container = ".".join(each.name for each in owners)
    qualified = f"{container}.{symbol.name}" if container else symbol.name
    return SymbolRow(
        SEMANTIC, symbol.name, qualified, kind, symbol.signature, line, line, line, container, exported=True, doc=""
    )


def _suffix(symbol: SemanticSymbol) -> Suffix | None:
    try:
        return parse_symbol(symbol.symbol).kind
    except ScipError:
        return None
