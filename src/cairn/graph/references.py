"""Every use of a definition, with how sure it is: places from the snapshot, judged by what names mean there."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from cairn.base.values import dataclass, replace
from cairn.graph.aliases import other_names
from cairn.graph.customs import family
from cairn.graph.meaning import OUTSIDE, UNKNOWN
from cairn.graph.occurrences import uses_in
from cairn.graph.repeated import together
from cairn.graph.resolve import LIKELY, NAME, PROVEN, TIERS, Meaning, Resolver
from cairn.graph.semantics import SEMANTIC, Known, UseVerdict, layered, unseen
from cairn.graph.symbols import Definition, key_of
from cairn.graph.world import World
from cairn.syntax.uses import Use

MAX_FILES = 3_000
"""Files that are looked at for one question."""
_AT_ONCE = 200
"""Files whose names are read together: who stops early has not read those of all."""
_WIDTH = 300
_LAST = re.compile(r"\.|::|\\")


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
    layer: str = "syntactic"
    text: str = ""
    """The line, without the white space around it, where it is shown."""


@dataclass(frozen=True, slots=True)
class References:
    """All that was found, and how much of the name's uses is something else or unknown."""

    definitions: tuple[Definition, ...]
    items: tuple[Reference, ...]
    elsewhere: int = 0
    """Uses of the name that are surely something else: local variables, other definitions, libraries."""
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


def find_uses(
    resolver: Resolver,
    definitions: Sequence[Definition],
    present: Callable[[str], bool] = lambda _path: True,
    max_files: int = MAX_FILES,
    max_places: int = sys.maxsize,
) -> References:
    """Uses of any of some definitions, by their names and by those that imports give them, in order of place."""
    world = resolver.world
    own = tuple(dict.fromkeys(item.symbol.name for item in definitions))
    others = (name for item in definitions for name in other_names(resolver, item))
    names = tuple(dict.fromkeys((*own, *others)))
    known = resolver.semantics.known(definitions) if resolver.semantics is not None else None
    sighted = known.sightings() if known is not None else {}
    used = {name: world.used(name) for name in names}
    files = {path for path in chain(sighted, *used.values()) if present(path)}
    looked_at = sorted(files)[:max_files]
    judge = _Judge(resolver, together(world, definitions), known)
    found: list[Reference] = []
    elsewhere = 0
    limits = ["files"] if len(files) > max_files else []
    for place, path in enumerate(looked_at):
        if len(found) > max_places:
            limits.append("places")
            break
        if place % _AT_ONCE == 0:
            world.load(looked_at[place : place + _AT_ONCE])
        seen: list[Use] = []
        for name in names:
            here = used[name].get(path)
            uses = uses_in(world.view.occurrences.rows(here), quoted=True) if here is not None else []
            judge.note_heads(path, uses)
            seen += uses
            for use, said in judge.all_judged(path, uses):
                if said is not None:
                    found.append(said)
                elif name in own and not use.keyword:
                    elsewhere += 1
        if path in sighted and known is not None:
            more = unseen(world, known, path, sighted[path], seen)
            found += (_by_index(path, use, verdict) for use, verdict in more if verdict.target is not None)
    found.sort(key=lambda each: (each.path, each.line, each.column))
    said_of = layered(definitions, known.tied) if known is not None else tuple(definitions)
    return References(said_of, tuple(found), elsewhere, tuple(limits))


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
        text,
    )


def _shown(line: bytes) -> str:
    """A line as an answer shows it: stripped, and cut where it is long."""
    return line.decode("utf-8", "replace").strip()[:_WIDTH]


