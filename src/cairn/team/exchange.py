"""Push and pull: a snapshot in parts at a remote, and what of it is kept there.

    cairn1/parts/<ab>/<sha256>                      a part, by the digest that the manifest has of it
    cairn1/snapshots/<config_fingerprint>/<commit>  a commit's listing: a signature, a hash, the document
    cairn1/tables/<ab>/<sha256>                     a segment as a table, for those who ask the snapshot where it is
    cairn1/aside/<sha256>                           a part that a collection is about to remove

Parts are written first, and the listing last: whoever finds a listing finds all that it names, and where a bucket lags
or has lost something, a snapshot with a part missing is none. A part that is there already is not sent again. The hash
of a commit names all of its history, so it names the repository too.
"""

import contextlib
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType

from cairn.base import durable
from cairn.base.errors import (
    BusyError,
    CairnError,
    CorruptStoreError,
    GitError,
    IncompatibleError,
    ProbeFailedError,
    RefusedError,
)
from cairn.base.values import dataclass
from cairn.store import faults
from cairn.store.asked import AskableTable
from cairn.store.layout import Layout
from cairn.team.arrival import ArrivedSnapshot, Tell, untold
from cairn.team.listing import MOST_BYTES, Listing, damaged, read_listing, require_signature, signature_of
from cairn.team.parts import SnapshotPart, packed
from cairn.team.remote import BLOCK, LackingError, TeamRemote
from cairn.workspace.git import Git

TOP = "cairn1"
_PARTS = f"{TOP}/parts/"
_SNAPSHOTS = f"{TOP}/snapshots/"
_TABLES = f"{TOP}/tables/"
_ASIDE = f"{TOP}/aside/"
_TABLE = "table-"
"""How the name of a table begins where it is laid aside."""
_LISTING = re.compile(rf"{_SNAPSHOTS}[0-9a-f]{{64}}/[0-9a-f]{{40,64}}")
_HASH_BYTES = 32
_LOOKED_BACK = 2_000
_ASKED_BACK = 32
"""Of a remote that doesn't list what it has, each commit is asked for."""
_MOST_TRIED = 3
NO_TABLES: Mapping[str, str] = MappingProxyType({})
GRACE_S = 24 * 3600.0
"""What is younger may be of a push that is under way."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did."""

    sent: int
    """How many parts."""
    parts: int
    travelled: int
    """How many bytes, the listing among them."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """A snapshot that was found and put together."""

    listing: Listing | None
    """None where none is nearer than one's own."""
    passed: tuple[str, ...] = ()
    """Why nearer ones could not be had."""
    is_lacking: bool = False
    """Whether nothing is there that one could have had."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What a collection at a remote removed."""

    snapshots: int
    parts: int
    kept: int


def push(
    remote: TeamRemote,
    layout: Layout,
    listing: Listing,
    key: bytes | None,
    *,
    tables: Mapping[str, str] = NO_TABLES,
    anew: bool = False,
    tell: Tell = untold,
) -> Pushed:
    """Put a snapshot there: only parts that are missing travel, unless it is done `anew`.

    `tables` are the files of those tables that the listing names and that are not there yet, by their names.
    """
    parts = listing.parts
    total, done, size, sent = sum(part.digest.size_bytes for part in parts), 0, 0, 0
    if not anew and _is_there(remote, listing, key):
        return Pushed(0, len(parts), 0)
    for table in listing.tables:
        if table.name in tables and (anew or not remote.has(table_name(table))):
            tell("sending", 0, total)
            size += write_table(remote, table, tables[table.name])
            faults.reach("tables.sent")
    for part in parts:
        tell("sending", done, total)
        if anew or not remote.has(part_name(part)):
            size += remote.write(part_name(part), packed(layout, part))
            sent += 1
            faults.reach("push.part")
        done += part.digest.size_bytes
    size += write_listing(remote, listing, key)
    faults.reach("push.listed")
    for part in parts:
        # A collection may have taken meanwhile what was there: from now on it sees that it is needed.
        if not remote.has(part_name(part)):
            size += remote.write(part_name(part), packed(layout, part))
            sent += 1
            faults.reach("push.resent")
    for table in listing.tables:
        if not remote.has(table_name(table)):
            raise BusyError("A collection has taken a table while it was pushed.", hint="Push it again.")
    return Pushed(sent, len(parts), size)


def write_listing(remote: TeamRemote, listing: Listing, key: bytes | None) -> int:
    """Put a listing there, by which its snapshot is found; how many bytes it has."""
    signature = signature_of(listing.data, key)
    data = signature + hashlib.sha256(signature + listing.data).digest() + listing.data
    return remote.write(listing_name(listing.fingerprint, listing.commit or ""), [data])


