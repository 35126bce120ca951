"""The semantic facts that a snapshot serves: which context answers for a file, and how far it can be trusted."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from cairn.graph.customs import FIELDS
from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.semantics import SEMANTIC
from cairn.graph.world import World
from cairn.semantic.contexts.discover import discover
from cairn.semantic.contexts.survey import Owners, ViewTree, is_valid
from cairn.semantic.contexts.values import Context
from cairn.semantic.scip.symbols import Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError
from cairn.semantic.state import CLEAN, FileNow, FileState
from cairn.semantic.states import FactRecords, files_now, states_in
from cairn.store import SemanticFacts, SemanticOccurrence, SemanticSymbol, SymbolRow
from cairn.syntax.uses import Use

_SHOWN = (FIELDS | FUNCTIONS | TYPES) - {"module"}
_AROUND = frozenset({Suffix.NAMESPACE, Suffix.META})
_OWNING = frozenset({Suffix.TYPE, Suffix.TERM})


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
        self._states: dict[str, Mapping[str, FileState]] = {}
        records.keep([ref.segment_id for ref in world.view.semantics])

    def facts(self) -> list[SemanticFacts]:
        """The facts of every context that answers."""
        found = (self._world.view.semantic(name) for name in self._valid)
        return [each for each in found if each is not None]

    def facts_of(self, path: str) -> SemanticFacts | None:
        """The facts that answer for a file; None if there are none."""
        facts = self._owning(path)
        return facts if facts is not None and facts.serves(path) else None

    def is_older(self, path: str) -> bool:
        """Whether there are facts of a file, but for another content."""
        facts = self._owning(path)
        return facts is not None and not facts.serves(path) and facts.knows(path)

    def tier(self, path: str) -> str:
        """How certain the facts of a file are: its own content is unchanged, but a dependency may have changed."""
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

    def _owning(self, path: str) -> SemanticFacts | None:
        name = self._context_of(path)
        return self._world.view.semantic(name) if name else None


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
