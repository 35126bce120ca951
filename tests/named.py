"""What a snapshot tells of the names of a text, without a store."""

import unicodedata

from cairn.base.columns import split_columns
from cairn.edit.source.file import SourceFile
from cairn.graph.occurrences import uses_in
from cairn.store import NamePlace
from cairn.syntax.blocks import NUMBERS, TEXTS, occurrence_block, parse_with_block
from cairn.syntax.treeblocks import split_block
from cairn.syntax.trees import StoredTree
from cairn.syntax.uses import Use


def source(path: str, language: str, data: bytes) -> SourceFile:
    """A text as a file of a snapshot."""
    rows = places(parse_with_block(path, language, data, 1500, 1000)[1])
    return SourceFile(
        path,
        language,
        data,
        lambda: stored_tree(path, language, data),
        lambda name: [row for row in rows if row.name == name],
    )


def stored_tree(path: str, language: str, data: bytes) -> StoredTree | None:
    """The tree of a text as a snapshot has it."""
    shapes, tree = split_block(parse_with_block(path, language, data, 1500, 1000)[0].tree)
    return StoredTree(shapes, tree, data) if tree else None


def places(block: bytes) -> list[NamePlace]:
    """The rows of a block of names."""
    columns = split_columns(block, TEXTS, NUMBERS)
    names, receivers, withins, functions = map(columns.text, range(TEXTS))
    lines, bytes_, whats, bounds = columns.numbers
    return [*map(NamePlace, names, lines, bytes_, whats, receivers, withins, functions, bounds)]


def uses_of(path: str, language: str, data: bytes, name: str) -> list[Use]:
    """The uses of a name, in order."""
    return [use for use in all_uses(path, language, data) if use.name == unicodedata.normalize("NFC", name)]


def all_uses(path: str, language: str, data: bytes) -> list[Use]:
    """The uses of all names, in order."""
    return uses_in(places(occurrence_block(path, language, data)), quoted=False)