def write_table(remote: TeamRemote, table: AskableTable, path: str) -> int:
    """Put a table there from a file; how many bytes it has."""
    with open(path, "rb") as file:
        return remote.write(table_name(table), iter(partial(file.read, BLOCK), b""))


def _is_there(remote: TeamRemote, listing: Listing, key: bytes | None) -> bool:
    """Whether the commit has a whole snapshot there, be it another's: two would share no part."""
    try:
        there = read_at(remote, listing.fingerprint, listing.commit or "", key)
        if listing.tables and (not there.tables or there.tables_version != listing.tables_version):
            return False
        return all(map(remote.has, names_in(there)))
    except (LackingError, CorruptStoreError, IncompatibleError, RefusedError):
        return False


def pull(
    remote: TeamRemote,
    git: Git,
    fingerprint: str,
    key: bytes | None,
    arrival: ArrivedSnapshot,
    have: Layout | None,
    own_commit: str | None = None,
    tell: Tell = untold,
) -> Pulled:
    """Put the snapshot of the nearest commit together that is there, where one is nearer than one's own."""
    passed: list[CairnError] = []
    there = _there(remote, fingerprint)
    for commit in _commits(git, there, own_commit):
        if len(passed) >= _MOST_TRIED:
            break
        try:
            listing = read_at(remote, fingerprint, commit, key)
            arrival.take(listing, partial(_read_part, remote), f"The snapshot of {commit[:10]}", have, tell)
        except LackingError:
            continue
        except (CorruptStoreError, IncompatibleError, RefusedError) as error:
            passed.append(error)
            arrival.empty()
            continue
        return Pulled(listing, tuple(error.message for error in passed))
    if passed:
        if isinstance(passed[0], CorruptStoreError):
            passed[0].hint = "Nothing was changed: push it again with `cairn push --again`, or index the tree."
        raise passed[0]
    return Pulled(None, is_lacking=own_commit is None or not (there is None or there))


def nearest_askable(remote: TeamRemote, git: Git | None, fingerprint: str, key: bytes | None) -> Listing | None:
    """The listing of the nearest commit's snapshot that can be asked there; None where there is none.

    Without a commit of one's own it is the one that was pushed last.
    """
    if git is None or git.head() is None:
        ages = remote.names(f"{_SNAPSHOTS}{fingerprint}/") if remote.lists else {}
        commits: Iterable[str] = [name.rpartition("/")[2] for name in sorted(ages, key=lambda name: ages[name])]
    else:
        commits = _commits(git, _there(remote, fingerprint), None)
    for commit in commits:
        with contextlib.suppress(LackingError):
            listing = read_at(remote, fingerprint, commit, key)
            if listing.tables:
                return listing
    return None


def _there(remote: TeamRemote, fingerprint: str) -> set[str] | None:
    """The commits that are there; None of a remote that doesn't list what it has."""
    if not remote.lists:
        return None
    return {name.rpartition("/")[2] for name in remote.names(f"{_SNAPSHOTS}{fingerprint}/")}


def _commits(git: Git, there: set[str] | None, own_commit: str | None) -> Iterator[str]:
    """HEAD and what came before it, nearest first and nearer than one's own: those that are there, or may be."""
    most = _ASKED_BACK if there is None else _LOOKED_BACK
    if there == set() or git.head() is None:
        return
    if own_commit is not None:
        # A commit that is no longer here lies at no distance.
        with contextlib.suppress(GitError):
            most = min(most, int(git.ask("rev-list", "--count", f"{own_commit}...HEAD")))
    for line in git.ask("rev-list", f"--max-count={most}", "HEAD").split():
        if there is None or line.decode() in there:
            yield line.decode()


def read_at(remote: TeamRemote, fingerprint: str, commit: str, key: bytes | None) -> Listing:
    """The listing of a commit's snapshot; LackingError where there is none."""
    what = f"The listing of {commit[:10]}"
    data = bytearray()
    for block in remote.read(listing_name(fingerprint, commit)):
        data += block
        if len(data) > MOST_BYTES:
            raise damaged(what, "it is larger than any")
    signature, seal, document = data[:_HASH_BYTES], data[_HASH_BYTES : 2 * _HASH_BYTES], data[2 * _HASH_BYTES :]
    if hashlib.sha256(signature + document).digest() != seal:
        raise damaged(what, "it is not what was written")
    require_signature(bytes(document), bytes(signature), key, what)
    listing = read_listing(bytes(document), what)
    if (listing.fingerprint, listing.commit) != (fingerprint, commit):
        raise damaged(what, "it is that of another snapshot")
    return listing


