"""What a place names according to the index: a symbol, and all symbols that must keep the same name."""

from collections.abc import Iterable, Iterator
from typing import Any

from cairn.base.values import dataclass, replace
from cairn.edit.lineage import Lineage, SourceOf, node_at, numbers_at
from cairn.semantic.naming import CONSTRUCTOR, named
from cairn.semantic.scip.symbols import ScipSymbol, Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError
from cairn.store import SemanticFacts, SemanticOccurrence, SemanticSymbol
from cairn.store.semantics import IMPLEMENTATION

_MAX_FAMILY = 500
_TYPESCRIPT = "scip-typescript"
_MAKES_PROPERTY = frozenset({"accessibility_modifier", "readonly", "override_modifier"})


@dataclass(frozen=True, slots=True)
class Group:
    """Symbols that must share one name: a method with those that it overrides and that override it."""

    name: str
    numbers: frozenset[int]
    symbol: str
    kind: str
    member: bool
    """Whether it is a member: a method, an attribute, a property."""
    keyed: bool
    """Whether a keyword in a call or a pattern may mean it: a parameter, or a field of a class."""
    kin: frozenset[int]
    """For a parameter: the same parameter in functions that override its own or are overridden by it."""
    home: str
    """The file of a local symbol; empty for all others."""
    definitions: tuple[tuple[str, SemanticOccurrence], ...]
    outside: tuple[str, ...]
    """Symbols of libraries among those that it overrides: they can't be renamed."""
    closed: bool = False
    """For a parameter: whether all calls of its function are known, and none passes on `**names`."""

    @property
    def parameter(self) -> bool:
        """Whether it is a parameter of a function that other files can call."""
        return (self.keyed or self.closed) and not self.member and not self.home


def groups_at(facts: SemanticFacts, path: str, place: tuple[int, int], name: str, source_of: SourceOf) -> list[Group]:
    """The groups that a place names; several if it names several things at once."""
    numbers = sorted(numbers_at(facts, path).get(place, ()))
    known = facts.symbols(numbers)
    lineage = Lineage(facts, source_of)
    groups: list[Group] = []
    for number in numbers:
        if number in known and not any(number in group.numbers for group in groups):
            groups.append(_group(facts, _made(facts, known[number]), name, lineage))
    return groups


def is_member(symbol: SemanticSymbol) -> bool:
    """Whether a symbol is a member; scip-typescript writes `:` for unnamed types and for keys of an object."""
    parsed = _parsed(symbol.symbol) if not symbol.home else None
    if parsed is None or parsed.kind in (Suffix.TYPE_PARAMETER, Suffix.PARAMETER):
        return False
    above = parsed.descriptors[-2].suffix if len(parsed.descriptors) > 1 else None
    return above in (Suffix.TYPE, Suffix.META) or (parsed.kind is Suffix.META and parsed.scheme == _TYPESCRIPT)


def is_key(symbol: SemanticSymbol) -> bool:
    """Whether it is a key of an object as scip-typescript calls them: `name0:`."""
    return symbol.symbol.startswith(f"{_TYPESCRIPT} ") and symbol.symbol.endswith(":") and not symbol.home


def _made(facts: SemanticFacts, symbol: SemanticSymbol) -> int:
    """The class of a constructor, whose name stands in `new Name()`."""
    said = named(symbol.symbol) if not symbol.home else None
    made = _number_of(facts, said.owner) if said is not None and said.owner else None
    return made if made is not None else symbol.number


def _group(facts: SemanticFacts, number: int, name: str, lineage: Lineage) -> Group:
    family = _family(facts, number, lineage)
    known = facts.symbols(sorted(family))
    defined: dict[int, list[tuple[str, SemanticOccurrence]]] = {each: [] for each in family}
    for path, occurrence in facts.occurrences_of(sorted(family)):
        if occurrence.defines:
            defined[occurrence.symbol].append((path, occurrence))
    parsed = _parsed(known[number].symbol)
    kind = parsed.kind if parsed is not None else Suffix.LOCAL
    definitions = tuple(sorted(place for places in defined.values() for place in places))
    member = is_member(known[number]) or (kind is Suffix.PARAMETER and _is_property(definitions, lineage))
    return Group(
        name,
        frozenset(family),
        known[number].symbol,
        known[number].kind,
        member,
        kind is Suffix.PARAMETER or member or _is_lambda(known[number].symbol),
        _kin(facts, known[number].symbol, lineage) - family if kind is Suffix.PARAMETER else frozenset(),
        known[number].home,
        definitions,
        tuple(sorted(known[each].symbol for each, places in defined.items() if not places and each in known)),
    )


