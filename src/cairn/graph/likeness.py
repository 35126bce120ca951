"""What was probably meant by a name or a path that there isn't: the nearest ones that there are."""

from collections.abc import Callable, Collection, Iterable
from difflib import SequenceMatcher, get_close_matches

from cairn.base.notes import NAMES_LIKE, Note
from cairn.store import SnapshotView
from cairn.workspace.pathkey import is_text

_SHOWN = 3
_NEAR = 0.75
_NEAR_PATH = 0.6
_MOST_SYMBOLS = 200


def names_like(view: SnapshotView, target: str, is_there: Callable[[str], bool]) -> tuple[str, ...]:
    """Names that are defined and spelt almost like one that isn't, the nearest first.

    What the name is the beginning of comes before what is spelt otherwise, so that half a word costs no look at all
    names. Of a member whose owner was named, its owner is told too. A file that is no longer there defines nothing.
    """
    asked = target.replace("::", ".").replace("#", ".").strip(".")
    name = asked.rpartition(".")[2].casefold()
    if not name or not is_text(name):
        return ()
    spare = max(2, len(name) // 4)

    def known(start: str) -> set[str]:
        return {each for each in view.facts.names(start) if abs(len(each) - len(name)) <= spare}

    near = sorted(known(name), key=lambda each: (len(each), each))[:_SHOWN]
    near = near or get_close_matches(name, known(""), _SHOWN, _NEAR)
    if not near:
        return ()
    # What is live tells how a name is spelt, and whether it is still one.
    found = [symbol for path, symbol in view.facts.symbols_with_paths(near, _MOST_SYMBOLS) if is_there(path)]
    if asked.casefold() == name:
        spelt = {symbol.name for symbol in found}
        return _nearest_first(asked, spelt, _NEAR)
    return _nearest_first(asked, {symbol.qualified_name for symbol in found}, _NEAR_PATH)


def like_notes(view: SnapshotView, target: str, is_there: Callable[[str], bool]) -> tuple[Note, ...]:
    """A note on the names that are spelt almost like one that nothing bears."""
    found = names_like(view, target, is_there)
    return (Note(NAMES_LIKE, {"asked": target, "names": found}),) if found else ()


def paths_like(paths: Iterable[str], wanted: str) -> tuple[str, ...]:
    """Paths that are almost like one that there isn't: those of the same file name first, then of a similar one."""
    base = wanted.rpartition("/")[2]
    by_base: dict[str, list[str]] = {}
    for path in paths:
        by_base.setdefault(path.rpartition("/")[2], []).append(path)
    if base in by_base:
        return _nearest_first(wanted, by_base[base], 0.0)
    near = get_close_matches(base, by_base, _SHOWN, _NEAR)
    return _nearest_first(wanted, [path for each in near for path in by_base[each]], _NEAR_PATH)


def _nearest_first(wanted: str, found: Collection[str], least: float) -> tuple[str, ...]:
    def likeness(each: str) -> float:
        return SequenceMatcher(None, wanted.casefold(), each.casefold()).ratio()

    def as_spelt(each: str) -> float:
        return SequenceMatcher(None, wanted, each).ratio()

    ranked = sorted((-likeness(each), -as_spelt(each), each) for each in found)
    return tuple(each for value, _, each in ranked if -value >= least)[:_SHOWN]
