"""What one scan gathers, folder by folder, and the scan that is made of it."""

from functools import partial

from cairn.base.notes import Note
from cairn.base.values import dataclass, field, replace
from cairn.config.project import ignore_fingerprint
from cairn.workspace import memory
from cairn.workspace.beneath import Beneath
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.entries import FileEntry, ScanFailure, TreeScan
from cairn.workspace.ignore import IgnoreFile, RuleChain
from cairn.workspace.links import Walked, aliases_of, resolve
from cairn.workspace.listing import FolderListing
from cairn.workspace.pathkey import display, find_collisions, nfc
from cairn.workspace.reads import Stamp
from cairn.workspace.secrets import Inode, secret_inodes

Checked = tuple[Stamp | None, FileEntry | Skip]
"""A candidate's outcome and the stamp under which it stands; None is never trusted again."""


@dataclass(slots=True)
class CachedFolder:
    """A cached folder: what is in it and under which rules that was decided."""

    stamp: Stamp | None
    outer: str
    namespace: str
    listing: FolderListing
    files: dict[str, Checked | None]

    @property
    def stands_alone(self) -> bool:
        """Whether its stamp and the surrounding rules determine everything that was decided in it."""
        own = self.listing
        odd = own.has_git or own.ignore is not None or own.notes or own.odd_attributes
        return self.stamp is not None and not self.namespace and not odd

    def known(self, raw: str) -> memory.KnownFolder:
        """The folder as a later process may recall it."""
        stamp = self.stamp if self.stands_alone else None
        own = self.listing
        return memory.KnownFolder(raw, stamp, self.outer, own.folders, own.links, own.skips, self.files)


@dataclass(slots=True)
class Gathered:
    """What one scan gathers."""

    verify: bool
    suspects: frozenset[str]
    files: dict[str, FileEntry] = field(default_factory=dict)
    skips: dict[str, Skip] = field(default_factory=dict)
    failures: list[ScanFailure] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    folders: dict[str, CachedFolder] = field(default_factory=dict)
    listed: list[CachedFolder] = field(default_factory=list)
    """Folders that no cache knew."""
    edits: dict[str, FileEntry] = field(default_factory=dict)
    """Files that are what they were but for their content or stamp."""
    linked: dict[str, Inode] = field(default_factory=dict)
    """The inodes of files that have several hard links."""
    walked: set[str] = field(default_factory=set)
    barred: dict[str, Skip] = field(default_factory=dict)
    ignore_files: list[IgnoreFile] = field(default_factory=list)
    odd_attributes: bool = False
    notes: list[Note] = field(default_factory=list)
    hashed: int = 0
    seen: int = 0
    moved: bool = False


def recalled(known: memory.KnownFolder, outer: RuleChain) -> CachedFolder:
    """A folder as an earlier process saw it; it has no ignore file, so only the surrounding rules apply."""
    listing = FolderListing(
        has_git=False,
        nested=False,
        chain=outer,
        folders=known.folders,
        files=tuple(known.files),
        links=known.links,
        skips=known.skips,
    )
    return CachedFolder(known.stamp, known.outer, "", listing, known.files)


def gather_outcomes(gathered: Gathered) -> None:
    """Put the outcomes of all folders together."""
    for raw, folder in gathered.folders.items():
        if raw not in gathered.walked:
            continue
        for name, checked in folder.files.items():
            if checked is None:
                continue
            outcome = checked[1]
            if isinstance(outcome, FileEntry):
                gathered.files[name] = outcome
            else:
                gathered.skips[name] = outcome


def leave_out_secrets(gathered: Gathered, tree: Beneath, rules: IgnoreFile | None) -> None:
    """Skip files that have the name of a secret by another hard link."""
    found = secret_inodes(tree, set(gathered.linked.values()), rules) if gathered.linked else {}
    for raw, inode in gathered.linked.items():
        place = gathered.folders[raw.rpartition("/")[0]]
        if inode in found and raw in gathered.files and not place.listing.chain.asks_for(raw):
            del gathered.files[raw]
            gathered.skips[raw] = Skip(display(raw), SkipReason.SECRET, f"another name of {display(found[inode])}")


def with_edits(last: TreeScan, gathered: Gathered) -> TreeScan:
    """The last scan with its changed files replaced."""
    edits = gathered.edits
    files = tuple([edits.get(entry.raw, entry) for entry in last.files]) if edits else last.files
    return replace(last, files=files, hashed=gathered.hashed, listed=0)


def assembled(gathered: Gathered, root: str, tracked: frozenset[str] | None) -> TreeScan:
    """The scan made of what was gathered; with `tracked` without the files and links that it doesn't name."""
    links = gathered.links
    if tracked is not None:
        for raw in [name for name in (*gathered.files, *links) if name not in tracked]:
            gathered.files.pop(raw, None)
            gathered.skips[raw] = Skip(display(raw), SkipReason.IGNORED, "untracked")
        links = [link for link in links if link in tracked]
    gathered.skips |= gathered.barred
    aliases, link_skips = aliases_of(
        links, Walked(partial(resolve, root), gathered.files, gathered.walked, gathered.skips)
    )
    entries = sorted(gathered.files.values(), key=lambda entry: (entry.key, entry.raw))
    skips = sorted((*gathered.skips.values(), *link_skips), key=lambda skip: (skip.path, skip.reason))
    return TreeScan(
        files=tuple(entries),
        skips=tuple(skips),
        failures=tuple(sorted(gathered.failures, key=lambda failure: failure.path)),
        collisions=find_collisions((entry.key, entry.raw) for entry in entries),
        ignore_fingerprint=ignore_fingerprint({nfc(file.key): file.data for file in gathered.ignore_files}),
        notes=tuple(sorted(gathered.notes, key=lambda note: str(note.fields["path"]))),
        hashed=gathered.hashed,
        aliases=tuple(sorted(aliases, key=lambda alias: alias.key)),
        listed=sum(folder.stands_alone for folder in gathered.listed),
    )
