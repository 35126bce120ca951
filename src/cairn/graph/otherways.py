"""Ways to a definition that no use or call of its name shows: that nothing is known to use it says less then."""

import re
from collections.abc import Callable, Sequence

from cairn.graph.customs import customs_of
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import MOST_BUCKETS, Definition
from cairn.graph.unused import is_given_away
from cairn.graph.world import World
from cairn.kernel.grams import buckets_in
from cairn.languages.record import PROSE
from cairn.languages.registry import record_of
from cairn.store import SnapshotView

_OWN_NAME = re.compile(r"__\w+__|operator\W.*")
"""What a language calls by itself, where a value is called, entered, compared or added."""
_QUOTES = "\"'`"
_BEFORE = ".:#"
"""What a string may have before its last part."""
_MOST_PLACES = 1_000
"""Reads that are counted; nobody reads more."""


def ways_to_use(
    resolver: Resolver, items: Sequence[Definition], present: Callable[[str], bool] = lambda _path: True
) -> dict[str, int]:
    """How many strings are the name of a definition (`getattr(x, "go")`); nothing where there are none."""
    strings = sum(_in_strings(resolver.world, name, present) for name in {item.symbol.name for item in items})
    return {"strings": strings} if strings else {}


def ways_to_call(
    resolver: Resolver, items: Sequence[Definition], present: Callable[[str], bool] = lambda _path: True
) -> dict[str, int]:
    """As well how many places read a definition or hand it on, and how many of some others may call unseen."""
    functions = [item for item in items if item.symbol.kind in FUNCTIONS | TYPES]
    read = find_uses(resolver, functions, present, max_places=_MOST_PLACES).items if functions else ()
    counts = {
        "read": sum(each.role == "read" for each in read),
        "unseen": sum(_is_called_unseen(resolver, item) for item in functions),
    }
    return {name: count for name, count in counts.items() if count} | ways_to_use(resolver, items, present)


def _is_called_unseen(resolver: Resolver, item: Definition) -> bool:
    """Whether a decorator, the language itself or a base that is not here may call something."""
    world, symbol = resolver.world, item.symbol
    if is_given_away(world, item):
        return True
    if not symbol.container or not resolver.is_member(item):
        return False
    if _OWN_NAME.fullmatch(symbol.name) or symbol.name in customs_of(world.languages.get(item.path, "")).protocols:
        return True
    owners = (each for each in world.scope(item.path).named(symbol.container) if each.kind in TYPES)
    above = (resolver.member(Definition(item.path, each), symbol.name, inherited_only=True) for each in owners)
    return any(each.outside for each in above)


def _in_strings(world: World, name: str, present: Callable[[str], bool]) -> int:
    # The last part of a path in dots counts too: `patch("a.b.go")`.
    string = re.compile(rf"""(["'`])(?:[\w./-]+[.:#])?{re.escape(name)}\1""")
    ends = re.compile(rf"""{re.escape(name)}["'`]""")
    found = 0
    for path in _with_strings(world.view, name):
        if record_of(world.languages.get(path, "")).content != PROSE:
            count = _count(string, ends, world.text(path) or "")
            # To look at the file itself costs more than its text, and most have no such string.
            found += count if count and present(path) else 0
    return found


def _with_strings(view: SnapshotView, name: str) -> list[str]:
    """Files that may hold strings that are a name or end in it: few of those that hold the name."""
    around = ((before + name + quote).encode() for quote in _QUOTES for before in (quote, *_BEFORE))
    clause = tuple(buckets_in(each)[:MOST_BUCKETS] for each in around)
    return [each.file.path_key for each in view.words.files_holding([clause])]


def _count(string: re.Pattern[str], ends: re.Pattern[str], text: str) -> int:
    """How many strings there are; lines without an end of one are passed over, since to try each quote takes long."""
    found = at = 0
    while (end := ends.search(text, at)) is not None:
        line = text.rfind("\n", 0, end.start()) + 1
        at = text.find("\n", end.end())
        at = len(text) if at < 0 else at
        found += len(string.findall(text, line, at))
    return found
