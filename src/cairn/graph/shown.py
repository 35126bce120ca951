"""What is shown of all that was found: one spelling, with ids and layers, the surest first."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.graph.resolve import TIERS, Resolver
from cairn.graph.semantics import layered
from cairn.graph.symbols import Definition, asked_for, ids_of, spelling, symbol_id
from cairn.graph.targets import is_id, place_of
from cairn.store import SymbolRow

if TYPE_CHECKING:
    from cairn.graph.references import Reference
    from cairn.graph.world import World

_NAMED = 5


@dataclass(frozen=True, slots=True)
class SpelledDefinitions:
    """Definitions of one spelling: other spellings are other names."""

    items: tuple[Definition, ...]
    otherwise: dict[str, int]
    """The other spellings, and how many definitions have them."""
    notes: tuple[Note, ...] = ()


def as_written(target: str, found: Sequence[Definition]) -> SpelledDefinitions:
    """Definitions spelled like the query, or like the first match if none is."""
    by_name = place_of(target) is None and not is_id(target)
    spelt = [spelling(target, item) if by_name else item.symbol.name for item in found]
    items = tuple(item for item, written in zip(found, spelt, strict=True) if written == spelt[0])
    otherwise: dict[str, int] = {}
    for written in spelt if by_name else ():
        if written != spelt[0]:
            otherwise[written] = otherwise.get(written, 0) + 1
    strange = bool(spelt) and by_name and spelt[0] != asked_for(target)
    said = (Note("spelt_otherwise", {"asked": target, "found": spelt[0]}),) if strange else ()
    return SpelledDefinitions(items, otherwise, said)


def shown_ids(resolver: Resolver, shown: Sequence[Definition]) -> tuple[str, ...]:
    """The ids of definitions, by which they can be asked for again."""
    resolver.world.load(item.path for item in shown)
    known = {
        (path, symbol.qualified_name, symbol.start_line): each
        for path in dict.fromkeys(item.path for item in shown)
        for each, symbol in ids_of(path, resolver.world.scope(path).symbols)
    }
    keys = ((item.path, item.symbol.qualified_name, item.symbol.start_line) for item in shown)
    return tuple(known.get(key) or symbol_id(key[0], key[1]) for key in keys)


def by_layer(resolver: Resolver, items: Sequence[Definition]) -> tuple[tuple[Definition, ...], tuple[Note, ...]]:
    """Definitions with the layer that tells of them, and which files have facts that are older than they are."""
    if resolver.semantics is None:
        return tuple(items), ()
    tied = resolver.semantics.known(items).tied
    older = Note("facts_older", {"files": tied.older[:_NAMED], "count": len(tied.older)})
    return layered(items, tied), (older,) if tied.older else ()


def edited(resolver: Resolver, paths: Iterable[str]) -> tuple[Note, ...]:
    """Which files of an answer were edited since their facts were made, and how many lines have none for that."""
    if resolver.semantics is None:
        return ()
    found = {path: lines for path in sorted(paths) if (lines := resolver.semantics.edited_lines(path)) is not None}
    fields = {"files": tuple(found)[:_NAMED], "count": len(found), "lines": sum(found.values())}
    return (Note("facts_carried", fields),) if found else ()


def outlined(resolver: Resolver, path: str) -> tuple[tuple[SymbolRow, ...], tuple[Note, ...]]:
    """The definitions of a file with the layers that tell them, behind them what only an index does."""
    symbols = resolver.world.scope(path).symbols
    if resolver.semantics is None:
        return tuple(symbols), ()
    items, older = by_layer(resolver, [Definition(path, symbol) for symbol in symbols])
    said = (*(item.symbol for item in items), *resolver.semantics.defined_in(path))
    return said, (*older, *edited(resolver, [path]))


def surest(uses: "Sequence[Reference]", limit: int | None) -> "tuple[Reference, ...]":
    """As many as are asked for, in their order: what is less sure makes room for what is more."""
    order = sorted(range(len(uses)), key=lambda at: (TIERS.index(uses[at].tier), at))
    return tuple(uses[at] for at in sorted(order[:limit]))


def code_of(world: "World", definition: Definition) -> str:
    """The lines of a definition, as the snapshot has them."""
    lines = (world.view.rows.whole_text_of(definition.path) or b"").split(b"\n")
    symbol = definition.symbol
    return b"\n".join(lines[symbol.start_line - 1 : symbol.end_line]).decode("utf-8", "replace")
