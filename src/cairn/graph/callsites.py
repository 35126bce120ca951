"""Calls by what they mean: each name's calls are resolved once, however many things bear it."""

from collections.abc import Collection, Iterator, Sequence

from cairn.base.values import dataclass, field
from cairn.graph.customs import customs_of
from cairn.graph.handed import held_by, other_holders
from cairn.graph.makers import makers_used
from cairn.graph.meaning import BEYOND, NAME, UNKNOWN, Meaning
from cairn.graph.occurrences import uses_in
from cairn.graph.proof import WrittenUse
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import TYPES
from cairn.graph.semantics import unseen
from cairn.graph.symbols import Definition
from cairn.graph.usage import FileUses
from cairn.syntax.uses import Use


@dataclass(frozen=True, slots=True)
class MeantCall:
    """A call in a file, with what it means."""

    use: Use
    asked: WrittenUse
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Alike:
    """Calls of one name that are written alike and mean the same."""

    asked: WrittenUse
    meaning: Meaning
    sites: list[tuple[str, Use]] = field(default_factory=list)


class CallSites:
    """The calls of a world by name, each name looked at once."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._alike: dict[str, tuple[Alike, ...]] = {}
        self._in_files: dict[tuple[str, str], list[MeantCall]] = {}

    def named(self, name: str) -> tuple[Alike, ...]:
        """The calls of a name, those together that mean the same; they are read once."""
        known = self._alike.get(name)
        if known is None:
            known = self._alike[name] = self._read(name)
        return known

    def in_file(self, path: str, name: str) -> list[MeantCall]:
        """The calls of a name in one file, in order of place."""
        known = self._in_files.get((path, name))
        if known is None:
            known = self._in_files[(path, name)] = self._calls(path, self._resolver.world.uses(path, name))
        return known

    def under_other_names(
        self, definitions: Sequence[Definition], names: Collection[str]
    ) -> Iterator[tuple[str, MeantCall]]:
        """Calls of some definitions under other names than these: as an index has them, as variables hold them, or by
        words for a type."""
        types = (item for item in definitions if item.symbol.kind in TYPES)
        for word, path, _ in makers_used(self._resolver.world, types):
            yield from ((path, call) for call in self.in_file(path, word))
        for path, name in other_holders(self._resolver, definitions, names):
            yield from ((path, call) for call in self.in_file(path, name))
        semantics, world = self._resolver.semantics, self._resolver.world
        seen = semantics.known(definitions).sightings() if semantics is not None else {}
        for path, sightings in seen.items():
            for more in unseen(world, path, sightings, ()):
                if more.wanted and more.wanted[0].name not in names:
                    wanted = {(use.line, use.column) for use in more.wanted}
                    calls = self.in_file(path, more.wanted[0].name)
                    yield from ((path, call) for call in calls if (call.use.line, call.use.column) in wanted)

    def _read(self, name: str) -> tuple[Alike, ...]:
        world = self._resolver.world
        used = world.used(name)
        # Most files that have a name don't call it, and scopes are cheapest made together.
        read = {path: uses_in(world.view.occurrences.rows(here)) for path, here in sorted(used.items())}
        world.load(path for path, uses in read.items() if any(map(_may_call, uses)))
        found: dict[tuple[WrittenUse, int], Alike] = {}
        for path, uses in read.items():
            for call in self._calls(path, uses):
                meaning = call.meaning
                if meaning.tier == NAME or not meaning:
                    if meaning.outside and not meaning.open:
                        continue  # nobody's here
                    # Of what only the name is known it makes no difference who else bears it.
                    meaning = BEYOND if meaning.outside else UNKNOWN
                # Other meanings are kept by the resolver, so that most calls share a few of them.
                key = (call.asked, id(meaning))
                if key not in found:
                    found[key] = Alike(call.asked, meaning)
                found[key].sites.append((path, call.use))
        return tuple(found.values())

    def _calls(self, path: str, uses: Sequence[Use]) -> list[MeantCall]:
        if not any(map(_may_call, uses)):
            return []
        world = self._resolver.world
        elements: set[int] = set()
        if customs_of(world.languages.get(path, "")).default_export:
            # An element of a page is a call of what it is named after, though its name is read.
            elements = {row.line for row in world.calls_in(path) if row.name == uses[0].name}
        here = FileUses(self._resolver, path, uses)
        found: list[MeantCall] = []
        for use in uses:
            element = use.role == "read" and use.line in elements and not use.keyword
            if use.role == "call" or element or here.is_applied(use):
                meaning, run, asked = here.meaning(use), here.as_run(use), here.asked(use)
                held = held_by(self._resolver, path, use, meaning)
                # What the name means is told as well, where others can ask for it.
                found += [MeantCall(run, asked, meaning)] if held is None or not use.local else []
                found += [MeantCall(run, asked, held)] if held is not None else []
        return found


def call_sites_of(resolver: Resolver) -> CallSites:
    """The calls of a resolver's world, kept with it."""
    return resolver.kept.of(CallSites, lambda: CallSites(resolver))


def _may_call(use: Use) -> bool:
    return use.role in ("call", "read")
