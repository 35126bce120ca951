"""Snapshots that are asked where they are: their segments as tables, of which blocks are read and kept here."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import BinaryIO

from cairn.base import durable
from cairn.base.errors import CorruptStoreError
from cairn.base.ownfile import read_own
from cairn.base.values import dataclass
from cairn.store import SnapshotView, askable, blocktable
from cairn.store.asked import AskableTable
from cairn.store.blocktable import MOST_READ_BYTES, PUSH_ANEW, BlockPlace, damaged_table
from cairn.store.digest import Digest
from cairn.store.layout import Layout
from cairn.team.arrival import Tell, untold
from cairn.team.exchange import part_name, table_name
from cairn.team.listing import Listing, damaged
from cairn.team.parts import unpack
from cairn.team.remote import LackingError, Span, TeamRemote

KEPT_BYTES = 16 << 20
_MOST_KEPT = 1 << 20
"""What is larger is kept by whoever asked for it, or not at all."""
_GAP = 1 << 16
"""What lies no farther apart comes with one request: so much is sooner read than asked for."""
_MOST_JOINED = 64 << 20
_AT_ONCE = 8
_FOLDER = "blocks"


def make_tables(
    view: SnapshotView,
    listing: Listing,
    former: Listing | None,
    folder: str,
    has: Callable[[str], bool],
    tell: Tell = untold,
) -> tuple[list[AskableTable], Mapping[str, str]]:
    """The tables of a snapshot's segments, and the files of those that are made now, by their names.

    Those of a former listing are taken over where the remote still `has` them and this version would write them so.
    """
    known: dict[tuple[str, Digest], AskableTable] = {}
    if former is not None and former.tables_version == askable.VERSION:
        refs = former.manifest.segments
        known = {(ref.segment_id, ref.digest): table for ref, table in zip(refs, former.tables, strict=True)}
    tables, made = [], {}
    for done, ref in enumerate(listing.manifest.segments):
        tell("tabling", done, len(listing.manifest.segments))
        there = known.get((ref.segment_id, ref.digest))
        if there is not None and has(table_name(there)):
            tables.append(there)
            continue
        path = os.path.join(folder, f"{ref.segment_id}.table")
        table = make_table(ref.segment_id, path, partial(view.upkeep.write_table, ref.segment_id))
        tables.append(table)
        made[table.name] = path
    return tables, made


def make_table(segment_id: str, path: str, write: Callable[[BinaryIO], bytes]) -> AskableTable:
    """Make a segment's table in a file; `write` writes its blocks and gives the directory."""
    with open(path, "xb") as file:
        directory = write(file)
        at = file.tell()
        file.write(directory)
        size = file.tell()
    with open(path, "rb") as file:
        name = hashlib.file_digest(file, "sha256").hexdigest()
    return AskableTable(segment_id, name, size, at, hashlib.sha256(directory).hexdigest())


def read_directory(remote: TeamRemote, table: AskableTable) -> bytes:
    """The directory of a table; CorruptStoreError where it isn't what was written."""
    (found,) = _pieces(remote, table_name(table), [(table.at, table.size)])
    if hashlib.sha256(found).hexdigest() != table.digest:
        raise _not_as_written(remote)
    places = blocktable.read_directory(found, table.name)
    if sum(place.size for place in places) != table.at:
        # Its blocks would reach into something else, or beyond its end.
        raise _not_as_written(remote)
    return found


def fetch_tombstones(remote: TeamRemote, listing: Listing, layout: Layout) -> None:
    """Put a snapshot's tombstones to their places in a store."""
    for part in listing.parts:
        if part.is_folder or not part.name.endswith("/tombstones.jsonl"):
            continue
        durable.remove(os.path.join(layout.path, part.name))
        try:
            unpack(remote.read(part_name(part)), layout, part)
        except LackingError as error:
            raise damaged(part.name, "the remote doesn't have it") from error


@dataclass(frozen=True, slots=True)
class Travelled:
    """What was asked of a remote so far."""

    requests: int = 0
    size_bytes: int = 0


