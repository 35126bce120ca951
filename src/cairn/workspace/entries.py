"""The results of a scan: files to index, paths that were skipped, and failures."""

from collections import Counter
from collections.abc import Mapping

from cairn.base.errors import CollisionError
from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.config.project import IndexSettings
from cairn.workspace.eligibility import Skip
from cairn.workspace.links import Alias
from cairn.workspace.pathkey import Collision, quoted
from cairn.workspace.reads import Stamp
from cairn.workspace.unread import unread_code


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An eligible file as it was when it was last read."""

    key: str
    raw: str
    """Its name in the tree, as the file system spells it: this opens it."""
    stamp: Stamp
    file_hash: str
    head_sum: int
    language: str
    namespace: str = ""
    """The folder of the nested repository it belongs to; empty for the root's own files."""

    @property
    def size(self) -> int:
        """The file's size in bytes."""
        return self.stamp[2]


@dataclass(frozen=True, slots=True)
class ScanFailure:
    """An eligible file that could not be read: a strict publish is refused because of it."""

    path: str
    key: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class TreeSummary:
    """What a snapshot tells of its tree as a whole."""

    eligible: frozenset[str]
    """The keys of all files that count."""
    ignore_fingerprint: str
    skipped: Mapping[str, int]
    """How many paths were skipped for each reason."""
    aliases: tuple[tuple[str, str], ...]
    """Links, each with what it leads to."""
    failures: tuple[ScanFailure, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    """Files of code that were skipped though no rule leaves them out, each with the reason."""


@dataclass(frozen=True, slots=True)
class TreeScan:
    """The eligible set of a tree at one moment, in byte order of path_key."""

    files: tuple[FileEntry, ...]
    skips: tuple[Skip, ...]
    failures: tuple[ScanFailure, ...]
    collisions: tuple[Collision, ...]
    ignore_fingerprint: str
    notes: tuple[Note, ...]
    hashed: int
    """How many files had to be read; 0 when the stat cache knew all of them."""
    aliases: tuple[Alias, ...] = ()
    """Links to files and folders of the tree, which are indexed under their real paths only."""
    listed: int = 0
    """How many folders had to be listed that a later process need not list again."""

    def hashes(self) -> dict[str, str]:
        """The hash of each file's content, by path key."""
        return {entry.key: entry.file_hash for entry in self.files}

    def summary(self) -> TreeSummary:
        """What a snapshot tells of the tree as a whole."""
        return TreeSummary(
            frozenset(entry.key for entry in self.files),
            self.ignore_fingerprint,
            self.skips_by_reason(),
            tuple((alias.key, alias.target) for alias in self.aliases),
            self.failures,
            unread_code(self.skips),
        )

    def skips_by_reason(self) -> dict[str, int]:
        """How many paths were skipped for each reason."""
        return dict(sorted(Counter(skip.reason.value for skip in self.skips).items()))

    def files_by_language(self) -> dict[str, int]:
        """How many files there are in each language."""
        counts = Counter(entry.language for entry in self.files)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def blocking_collisions(scan: TreeScan, settings: IndexSettings) -> tuple[Collision, ...]:
    """The collisions that forbid a publish. Two files with the same key are forbidden under every setting."""
    if settings.case_collisions == "block":
        return scan.collisions
    return tuple(collision for collision in scan.collisions if collision.same_key)


def require_no_collisions(scan: TreeScan, settings: IndexSettings) -> None:
    """Raise CollisionError if files collide in a way that forbids a publish."""
    found = blocking_collisions(scan, settings)
    if found:
        paths = " and ".join(quoted(path) for path in found[0].paths)
        more = f", and {len(found) - 1} more such groups" if len(found) > 1 else ""
        if found[0].same_key:
            raise CollisionError(
                f"{paths} have one and the same path key{more}.",
                hint="Rename one of the files: no setting tells them apart.",
            )
        raise CollisionError(f"{paths} have the same name when case is ignored{more}.")
