"""Collisions of a new name, found before anything is written; in doubt, a collision is reported."""

from collections.abc import Callable, Iterable, Iterator

from cairn.edit.account import SourceFile
from cairn.edit.group import Group
from cairn.edit.words import CODE, Word, words_in
from cairn.semantic.contexts.families import family_of

_MODULE, _OBJECT = "/", ":"


def _is_written(group: Group) -> bool:
    """Whether a module is defined by code, as a namespace is, rather than by a file."""
    size = len(group.name.encode())
    return any(each.end_column - each.column == size for _, each in group.definitions)


def conflicts(
    group: Group,
    new: str,
    language: str,
    edited: frozenset[str],
    holding_new: Callable[[], Iterable[SourceFile]],
) -> Iterator[str]:
    """Reasons against the new name; none if it is free. `holding_new` are the files that may hold the new name."""
    if group.symbol.endswith((_MODULE, _OBJECT)) and not group.home:
        if not _is_written(group):
            yield f"{group.name} is a module: rename its file instead"
            return
        if group.symbol.endswith(_OBJECT):
            yield f"{group.name} is a key of one object: rename it in the type of the object"
            return
    for symbol in group.outside:
        yield f"it overrides {symbol.rpartition(' ')[2]}, which is not in this tree"
    family = family_of(language)
    for source in holding_new():
        spoken = family_of(source.language)
        if spoken is None or spoken is not family:
            continue
        if group.home and source.path != group.home:
            continue
        for word in words_in(source.path, source.language, source.data, new):
            if word.kind != CODE:
                continue
            # A local name in another file doesn't matter; any other may shadow the new one or be shadowed by it.
            elsewhere = word.use is not None and word.use.local and not group.home
            if (source.path in edited or not elsewhere) and not _is_of_an_object(group, word):
                yield f"{source.path}:{word.line} uses {new} already"
                break


def _is_of_an_object(group: Group, word: Word) -> bool:
    """Whether a word reads a member of an object while no member is renamed; an assignment may be the module's."""
    use = word.use
    return not group.member and use is not None and bool(use.receiver) and use.role in ("read", "call")