class RemoteBlocks:
    """Blocks of tables at a remote; small ones are kept by their content, those that nobody used for longest going."""

    def __init__(self, remote: TeamRemote, layout: Layout, budget: int = KEPT_BYTES) -> None:
        """`budget` may grow: what every question reads must find room in it."""
        self._remote = remote
        self._layout = layout
        self._folder = os.path.join(layout.cache, _FOLDER)
        self.budget = budget
        self._guard = threading.Lock()
        self.travelled = Travelled()

    def read(self, wanted: Sequence[tuple[str, BlockPlace]]) -> list[bytes]:
        """Blocks by the names of their tables, from here or from there."""
        kept = [self._kept(place) for _, place in wanted]
        missing = [each for each, data in zip(wanted, kept, strict=True) if data is None]
        by_table: dict[str, list[BlockPlace]] = {}
        for name, place in missing:
            by_table.setdefault(name, []).append(place)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            each = (
                pool.map(self._fetched, by_table, by_table.values())
                if len(by_table) > 1
                else [self._fetched(name, places) for name, places in by_table.items()]
            )
            came = dict(chain.from_iterable(found.items() for found in each))
        self._keep([came[place.digest] for _, place in missing], [place for _, place in missing])
        return [came[place.digest] if data is None else data for (_, place), data in zip(wanted, kept, strict=True)]

    def _fetched(self, name: str, places: Sequence[BlockPlace]) -> dict[bytes, bytes]:
        ordered = sorted(set(places), key=lambda place: place.at)
        spans = _joined(ordered)
        if sum(end - start for start, end in spans) > MOST_READ_BYTES:
            raise damaged_table(name, "asks for more than can be read at once")
        path = table_name(AskableTable("", name, 0, 0, ""))
        pieces = _pieces(self._remote, path, spans)
        with self._guard:
            former = self.travelled
            size = former.size_bytes + sum(map(len, pieces))
            self.travelled = Travelled(former.requests + len(spans), size)
        found, number = {}, 0
        for place in ordered:
            while place.at >= spans[number][1]:
                number += 1
            start = place.at - spans[number][0]
            data = pieces[number][start : start + place.size]
            if not place.holds(data):
                raise _not_as_written(self._remote)
            found[place.digest] = data
        return found

    def _kept(self, place: BlockPlace) -> bytes | None:
        path = os.path.join(self._folder, place.digest.hex())
        with contextlib.suppress(OSError):
            data = read_own(path)
            if place.holds(data):
                with contextlib.suppress(OSError):
                    os.utime(path)
                return data
        return None

    def _keep(self, blocks: Sequence[bytes], places: Sequence[BlockPlace]) -> None:
        small = [(place, data) for place, data in zip(places, blocks, strict=True) if len(data) <= _MOST_KEPT]
        # A full disk costs time with the next question, and nothing else.
        with contextlib.suppress(OSError):
            if small and not os.path.isdir(self._folder):
                self._layout.make_folder(self._folder)
            for place, data in small:
                self._layout.write_cache(os.path.join(self._folder, place.digest.hex()), data)
            if small:
                self._make_room()

    def _make_room(self) -> None:
        with os.scandir(self._folder) as entries:
            there = [(each.stat(follow_symlinks=False), each.path) for each in entries]
        left = sum(stat.st_size for stat, _ in there) - self.budget
        for stat, path in sorted(there, key=lambda each: each[0].st_mtime_ns):
            if left <= 0:
                return
            durable.remove(path)
            left -= stat.st_size


def _joined(places: Sequence[BlockPlace]) -> list[Span]:
    """What to ask for, in the order of places: what lies near together comes at once."""
    spans: list[Span] = []
    for place in places:
        end = place.at + place.size
        if spans and place.at - spans[-1][1] <= _GAP and end - spans[-1][0] <= _MOST_JOINED:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((place.at, end))
    return spans


def _pieces(remote: TeamRemote, name: str, spans: Sequence[Span]) -> list[bytes]:
    try:
        return remote.pieces(name, spans)
    except LackingError as error:
        raise CorruptStoreError(
            f"The remote {remote.address} has lost a table of the snapshot.", hint=PUSH_ANEW
        ) from error


def _not_as_written(remote: TeamRemote) -> CorruptStoreError:
    return CorruptStoreError(f"A table at the remote {remote.address} is not what was written.", hint=PUSH_ANEW)
