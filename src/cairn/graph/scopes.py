"""What one file makes visible: its own definitions by name and by container, and what it imports."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate

from cairn.base.values import dataclass, field
from cairn.graph.customs import customs_of
from cairn.store import EdgeRow, SymbolRow
from cairn.syntax.imported import EVERYTHING, Binding, unpacked

_IMPORTS = re.compile(r"\s*(?:import|from|use|using|package|#\s*include)\b")
_USED = re.compile(r"\s*(?:\??\.|!\.|\(|::|\[)")
_USED_BY_ARROW = re.compile(r"\s*(?:\??\.|!\.|\(|::|\[|->)")
_TYPED = re.compile(r"[\w>*&\]][ \t]+[*&]*$|[*&]$")
_ASSIGNED = re.compile(r"\s*(?:(?:[-+*%&|^@:]|//?|\*\*|<<|>>)?=(?!=)|,[^=\n()]*=(?!=)|[^=()]*[)\]]\s*=(?!=))")
_IN_TARGET = re.compile(r"[^=\n()]*=(?!=)|[^=()]*[)\]]\s*=(?!=)")
_PYTHON = re.compile(
    r"\bas\s*[(\[]?[^)\n]*$|\bfor\s(?:(?!\bin\b)[^:])*$|\blambda\b[^:]*$"
    r"|\b(?:case|global|nonlocal|del)\b[^\n]*$|\b(?:def|class)\s+\w+\s*\[[^\]]*$"
)
_BEFORE = 200
_AFTER = 200


def may_bind(language: str, text: str, name: str) -> bool:
    """Whether a text may bind a name, imports and the parameters of named functions aside; True where in doubt."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        whole = not (text[end : end + 1].isalnum() or text[end : end + 1] == "_")
        before = text[max(0, at - _BEFORE) : at]
        if whole and not before[-1:].isalnum() and before[-1:] not in ("_", "."):
            after = text[end : end + _AFTER]
            if _binds_here(language, before, after):
                return True
        at = text.find(name, end)
    return False


def _binds_here(language: str, before: str, after: str) -> bool:
    if _IMPORTS.match(before[before.rfind("\n") + 1 :]):
        return False
    if language != "python":
        used = (_USED_BY_ARROW if customs_of(language).arrows else _USED).match(after)
        return used is None or (after.lstrip()[:1] in ("(", "[") and _TYPED.search(before) is not None)
    if _USED.match(after):
        return False
    if _ASSIGNED.match(after):
        return True
    follows = before.rstrip().rstrip("*").rstrip()[-1:]
    if follows == "," and _IN_TARGET.match(after):
        return True
    if after.lstrip()[:1] == ":" and not before.rstrip().endswith("except"):
        return True
    return _PYTHON.search(before) is not None


@lru_cache(maxsize=5_000)
def _binding(name: str) -> re.Pattern[str]:
    word = rf"(?<![\w$.]){re.escape(name)}(?![\w$])"
    return re.compile(
        # A statement that assigns, with or without a type before or after the name; `name=1` in a call is none.
        rf"^[ \t]*{word}\s*(?::[^=\n(){{}}]*)?=(?![=>])|[\w>\]*&][ \t]+[*&]*{word}\s*=(?![=>])|{word}\s*:="
        rf"|^[ \t]*\(?[\w ,*\[\]]*{word}\s*,[^=\n(]*=(?!=)|^[ \t]*\(?[\w ,*\[\]]*,\s*\*?{word}[ )\]]*=(?!=)"
        rf"|{word}\s*,[^=\n(]*:=|,\s*{word}[^=\n(]*:="
        rf"|\b(?:for|let|const|var|val|mut|catch|case|lambda|fn)\b[^=\n;]*{word}"
        rf"|\bas\s+{word}|\|[^|\n]*{word}[^|\n]*\||{word}\)?\s*=>|\([^()\n]*{word}[^()\n]*\)\s*=>"
        rf"|\(\s*\*\s*{word}\s*\)\s*\(|{word}\s*->",
        re.MULTILINE,
    )


def binds(text: str, name: str) -> bool:
    """Whether the text of a function, its head aside, looks as if it bound a name."""
    return name in text and _binding(name).search(text) is not None


TYPES = frozenset({"class", "enum", "interface", "module", "struct", "trait", "type"})
PROMISES = frozenset({"interface", "trait"})
"""Types of whose members others stand in the place."""
FUNCTIONS = frozenset({"constructor", "function", "macro", "method"})


_Speaking = tuple[str, Mapping[str, tuple[SymbolRow, ...]]]
"""The head of a function, or nothing, and what stands inside of a definition."""


