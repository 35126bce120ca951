"""Definitions that nothing uses, as far as a reader of all files could tell: whatever may reach a name spares it."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from cairn.base.values import dataclass
from cairn.graph.customs import customs_of, family
from cairn.graph.entities import one_thing
from cairn.graph.makers import MAKERS
from cairn.graph.nesting import encloses, is_within
from cairn.graph.occurrences import uses_in
from cairn.graph.references import Reference, UsesOfFile, find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, Key, files_with, key_of
from cairn.graph.unparsed import is_unparsed
from cairn.graph.world import World
from cairn.languages.record import CODE, PROSE
from cairn.languages.registry import record_of
from cairn.syntax.filekind import kinds_of
from cairn.syntax.uses import Use, scoped_language

_KINDS = (FUNCTIONS | TYPES | {"constant", "variable"}) - {"module", "constructor"}
_APART = frozenset({"test", "example", "vendored", "bench", "docs", "generated", "declaration", "config", "legacy"})
"""Files in which something is defined for others than the project's own code."""
_MOST_FILES = 40
_MOST_PLACES = 200
"""A name that is used in more places than this is taken for used."""
_NEUTRAL = re.compile(
    r"@\s*(?:[\w.]*\.)?(?:staticmethod|classmethod|property|cached_property|dataclass|final|override|lru_cache|cache"
    r"|Override|SuppressWarnings|Deprecated|Nullable|NonNull)\b|#\[(?:inline|must_use|allow|derive|cold|doc)\b"
)
"""What is written above a definition without giving it to anyone."""
_GIVEN_AWAY = re.compile(r"\s*(?:@\w|#!?\[|\[\w+)")
_STRUCTURAL = frozenset({"interface", "trait"})
_PIECE = re.compile(r"""["'`]([A-Za-z_]\w*_)(?:\{|\$\{|%s|["'`])|(?:\}|%s|[+.]\s*["'`])(_\w+)["'`]""")
"""The beginning or the end of a name that is put together at run time."""
_WORD = re.compile(r"\w+[?!]?")
"""A name that stands where it is used: operators and what is set with an equals sign are written in other ways."""
_KEPT = re.compile(r"\b(?!\w*UNUSED)\w*USED\b|\b_*(?:used|section|constructor|destructor)(?:__)?\b")
"""In the head of something of C that the linker keeps, or that the system calls."""
_RESERVED = re.compile(r"_[A-Z_]")
"""How names of C begin that its library has for itself: who defines one sets what that is to do."""
_OWN_NAMES = re.compile(r"__\w+__|main|_+|init|setup|teardown|new|default", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unused:
    """A definition that nothing is known to use."""

    path: str
    name: str
    kind: str
    line: int
    end_line: int
    exported: bool
    """Whether others may use it, of whom this tree knows nothing."""


@dataclass(frozen=True, slots=True)
class UnusedDefinitions:
    """What nothing uses, as much as was asked for."""

    items: tuple[Unused, ...]
    total: int
    """How many were asked for."""
    exported: int
    """How many there are that others may use, whether they were asked for or not."""


def find_unused(resolver: Resolver, present: Callable[[str], bool] = lambda _path: True) -> list[Unused]:
    """What nothing uses, in order of place; inside of something unused nothing is told of its own."""
    gone = frozenset(path for path in resolver.world.languages if not present(path))
    known = resolver.kept.of(_KeptUnused, _KeptUnused)
    if gone not in known:
        # All names of a tree are looked at: whoever asks again for the same snapshot doesn't wait for it.
        known.clear()
        known[gone] = _find_unused(resolver, gone)
    return known[gone]


class _KeptUnused(dict[frozenset[str], list[Unused]]):
    """What was found last, by the files that were gone."""


def _find_unused(resolver: Resolver, gone: frozenset[str]) -> list[Unused]:
    world = resolver.world
    search = _Search(resolver)
    world.load(world.languages)
    by_name: dict[tuple[str, str], list[Definition]] = {}
    for path, language in world.languages.items():
        if path not in gone and scoped_language(language):
            for symbol in world.scope(path).symbols:
                by_name.setdefault((family(language), symbol.name), []).append(Definition(path, symbol))
    found: list[Definition] = []
    for (_, name), items in by_name.items():
        asked = [item for item in items if search.is_candidate(item)]
        if asked:
            found += search.unused(name, asked, items)
    # A declaration of C is what it declares, and no thing of its own.
    keys = {key_of(item) for item in found}
    first = dict.fromkeys(one_thing(world, item)[0] for item in found)
    found = [item for item in first if key_of(item) in keys]
    found.sort(key=lambda item: (item.path, item.symbol.start_line, -item.symbol.end_line))
    return list(_outermost(found, search))


def _outermost(found: Sequence[Definition], search: "_Search") -> Iterator[Unused]:
    last: Definition | None = None
    for item in found:
        symbol = item.symbol
        exported = search.is_exported(item)
        # In something that others may use, what nobody else can see is still unused.
        inside = last is not None and last.path == item.path and encloses(last.symbol, symbol)
        if last is None or not inside or (search.is_exported(last) and not exported):
            last = item
            yield Unused(item.path, symbol.qualified_name, symbol.kind, symbol.name_line, symbol.end_line, exported)


class _Search:
    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._world = resolver.world

    def is_candidate(self, item: Definition) -> bool:
        """Whether a definition would be told of if nothing used it: nobody but code could be meant to."""
        symbol, language = item.symbol, self._world.languages[item.path]
        if symbol.kind not in _KINDS or kinds_of(item.path, language) & _APART:
            return False
        if symbol.name in MAKERS or _OWN_NAMES.fullmatch(symbol.name) or not _WORD.fullmatch(symbol.name):
            return False
        if symbol.container and symbol.name in customs_of(language).protocols:
            return False
        if symbol.kind == "macro" and family(language) == "c" and _RESERVED.match(symbol.name):
            return False
        if symbol.container and not self._has_members(item):
            return False
        return not is_given_away(self._world, item) and not self._stands_for_another(item)

    def is_exported(self, item: Definition) -> bool:
        """Whether a definition can be seen from outside of the file or package, with all that is around it.

        A method's own word counts: a value of a type that nobody sees may be handed to those who ask it for one.
        """
        scope, symbol = self._world.scope(item.path), item.symbol
        if symbol.kind == "method":
            grammar = record_of(self._world.languages[item.path]).grammar
            return grammar is not None and grammar.exported(symbol.name, symbol.signature)
        while symbol.exported:
            around = scope.named(symbol.container) if symbol.container else ()
            if not around:
                return True
            symbol = around[0]
        return False

    def unused(self, name: str, asked: Sequence[Definition], bearers: Sequence[Definition]) -> Iterable[Definition]:
        """Those of the bearers of a name that nothing uses and no text names."""
        used = self._world.used(name)
        if len(used) > _MOST_FILES:
            return []
        places = [
            (path, use)
            for path, here in used.items()
            for use in uses_in(self._world.view.occurrences.rows(here))
            if use.role != "definition" and not use.local
        ]
        if len(places) > _MOST_PLACES:
            return []
        left = list(asked)
        if any(not self._is_inside(path, use, item) for item in asked for path, use in places):
            left = self._without_uses(asked, bearers)
        return left if left and not self._is_written(name, bearers) else []

    def _without_uses(self, asked: Sequence[Definition], bearers: Sequence[Definition]) -> list[Definition]:
        # Overloads and declarations are one thing with what they are of, and so are the forms of it that a package has.
        reached: set[Key] = set()
        things: set[tuple[str, str]] = set()
        left = list(asked)

        def enough(uses: UsesOfFile) -> bool:
            for use in uses.items:
                if use.role == "definition":
                    continue
                if use.target is None:
                    left.clear()  # it may be any of them
                    return True
                if not self._is_inside(use.path, use, use.target):
                    things.add(self._thing(use.target))
                    reached.update(key_of(each) for each in one_thing(self._world, use.target))
            left[:] = [item for item in left if self._thing(item) not in things and key_of(item) not in reached]
            return not left

        find_uses(self._resolver, bearers, enough=enough)
        return left

    def _is_inside(self, path: str, use: Use | Reference, item: Definition) -> bool:
        symbols = self._world.scope(item.path).symbols
        return path == item.path and is_within(item.symbol, use.line, use.within, symbols)

    def _thing(self, item: Definition) -> tuple[str, str]:
        customs = customs_of(self._world.languages[item.path])
        return customs.package(item.path) if customs.sees_package else item.path, item.symbol.qualified_name

    def _has_members(self, item: Definition) -> bool:
        """Whether what a definition stands in is a type: what a function or a value keeps to itself is no member."""
        container = item.symbol.container
        if item.symbol.kind in ("constant", "variable") or item.symbol.name == container.rpartition(".")[2].lstrip("~"):
            return False
        if not container.replace(".", "").isidentifier():
            return False  # another module's, which is added to
        around = self._world.scope(item.path).named(container)
        if around:
            return all(each.kind in TYPES for each in around)
        return customs_of(self._world.languages[item.path]).scattered

    def _stands_for_another(self, item: Definition) -> bool:
        """Whether it may be reached through a base, an interface or a trait."""
        symbol, world = item.symbol, self._world
        if self._keeps_promise(item):
            return True
        if not symbol.container or not self._resolver.is_member(item):
            return False
        if self._resolver.evaluator.derived.overridden(item):
            return True
        owners = [each for each in world.scope(item.path).named(symbol.container) if each.kind in TYPES]
        for owner in owners:
            above = self._resolver.member(Definition(item.path, owner), symbol.name, inherited_only=True)
            if above.targets or above.outside:
                return True
        if any(owner.kind in _STRUCTURAL for owner in owners):
            return True
        # Without a word a type may be what an interface asks for.
        return any(
            owner.kind in _STRUCTURAL or "Protocol" in owner.signature
            for each in world.namesakes(symbol.name)
            if each.symbol.container
            for owner in world.scope(each.path).named(each.symbol.container)
        )

    def _keeps_promise(self, item: Definition) -> bool:
        """Whether a member stands in a block apart from its type that says whose promise is kept in it."""
        head = customs_of(self._world.languages[item.path]).apart
        lines = self._world.lines(item.path)
        if head is None or not lines[item.symbol.name_line - 1][:1].isspace():
            return False
        around = (head.match(line) for line in reversed(lines[: item.symbol.start_line - 1]))
        nearest = next((said for said in around if said is not None), None)
        return nearest is not None and nearest["promise"] is not None

    def _is_written(self, name: str, bearers: Sequence[Definition]) -> bool:
        """Whether a string of code, or a script or data, holds a name, or a piece of it with more to come."""
        if any(name.startswith(head) for head in self._pieces[0] if len(head) < len(name)):
            return True
        if any(name.endswith(tail) for tail in self._pieces[1] if len(tail) < len(name)):
            return True
        # A symbol of Ruby is a name that somebody may be asked for, as a string is.
        plain = rf"(?<!\w){re.escape(name)}(?!\w)"
        quoted = re.compile(rf"""["'`][^"'`\n]*{plain}[^"'`\n]*["'`]|(?<![\w:]):{plain}""")
        word = re.compile(plain)
        own = Counter((item.path, item.symbol.name_line) for item in bearers)
        for located in files_with(self._world.view, name):
            path = located.file.path_key
            language = self._world.languages.get(path, "")
            content = record_of(language).content
            if content == PROSE:
                continue
            # Markup and templates, what no grammar reads or understands, and what macros are made of may name what
            # code defines.
            read = content == CODE and scoped_language(language) and not self._has_macros(language)
            read = read and not is_unparsed(self._world.view, path)
            pattern = quoted if read else word
            for number, line in enumerate(self._world.lines(path), start=1):
                if name in line and len(pattern.findall(_code(line))) > own[path, number]:
                    return True
        return False

    def _has_macros(self, language: str) -> bool:
        """Whether a grammar reads nothing of what macros say."""
        return family(language) == "c" or customs_of(language).macros_apart

    @cached_property
    def _pieces(self) -> tuple[frozenset[str], frozenset[str]]:
        """Beginnings and ends of names that programs put together."""
        heads: set[str] = set()
        tails: set[str] = set()
        for path, language in self._world.languages.items():
            if scoped_language(language):
                for head, tail in _PIECE.findall(self._world.text(path) or ""):
                    heads.update([head] if head else [])
                    tails.update([tail] if tail else [])
        return frozenset(heads), frozenset(tails)


def is_given_away(world: World, item: Definition) -> bool:
    """Whether something is written above a definition that hands it to somebody: a decorator, an annotation."""
    lines, symbol = world.lines(item.path), item.symbol
    first = symbol.start_line - 1
    above = lines[max(first - 1, 0) : first] if first else []
    while above and _GIVEN_AWAY.match(above[0]) and first - len(above) > 0:
        above = [lines[first - len(above) - 1], *above]
    said = [*above, *lines[first : symbol.name_line]]
    if family(world.languages[item.path]) == "c" and any(map(_KEPT.search, said)):
        return True
    # Who is called with the name of what the call makes has it: `task :build do`.
    named = re.search(rf"""[:"'`]{re.escape(symbol.name)}(?!\w)""", _code(lines[symbol.name_line - 1]))
    return named is not None or any(_GIVEN_AWAY.match(line) and not _NEUTRAL.search(line) for line in said)


def _code(line: str) -> str:
    """A line without what a comment of C's kind says."""
    return "" if line.lstrip().startswith(("//", "*", "/*")) else line.partition(" //")[0].partition(" /*")[0]