class _Judge:
    """Tells of uses whether they are of some definitions."""

    def __init__(self, resolver: Resolver, definitions: Sequence[Definition], known: Known | None) -> None:
        self._resolver = resolver
        self._known = known
        self._wanted = {key_of(item): item for item in reversed(definitions)}
        self._heads = {(item.path, item.symbol.name_line, item.symbol.name): item for item in reversed(definitions)}
        self._names = {item.symbol.name for item in definitions}
        self._nested: dict[tuple[str, str, str], Definition] = {}
        self._open: set[tuple[str, int, str]] = set(self._heads)
        """Heads that no scope of their file keeps to itself, as far as is known."""

    def note_heads(self, path: str, uses: Iterable[Use]) -> None:
        """Learn in which scopes definitions are local, as those inside of functions without a name are."""
        seen: set[int] = set()
        for use in uses:
            head = self._heads.get((path, use.line, use.name)) if use.role == "definition" else None
            # What is bound behind it on its line is another thing.
            if head is None or use.line in seen:
                continue
            seen.add(use.line)
            if use.bound:
                self._nested.setdefault((path, use.name, use.bound), head)
                self._open.discard((path, use.line, use.name))

    def all_judged(self, path: str, uses: Sequence[Use]) -> Iterator[tuple[Use, Reference | None]]:
        """Uses as references, by an index where it tells; None for what is surely something else."""
        wanted = [use for use in uses if not self._is_head(path, use)]
        verdicts = self._known.judged(path, wanted) if self._known is not None else [None] * len(wanted)
        for use, verdict in zip(wanted, verdicts, strict=True):
            if verdict is None:
                if not use.keyword:
                    yield use, self.judged(path, use)
            elif verdict.target is None:
                yield use, None
            elif use.role != "definition":
                yield use, _by_index(path, use, verdict)

    def _is_head(self, path: str, use: Use) -> bool:
        head = self._heads.get((path, use.line, use.name))
        if head is None:
            return False
        # An attribute that only an index knows is defined by giving it a value.
        return use.role == ("write" if head.symbol.layer == SEMANTIC and use.receiver else "definition")

    def judged(self, path: str, use: Use) -> Reference | None:
        """A use as a reference; None where it is surely something else."""
        if use.role == "definition":
            return None
        if use.local:
            # One scope binds a name once, whatever is around it.
            own = self._nested.get((path, use.name, use.bound))
            return None if own is None else reference(path, use, PROVEN, own)
        meaning = self._meaning(path, use)
        hit = next((self._wanted[key] for item in meaning.targets if (key := key_of(item)) in self._wanted), None)
        if hit is None or meaning.tier == NAME or self._is_hidden(path, use):
            # Where it may be one of several, none of them is what is meant.
            known = meaning.outside or (hit is None and bool(meaning) and meaning.tier != NAME)
            if known or use.name not in self._names or not (hit or self._may_be(path, use)):
                return None
            return reference(path, use, NAME, None)
        if use.role == "write" and not use.receiver and hit.path != path and self._is_python(path):
            return None  # the name means something else from there on
        return reference(path, use, meaning.tier, hit)

    def _is_python(self, path: str) -> bool:
        return self._resolver.world.languages.get(path) == "python"

    def _is_hidden(self, path: str, use: Use) -> bool:
        """Whether all that a bare name could mean in its own file is local to scopes that it doesn't stand in."""
        if use.receiver or (path, use.name) not in {(home, name) for home, name, _ in self._nested}:
            return False
        return not any(home == path and name == use.name for home, _, name in self._open)

    def _meaning(self, path: str, use: Use) -> Meaning:
        if use.role != "import":
            own = self._resolver.world.exports(path).get(use.name) if not use.receiver else None
            if own and self._follows_as(path, use):
                return self._resolver.top(path, own)
            return self._resolver.meaning_of(path, use)
        # Of several imports of a name it is that of the statement it stands in.
        scope = self._resolver.world.scope(path)
        fitting = [
            (abs(edge.line - use.line), place, edge, binding)
            for place, (edge, binding) in enumerate(pair for bound in scope.bound.values() for pair in bound)
            if use.name in (binding.local, _LAST.split((binding.name or edge.target).partition(" as ")[0])[-1])
        ]
        if not fitting:
            modules = {part for edge in scope.edges for part in re.split(r"[./:\\]+", edge.target)}
            return OUTSIDE if use.name in modules else UNKNOWN
        if scope.language == "python" and self._names_module(path, use):
            return OUTSIDE
        _, _, edge, binding = min(fitting, key=lambda each: each[:2])
        return self._resolver.imported(path, edge, binding)

    def _follows_as(self, path: str, use: Use) -> bool:
        """In `export { y as x }` the second name is what others call the first."""
        return self._line(path, use)[: use.column].split()[-1:] == [b"as"]

    def _line(self, path: str, use: Use) -> bytes:
        return (self._resolver.world.view.rows.whole_text_of(path) or b"").split(b"\n")[use.line - 1]

    def _names_module(self, path: str, use: Use) -> bool:
        """What stands between `from` and `import` names the module."""
        line = self._line(path, use)
        return line.lstrip().startswith(b"from ") and use.column < line.find(b" import") + 1

    def _may_be(self, path: str, use: Use) -> bool:
        """Whether a use of which nothing is known could be one of some: members are asked of something."""
        languages = self._resolver.world.languages
        kin = family(languages.get(path, ""))
        return any(
            self._resolver.is_member(item) == bool(use.receiver) and family(languages.get(item.path, "")) == kin
            for item in self._wanted.values()
        )


def reference(path: str, use: Use, tier: str, target: Definition | None) -> Reference:
    """A use as an answer tells it."""
    return Reference(path, use.line, use.column, use.name, use.role, use.within, tier, target)


def _by_index(path: str, use: Use, verdict: UseVerdict) -> Reference:
    return replace(reference(path, use, verdict.tier, verdict.target), layer=SEMANTIC)


__all__ = ["LIKELY", "MAX_FILES", "NAME", "PROVEN", "Reference", "References", "find_uses", "with_lines"]
