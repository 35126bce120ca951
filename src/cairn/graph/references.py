"""Every use of a definition, with how sure it is: places from the snapshot, judged by what names mean there."""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from cairn.base import deadline
from cairn.base.values import dataclass, replace
from cairn.graph.aliases import other_names
from cairn.graph.arguments import arguments_for_fields
from cairn.graph.entities import Entity, entities_of
from cairn.graph.makers import Made, makers_used, types_made
from cairn.graph.meaning import UNKNOWN, Meaning
from cairn.graph.occurrences import uses_in
from cairn.graph.proof import UseJudgement, UseProof
from cairn.graph.resolve import LIKELY, NAME, PROVEN, TIERS, Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.semantics import SEMANTIC, Unseen, layered, unseen
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.usage import FileUses
from cairn.graph.wanted import ALL, Wanted
from cairn.graph.world import World
from cairn.store import NameInFile
from cairn.syntax.uses import Use

SYNTACTIC = "syntactic"
MAX_FILES = 3_000
"""Files that are looked at for one question."""
_AT_ONCE = 200
"""Files whose names are read together: who stops early has not read those of all."""
_WIDTH = 300


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where something is used, and how sure it is that it is that very thing."""

    path: str
    line: int
    column: int
    """Bytes from the start of the line."""
    name: str
    """As it is written there: an alias, if it has one."""
    role: str
    within: str
    tier: str
    target: Definition | None = None
    """What is used; None where only the name is known."""
    layer: str = SYNTACTIC
    dispatch: bool = False
    """Whether it is reached through a base, in whose member's place it stands."""
    text: str = ""
    """The line, without the white space around it, where it is shown."""


@dataclass(frozen=True, slots=True)
class References:
    """All that was found, and how much of the name's uses is something else or unknown."""

    definitions: tuple[Definition, ...]
    items: tuple[Reference, ...]
    elsewhere: int = 0
    """Places of the name that are proven to be something else: local variables, other definitions, libraries'."""
    limits_hit: tuple[str, ...] = ()
    """`files`: too many hold the name, and only the first of them were looked at. `places`: more were found than
    anyone can be shown, and the files behind them were not looked at."""

    @property
    def unresolved(self) -> int:
        """Uses of which nothing but the name is known."""
        return sum(item.tier == NAME for item in self.items)

    @property
    def layers(self) -> dict[str, int]:
        """How many uses each layer tells."""
        counts = Counter(item.layer for item in self.items)
        return {layer: counts[layer] for layer in sorted(counts)}

    @property
    def tiers(self) -> dict[str, int]:
        """How many uses there are of each tier, the surest first."""
        counts = Counter(item.tier for item in self.items)
        return {tier: counts[tier] for tier in TIERS if counts[tier]}


@dataclass(frozen=True, slots=True)
class UsesOfFile:
    """What one file uses, in order of place."""

    path: str
    items: tuple[Reference, ...]
    elsewhere: int = 0


class UsesByFile(Protocol):
    """Uses one file after another, in order of path: whoever has enough looks at no further one."""

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """What is used."""

    @property
    def files(self) -> Sequence[str]:
        """Those that are looked at."""

    @property
    def is_cut(self) -> bool:
        """Whether more than these hold the name."""

    def __iter__(self) -> Iterator[UsesOfFile]: ...


