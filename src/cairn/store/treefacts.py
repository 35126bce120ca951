"""What a publish tells of the tree that it was made from."""

from collections.abc import Mapping
from typing import Self

from cairn.base.values import dataclass, field
from cairn.store.manifest import FileError, GitInfo, Manifest


@dataclass(frozen=True, slots=True)
class TreeFacts:
    """What the look at the tree behind a publish saw."""

    ignore_fingerprint: str
    git: GitInfo
    eligible: frozenset[str]
    changed: frozenset[str] = frozenset()
    skipped: Mapping[str, int] = field(default_factory=dict)
    errors: tuple[FileError, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()

    @classmethod
    def as_in(cls, parent: Manifest, eligible: frozenset[str]) -> Self:
        """For a publish that doesn't look at the tree and changes no file."""
        return cls(
            parent.ignore_fingerprint,
            parent.git,
            eligible,
            skipped=parent.skipped,
            errors=parent.errors,
            aliases=parent.aliases,
            unread=parent.unread,
        )
