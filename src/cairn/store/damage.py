"""What is broken in a store, and which files a repair has to make anew."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from cairn.base.errors import CairnError, CorruptStoreError
from cairn.base.ownfile import read_unfollowed
from cairn.base.values import dataclass
from cairn.engines import OutsideEngine, lies_outside
from cairn.store import history
from cairn.store.breaker import ask_again
from cairn.store.digest import Digest
from cairn.store.integrity import Verifier
from cairn.store.layout import Layout
from cairn.store.manifest import FileRef, Manifest, SegmentRef
from cairn.store.recovery import newest_first, read_manifest, read_pointer
from cairn.store.tombstones import dead_paths, decode_file_index

_AT_ONCE = 8
"""So many segments are looked at at the same time."""


@dataclass(frozen=True, slots=True)
class Damage:
    """`base` is the manifest to build on; None means that only a reindex helps."""

    base: Manifest | None
    pointer: bool
    segments: tuple[str, ...]
    lines: tuple[str, ...]
    affected: tuple[str, ...]
    reasons: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.pointer or bool(self.segments or self.lines) or self.base is None


def assess(layout: Layout) -> Damage:
    """Hash everything anew and say what a repair has to do."""
    verifier = Verifier(layout, fresh=True)
    active = _active_manifest(layout)
    if active is None:
        whole = _newest_whole(layout, verifier)
        return Damage(whole, True, (), (), (), ("the pointer or its manifest is damaged",))
    lines = _broken(verifier, [(ref.path, ref.digest) for ref in active.files])
    if active.history is not None and active.history.path not in lines:
        try:
            history.read(layout, active.history)
        except CorruptStoreError as error:
            lines[active.history.path] = error.message
    segments = _broken(verifier, [(f"segments/{ref.segment_id}", ref.digest) for ref in active.folders])
    segments |= _broken_outside(
        layout, [ref for ref in active.segments if f"segments/{ref.segment_id}" not in segments]
    )
    names = tuple(name.split("/", 1)[1] for name in segments)
    reasons: tuple[str, ...] = (*segments.values(), *lines.values())
    if any(ref.path in lines for ref in active.tombstones):
        # Without its tombstones nobody can tell what a segment still shows.
        return Damage(None, False, names, tuple(lines), (), reasons)
    if not segments and not lines:
        return Damage(active, False, (), (), (), ())
    homes = _homes(layout, active, lines)
    if homes is None and names:
        return Damage(None, False, names, tuple(lines), (), reasons)
    affected = tuple(sorted(path for path, home in (homes or {}).items() if home in names))
    return Damage(active, False, names, tuple(lines), affected, reasons)


def _active_manifest(layout: Layout) -> Manifest | None:
    pointer = read_pointer(layout)
    if pointer is None:
        return None
    try:
        return read_manifest(layout, pointer)
    except (OSError, CorruptStoreError):
        return None


def _newest_whole(layout: Layout, verifier: Verifier) -> Manifest | None:
    for manifest in newest_first(layout):
        try:
            verifier.verify(manifest)
        except CairnError:
            continue
        return manifest
    return None


def _broken(verifier: Verifier, expected: list[tuple[str, Digest]]) -> dict[str, str]:
    found = {}
    for name, digest in expected:
        try:
            verifier.check(name, digest)
        except CorruptStoreError as error:
            found[name] = error.message
    return found


def _broken_outside(layout: Layout, refs: list[SegmentRef]) -> dict[str, str]:
    """Segments whose vectors lie elsewhere and are not what was written; ProbeFailedError where nobody can tell."""
    found = {}
    for ref in refs:
        outside = lies_outside(ref.engine, layout.path)
        try:
            if outside is not None:
                outside.verify(layout.segment(ref.segment_id), ref.rows, ref.dimension)
        except CorruptStoreError as error:
            found[f"segments/{ref.segment_id}"] = error.message
    return found


def lost_outside(layout: Layout, manifest: Manifest) -> tuple[str, ...]:
    """Segments of which a server lacks the vectors, by a look at each; ProbeFailedError where nobody can tell.

    Whoever asks this wants the server asked, also one that gave no answer a moment ago.
    """
    ask_again(layout)
    lost: list[str] = []
    for name in sorted({ref.engine for ref in manifest.segments}):
        outside = lies_outside(name, layout.path)
        if outside is not None:
            held, refs = outside.held(), [ref for ref in manifest.segments if ref.engine == name]
            lost += (ref.segment_id for ref in refs if ref.segment_id not in held)
            there = [ref for ref in refs if ref.segment_id in held]
            lacks = partial(_lacks, layout, outside)
            # What is far away is waited for once.
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                lost += (ref.segment_id for ref, lacking in zip(there, pool.map(lacks, there), strict=True) if lacking)
    return tuple(lost)


def _lacks(layout: Layout, outside: OutsideEngine, ref: SegmentRef) -> bool:
    try:
        outside.look(layout.segment(ref.segment_id), ref.rows, ref.dimension)
    except CorruptStoreError:
        return True
    return False


def _homes(layout: Layout, manifest: Manifest, broken: dict[str, str]) -> dict[str, str] | None:
    """path -> segment, from the parts of the file index in order; None when a part is lost."""
    homes: dict[str, str] = {}
    for ref in manifest.file_index:
        part = _part(layout, ref) if ref.path not in broken else None
        if part is None:
            return None
        homes |= part
    dead = dead_paths(layout, manifest)
    return {path: home for path, home in homes.items() if path not in dead[home]}


def _part(layout: Layout, ref: FileRef) -> dict[str, str] | None:
    try:
        return decode_file_index(read_unfollowed(os.path.join(layout.path, ref.path)), ref.path)
    except (OSError, CorruptStoreError):
        return None
