"""Classes that are derived from one, and what stands in whose place in their values.

Only languages are looked at in which a value is what flows into it: elsewhere what is written, or inferred once, holds
for all that is derived.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from cairn.graph.aliases import other_names
from cairn.graph.binding import is_hoisted
from cairn.graph.customs import family
from cairn.graph.meaning import LIKELY, MOST_TARGETS, PROVEN, UNKNOWN, Circles, Meaning
from cairn.graph.members import Members, bases_of, types_in
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.syntax.blocks import ROLE_MASK, ROLES

_TYPE = ROLES.index("type")
_MOST_FILES = 100
_MOST_CLASSES = 100
"""Of what has more heirs, or is named in more files, not all are looked at."""

_NAMELESS = re.compile(r"\bclass\b[^{}]*?\bextends\s+([\w$]+)")
"""The head of a class of a script that has no name, and so isn't known as a definition."""
_Apart = tuple[Definition, tuple[Definition, ...]]
"""A member of a class that no head tells to be derived from one, and what it may be derived from: anything if none."""


class Derived:
    """Heirs within one world."""

    def __init__(self, world: World, circles: Circles, members: Members, top: Callable[[str, str], Meaning]) -> None:
        self._world = world
        self._top = top
        self._circles = circles
        self._members = members
        self._below: dict[tuple[str, frozenset[str]], dict[Key, list[Definition]]] = {}
        self._others: dict[tuple[str, str], list[_Apart]] = {}

    def of(self, item: Definition) -> tuple[Definition, ...]:
        """The classes that are derived from one, by however many steps; none where it is too widely used to look."""
        if item.symbol.kind not in TYPES or not is_hoisted(self._world.languages.get(item.path, "")):
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
        names = frozenset((item.symbol.name, *other_names(self._world, self._top, item)))
        key = family(self._world.languages[item.path]), names
        known = self._below.get(key)
        if known is None:
            known = self._below[key] = {}
            for each in dict.fromkeys(self._heads_naming(*key)):
                for base, _ in self._members.bases(each):
                    if base is not None:
                        known.setdefault(key_of(base), []).append(each)
        return known.get(key_of(item), [])

    def _heads_naming(self, kind: str, names: frozenset[str]) -> Iterator[Definition]:
        world = self._world
        # What stands in a head has the role of a type, so that few files have to be opened.
        naming = {
            path: None
            for name in sorted(names)
            for path, here in world.used(name).items()
            if family(world.languages.get(path, "")) == kind
            and any(what & ROLE_MASK == _TYPE for what in here.placed.whats)
        }
        if len(naming) > _MOST_FILES:
            return
        yield from self._joined(kind, names)
        world.load(naming)
        for path in naming:
            scope = world.scope(path)
            rows = (row for name in sorted(names) for row in world.rows(path, name) if row.what & ROLE_MASK == _TYPE)
            for within in dict.fromkeys(row.within for row in rows):
                for symbol in scope.named(within):
                    bases = bases_of(scope.language, symbol.signature) if symbol.kind in TYPES else ()
                    if any(base.rpartition(".")[2] in names for base in bases):
                        yield Definition(path, symbol)

    def _joined(self, kind: str, names: frozenset[str]) -> Iterator[Definition]:
        """The classes that are derived by what stands outside of their heads: mixins."""
        joins, languages = self._members.joins, self._world.languages
        for path in dict.fromkeys(path for name in sorted(names) for path in self._world.used(name)):
            for join in joins.in_file(path) if family(languages.get(path, "")) == kind else ():
                if any(base.rpartition(".")[2] in names for base in join.bases):
                    yield from joins.types(path, join)

    def others(self, item: Definition, name: str) -> Iterator[tuple[Meaning, tuple[Definition, ...]]]:
        """A member of a type in its heirs' own ways, with whose value it is; nothing stands for what is only set there.

        A class whose base is given when the program runs may be an heir of any; one without a name is no definition.
        """
        heirs = self.of(item)
        yield from ((self._members.own(heir, name), (heir,)) for heir in heirs)
        language = self._world.languages.get(item.path, "")
        if is_hoisted(language) and item.symbol.kind in TYPES:
            known = set(map(key_of, (item, *heirs)))
            for member, bases in self._apart(language, name):
                owners = tuple(self._members.owners(member))
                if known.isdisjoint(map(key_of, owners)) and (not bases or not known.isdisjoint(map(key_of, bases))):
                    yield Meaning((member,), LIKELY), owners

    def _apart(self, language: str, name: str) -> list[_Apart]:
        key = (family(language), name)
        found = self._others.get(key)
        if found is None:
            found = self._others[key] = []
            for each in self._members.kin(language, name):
                base = self.base_of_nameless(each)
                meant = self._top(each.path, base) if base else UNKNOWN
                if self.given_base(each):
                    found.append((each, ()))
                elif base and not meant.outside:
                    found.append((each, types_in(meant.targets)))
        return found

    def given_base(self, member: Definition) -> str:
        """The base of a member's class that is a parameter of the function around it; empty where it is none."""
        scope = self._world.scope(member.path)
        owners = self._members.owners(member)
        heads = [(bases_of(scope.language, each.symbol.signature), each.symbol.container) for each in owners]
        for bases, container in heads or [((self.base_of_nameless(member),), member.symbol.container)]:
            around = [each.signature for each in scope.named(container) if each.kind in FUNCTIONS]
            for base in filter(None, bases):
                if any(re.search(rf"[(,]\s*{re.escape(base)}\s*[,:=)]", head) for head in around):
                    return base
        return ""

    def base_of_nameless(self, member: Definition) -> str:
        """What the class of a script's member extends that has no name itself; empty where nothing looks like one."""
        symbol, scope = member.symbol, self._world.scope(member.path)
        script = family(scope.language) == family("javascript")
        if not script or symbol.kind not in FUNCTIONS or self._members.owners(member):
            return ""
        start = next((each.start_line for each in scope.named(symbol.container)), 1)
        text = " ".join(self._world.lines(member.path)[start - 1 : symbol.start_line])
        return next(reversed(_NAMELESS.findall(text)), "")

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