class DefinitionUses:
    """Uses of any of some definitions, by their names and by those that imports give them.

    Files and roles that are not `wanted` are left out before anything is bounded.
    """

    def __init__(
        self,
        resolver: Resolver,
        definitions: Sequence[Definition],
        present: Callable[[str], bool] = lambda _path: True,
        max_files: int = MAX_FILES,
        wanted: Wanted = ALL,
    ) -> None:
        world = resolver.world
        entities = entities_of(world, definitions, present)
        everywhere = [each for entity in entities for each in entity.places]
        made = types_made(world, everywhere, resolver.evaluator.derived)
        self._known = resolver.semantics.known(everywhere) if resolver.semantics is not None else None
        self._own = tuple(dict.fromkeys(item.symbol.name for item in definitions))
        types = [each.type for each in made.values()]
        others = (name for item in (*everywhere, *types) for name in other_names(world, resolver.top, item))
        names = tuple(dict.fromkeys((*self._own, *(item.symbol.name for item in types), *others)))
        self._sighted = self._known.sightings() if self._known is not None else {}
        # Of many names most are in few files: no file is asked for all of them.
        self._used: dict[str, list[tuple[str, NameInFile]]] = {path: [] for path in self._sighted}
        for name in names:
            for path, here in world.used(name).items():
                self._used.setdefault(path, []).append((name, here))
        for word, path, here in makers_used(world, types):
            self._used[path].append((word, here))
        files = set(filter(wanted.files(world, present), self._used))
        self.files: Sequence[str] = sorted(files)[:max_files]
        self.is_cut = len(files) > max_files
        shown = tuple(entity.shown for entity in entities)
        self.definitions = layered(shown, self._known.tied) if self._known is not None else shown
        given = arguments_for_fields(resolver, everywhere, present)
        self._judge = _Judge(resolver, entities, made, names, given)
        self._world = world
        self._wanted = wanted

    def __iter__(self) -> Iterator[UsesOfFile]:
        for place, path in enumerate(self.files):
            if place % _AT_ONCE == 0:
                self._world.load(self.files[place : place + _AT_ONCE])
            deadline.check()
            yield self._of(path)

    def _of(self, path: str) -> UsesOfFile:
        seen: list[Use] = []
        said: list[Reference | None] = []
        elsewhere = 0
        for name, here in self._used[path]:
            uses = uses_in(self._world.view.occurrences.rows(here))
            seen += uses
            judged = [*self._judge.all_judged(path, uses)]
            elsewhere += judged.count(None) * (name in self._own)
            said += judged
        for more in unseen(self._world, path, self._sighted[path], seen) if path in self._sighted else ():
            said += self._judge.more_judged(path, more)
        found = [each for each in said if each is not None and self._wanted.has_role(each.role)]
        return UsesOfFile(path, tuple(sorted(found, key=lambda each: (each.line, each.column))), elsewhere)


def gathered(
    uses: UsesByFile,
    max_places: int = sys.maxsize,
    enough: Callable[[UsesOfFile], bool] = lambda _uses: False,
) -> References:
    """All uses together; `enough` is told those of one file after another, and no further one is looked at after."""
    found: list[Reference] = []
    elsewhere = 0
    limits = ["files"] if uses.is_cut else []
    for looked_at, each in enumerate(uses, start=1):
        found += each.items
        elsewhere += each.elsewhere
        if enough(each):
            break
        if len(found) > max_places and looked_at < len(uses.files):
            limits.append("places")
            break
    return References(uses.definitions, tuple(found), elsewhere, tuple(limits))


def find_uses(
    resolver: Resolver,
    definitions: Sequence[Definition],
    present: Callable[[str], bool] = lambda _path: True,
    max_files: int = MAX_FILES,
    max_places: int = sys.maxsize,
    wanted: Wanted = ALL,
    enough: Callable[[UsesOfFile], bool] = lambda _uses: False,
) -> References:
    """Uses of any of some definitions, in order of place; no further file once more than `max_places` are found."""
    return gathered(DefinitionUses(resolver, definitions, present, max_files, wanted), max_places, enough)


def with_lines(world: World, items: Iterable[Reference]) -> tuple[Reference, ...]:
    """References with the lines that they stand in."""
    by_path: dict[str, list[bytes]] = {}
    shown = []
    for item in items:
        if item.path not in by_path:
            by_path[item.path] = (world.view.rows.whole_text_of(item.path) or b"").split(b"\n")
        shown.append(_with_text(item, _shown(by_path[item.path][item.line - 1])))
    return tuple(shown)


def _with_text(item: Reference, text: str) -> Reference:
    """Written out, since it is done for every place: `replace` takes five times as long."""
    return Reference(
        item.path,
        item.line,
        item.column,
        item.name,
        item.role,
        item.within,
        item.tier,
        item.target,
        item.layer,
        item.dispatch,
        text,
    )


def _shown(line: bytes) -> str:
    """A line as an answer shows it: stripped, and cut where it is long."""
    return line.decode("utf-8", "replace").strip()[:_WIDTH]


