"""One file parsed by the native core; what is a rule of a language stays a function of Python, which it calls."""

from collections.abc import Iterable
from functools import cache, lru_cache, partial
from typing import Any, TypeVar
from unicodedata import normalize

from cairn.kernel.core import core
from cairn.languages.grammar import always, upper_case, without_underscore
from cairn.languages.registry import record_of
from cairn.languages.scoping import NONE
from cairn.syntax import kinds, valuekinds
from cairn.syntax.facts import Call, Chunk, Import, ParsedFile, Symbol, interface_hash
from cairn.syntax.grammar import tables, whole_query
from cairn.syntax.imported import bindings_of, packed
from cairn.syntax.mending import mended

F = TypeVar("F", Chunk, Symbol, Import, Call)

_KNOWN_IMPORTS = 4096
_KNOWN_RULES = (always, without_underscore, upper_case)


def parse_natively(
    grammar: str, language: str, lines: int, data: bytes, chunk_bytes: int, max_chunks: int, names: bool = False
) -> ParsedFile | None:
    """Facts and chunks of a file, with its names where they are asked for; None where the reference has to tell."""
    native = native_for(grammar, data)
    found = native.parse(data, chunk_bytes, max_chunks, names) if native is not None else None
    if found is None:
        return None
    chunks, rows, imports, calls, top_comment, block, tree = found
    symbols = _facts(Symbol, rows)
    return ParsedFile(
        language=language,
        lines=lines,
        chunks=_facts(Chunk, chunks),
        symbols=symbols,
        imports=_facts(Import, imports),
        calls=_facts(Call, calls),
        top_comment=top_comment,
        interface_hash=interface_hash(symbols),
        parsed=True,
        names=block,
        tree=tree,
    )


def occurrences_natively(grammar: str, data: bytes) -> bytes | None:
    """The occurrences of a file as columns, joined; None where the reference has to tell."""
    native = native_for(grammar, data)
    found: bytes | None = native.occurrences(data) if native is not None else None
    return found


def flows_natively(grammar: str, data: bytes) -> bytes | None:
    """How values flow in a file, as columns, joined; None where the reference has to tell."""
    native = native_for(grammar, data)
    found: bytes | None = native.flows(data) if native is not None else None
    return found


def _facts(fact: type[F], rows: Iterable[tuple[Any, ...]]) -> tuple[F, ...]:
    # The class's own `_make` counts the fields again.
    make: Any = partial(tuple.__new__, fact)
    return tuple(map(make, rows))


def native_for(grammar: str, data: bytes) -> Any | None:
    """The native parser of a file; None where the reference has to tell, as for a text that has to be mended."""
    return native_grammar(grammar) if mended(grammar, data) is None else None


@cache
def native_grammar(name: str) -> Any | None:
    """The native parser of a language; None where the core is missing or can't follow the language's query."""
    native = core()
    record = record_of(name)
    grammar = record.grammar
    if native is None or grammar is None:
        return None

    @lru_cache(maxsize=_KNOWN_IMPORTS)
    def binds(statement: str, source: str, before: str) -> str:
        return packed(bindings_of(name, statement, source, before))

    try:
        return native.Grammar(
            tables(grammar),
            whole_query(grammar),
            sorted(grammar.bodies),
            grammar.clauses,
            grammar.reserved,
            grammar.exported.__name__ if grammar.exported in _KNOWN_RULES else "",
            grammar.exported,
            binds if record.bindings is not None else None,
            record.scoping or NONE,
            kinds,
            valuekinds,
            name == "python",
            partial(normalize, "NFC"),
        )
    except ValueError:
        return None
