"""Names of symbols that stay while name, container and file do."""

import hashlib
from collections.abc import Iterable, Iterator

from cairn.store import SymbolRow

_BYTES = 10


def symbol_id(path: str, qualified_name: str, ordinal: int = 0) -> str:
    """`ordinal` counts the definitions of one name in one container, as overloads are."""
    said = "\0".join((path, qualified_name, str(ordinal)))
    return "sym_" + hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()


def ids_of(path: str, symbols: Iterable[SymbolRow]) -> Iterator[tuple[str, SymbolRow]]:
    """Every symbol of a file with its id, in order."""
    seen: dict[str, int] = {}
    for symbol in symbols:
        ordinal = seen.get(symbol.qualified_name, 0)
        seen[symbol.qualified_name] = ordinal + 1
        yield symbol_id(path, symbol.qualified_name, ordinal), symbol
