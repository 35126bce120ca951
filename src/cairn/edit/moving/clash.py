"""A name that comes into a module: whatever used it there before would get another meaning."""

from collections.abc import Collection

from cairn.edit.moving.needs import bound_line
from cairn.edit.moving.transfer import Transfer
from cairn.edit.source.file import SourceFile
from cairn.edit.source.importing import EVERYTHING, statements
from cairn.graph.symbols import key_of
from cairn.syntax.scopes import ROOT


def require_unused(transfer: Transfer, word: str, known: Collection[tuple[str, int, int]] = ()) -> None:
    """Refuse a name that the new module, or whoever takes all of its names, uses as a builtin or another global.

    The known places mean what is brought.
    """
    for source in (*([transfer.there] if transfer.there is not None else ()), *_taking_all(transfer, word)):
        line = _used_line(source, word, known)
        if line and not bound_line(source, word) and not _means_the_same(transfer, source, word):
            transfer.reasons.append(f"{source.path}:{line} uses {word} already, which would get another meaning")


def _used_line(source: SourceFile, word: str, known: Collection[tuple[str, int, int]]) -> int:
    """The first line that uses a name which no inner scope binds; 0 if none does."""
    found = source.found(word)
    for one in found.occurrences if found is not None else ():
        if found is None or not one.bare or one.keyword or (source.path, one.line, one.column) in known:
            continue
        meant = found.meaning(one)
        if meant is None or meant[0].kind == ROOT:
            return one.line
    return 0


def _taking_all(transfer: Transfer, word: str) -> list[SourceFile]:
    """Files with `from new import *`, but for those that have all names of the old module as well."""
    if not transfer.python or word.startswith("_") or (transfer.there and b"__all__" in transfer.there.data):
        return []
    files = []
    for path in {path for path, _, _ in transfer.resolver.importers.get(transfer.to, ())} - {transfer.source.path}:
        source = transfer.sources.of(path)
        taking = [each.module for each in statements(source) if any(name.name == EVERYTHING for name in each.names)]
        taken = {transfer.names.file_of(path, module) for module in taking}
        if transfer.to in taken and transfer.source.path not in taken:
            files.append(source)
    return sorted(files, key=lambda source: source.path)


def _means_the_same(transfer: Transfer, source: SourceFile, word: str) -> bool:
    """Whether a file has the name from somewhere that only other modules tell, with the meaning that it gets."""
    here, there = (transfer.resolver.meaning(path, word, "", "") for path in (source.path, transfer.source.path))
    return bool(here.targets) and set(map(key_of, here.targets)) == set(map(key_of, there.targets))
