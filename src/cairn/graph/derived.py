"""Classes of Python that are derived from one, and what stands in whose place in their values."""

from collections.abc import Iterator, Sequence

from cairn.graph.meaning import LIKELY, MOST_TARGETS, PROVEN, UNKNOWN, Circles, Meaning
from cairn.graph.members import Members, bases_of
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.syntax.blocks import ROLE_MASK, ROLES

_LANGUAGE = "python"
_TYPE = ROLES.index("type")
_MOST_FILES = 100
_MOST_CLASSES = 100
"""Of what has more heirs, or is named in more files, not all are looked at."""


class Derived:
    """Heirs within one world."""

    def __init__(self, world: World, circles: Circles, members: Members) -> None:
        self._world = world
        self._circles = circles
        self._members = members
        self._below: dict[str, dict[Key, list[Definition]]] = {}

    def of(self, item: Definition) -> tuple[Definition, ...]:
        """The classes that are derived from one, by however many steps; none where it is too widely used to look."""
        if item.symbol.kind != "class" or self._world.languages.get(item.path) != _LANGUAGE:
            return ()
        return self._circles.kept(("heirs", key_of(item)), lambda: tuple(self._heirs(item)))

    def _heirs(self, item: Definition) -> list[Definition]:
        found: dict[Key, Definition] = {}
        waiting = [item]
        while waiting and len(found) < _MOST_CLASSES:
            for each in self._children(waiting.pop()):
                if key_of(each) not in found:
                    found[key_of(each)] = each
                    waiting.append(each)
        return list(found.values())

    def _children(self, item: Definition) -> list[Definition]:
        """The classes whose heads name one; of all classes of a name they are looked for together."""
        known = self._below.get(item.symbol.name)
        if known is None:
            known = self._below[item.symbol.name] = {}
            for each in dict.fromkeys(self._heads_naming(item.symbol.name)):
                for base, _ in self._members.bases(each):
                    if base is not None:
                        known.setdefault(key_of(base), []).append(each)
        return known.get(key_of(item), [])

    def _heads_naming(self, name: str) -> Iterator[Definition]:
        world = self._world
        # What stands in a head has the role of a type, so that few files have to be opened.
        rows = {
            (path, name): here.placed.whats
            for path, here in world.used(name).items()
            if world.languages.get(path) == _LANGUAGE
        }
        for path, local in world.aliases.get(name, ()):
            rows[path, local] = world.view.occurrences.whats_in(local, path)
        naming = [place for place, whats in rows.items() if any(what & ROLE_MASK == _TYPE for what in whats)]
        if len(naming) > _MOST_FILES:
            return
        world.load(path for path, _ in naming)
        for path, local in naming:
            scope = world.scope(path)
            for within in dict.fromkeys(row.within for row in world.rows(path, local) if row.what & ROLE_MASK == _TYPE):
                for symbol in scope.named(within):
                    bases = bases_of(_LANGUAGE, symbol.signature) if symbol.kind == "class" else ()
                    if any(base.rpartition(".")[2] == local for base in bases):
                        yield Definition(path, symbol)

    def member(self, item: Definition, name: str) -> Meaning:
        """What a member is that a class lacks, and those derived from it have."""
        if not 0 < len(self._world.namesakes(name)) <= MOST_TARGETS:
            return UNKNOWN
        found = (target for each in self.of(item) for target in self._members.of(each, name).targets)
        targets = tuple(dict.fromkeys(found))[:MOST_TARGETS]
        return Meaning(targets, LIKELY, open=True) if targets else UNKNOWN

    def inheriting(self, item: Definition, member: Definition) -> list[Definition]:
        """The classes derived from a member's that surely have it from there."""
        meant = ((each, self._members.of(each, member.symbol.name)) for each in self.of(item))
        return [each for each, said in meant if said.tier == PROVEN and said.targets == (member,)]

    def overridden(self, item: Definition) -> frozenset[Key]:
        """The members in whose place one stands, by derivation or beside it."""
        return self._members.overridden(item) | frozenset(map(key_of, self.behind(item)))

    def overriders(self, items: Sequence[Definition]) -> list[Definition]:
        """The members that stand in the place of some, by derivation or beside it."""
        return [*self._members.overriders(items), *self.before(items)]

    def behind(self, item: Definition) -> Iterator[Definition]:
        """The members in whose place one stands where a class is derived from the types of both."""
        for owner, line, at in self._lines(item):
            above = {each for each, _ in self._members.line(owner)}
            for each in line[at + 1 :]:
                if each is not None and each not in above:
                    yield from self._members.own(each, item.symbol.name).targets

    def before(self, items: Sequence[Definition]) -> Iterator[Definition]:
        """The members that stand in the place of some where a class is derived from the types of both."""
        for item in items:
            for owner, line, at in self._lines(item):
                for each in line[:at]:
                    if each is not None and all(base != owner for base, _ in self._members.line(each)):
                        yield from self._members.own(each, item.symbol.name).targets

    def _lines(self, item: Definition) -> Iterator[tuple[Definition, list[Definition | None], int]]:
        """For each heir of a member's type: the type, the heir's line, and the place of the type there."""
        for owner in self._members.owners(item) if item.symbol.container else ():
            for heir in self.of(owner):
                line = [each for each, _ in self._members.line(heir)]
                if owner in line:
                    yield owner, line, line.index(owner)
