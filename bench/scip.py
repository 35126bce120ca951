"""What the names of an oracle's symbols are to Cairn."""

from functools import lru_cache

from cairn.semantic.scip.symbols import Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError

_PLAIN = (Suffix.TYPE, Suffix.TERM, Suffix.METHOD)


@lru_cache(maxsize=100_000)
def plain_name(symbol: str) -> str:
    """The name of a type, term or method; empty for everything else."""
    try:
        parsed = parse_symbol(symbol)
    except ScipError:
        return ""
    return parsed.name if parsed.kind in _PLAIN else ""
