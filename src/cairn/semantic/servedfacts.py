"""The semantic facts that a snapshot serves: which context answers for a file, and how far it can be trusted."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from cairn.base.linemap import standing_lines
from cairn.base.values import dataclass, field, replace
from cairn.graph.customs import FIELDS
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.semantics import SEMANTIC
from cairn.graph.world import World
from cairn.semantic.contexts.discover import discover
from cairn.semantic.contexts.survey import Owners, ViewTree, is_valid
from cairn.semantic.contexts.values import Context
from cairn.semantic.frames import beside_gaps, frame_of, lines_in_doubt
from cairn.semantic.scip.symbols import Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError
from cairn.semantic.state import CLEAN, FileNow, FileState, file_states
from cairn.semantic.states import FactRecords, files_now, states_in
from cairn.store import CarriedFacts, SemanticFacts, SemanticOccurrence, SemanticSymbol, SymbolRow
from cairn.syntax.uses import Use

_SHOWN = (FIELDS | FUNCTIONS | TYPES) - {"module"}
_AROUND = frozenset({Suffix.NAMESPACE, Suffix.META})
_OWNING = frozenset({Suffix.TYPE, Suffix.TERM})


@dataclass(frozen=True, slots=True)
class CarriedLines:
    """What stands of the facts of an edited file."""

    moved: Mapping[int, int] = field(default_factory=dict)
    """Where each line stands now that stood when the facts were made."""
    in_doubt: frozenset[int] = frozenset()
    """Lines, as they are now, that may mean something else for what changed around them."""
    changed: int = 0
    """Lines without facts."""


def is_type(symbol: SemanticSymbol) -> bool:
    """Whether a symbol is a class or another type."""
    return symbol.kind in TYPES


def row_of(symbol: SemanticSymbol, line: int) -> SymbolRow | None:
    """A symbol as a definition on a line; None for locals, parameters and modules."""
    if symbol.kind not in _SHOWN:
        return None
    try:
        parsed = parse_symbol(symbol.symbol)
    except ScipError:
        return None
    owners = [each for each in parsed.descriptors[:-1] if each.suffix not in _AROUND]
    if owners and owners[-1].suffix not in _OWNING:
        return None  # Nobody else can name what is defined in a function.
    container = ".".join(each.name for each in owners)
    qualified = f"{container}.{symbol.name}" if container else symbol.name
    return SymbolRow(
        SEMANTIC,
        symbol.name,
        qualified,
        symbol.kind,
        symbol.signature,
        line,
        line,
        line,
        container,
        exported=True,
        doc="",
    )


class ServedFacts:
    """The facts of a snapshot's contexts: only one with a valid probe answers, and only for its own files."""

    def __init__(self, world: World, records: FactRecords) -> None:
        self._world = world
        self._records = records
        self._answering: dict[str, str] = {}
        self._facts: dict[str, tuple[SemanticFacts, CarriedFacts]] = {}
        self._carried: dict[str, CarriedLines] = {}
        self._tiers: dict[str, tuple[str, frozenset[int]]] = {}
        self._states: dict[str, Mapping[str, FileState]] = {}
        records.keep([ref.segment_id for ref in world.view.semantics])

    def facts(self) -> list[CarriedFacts]:
        """The facts of every context that answers."""
        found = (self._facts_named(name) for name in self._valid)
        return [each for each in found if each is not None]

    def facts_of(self, path: str) -> CarriedFacts | None:
        """The facts that answer for a file; None if there are none."""
        facts = self._owning(path)
        return facts if facts is not None and facts.serves(path) else None

    def carried(self, path: str) -> CarriedLines | None:
        """What stands of the facts of an edited file; None where they are those of its content, or nothing does."""
        facts = self._owning(path)
        if facts is None or facts.is_exact(path):
            return None
        return self._carried_of(facts, path) if facts.serves(path) else None

    def is_older(self, path: str) -> bool:
        """Whether there are facts of a file, but for another content."""
        facts = self._owning(path)
        return facts is not None and not facts.serves(path) and facts.knows(path)

    def tier(self, path: str, line: int) -> str:
        """How certain the facts of a line are: it is unchanged, but what it depends on may have changed."""
        if path not in self._tiers:
            carried = self.carried(path)
            # Whether an edited file's own lines stand is known: what is left to ask is how its dependencies do.
            self._tiers[path] = (
                (self._tier(path), frozenset()) if carried is None else (self._tier_of_edited(path), carried.in_doubt)
            )
        tier, in_doubt = self._tiers[path]
        return LIKELY if line in in_doubt else tier

    def _tier_of_edited(self, path: str) -> str:
        name, facts, now = self._context_of(path), self._owning(path), self._now
        if facts is None:
            return LIKELY
        then = self._records.then(facts)
        as_if = {**then, path: replace(then[path], content_hash=now[path].content_hash)}
        (state,) = file_states(as_if, now, owns=lambda each: self._owner(each) == name, files=[path]).values()
        same = facts.meta().config_hash in ("", self._valid[name].config_hash)
        return PROVEN if same and state.freshness == CLEAN else LIKELY

    def _tier(self, path: str) -> str:
        name = self._context_of(path)
        if name not in self._states:
            facts = self._world.view.semantic(name)
            then = self._records.then(facts) if facts is not None else {}
            self._states[name] = states_in(
                facts,
                self._now,
                lambda each: self._owner(each) == name,
                self._records,
                then,
                self._valid[name].config_hash,
            )
        state = self._states[name].get(path)
        return PROVEN if state is not None and state.freshness == CLEAN else LIKELY

    @cached_property
    def _now(self) -> dict[str, FileNow]:
        return files_now(self._world.view)

    @cached_property
    def _contexts(self) -> tuple[Context, ...]:
        return discover(self._tree).contexts

    @cached_property
    def _tree(self) -> ViewTree:
        return ViewTree(self._world.view)

    @cached_property
    def _owners(self) -> Owners:
        return Owners(self._contexts)

    @cached_property
    def _valid(self) -> dict[str, Context]:
        """Contexts with facts whose files can be understood."""
        named = {ref.context for ref in self._world.view.semantics}
        wanted = [context for context in self._contexts if context.id in named]
        members = self._owners.members(self._world.languages) if wanted else {}
        return {each.id: each for each in wanted if is_valid(each, members[each.id], self._tree.tree)}

    def _owner(self, path: str) -> str:
        owner = self._owners.owner_of(path)
        return owner.id if owner is not None else ""

    def _context_of(self, path: str) -> str:
        found = self._answering.get(path)
        if found is None:
            owner = self._owner(path)
            found = self._answering[path] = owner if owner in self._valid else ""
        return found

    def _owning(self, path: str) -> CarriedFacts | None:
        name = self._context_of(path)
        return self._facts_named(name) if name else None

    def _facts_named(self, name: str) -> CarriedFacts | None:
        facts = self._world.view.semantic(name)
        if facts is None:
            return None
        known = self._facts.get(name)
        # Another view of the same snapshot has opened them anew.
        if known is None or known[0] is not facts:
            known = self._facts[name] = facts, facts.carrying(lambda path: self._carried_of(facts, path).moved)
        return known[1]

    def _carried_of(self, facts: SemanticFacts, path: str) -> CarriedLines:
        if path not in self._carried:
            self._carried[path] = self._carry(facts, path)
        return self._carried[path]

    def _carry(self, facts: SemanticFacts, path: str) -> CarriedLines:
        kept, scope, now = facts.frame(path), self._world.scope(path), self._now.get(path)
        if kept is None or now is None or kept[0] != frame_of(now.interface_hash, scope.edges):
            return CarriedLines()
        text = self._world.view.rows.whole_text_of(path) or b""
        moved = standing_lines(kept[1], text)
        lines = text.decode("utf-8", "replace").split("\n")
        changed = set(range(1, len(lines) + 1)).difference(moved.values())
        count = len(kept[1]) // 4
        gone = [line for line in range(1, count + 1) if line not in moved]
        lost = {each.symbol for each in facts.occurrences_then(path, gone) if each.defines}
        names = [each.name for each in facts.symbols(sorted(lost)).values() if not each.home]
        doubts = lines_in_doubt(lines, scope.symbols, changed | beside_gaps(moved, count), names)
        return CarriedLines(moved, doubts, len(changed))