def is_named_as_its_type(symbol: SymbolRow) -> bool:
    """Whether a constructor bears its type's name: that name means the type, in its body too."""
    return symbol.kind == "constructor" and symbol.container.rpartition(".")[2] == symbol.name


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
    modules: tuple[SymbolRow, ...] = ()
    """Modules that are written out in it, where members of types needn't stand in these."""
    _chains: dict[str, tuple[tuple[SymbolRow, ...], ...]] = field(default_factory=dict, compare=False)
    """The definitions of each name around a place, the innermost first, as far as they were asked for."""
    _repeated: dict[str, bool] = field(default_factory=dict, compare=False)
    _speaking: dict[str, "tuple[_Speaking, ...] | None"] = field(default_factory=dict, compare=False)
    """What each definition around a place says of words, as far as it was asked for; None where more than that does."""

    def named(self, qualified_name: str) -> tuple[SymbolRow, ...]:
        """The definitions of a qualified name in this file."""
        container, _, name = qualified_name.rpartition(".")
        return self.members.get(container, {}).get(name, ())

    def is_variant(self, symbol: SymbolRow) -> bool:
        """Whether a definition of this file is one of the values that an enum lists."""
        return any(each.kind == "enum" for each in self.named(symbol.container))

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
        for named in self._chain(within):
            if line and (len(named) > 1 or named[0] in self.modules):
                holding = tuple(each for each in named if each.start_line <= line <= each.end_line)
                if not holding and named[0] in self.modules:
                    continue
                named = holding or named
            found.append(named[0])
        return found

    def repeats(self, within: str) -> bool:
        """Whether a definition around a place shares its name with another: overloads, setters."""
        found = self._repeated.get(within)
        if found is None:
            found = self._repeated[within] = any(len(named) > 1 for named in self._chain(within))
        return found

    def is_silent(self, within: str, word: str) -> bool:
        """Whether nothing around a place says anything of a word, so that it means there what it does at the top."""
        try:
            speaking = self._speaking[within]
        except KeyError:
            speaking = self._speaking[within] = self._spoken_around(within)
        words = customs_of(self.language)
        if speaking is None or word in words.selves or word in words.parents or word.startswith("@"):
            return False  # those for the value around it are said by no head
        bare = word.lstrip("$")
        for head, members in speaking:  # noqa: SIM110 - a generator takes twice as long
            if bare in head or word in members:
                return False
        return True

    def _spoken_around(self, within: str) -> "tuple[_Speaking, ...] | None":
        customs = customs_of(self.language)
        if customs.sees_members or customs.scattered or self.repeats(within):
            return None
        around = self.around(within)
        functions = [each for each in around if each.kind in FUNCTIONS]
        if any(is_in(edge, each) for edge in self.edges for each in functions):
            return None
        heads = (each.signature if each.kind in FUNCTIONS else "" for each in around)
        return tuple(
            (head, self.members.get(each.qualified_name, {})) for head, each in zip(heads, around, strict=True)
        )

    def _chain(self, within: str) -> tuple[tuple[SymbolRow, ...], ...]:
        found = self._chains.get(within)
        if found is None:
            names = accumulate(within.split("."), lambda outer, name: f"{outer}.{name}")
            each = [self.named(name) for name in names] if within else []
            found = tuple(named for named in reversed(each) if named)
            # The container of a member may leave out the modules around it, as that of an impl does.
            left_out = [
                (each,)
                for each in reversed(self.modules)
                if found and (each,) not in found and any(map(partial(is_around, each), found[0]))
            ]
            found = self._chains[within] = (*found, *left_out)
        return found


_ENUM_CLASS = re.compile(r"\benum\s+(?:class|struct)\b")


def _parted(qualified_name: str) -> tuple[str, str]:
    container, _, name = qualified_name.rpartition(".")
    return container, name


def is_in(edge: EdgeRow, symbol: SymbolRow) -> bool:
    """Whether an import stands inside a definition."""
    return symbol.start_line <= edge.line <= symbol.end_line


def is_around(outer: SymbolRow, inner: SymbolRow) -> bool:
    """Whether a definition has the lines of another in its own."""
    return outer.start_line <= inner.start_line and inner.end_line <= outer.end_line


def is_spread(scope: FileScope, symbol: SymbolRow) -> bool:
    """Whether what stands inside of something is seen around it too."""
    spread = customs_of(scope.language).spread
    return bool(spread and symbol.container) and spread_to(spread, symbol, scope.named) is not None


def spread_to(spread: str, symbol: SymbolRow, named: Callable[[str], Sequence[SymbolRow]]) -> str | None:
    """The container in which a name of C is seen that stands in braces of another; None where it is its own alone.

    Macros know no braces. The constants of an enum are names of what is around it, unless it is said to be a class
    of its own; C gives no struct a scope, so that what is inside of one is at the top.
    """
    if symbol.kind == "macro":
        return ""
    around = named(symbol.container)
    if any(each.kind in FUNCTIONS for each in around):
        return None
    if spread == "top":
        return "" if symbol.kind == "constant" or symbol.kind in TYPES else None
    enum = next((each for each in around if each.kind == "enum"), None)
    if symbol.kind != "constant" or enum is None or _ENUM_CLASS.search(enum.signature):
        return None
    return symbol.container.rpartition(".")[0]


def scope_of(path: str, language: str, symbols: Sequence[SymbolRow], edges: Sequence[EdgeRow]) -> FileScope:
    """The names of a file, from its rows."""
    members: dict[str, dict[str, list[SymbolRow]]] = {}
    for symbol in symbols:
        members.setdefault(symbol.container, {}).setdefault(symbol.name, []).append(symbol)
    if customs_of(language).spread:
        own = {(symbol.container, symbol.name): symbol for symbol in symbols}
        for symbol in symbols if own else ():
            at = symbol.container and spread_to(
                customs_of(language).spread,
                symbol,
                lambda name: [own[key]] if (key := _parted(name)) in own else [],
            )
            if at is not None and at != symbol.container:
                members.setdefault(at, {}).setdefault(symbol.name, []).append(symbol)
    bound: dict[str, list[tuple[EdgeRow, Binding]]] = {}
    stars: list[EdgeRow] = []
    for edge in edges:
        for binding in unpacked(edge.names):
            if binding.local == EVERYTHING:
                stars.append(edge)
            else:
                bound.setdefault(binding.local, []).append((edge, binding))
    parted = customs_of(language).namespaces and customs_of(language).scattered
    return FileScope(
        path,
        language,
        tuple(symbols),
        {container: {name: tuple(found) for name, found in named.items()} for container, named in members.items()},
        {local: tuple(found) for local, found in bound.items()},
        tuple(stars),
        tuple(edges),
        tuple(each for each in symbols if each.kind == "module") if parted else (),
    )
