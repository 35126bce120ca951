"""The names of its module that a definition uses, and what gives them their meaning there."""

from collections.abc import Collection, Iterator
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.moving.extent import Extent
from cairn.edit.source.file import SourceFile
from cairn.edit.source.importing import EVERYTHING, ImportedName, ImportStatement, statements
from cairn.syntax.occurrences import Occurrence
from cairn.syntax.scopes import ROOT
from cairn.syntax.ties import rebinds

_NAMES = frozenset({"identifier", "type_identifier", "shorthand_property_identifier", "string_content"})


@dataclass(frozen=True, slots=True)
class Need:
    """A name that a definition takes from its module."""

    name: str
    places: tuple[int, ...]
    """The bytes at which the definition uses it."""
    written: bool
    """Whether the definition gives it another value."""
    types: bool
    """Whether it stands in annotations alone."""
    taken: tuple[ImportStatement, ImportedName] | None
    """The import that always binds it; None where the module does so itself."""
    line: int
    """Where the module binds it; 0 where it doesn't."""


def needs_of(source: SourceFile, extent: Extent, name: str) -> list[Need]:
    """What a definition uses of its module, and of what is known everywhere; imports in their order."""
    return sorted(_needs(source, extent, name), key=lambda need: need.taken[1].start if need.taken is not None else 0)


def _needs(source: SourceFile, extent: Extent, name: str) -> Iterator[Need]:
    declared = {word for node in extent.nodes for word in _declared_global(node)}
    for word in sorted({word for node in extent.nodes for word in _words(node)} - {name}):
        found = source.found(word)
        if found is None:
            continue
        own = [one for one in found.occurrences if extent.holds(one.start)]
        free = {one.start: one for one in own if _is_free(found, one, extent)}
        # Annotations may be texts.
        text, known = source.text, {one.start for one in own}
        uses = [text.offset(use.line, use.column) for use in source.uses(word, quoted=True) if not use.receiver]
        places = {*free, *(at for at in uses if extent.holds(at) and at not in known)}
        places |= known if word in declared else set()
        if places:
            written = word in declared or any(one.role == "write" for one in free.values())
            types = all(_is_annotation(source, at) for at in places)
            yield Need(word, tuple(sorted(places)), written, types, _taken(source, word), bound_line(source, word))


def _words(node: Any) -> Iterator[str]:
    if "import" in node.type and node.type.endswith("statement"):
        return  # What it names it binds itself.
    if node.type in _NAMES:
        text = node.said
        if text.isidentifier() or "$" in text:
            yield text
        elif node.type == "string_content" and len(text) < 200:
            yield from (word for word in _split(text) if word.isidentifier())
    for child in node.children:
        yield from _words(child)


def _is_annotation(source: SourceFile, at: int) -> bool:
    """Whether a place stands in an annotation of Python, not in a base or any other expression."""
    node: Any = source.node(at, at + 1)
    while node is not None and node.type != "type":
        node = node.parent
    return node is not None


def _declared_global(node: Any) -> Iterator[str]:
    """Names that Python's functions declare to be those of their module."""
    for child in node.children:
        if child.type == "global_statement":
            yield from _words(child)
        else:
            yield from _declared_global(child)


def _split(text: str) -> list[str]:
    return "".join(letter if letter.isidentifier() or letter.isdigit() else " " for letter in text).split()


def _is_free(found: Any, one: Occurrence, extent: Extent) -> bool:
    """Whether a name is bound outside of the definition."""
    if not one.bare or one.keyword:
        return False
    meant = found.meaning(one)
    scope = meant[0] if meant is not None else None
    return scope is None or scope.kind == ROOT or not extent.start <= scope.start < extent.end


def _taken(source: SourceFile, word: str) -> tuple[ImportStatement, ImportedName] | None:
    found = [(each, name) for each in statements(source) for name in each.names if name.local == word]
    return found[0] if len(found) == 1 and found[0][0].always and not found[0][0].late else None


def bound_line(source: SourceFile, word: str, without: Collection[tuple[int, int]] = ()) -> int:
    """The first line at which a module itself binds a name, also by an import, not at some places; 0 if it does not."""
    found = source.found(word)
    for one in found.occurrences if found is not None else ():
        top = one.binds is not None and one.binds.kind == ROOT and one.role in ("definition", "write", "import")
        if top and (one.line, one.column) not in without:
            return one.line
    for each in statements(source):
        names = [name for name in each.names if name.local == word and not each.late]
        text = source.text
        if any(text.place(name.start) not in without for name in names):
            return text.place(each.start)[0]
    return 0


def is_rebound(source: SourceFile, word: str) -> bool:
    """Whether a module gives a name of its top more than one value; several heads of one function are no such."""
    found = source.found(word)
    places = [one for one in found.occurrences if rebinds(one, found.meaning(one))] if found is not None else []
    return len(places) > 1 and not all(_is_head(source, one) for one in places)


def _is_head(source: SourceFile, one: Occurrence) -> bool:
    node = source.node(one.start, one.end)
    return node is not None and node.parent is not None and node.parent.type.startswith(("function_", "class_"))


def takes_everything(source: SourceFile) -> bool:
    """Whether a file has names of which only other modules tell."""
    return any(name.name == EVERYTHING and name.local for each in statements(source) for name in each.names)