class FactPlaces:
    """Looks up places for one query, and caches what it reads of each file."""

    def __init__(self, world: World, served: ServedFacts) -> None:
        self._world = world
        self._served = served
        self._lines: dict[str, list[bytes]] = {}
        self._found: dict[tuple[str, int], list[SemanticOccurrence]] = {}
        self._symbols: dict[tuple[str, int], SemanticSymbol] = {}

    def at(self, path: str, use: Use) -> list[int]:
        """The symbols at a use, by the narrowest range around it, without those that can't be right."""
        facts = self._served.facts_of(path)
        if facts is None:
            return []
        around = [each for each in self._on(facts, path, use.line) if _holds(each, use)]
        narrowest = min((each.end_column - each.column for each in around), default=0)
        numbers = [each.symbol for each in around if each.end_column - each.column == narrowest]
        return numbers if not numbers or self._is_believed(facts, path, use, numbers) else []

    def heads(self, path: str, place: SemanticOccurrence) -> list[SymbolRow]:
        """The definitions at a place, by syntax."""
        written = self.text(path, place)
        symbols = self._world.scope(path).symbols
        return [each for each in symbols if each.name_line == place.line and each.name == written]

    def defined(self, facts: SemanticFacts, path: str, symbol: SymbolRow) -> list[int]:
        """The index's symbols for a definition that syntax found."""
        places = [
            each
            for each in self._on(facts, path, symbol.name_line)
            if each.defines and self.text(path, each) == symbol.name
        ]
        # A parameter of the same name may follow on the line.
        first = min((each.column for each in places), default=0)
        return [each.symbol for each in places if each.column == first]

    def is_shared(self, facts: SemanticFacts, number: int) -> bool:
        """Whether an index gives one symbol to several things, as scip-python does to functions inside of functions."""
        places = facts.occurrences_of([number], defining=True)
        return len({row.qualified_name for path, place in places for row in self.heads(path, place)}) > 1

    def text(self, path: str, place: SemanticOccurrence) -> str:
        """The text of a place; empty if it spans lines or the file is shorter."""
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = (self._world.view.rows.whole_text_of(path) or b"").split(b"\n")
        line = lines[place.line - 1] if place.line <= len(lines) and place.end_line == place.line else b""
        return line[place.column : place.end_column].decode("utf-8", "replace")

    def read_ahead(self, facts: SemanticFacts, path: str, lines: Sequence[int]) -> None:
        """Look at several lines of a file at once, which is cheaper than one by one."""
        wanted = [line for line in dict.fromkeys(lines) if (path, line) not in self._found]
        for line in wanted:
            self._found[path, line] = []
        for each in facts.occurrences_on(path, wanted):
            self._found[path, each.line].append(each)

    def symbols(self, facts: SemanticFacts, numbers: Sequence[int]) -> list[SemanticSymbol]:
        """Symbols by their numbers, in the same order."""
        context = facts.ref.context
        unknown = [number for number in numbers if (context, number) not in self._symbols]
        for number, symbol in facts.symbols(unknown).items() if unknown else ():
            self._symbols[context, number] = symbol
        return [self._symbols[context, number] for number in numbers]

    def _on(self, facts: SemanticFacts, path: str, line: int) -> list[SemanticOccurrence]:
        if (path, line) not in self._found:
            self.read_ahead(facts, path, [line])
        return self._found[path, line]

    def _is_believed(self, facts: SemanticFacts, path: str, use: Use, numbers: Sequence[int]) -> bool:
        """Whether a member's name agrees with the index; scip-python is wrong about `__slots__`, for example."""
        if not use.receiver or use.role == "import" or use.name in self._world.scope(path).bound:
            return True
        return any(symbol.name == use.name for symbol in self.symbols(facts, numbers))


def _holds(place: SemanticOccurrence, use: Use) -> bool:
    return place.line == place.end_line and place.column <= use.column < place.end_column
