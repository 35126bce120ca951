"""Code that is not in the index but may use a name: it is only searched for that, within limits."""

from collections.abc import Iterator, Sequence

from cairn.base.errors import CairnError
from cairn.base.values import dataclass
from cairn.edit.values import Doubt
from cairn.languages.files import language_of
from cairn.semantic.contexts.families import Family, family_of
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.reads import Opener, read_stable

_LOOKED_INTO = frozenset(
    {
        SkipReason.ENCODING,
        SkipReason.BINARY,
        SkipReason.TOO_LARGE,
        SkipReason.TOO_MANY_CHUNKS,
        SkipReason.UNREADABLE,
        SkipReason.UNSUPPORTED,
    }
)
"""Why a file was skipped that is searched all the same. Ignored files are foreign or generated; secrets stay unread."""
_MOST_BYTES = 16 << 20
_MOST = 5
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "latin-1")


@dataclass(frozen=True, slots=True)
class UnindexedFiles:
    """The files that a sync left out."""

    tree: Opener
    skips: Sequence[Skip]

    def doubts(self, name: str, family: Family | None) -> Iterator[Doubt]:
        """Doubts about files of a language family that hold a name or can't be read."""
        found = [skip for skip in self._code(family) if self._may_hold(skip.path, name)]
        for skip in found[:_MOST]:
            more = f", and so are {len(found) - _MOST} more" if len(found) > _MOST and skip is found[_MOST - 1] else ""
            yield Doubt(
                "unread_file",
                f"{skip.path} is not in the index ({skip.reason.value}) and may use {name}{more}: does it?",
                "what the file does with the name",
                "read it, or make it one that can be indexed",
            )

    def _code(self, family: Family | None) -> list[Skip]:
        code = (
            skip
            for skip in self.skips
            if skip.reason in _LOOKED_INTO and family is not None and family_of(language_of(skip.path)) is family
        )
        return sorted(code, key=lambda skip: skip.path)

    def _may_hold(self, path: str, name: str) -> bool:
        try:
            data = read_stable(self.tree, path, _MOST_BYTES, hashing=False).data
        except (OSError, CairnError):
            return True
        return any(written in data for written in _written(name))


def _written(name: str) -> Iterator[bytes]:
    for encoding in _ENCODINGS:
        try:
            yield name.encode(encoding)
        except UnicodeEncodeError:
            continue
