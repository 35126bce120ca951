"""What the heads around a place say: which definitions those are, their parameters, whose value `self` is."""

from cairn.graph.annotations import parameters_of, type_parameters
from cairn.graph.customs import customs_of
from cairn.graph.members import Members
from cairn.graph.places import ANYWHERE, DEFINITION, FREE, PARAMETER, VARIABLE, Held
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope
from cairn.graph.symbols import Definition
from cairn.store import SymbolRow


class HeadReader:
    """The heads of one world; what was read of them is kept."""

    def __init__(self, members: Members) -> None:
        self._members = members
        self._known: dict[tuple[str, str, int], dict[str, str]] = {}

    def parameters(self, scope: FileScope, function: SymbolRow) -> dict[str, str]:
        """The types of a function's parameters by name, in the order of the head."""
        key = (scope.path, function.qualified_name, function.start_line)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = parameters_of(scope.language, function.signature)
        return found

    def type_parameters(self, scope: FileScope, within: str) -> frozenset[str]:
        """Names that the heads around a place give to types of their own."""
        heads = (each.signature for each in scope.around(within) if each.kind in TYPES | FUNCTIONS)
        return frozenset().union(*map(type_parameters, heads))

    def has_type(self, scope: FileScope, name: str, within: str) -> bool:
        """Whether a class of Python around a method has a type of that name, which the method's head sees."""
        around = scope.around(within) if scope.language == "python" else []
        return any(
            each.kind not in FUNCTIONS
            for symbol in around[1:]
            if symbol.kind in TYPES
            for each in scope.members.get(symbol.qualified_name, {}).get(name, ())
        )

    def around(self, scope: FileScope, within: str, held: Held = ANYWHERE) -> list[Definition]:
        """The definitions around a place, the innermost first, with the type that a method stands apart from."""
        found = [Definition(scope.path, symbol) for symbol in scope.around(within, held.line)]
        if found and not scope.named(found[0].symbol.container) and found[0].symbol.kind in FUNCTIONS:
            apart = self._members.impl(scope, found[0].symbol.qualified_name)
            found[1:1] = [apart] if apart is not None else []
        return found

    def typed(self, scope: FileScope, name: str, within: str, held: Held) -> list[tuple[str, str]] | None:
        """The types of a parameter around a place, each as written and where; None where it is no parameter."""
        if held.kind in (FREE, DEFINITION):
            return None
        name = name.removeprefix("$") if scope.language == "php" else name
        while within:
            functions = [each for each in scope.named(within) if each.kind in FUNCTIONS]
            if held.line:
                functions = [each for each in functions if each.start_line <= held.line <= each.end_line] or functions
            heads = [self.parameters(scope, each) for each in functions]
            if any(name in each for each in heads) and held.kind != VARIABLE and held.function in ("", within):
                container = within.rpartition(".")[0]
                return [(each.get(name, ""), container) for each in heads]
            within = within.rpartition(".")[0]
        return None if not held.kind else []

    def owner(self, scope: FileScope, word: str, within: str, held: Held) -> Definition | None:
        """The type whose member is around a place, where the word stands for its value."""
        if held.kind == VARIABLE or (held.kind and held.again):
            return None
        around = self.around(scope, within, held)
        if scope.language == "python" and word in customs_of("python").selves:
            for item in around:
                parameters = self.parameters(scope, item.symbol) if item.symbol.kind in FUNCTIONS else {}
                if word in parameters:
                    holder = scope.named(item.symbol.container)
                    own = next(iter(parameters)) == word and holder and holder[0].kind in TYPES
                    return Definition(scope.path, holder[0]) if own else None
            return None
        found = next((item for item in around if item.symbol.kind in TYPES), None)
        named = held.kind in (PARAMETER, DEFINITION) and held.function not in ("", found.symbol.name if found else "")
        return None if named else found
