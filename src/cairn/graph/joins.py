"""What a type is derived from though its head doesn't say so: `impl T for X`, extensions, mixins, what is embedded."""

import re
from collections.abc import Callable, Iterator

from cairn.base.values import dataclass
from cairn.graph.meaning import NAME, TIERS, Meaning
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition, key_of
from cairn.graph.world import World
from cairn.languages.registry import record_of

_JOINT = re.compile(r"::|\\")
_GENERIC = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Join:
    """One place that adds to what a type is derived from."""

    type: str
    """As it is written; empty where it is the type around the place."""
    bases: tuple[str, ...]
    within: str
    """The definition whose names the place sees."""
    line: int


class Joins:
    """The joins of one world; a file is read once. `meaning` is as members have it."""

    def __init__(self, world: World, meaning: Callable[[str, str, str, str], Meaning]) -> None:
        self._world = world
        self._meaning = meaning
        self._read: dict[str, tuple[Join, ...]] = {}

    def of(self, item: Definition) -> list[tuple[Definition, str]]:
        """The bases that joins give to a type, as far as the snapshot has them."""
        found = (each for path, join in self._about(item) for each in self.bases(path, join))
        return [each for each in dict.fromkeys(found) if key_of(each[0]) != key_of(item)]

    def place(self, item: Definition, base: Definition) -> tuple[str, int] | None:
        """Where a join says that a type is derived from another."""
        for path, join in self._about(item):
            if base.symbol.name in map(_last, join.bases) and base in (each for each, _ in self.bases(path, join)):
                return path, join.line
        return None

    def _about(self, item: Definition) -> Iterator[tuple[str, Join]]:
        """The joins that are about a type, each with its file."""
        pattern = record_of(self._world.languages.get(item.path, "")).heads.joins
        if pattern is None:
            return
        name, key = item.symbol.name, key_of(item)
        apart = self._world.used(name) if "type" in pattern.groupindex else ()
        for path in dict.fromkeys((item.path, *sorted(apart))):
            for join in self.in_file(path):
                if (not join.type or _last(join.type) == name) and key in map(key_of, self.types(path, join)):
                    yield path, join

    def bases(self, path: str, join: Join) -> Iterator[tuple[Definition, str]]:
        """What a join derives from, as far as the snapshot has it."""
        return (each for base in join.bases for each in self._meant(path, base, join.within))

    def types(self, path: str, join: Join) -> list[Definition]:
        """The types that a join is about."""
        if join.type:
            return [item for item, _ in self._meant(path, join.type, join.within)]
        return [Definition(path, symbol) for symbol in self._world.scope(path).named(join.within)]

    def in_file(self, path: str) -> tuple[Join, ...]:
        """The joins that stand in a file."""
        found = self._read.get(path)
        if found is None:
            pattern = record_of(self._world.languages.get(path, "")).heads.joins
            found = self._read[path] = () if pattern is None else tuple(self._joins(path, pattern))
        return found

    def _joins(self, path: str, pattern: re.Pattern[str]) -> Iterator[Join]:
        text = self._world.text(path) or ""
        types = [symbol for symbol in self._world.scope(path).symbols if symbol.kind in TYPES]
        for said in pattern.finditer(text):
            line = text.count("\n", 0, said.start("bases")) + 1
            around = [symbol for symbol in types if symbol.start_line <= line <= symbol.end_line]
            within = max(around, key=lambda symbol: symbol.start_line).qualified_name if around else ""
            named = said.groupdict().get("type") or ""
            if named or within:
                bases = (_plain(each) for each in _GENERIC.sub("", said["bases"]).split(","))
                yield Join(_plain(named), tuple(filter(None, bases)), within, line)

    def _meant(self, path: str, written: str, within: str) -> list[tuple[Definition, str]]:
        receiver, _, name = written.rpartition(".")
        said = self._meaning(path, name, receiver, within)
        return [(item, said.tier) for item in said.targets if item.symbol.kind in TYPES and said.tier in _MORE]


_MORE = frozenset(TIERS) - {NAME}


def _plain(written: str) -> str:
    return _JOINT.sub(".", written.strip()).strip(".")


def _last(written: str) -> str:
    return written.rpartition(".")[2]