class _Judge:
    """Tells of uses whether they are of some definitions."""

    def __init__(
        self,
        resolver: Resolver,
        entities: Sequence[Entity],
        made: Mapping[Key, Made],
        called: Collection[str],
        given: Mapping[tuple[str, int, int], tuple[str, Definition]],
    ) -> None:
        definitions = [each for entity in entities for each in entity.places]
        self._first = {key_of(each): entity.first for entity in entities for each in entity.places}
        self._resolver = resolver
        self._made = made
        self._proof = UseProof(resolver, [*definitions, *(each.type for each in made.values())])
        self._heads = {(item.path, item.symbol.name_line, item.symbol.name): item for item in reversed(definitions)}
        self._names = {item.symbol.name for item in definitions}
        self._called = called
        self._given = given
        self._keys = set(map(key_of, definitions))

    def all_judged(self, path: str, uses: Sequence[Use]) -> Iterator[Reference | None]:
        """Uses as references; None for what is proven to be something else."""
        here = FileUses(self._resolver, path, uses)
        for use in map(here.as_import, uses):
            if self._is_head(path, use) or here.is_new_name(use, self._called):
                continue
            if not (here.heads and self._is_one_more_head(here, use)):
                yield self._judged(here, path, use)

    def more_judged(self, path: str, more: Unseen) -> Iterator[Reference | None]:
        """The same of uses under names that nobody looked for."""
        here = FileUses(self._resolver, path, more.uses)
        for use in more.wanted:
            yield self._judged(here, path, use, more.written)

    def _is_head(self, path: str, use: Use) -> bool:
        head = self._heads.get((path, use.line, use.name))
        if head is None:
            return False
        # An attribute that only an index knows is defined by giving it a value.
        return use.role == ("write" if head.symbol.layer == SEMANTIC and use.receiver else "definition")

    def _is_one_more_head(self, here: FileUses, use: Use) -> bool:
        """Whether an index takes another definition for one more of what is asked about."""
        head = here.heads.get((use.line, use.column))
        return head is not None and self._is_of_a_type(head) and self._has(here.indexed(use))

    def _has(self, by_index: Meaning | None) -> bool:
        return by_index is not None and any(key_of(item) in self._keys for item in by_index.targets)

    def _judged(self, here: FileUses, path: str, use: Use, is_written: bool = True) -> Reference | None:
        """A use as a reference; None where it is proven to be something else."""
        given = self._given.get((path, use.line, use.column))
        if given is not None:
            tier, field = given
            return reference(path, use, tier, self._first[key_of(field)])
        by_index = here.indexed(use)
        meaning = by_index or UNKNOWN
        if use.role == "definition" and not self._has(by_index):
            # What no type has for a member, as in an object that is written out, may be meant to be one's.
            head = here.heads.get((use.line, use.column))
            free = (use.keyword or use.shorthand or not use.local) and (head is None or not self._is_of_a_type(head))
            verdict = self._as_key(here, use) if free else None
        else:
            asked = here.asked(use)
            if is_written and use.role != "definition" and (not use.keyword or self._proof.tells_keys(asked)):
                meaning = here.meaning(use)
            verdict = self._proof.verdict(asked, meaning)
            if verdict is None and use.shorthand:
                verdict = self._as_key(here, use)
        if verdict is None or (verdict.target is None and use.name not in self._names):
            return None
        role = "call" if here.is_applied(use) else use.role
        hit = self._meant(verdict.target, role)
        if verdict.target is not None and hit is None:
            return None  # a type that is only named makes no value
        if use.role == "write" and not use.receiver and hit is not None and hit.path != path and self._is_python(path):
            return None  # the name means something else from there on
        layer = SEMANTIC if meaning.indexed and hit is not None else SYNTACTIC
        made = self._made.get(key_of(verdict.target)) if self._made and verdict.target is not None else None
        tier = made.tier(verdict.tier) if made is not None else verdict.tier
        # Written out, since it is done for every place.
        return Reference(path, use.line, use.column, use.name, role, use.within, tier, hit, layer, verdict.dispatch)

    def _as_key(self, here: FileUses, use: Use) -> UseJudgement | None:
        """What a name is as a member of the object or the pattern that it is written in."""
        meaning = here.as_key(use) if self._proof.has_members else UNKNOWN
        return self._proof.verdict(replace(here.asked(use), key=True), meaning)

    def _meant(self, target: Definition | None, role: str) -> Definition | None:
        """What a use of a target is a use of: of a constructor where its type is called."""
        if target is None or key_of(target) not in self._made:
            return self._first[key_of(target)] if target is not None else None
        return self._first[key_of(self._made[key_of(target)].maker)] if role == "call" else None

    def _is_of_a_type(self, item: Definition) -> bool:
        """Whether something is known to stand at the top or in a type, and so to be itself."""
        if not item.symbol.container:
            return item.symbol.kind != "method"  # such a one is an object's that is written out
        return any(each.kind in TYPES for each in self._resolver.world.scope(item.path).named(item.symbol.container))

    def _is_python(self, path: str) -> bool:
        return self._resolver.world.languages.get(path) == "python"


def reference(path: str, use: Use, tier: str, target: Definition | None) -> Reference:
    """A use as an answer tells it."""
    return Reference(path, use.line, use.column, use.name, use.role, use.within, tier, target)


__all__ = [
    "LIKELY",
    "MAX_FILES",
    "NAME",
    "PROVEN",
    "DefinitionUses",
    "Reference",
    "References",
    "UsesByFile",
    "UsesOfFile",
    "find_uses",
    "gathered",
    "with_lines",
]
