"""What a place names, by the index: one symbol, and all that have to keep its name."""

from cairn.semantic.scip import ScipError, Suffix, Symbol, parse_symbol
from cairn.store import SemanticFacts, SemanticOccurrence
from cairn.store.semantics import IMPLEMENTATION
from cairn.values import dataclass

_MAX_FAMILY = 500


@dataclass(frozen=True, slots=True)
class Group:
    """Symbols that bear one name together: a method with those that it overrides and that override it."""

    name: str
    numbers: frozenset[int]
    symbol: str
    kind: str
    member: bool
    """Whether it is asked of something: a method, an attribute, a property."""
    keyed: bool
    """Whether a caller may name it by a keyword: a parameter, or an attribute that a constructor takes."""
    kin: frozenset[int]
    """Of a parameter, those of its name in functions that override its own or are overridden by it."""
    home: str
    """The file of a local symbol; empty for all others."""
    definitions: tuple[tuple[str, SemanticOccurrence], ...]
    outside: tuple[str, ...]
    """Symbols of libraries among those that it overrides: they can't be renamed."""
    closed: bool = False
    """Of a parameter, whether all calls of its function are seen, and none passes names on that it was given itself."""

    @property
    def parameter(self) -> bool:
        return (self.keyed or self.closed) and not self.member and not self.home


def numbers_at(facts: SemanticFacts, path: str) -> dict[tuple[int, int], frozenset[int]]:
    """The symbols of each place of a file, by (line, column)."""
    found: dict[tuple[int, int], set[int]] = {}
    for each in facts.occurrences_in(path):
        if each.line == each.end_line:
            found.setdefault((each.line, each.column), set()).add(each.symbol)
    return {place: frozenset(numbers) for place, numbers in found.items()}


def groups_at(facts: SemanticFacts, path: str, place: tuple[int, int], name: str) -> list[Group]:
    """What a place names; several where it names several things at once."""
    numbers = sorted(numbers_at(facts, path).get(place, ()))
    known = facts.symbols(numbers)
    groups: list[Group] = []
    for number in numbers:
        if number in known and not any(number in group.numbers for group in groups):
            groups.append(_group(facts, number, name))
    return groups


def _group(facts: SemanticFacts, number: int, name: str) -> Group:
    family = _family(facts, number)
    known = facts.symbols(sorted(family))
    defined: dict[int, list[tuple[str, SemanticOccurrence]]] = {each: [] for each in family}
    for path, occurrence in facts.occurrences_of(sorted(family)):
        if occurrence.defines:
            defined[occurrence.symbol].append((path, occurrence))
    parsed = _parsed(known[number].symbol)
    above = parsed.descriptors[-2].suffix if parsed is not None and len(parsed.descriptors) > 1 else None
    kind = parsed.kind if parsed is not None else Suffix.LOCAL
    member = above is Suffix.TYPE and kind not in (Suffix.TYPE_PARAMETER, Suffix.PARAMETER)
    return Group(
        name,
        frozenset(family),
        known[number].symbol,
        known[number].kind,
        member,
        kind is Suffix.PARAMETER or (member and kind is Suffix.TERM) or _is_lambda(known[number].symbol),
        _kin(facts, known[number].symbol) - family if kind is Suffix.PARAMETER else frozenset(),
        known[number].home,
        tuple(sorted(place for places in defined.values() for place in places)),
        tuple(sorted(known[each].symbol for each, places in defined.items() if not places and each in known)),
    )


def owner_of(facts: SemanticFacts, group: Group) -> Group | None:
    """The function of a parameter, with all that it overrides and that override it; None where there is none."""
    return _by_symbol(facts, group.symbol[: group.symbol.rfind("(")])


def class_of(facts: SemanticFacts, method: Group) -> Group | None:
    return _by_symbol(facts, method.symbol[: method.symbol.rfind("#") + 1])


def _by_symbol(facts: SemanticFacts, symbol: str) -> Group | None:
    number = _number_of(facts, symbol)
    return _group(facts, number[0], number[1]) if number is not None else None


def _number_of(facts: SemanticFacts, symbol: str) -> tuple[int, str] | None:
    parsed = _parsed(symbol)
    named = facts.symbols_named(parsed.name) if parsed is not None else []
    return next(((each.number, each.name) for each in named if each.symbol == symbol), None)


def _kin(facts: SemanticFacts, parameter: str) -> frozenset[int]:
    at = parameter.rfind("(")
    function = _number_of(facts, parameter[:at])
    family = _family(facts, function[0]) if function is not None else set()
    owners = facts.symbols(sorted(family)).values()
    found = [_number_of(facts, f"{owner.symbol}{parameter[at:]}") for owner in owners]
    return frozenset(number for number, _ in filter(None, found))


def _is_lambda(symbol: str) -> bool:
    """What scip-python calls the parameter of a lambda: `local 7(name)`."""
    return symbol.startswith("local ") and symbol.endswith(")")


def _family(facts: SemanticFacts, number: int) -> set[int]:
    """A symbol and all of its name that it overrides or that override it, near and far."""
    own = facts.symbols([number])[number].name
    family, todo = {number}, [number]
    while todo and len(family) < _MAX_FAMILY:
        told = facts.related(todo)
        near = {each for one, other, kind in told if kind == IMPLEMENTATION for each in (one, other)} - family
        known = facts.symbols(sorted(near))
        # A class implements an interface of another name: it is the name that has to stay the same.
        todo = [each for each in sorted(near) if each in known and known[each].name == own]
        family |= set(todo)
    return family


def _parsed(text: str) -> Symbol | None:
    try:
        return parse_symbol(text)
    except ScipError:
        return None
