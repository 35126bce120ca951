"""Names of a module that somebody replaces while a program runs, as tests do: what leaves it no longer sees that."""

from collections.abc import Iterable, Iterator

from cairn.edit.gate.account import IN_TEXT
from cairn.edit.moving.transfer import Transfer
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import OpenPlace
from cairn.edit.source.words import CODE, STRING, Word, words_in
from cairn.graph.binding import ChainPlace

REPLACED = "replaced_name"
_REPLACING = (b"setattr", b"patch")


def replaced_names(transfer: Transfer, names: Iterable[str]) -> Iterator[OpenPlace]:
    """Places that give names of the old module, which the definition uses, another value from outside."""
    for name in names if transfer.python else ():
        for source in transfer.sources.holding(name):
            if source.path == transfer.source.path or source.language != "python":
                continue
            text = source.text
            for word in words_in(source, name):
                at = text.offset(word.line, word.column)
                line = source.data[source.data.rfind(b"\n", 0, at) + 1 : at]
                if word.kind == STRING and line.endswith(f"{transfer.names.dotted(transfer.source.path)}.".encode()):
                    yield OpenPlace(source.path, word.line, word.column, REPLACED, text.shown(word.line), IN_TEXT)
                elif word.kind == STRING and word.exact and any(each in line for each in _REPLACING):
                    if _names_it(transfer, source):
                        yield OpenPlace(source.path, word.line, word.column, REPLACED, text.shown(word.line))
                elif word.kind == CODE and _is_set(transfer, source, word):
                    yield OpenPlace(source.path, word.line, word.column, REPLACED, text.shown(word.line))


def _names_it(transfer: Transfer, source: SourceFile) -> bool:
    return any(path == source.path for path, _, _ in transfer.resolver.importers.get(transfer.source.path, ()))


def _is_set(transfer: Transfer, source: SourceFile, word: Word) -> bool:
    if word.use is None or word.use.role != "write" or not word.use.receiver:
        return False
    place = ChainPlace(source.path, word.use.within, word.line, word.column)
    return transfer.source.path in transfer.resolver.evaluator.at(place, word.use.receiver).things.modules
