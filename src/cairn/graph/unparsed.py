"""Files that don't parse, and where a name stands in them beside the places that are known of it."""

import re
from collections.abc import Callable, Collection, Iterator

from cairn.graph.customs import family
from cairn.graph.symbols import files_with
from cairn.graph.world import World
from cairn.store import SnapshotView
from cairn.syntax.trees import is_faulty

_MOST_FILES = 1_000
"""Files that are looked at for one name."""


def is_unparsed(view: SnapshotView, path: str) -> bool:
    """Whether a file has faults, so that its tree is a guess: code may count as a text or a comment there."""
    return is_faulty(view.occurrences.shapes_of(path))


def unparsed_holding(
    world: World, names: Collection[str], families: Collection[str], present: Callable[[str], bool]
) -> Iterator[str]:
    """Files with faults that hold a name where no occurrence of it is known; of all languages without `families`."""
    found: set[str] = set()
    for name in names:
        for located in files_with(world.view, name)[:_MOST_FILES]:
            path = located.file.path_key
            fits = not families or family(world.languages.get(path, "")) in families
            if fits and path not in found and is_unparsed(world.view, path):
                # To look at the file itself costs the most, and few have faults.
                if present(path) and _holds_more(world, path, name):
                    found.add(path)
                    yield path


def _holds_more(world: World, path: str, name: str) -> bool:
    known = {(row.line, row.column) for row in world.rows(path, name)}
    word = re.compile(rb"(?<!\w)" + re.escape(name.encode()) + rb"(?!\w)")
    lines = (world.view.rows.whole_text_of(path) or b"").split(b"\n")
    places = ((number, at.start()) for number, line in enumerate(lines, start=1) for at in word.finditer(line))
    return any(place not in known for place in places)
