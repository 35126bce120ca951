"""What one file makes visible: its own definitions by name and by container, and what it imports."""

from collections.abc import Mapping, Sequence

from cairn.base.values import dataclass
from cairn.store import EdgeRow, SymbolRow
from cairn.syntax.imported import EVERYTHING, Binding, unpacked

TYPES = frozenset({"class", "enum", "interface", "module", "struct", "trait", "type"})
FUNCTIONS = frozenset({"constructor", "function", "macro", "method"})


@dataclass(frozen=True, slots=True)
class FileScope:
    """The names of one file."""

    path: str
    language: str
    symbols: tuple[SymbolRow, ...]
    members: Mapping[str, Mapping[str, tuple[SymbolRow, ...]]]
    """By container ("" is the top of the file), then by name."""
    bound: Mapping[str, tuple[tuple[EdgeRow, Binding], ...]]
    """What imports bind, by the name it has here."""
    stars: tuple[EdgeRow, ...]
    """Imports of everything that another file offers."""
    edges: tuple[EdgeRow, ...] = ()

    def named(self, qualified_name: str) -> tuple[SymbolRow, ...]:
        """The definitions of a qualified name in this file."""
        container, _, name = qualified_name.rpartition(".")
        return self.members.get(container, {}).get(name, ())

    def imports_of(self, name: str) -> tuple[tuple[tuple[EdgeRow, Binding], ...], bool]:
        """What imports bind a name at the top; those inside of functions, which it can't see, where there is no other.

        With it stands whether it is they.
        """
        pairs = self.bound.get(name, ())
        if not pairs:
            return (), False
        functions = [symbol for symbol in self.symbols if symbol.kind in FUNCTIONS]
        top = tuple(pair for pair in pairs if not any(is_in(pair[0], symbol) for symbol in functions))
        return (top, False) if top else (pairs, True)

    def around(self, within: str, line: int = 0) -> list[SymbolRow]:
        """The definitions around a place, the innermost first; of several of one name, that which holds the line."""
        found: list[SymbolRow] = []
        while within:
            named = self.named(within)
            if len(named) > 1 and line:
                named = tuple(each for each in named if each.start_line <= line <= each.end_line) or named
            found += named[:1]
            within = within.rpartition(".")[0]
        return found

    def repeats(self, within: str) -> bool:
        """Whether a definition around a place shares its name with another: overloads, setters."""
        while within:
            if len(self.named(within)) > 1:
                return True
            within = within.rpartition(".")[0]
        return False


def is_in(edge: EdgeRow, symbol: SymbolRow) -> bool:
    """Whether an import stands inside a definition."""
    return symbol.start_line <= edge.line <= symbol.end_line


def scope_of(path: str, language: str, symbols: Sequence[SymbolRow], edges: Sequence[EdgeRow]) -> FileScope:
    """The names of a file, from its rows."""
    members: dict[str, dict[str, list[SymbolRow]]] = {}
    for symbol in symbols:
        members.setdefault(symbol.container, {}).setdefault(symbol.name, []).append(symbol)
    bound: dict[str, list[tuple[EdgeRow, Binding]]] = {}
    stars: list[EdgeRow] = []
    for edge in edges:
        for binding in unpacked(edge.names):
            if binding.local == EVERYTHING:
                stars.append(edge)
            else:
                bound.setdefault(binding.local, []).append((edge, binding))
    return FileScope(
        path,
        language,
        tuple(symbols),
        {container: {name: tuple(found) for name, found in named.items()} for container, named in members.items()},
        {local: tuple(found) for local, found in bound.items()},
        tuple(stars),
        tuple(edges),
    )
