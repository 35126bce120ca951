"""Members of types that have no name: literals and inline types. Nothing tells them apart, so all are asked about."""

from collections.abc import Iterator
from typing import Any

from cairn.edit.gate.thing import MEMBER, At, Thing, UseOfThing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.words import CODE, Word, words_in
from cairn.graph.customs import family
from cairn.graph.meaning import NAME, PROVEN
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition
from cairn.store import SymbolRow

_KEYS = ("property_identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
_GIVING = ("pair", "property_signature", "method_signature", "object", "public_field_definition", "object_type")


def unnamed_at(
    resolver: Resolver, sources: SourceFiles, source: SourceFile, at: tuple[int, int], name: str
) -> Thing | None:
    """The member whose key stands at a place, with all places that may be one of its; None where it is no key."""
    found = dict(_places(resolver, sources, source.language, name))
    here = (source.path, *at)
    if here not in found or not any(found.values()):
        return None
    uses = {each: UseOfThing(NAME, "read") for each in found}
    if len(uses) > 1:
        uses[here] = UseOfThing(PROVEN, "read")
    row = SymbolRow("syntactic", name, name, "field", "", at[0], at[0], at[0], "", False, "")
    return Thing(name, "field", MEMBER, (Definition(source.path, row),), (), uses, source.language)


def _places(resolver: Resolver, sources: SourceFiles, language: str, name: str) -> Iterator[tuple[At, bool]]:
    """The keys of a name that are not proven to be a known member's, and whether each gives a value the key."""
    for source in sources.holding(name):
        if family(source.language) != family(language):
            continue
        for word in words_in(source, name):
            node = _key(source, word)
            if node is not None and word.use is not None:
                known = resolver.meaning_of(source.path, word.use)
                if not (known.targets and known.tier == PROVEN):
                    yield (source.path, word.line, word.column), _gives(node)


def _key(source: SourceFile, word: Word) -> Any:
    if word.kind != CODE:
        return None
    node = source.at(word.line, word.column)
    return node if node is not None and node.type in _KEYS else None


def _gives(node: Any) -> bool:
    holder = node.parent
    return holder is not None and holder.type in _GIVING and holder.child_by_field_name("value") != node
