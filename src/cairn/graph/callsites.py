"""Calls by what they mean: each name's calls are resolved once, however many things bear it."""

from collections.abc import Callable

from cairn.base.values import dataclass, field
from cairn.graph.customs import family
from cairn.graph.meaning import NAME, Meaning
from cairn.graph.symbols import Key, key_of
from cairn.graph.world import World
from cairn.store import OccurrenceRow


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of a name in a file, and how sure it is."""

    path: str
    use: OccurrenceRow
    tier: str


@dataclass(slots=True)
class Hazy:
    """Calls of one kind of which nothing but the name is known: how many, and what they may mean."""

    family: str
    asked: bool
    """Whether they are asked of something."""
    meaning: Meaning
    count: int = 0
    keys: frozenset[Key] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class NamedCalls:
    """All calls of one name."""

    by_target: dict[Key, list[CallSite]]
    hazy: tuple[Hazy, ...]


class CallSites:
    """The calls of a world by name, each name looked at once."""

    def __init__(self, world: World, meaning: Callable[[str, str, str, str], Meaning]) -> None:
        self._world = world
        self._meaning = meaning
        self._known: dict[str, NamedCalls] = {}

    def named(self, name: str) -> NamedCalls:
        """The calls of a name; they are read once."""
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = self._read(name)
        return known

    def _read(self, name: str) -> NamedCalls:
        world = self._world
        uses = world.calls_named(name)
        world.load(path for path, _ in uses)
        by_target: dict[Key, list[CallSite]] = {}
        hazy: dict[tuple[str, bool, int], Hazy] = {}
        for path, use in uses:
            meaning = self._meaning(path, use.name, use.receiver, use.within)
            if meaning.targets and meaning.tier != NAME:
                site = CallSite(path, use, meaning.tier)
                for key in set(map(key_of, meaning.targets)):
                    by_target.setdefault(key, []).append(site)
            elif not meaning.outside and (meaning.tier == NAME or not meaning):
                # Meanings are kept by the resolver, so that most calls share a few of them.
                kind = (family(world.languages.get(path, "")), bool(use.receiver), id(meaning))
                if kind not in hazy:
                    keys = frozenset(map(key_of, meaning.targets))
                    hazy[kind] = Hazy(kind[0], kind[1], meaning, 0, keys)
                hazy[kind].count += 1
        return NamedCalls(by_target, tuple(hazy.values()))
