"""What a name does in the files of a snapshot, from the occurrences that were stored when they were indexed."""

from collections.abc import Iterable, Iterator

from cairn.base.columns import DAMAGE
from cairn.base.errors import CorruptStoreError
from cairn.store import NamePlace, SnapshotView
from cairn.syntax.blocks import (
    AGAIN,
    BARE,
    KEYWORD,
    LOCAL,
    QUOTED,
    REBINDS,
    ROLE_MASK,
    ROLES,
    SHORTHAND,
    THIS,
    TIE_MASK,
    TIE_SHIFT,
    TIES,
)
from cairn.syntax.occurrences import FileOccurrences, KnownPlace, recall
from cairn.syntax.parse import grammar_name
from cairn.syntax.ties import FREE, Tie
from cairn.syntax.trees import StoredTree
from cairn.syntax.uses import Use

_TIED = TIE_MASK << TIE_SHIFT
_FREE = TIES.index(FREE) << TIE_SHIFT


def uses_in(rows: Iterable[NamePlace], *, quoted: bool = True) -> list[Use]:
    """Occurrences as uses, in order; those in texts that are code only where they are asked for."""
    return [
        Use(
            line,
            column,
            name,
            ROLES[what & ROLE_MASK],
            receiver,
            within,
            bool(what & LOCAL),
            bool(what & KEYWORD),
            str(bound) if bound else "",
            bool(what & SHORTHAND),
        )
        for name, line, column, what, receiver, within, _, bound in rows
        if not _is_this(what) and (quoted or not what & QUOTED)
    ]


def tied_in(rows: Iterable[NamePlace]) -> tuple[NamePlace, ...]:
    """The places that tie a word, in order."""
    return tuple(row for row in rows if row.what & _TIED and not _is_this(row.what))


def this_in(rows: Iterable[NamePlace]) -> tuple[NamePlace, ...]:
    """The places of `this`, in order."""
    return tuple(row for row in rows if _is_this(row.what))


def tie_of(row: NamePlace) -> Tie:
    """What a word is tied to at a place that ties it; `this` to its class, where it is a value of one."""
    kind = TIES[row.what >> TIE_SHIFT & TIE_MASK]
    if _is_this(row.what):
        return Tie(row.line, row.column, kind, row.receiver)
    return Tie(row.line, row.column, kind, row.function, bool(row.what & AGAIN), ROLES[row.what & ROLE_MASK] == "call")


def may_be_bound(row: NamePlace) -> bool:
    """Whether a place ties its word to something local, or to what is given another value."""
    return row.what & _TIED != _FREE or bool(row.what & AGAIN)


def rebinds(whats: Iterable[int]) -> bool:
    """Whether a file gives a word another value at its top, or lets a function do so, by what its places are."""
    return any(what & REBINDS for what in whats)


def tree_in(view: SnapshotView, path: str, data: bytes) -> StoredTree | None:
    """The tree of a live file with a text; None where no grammar parsed it."""
    shapes, columns = view.occurrences.tree_of(path)
    try:
        return StoredTree(shapes, columns, data) if columns else None
    except DAMAGE as error:
        raise CorruptStoreError(f"The tree of {path} can't be read: {error}.") from error


def recalled(path: str, language: str, tree: StoredTree, name: str, rows: Iterable[NamePlace]) -> FileOccurrences:
    """The occurrences of a name in a file, with the scopes that bind it and how its values flow."""
    return recall(grammar_name(path, language, tree.data) or language, tree, name, _known(rows))


def _known(rows: Iterable[NamePlace]) -> Iterator[KnownPlace]:
    for _, line, column, what, _, within, _, _ in rows:
        if not _is_this(what) and not what & QUOTED:
            yield KnownPlace(line, column, ROLES[what & ROLE_MASK], bool(what & KEYWORD), bool(what & BARE), within)


def _is_this(what: int) -> bool:
    return what & ROLE_MASK == THIS