def _read_part(remote: TeamRemote, part: SnapshotPart) -> Iterator[bytes]:
    try:
        yield from remote.read(part_name(part))
    except LackingError as error:
        raise damaged(part.name, "the remote doesn't have it") from error


def sweep(remote: TeamRemote, *, keep: int, grace_s: float = GRACE_S) -> Swept:
    """Remove all but the newest snapshots of each fingerprint, and what none of the rest needs.

    A part that goes is first laid aside, then listings are read, then it goes or comes back. So a push beside it is
    safe whenever it looks: it lists first and looks for its parts after that. Where it finds one that is then laid
    aside, its listing is read; where it doesn't, it sends the part.
    """
    listings = _listings(remote)
    doomed = _doomed(listings, keep, grace_s)
    # A listing that can't be read may need anything: then nothing is removed.
    needed = _needed(remote, set(listings) - doomed)
    for name in sorted(doomed):
        remote.remove(name)
        faults.reach("remote.listing_removed")
    removed = 0
    for name, age in sorted(remote.names(f"{TOP}/").items()):
        if age <= grace_s or name in needed:
            continue
        if durable.TEMP_MARK in name:
            # Of a push that died.
            remote.remove(name)
            removed += 1
        elif name.startswith((_PARTS, _TABLES)):
            with contextlib.suppress(LackingError):
                remote.move(name, _aside(name))
            faults.reach("remote.part_aside")
    # With what collections that died have left there.
    aside = sorted(remote.names(_ASIDE))
    try:
        needed = _needed(remote, set(_listings(remote))) if aside else set()
    except CairnError:
        for name in aside:
            remote.move(name, _place_of(name))
        raise
    for name in aside:
        place = _place_of(name)
        if place in needed:
            with contextlib.suppress(LackingError):
                remote.move(name, place)
        else:
            remote.remove(name)
            removed += 1
        faults.reach("remote.part_removed")
    return Swept(len(doomed), removed, len(listings) - len(doomed))


def _listings(remote: TeamRemote) -> dict[str, float]:
    return {name: age for name, age in remote.names(_SNAPSHOTS).items() if _LISTING.fullmatch(name)}


def _doomed(listings: dict[str, float], keep: int, grace_s: float) -> set[str]:
    by_fingerprint: dict[str, list[tuple[float, str]]] = {}
    for name, age in listings.items():
        by_fingerprint.setdefault(name.rpartition("/")[0], []).append((age, name))
    return {name for some in by_fingerprint.values() for age, name in sorted(some)[keep:] if age > grace_s}


def _needed(remote: TeamRemote, names: set[str]) -> set[str]:
    found: set[str] = set()
    for name in sorted(names):
        fingerprint, _, commit = name.removeprefix(_SNAPSHOTS).partition("/")
        try:
            found.update(names_in(read_at(remote, fingerprint, commit, None)))
        except LackingError:
            continue
        except CairnError as error:
            if isinstance(error, ProbeFailedError):
                raise
            raise type(error)(
                f"Nobody knows what {name} needs: {error.message}",
                hint="No part was removed: collect with the version of Cairn that wrote it; where it is damaged, push "
                "that commit with `cairn push --again`, or remove the file.",
            ) from error
    return found


def names_in(listing: Listing) -> list[str]:
    """Where everything lies that a listing names."""
    return [*map(part_name, listing.parts), *map(table_name, listing.tables)]


def table_name(table: AskableTable) -> str:
    """Where the table of a segment lies."""
    return f"{_TABLES}{table.name[:2]}/{table.name}"


def _aside(name: str) -> str:
    last = name.rpartition("/")[2]
    return f"{_ASIDE}{_TABLE if name.startswith(_TABLES) else ''}{last}"


def _place_of(aside: str) -> str:
    last = aside.rpartition("/")[2]
    sha256 = last.removeprefix(_TABLE)
    return _part_place(last) if sha256 == last else f"{_TABLES}{sha256[:2]}/{sha256}"


def part_name(part: SnapshotPart) -> str:
    """Where a part lies."""
    return _part_place(part.digest.sha256)


def _part_place(sha256: str) -> str:
    return f"{_PARTS}{sha256[:2]}/{sha256}"


def listing_name(fingerprint: str, commit: str) -> str:
    """Where the listing of a commit's snapshot lies."""
    return f"{_SNAPSHOTS}{fingerprint}/{commit}"