def _is_property(definitions: Iterable[tuple[str, SemanticOccurrence]], lineage: Lineage) -> bool:
    """TypeScript's `constructor(public name)`: a parameter that is a member as well."""
    return any(makes_property(node_at(each, path, lineage.source_of)) for path, each in definitions)


def makes_property(node: Any) -> bool:
    """Whether a parameter is declared with `public`, `private`, `protected`, `readonly` or `override`."""
    holder = node.parent if node is not None else None
    return holder is not None and any(child.type in _MAKES_PROPERTY for child in holder.children)


def owner_of(facts: SemanticFacts, group: Group, source_of: SourceOf) -> Group | None:
    """The function of a parameter, with all that it overrides and that override it; None if there is none."""
    return _by_symbol(facts, _function(group.symbol), source_of)


def class_of(facts: SemanticFacts, method: Group, source_of: SourceOf) -> Group | None:
    """The class that a method belongs to; None if the index doesn't have it."""
    return _by_symbol(facts, method.symbol[: method.symbol.rfind("#") + 1], source_of)


def _function(parameter: str) -> str:
    return parameter[: parameter.rfind("(")]


def _by_symbol(facts: SemanticFacts, symbol: str, source_of: SourceOf) -> Group | None:
    number = _number_of(facts, symbol)
    if number is None:
        return None
    return _group(facts, number, facts.symbols([number])[number].name, Lineage(facts, source_of))


def _number_of(facts: SemanticFacts, symbol: str) -> int | None:
    said = named(symbol)
    candidates = facts.symbols_named(said.name) if said is not None else []
    return next((each.number for each in candidates if each.symbol == symbol), None)


def _kin(facts: SemanticFacts, parameter: str, lineage: Lineage) -> frozenset[int]:
    function = _number_of(facts, _function(parameter))
    family = _family(facts, function, lineage) if function is not None else set()
    owners = facts.symbols(sorted(family)).values()
    found = [_number_of(facts, owner.symbol + parameter[parameter.rfind("(") :]) for owner in owners]
    return frozenset(number for number in found if number is not None)


def _is_lambda(symbol: str) -> bool:
    """What scip-python calls the parameter of a lambda: `local 7(name)`."""
    return symbol.startswith("local ") and symbol.endswith(")")


def _family(facts: SemanticFacts, number: int, lineage: Lineage) -> set[int]:
    """A symbol with all that must keep its name: declared at the same place, overriding or overridden."""
    own = facts.symbols([number])[number]
    family, todo = {number}, [number]
    while todo and len(family) < _MAX_FAMILY and not own.home:
        said = facts.related(todo)
        near = {each for one, other, kind in said if kind == IMPLEMENTATION for each in (one, other)}
        near |= set(_inherited(facts, todo, own.name, lineage))
        known = facts.symbols(sorted(near - family))
        # A class and its interface are related too, but have different names; only equal names stay together.
        todo = [each for each in sorted(known) if known[each].name == own.name]
        family |= set(todo)
    return family | set(_constructors(facts, family))


def _inherited(facts: SemanticFacts, numbers: Iterable[int], name: str, lineage: Lineage) -> Iterator[int]:
    """Symbols of a name in the same class or module, and in classes that inherit from it or that it inherits from."""
    homes: set[ScipSymbol] = set()
    for symbol in facts.symbols(list(numbers)).values():
        home = _home(symbol)
        if home is None:
            continue
        homes.add(home)
        if home.descriptors and home.kind is Suffix.TYPE:
            classes = [each.number for each in facts.symbols_named(home.name) if _parsed(each.symbol) == home]
            kin = facts.symbols([number for each in classes for number in lineage.kin(each)])
            homes |= {parsed for parsed in map(_parsed, (each.symbol for each in kin.values())) if parsed is not None}
    yield from (each.number for each in facts.symbols_named(name) if _home(each) in homes)


def _home(symbol: SemanticSymbol) -> ScipSymbol | None:
    """The class, function or module that a symbol belongs to."""
    parsed = _parsed(symbol.symbol) if not symbol.home else None
    return replace(parsed, descriptors=parsed.descriptors[:-1]) if parsed is not None else None


def _constructors(facts: SemanticFacts, family: Iterable[int]) -> Iterator[int]:
    classes = {symbol.symbol for symbol in facts.symbols(sorted(family)).values() if symbol.symbol.endswith("#")}
    for each in facts.symbols_named(CONSTRUCTOR) if classes else ():
        said = named(each.symbol)
        if said is not None and said.owner in classes:
            yield each.number


def _parsed(text: str) -> ScipSymbol | None:
    try:
        return parse_symbol(text)
    except ScipError:
        return None
