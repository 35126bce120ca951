"""What a shell or an editor offers while somebody types: names and files of a snapshot, as quickly as they can be had.

An offer is no answer, so what an answer takes its time for is left out: nothing is pinned, verified or written. What
tombstones hide is hidden here too.
"""

import time
from collections.abc import Iterator
from itertools import islice

from cairn.store import tombstones
from cairn.store._rowfile import RowFileReader
from cairn.store.layout import Layout
from cairn.store.packed import NamedRows
from cairn.store.recovery import read_manifest, read_pointer

MOST = 200
_AT_ONCE = 32
_PATIENCE_S = 0.08
"""How long names are looked for: what was found until then is offered."""


def names_offered(layout: Layout, typed: str) -> list[str]:
    """Names that begin with what was typed; of `Owner.mem` those of that owner's members."""
    if not typed:
        return []
    owner, _, start = typed.rpartition(".")
    found: set[str] = set()
    deadline = time.monotonic() + _PATIENCE_S
    for rows, dead in _segments(layout):
        for name in _members(rows, dead, owner, start) if owner else _spelt(rows, dead, typed, deadline):
            found.add(name)
            if len(found) >= MOST:
                break
    # What is no word, like a selector of a style sheet, a shell would take apart.
    return sorted(each for each in found if all(letter.isalnum() or letter in "_.$-" for letter in each))


def files_offered(layout: Layout, base: str, typed: str) -> list[str]:
    """Files that begin with what was typed in a folder, and folders up to their first slash."""
    start = base + typed.removeprefix("./")
    found: set[str] = set()
    for rows, dead in _segments(layout):
        for path in rows.paths_starting(start):
            if path not in dead:
                ahead, slash, _ = path[len(start) :].partition("/")
                found.add(f"{start}{ahead}{slash}"[len(base) :])
    return sorted(found)[:MOST]


def languages_offered(layout: Layout) -> Iterator[tuple[str, str]]:
    """(path, language) of every file."""
    for rows, dead in _segments(layout):
        yield from (each for each in rows.languages() if each[0] not in dead)


def segments_offered(layout: Layout) -> tuple[str, dict[str, frozenset[str]]] | None:
    """The snapshot, and the paths that are hidden in each of its segments; None where there is none."""
    pointer = read_pointer(layout)
    if pointer is None:
        return None
    manifest = read_manifest(layout, pointer)
    dead = tombstones.dead_paths(layout, manifest)
    return manifest.snapshot_id, {ref.segment_id: dead[ref.segment_id] for ref in manifest.segments}


def definitions_offered(layout: Layout, segment_id: str) -> Iterator[tuple[str, NamedRows]]:
    """What the files of a segment define: names, kinds, containers and lines, by path."""
    rows = RowFileReader(layout.segment(segment_id))
    try:
        yield from rows.definitions_said()
    finally:
        rows.close()


def _segments(layout: Layout) -> Iterator[tuple[RowFileReader, frozenset[str]]]:
    # No lock is taken, which may have to be made or waited for: what a collector takes away meanwhile is not offered.
    pointer = read_pointer(layout)
    if pointer is None:
        return
    manifest = read_manifest(layout, pointer)
    dead = tombstones.dead_paths(layout, manifest)
    for ref in manifest.segments:
        rows = RowFileReader(layout.segment(ref.segment_id))
        try:
            yield rows, dead[ref.segment_id]
        finally:
            rows.close()


def _spelt(rows: RowFileReader, dead: frozenset[str], typed: str, deadline: float) -> Iterator[str]:
    """Names in the order of the table, which has them in small letters: how they are spelt the files tell."""
    defining: dict[str, int] = {}
    for name, number in rows.names_starting(typed.casefold()):
        defining.setdefault(name, number)
    left = iter(dict.fromkeys(defining.values()))
    while (numbers := sorted(islice(left, _AT_ONCE))) and time.monotonic() < deadline:
        live = [number for number, (file, _) in rows.numbered_files(numbers).items() if file.path_key not in dead]
        for _, symbol in rows.defining(live, lambda name: name.startswith(typed.casefold())):
            if symbol.name.startswith(typed):
                yield symbol.name


def _members(rows: RowFileReader, dead: frozenset[str], owner: str, start: str) -> Iterator[str]:
    numbers = rows.files_with([owner.rpartition(".")[2].casefold()])
    live = [number for number, (file, _) in rows.numbered_files(numbers).items() if file.path_key not in dead]
    for _, symbol in rows.defining(live, lambda name: name.startswith(start.casefold())):
        container, _, name = symbol.qualified_name.rpartition(".")
        if name.startswith(start) and (container == owner or container.endswith(f".{owner}")):
            yield f"{owner}.{name}"
