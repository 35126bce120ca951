"""What each use of a name in one file means: the same for whoever asks about uses, callers or callees."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache, cached_property

from cairn.base.values import replace
from cairn.graph.customs import FIELDS, called_by_name, customs_of
from cairn.graph.makers import type_called
from cairn.graph.meaning import BEYOND, LIKELY, NAME, OUTSIDE, PROVEN, UNKNOWN, Meaning, weaker
from cairn.graph.proof import WrittenUse
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.semantics import agreed
from cairn.graph.symbols import Definition, Key, key_of
from cairn.store import EdgeRow, SymbolRow
from cairn.syntax.imported import Binding
from cairn.syntax.uses import Use

_LAST = re.compile(r"\.|::|\\")
_PARTS = re.compile(r"[./:\\]+")
_RENAMED = re.compile(rb"([\w$]+)\s+as\s+$")
_MEMBER = b"."
_DERIVES = re.compile(rb"#\[derive\([^\])]*$")
_MADE = frozenset({"struct", "enum", "type", "union"})
"""Types of Rust that nothing can be derived from."""
_APPLIED = re.compile(r"\s*@[\s\w.]*$")


class _KeptMeanings:
    """The meanings of uses that were asked for in one world, by file and name: every question needs the same ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], dict[tuple[int, int, str], Meaning]] = {}

    def of(self, path: str, uses: Sequence[Use]) -> dict[tuple[int, int, str], Meaning]:
        """By line, column and role, to be filled by whoever finds one."""
        return self._known.setdefault((path, uses[0].name), {}) if uses else {}


_as_written = cache(WrittenUse)
"""One value for what is written alike, so that verdicts can be kept by it."""


class FileUses:
    """The uses of one name in a file, each with what it means; all of them are needed to tell what is local."""

    def __init__(self, resolver: Resolver, path: str, uses: Sequence[Use]) -> None:
        self._resolver = resolver
        self._path = path
        self._language = resolver.world.scope(path).language
        self.uses = uses
        self._imports: dict[str, list[tuple[EdgeRow, Binding]]] = {}
        self._known: dict[tuple[int, int, str], Meaning] = resolver.kept.of(_KeptMeanings, _KeptMeanings).of(path, uses)
        self._nested: dict[str, Definition] = {}
        """What functions keep to themselves, by the scope that binds it."""
        self._kept: set[Key] = set()
        self.heads: dict[tuple[int, int], Definition] = {}
        """What is defined at a place."""
        self._note_heads()

    def _note_heads(self) -> None:
        seen: set[int] = set()
        written = [use for use in self.uses if use.role == "definition"]
        symbols = self._resolver.world.scope(self._path).symbols if written else ()
        names = {use.name for use in written}
        lines = {each.name_line: each for each in reversed(symbols) if each.name in names}
        for use in written:
            # What is bound behind it on its line is another thing.
            if use.line in seen or use.line not in lines:
                continue
            seen.add(use.line)
            item = Definition(self._path, lines[use.line])
            self.heads[(use.line, use.column)] = item
            if use.bound:
                self._nested.setdefault(use.bound, item)
                self._kept.add(key_of(item))

    def meanings(self) -> Iterator[tuple[Use, Meaning]]:
        """Each use with what it means, definitions aside."""
        for use in self.uses:
            if use.role != "definition":
                yield use, self.meaning(use)

    def meaning(self, use: Use) -> Meaning:
        """What one of the uses means, by all that is known; it is found once."""
        place = (use.line, use.column, use.role)
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = self._meant(use)
        return found

    def _meant(self, use: Use) -> Meaning:
        by_index = self.indexed(use)
        if by_index is None or (use.local and by_index.tier != PROVEN):
            return self._written(use)
        return agreed(self._written(use), by_index, both=use.shorthand)

    def indexed(self, use: Use) -> Meaning | None:
        """What an index says of one of the uses; None where it doesn't tell."""
        return self._indexed.get((use.line, use.column)) if self._indexed else None

    @cached_property
    def _indexed(self) -> dict[tuple[int, int], Meaning | None]:
        semantics = self._resolver.semantics
        said = semantics.meanings(self._path, self.uses) if semantics is not None else ()
        return {(use.line, use.column): each for use, each in zip(self.uses, said, strict=False)}

    def as_key(self, use: Use) -> Meaning:
        """What a name is that is written in an object or a pattern, by the type of that."""
        return self._resolver.literals.meaning(self._path, use.name, use.line, use.column, use.within)

    def _written(self, use: Use) -> Meaning:
        if use.keyword:
            found = self.as_key(use)
            if found or not customs_of(self._language).keyed_by_values:
                return found
            # The key of a map, or a field of a type that isn't known here.
            members = self._resolver.members
            fields = any(map(members.is_member, members.kin(self._language, use.name)))
            return UNKNOWN if fields else replace(self._written(replace(use, keyword=False)), tier=LIKELY, open=True)
        made = type_called(self._resolver, self._path, use)
        if made is not None:
            return made
        if use.local:
            # One scope binds a name once, whatever is around it.
            own = self._nested.get(use.bound)
            return self._imported_inside(use) if own is None else Meaning((own,), PROVEN)
        found = self._meaning(use)
        if self._kept and not use.receiver:
            # It stands in none of the scopes that keep these to themselves.
            seen = tuple(item for item in found.targets if key_of(item) not in self._kept)
            if len(seen) < len(found.targets):
                found = replace(found, targets=seen) if seen or found.modules else UNKNOWN
        return found

    def _imported_inside(self, use: Use) -> Meaning:
        """What a function takes out of a module for itself, `const { name } = require(path)`; otherwise a variable."""
        own = [each for each in self.uses if each.bound == use.bound]
        lines = {each.line for each in own if each.role in ("definition", "import")}
        pairs = self._resolver.world.scope(self._path).bound.get(use.name, ())
        taken = next((pair for pair in pairs if pair[0].line in lines), None) if use.bound else None
        if taken is None:
            return OUTSIDE
        found = self._resolver.imported(self._path, *taken)
        return weaker(found, LIKELY) if any(each.role == "write" for each in own) else found

    def is_new_name(self, use: Use, names: Collection[str]) -> bool:
        """Whether an import gives what it says there under one of some names this one: it is one use, not two."""
        if use.role != "import" or self._has_own_name(use):
            return False
        said = _RENAMED.search(self._line(use)[: use.column])
        return said is not None and said[1].decode("utf-8", "replace") in names

    def _has_own_name(self, use: Use) -> bool:
        """Whether no import gives a name to what is called otherwise: then no line has to be read for it."""
        pairs = self._resolver.world.scope(self._path).bound.get(use.name)
        if pairs is None:
            return self._language == "python"  # where nothing but a binding has `as` before it
        # `X as X` binds no other name, and has it twice.
        return self._import_lines[use.line] <= 1 and all(binding.name == use.name for _, binding in pairs)

    @cached_property
    def _import_lines(self) -> Counter[int]:
        return Counter(use.line for use in self.uses if use.role == "import")

    def as_import(self, use: Use) -> Use:
        """A use, or the import that it is where a call imports: `const { a, b: c } = require(d)`."""
        if not (use.shorthand or use.keyword) or (use.line, use.name) not in self._taken_out:
            return use
        return replace(use, role="import", keyword=False, shorthand=False)

    @cached_property
    def _taken_out(self) -> frozenset[tuple[int, str]]:
        bound = self._resolver.world.scope(self._path).bound if customs_of(self._language).default_export else {}
        return frozenset((edge.line, binding.name) for pairs in bound.values() for edge, binding in pairs)

    def is_applied(self, use: Use) -> bool:
        """Whether a name that is written without parentheses is called all the same: a decorator, a method of Ruby."""
        if use.role != "read" or use.keyword:
            return False
        if called_by_name(self._language) and not use.local:
            targets = self.meaning(use).targets
            return bool(targets) and all(item.symbol.kind in FUNCTIONS for item in targets)
        if not customs_of(self._language).decorators:
            return False
        if self._decorated(use) is None:
            return False
        data = self._resolver.world.lines(self._path)[use.line - 1].encode()
        before, after = data[: use.column], data[use.column + len(use.name.encode()) :]
        return _APPLIED.match(before.decode("utf-8", "replace")) is not None and not after.lstrip().startswith(_MEMBER)

    def as_run(self, use: Use) -> Use:
        """A call with what runs it around it: a decorator is run by what is around what it decorates."""
        own = self._decorated(use) if customs_of(self._language).decorators else None
        return use if own is None else replace(use, within=own.container)

    def _decorated(self, use: Use) -> SymbolRow | None:
        """The definition before whose name a use stands; it begins with what decorates it."""
        named = self._resolver.world.scope(self._path).named(use.within)
        return next((each for each in named if each.start_line <= use.line < each.name_line), None)

    def asked(self, use: Use) -> WrittenUse:
        """How a use is written."""
        return _as_written(self._language, ("::" if self._is_path(use) else ".") if use.receiver else "", use.keyword)

    def _is_path(self, use: Use) -> bool:
        """Whether a name is the end of a path, and not a member of a value."""
        paths = self._language in ("cpp", "rust")
        return paths and self._line(use)[: use.column].rstrip().endswith(b"::")

    def _of_its_kind(self, use: Use, found: Meaning) -> Meaning:
        """Of a field and a method of one name the one that is meant, and of what is derived no type but a trait."""
        if self._language == "rust" and found.targets and _DERIVES.search(self._line(use), 0, use.column):
            derived = tuple(item for item in found.targets if item.symbol.kind not in _MADE)
            return replace(found, targets=derived) if derived else OUTSIDE
        if (
            len(found.targets) < 2
            or self._language not in ("java", "rust")
            or use.role not in ("call", "read", "write")
        ):
            return found
        called = use.role == "call" or self._line(use)[: use.column].rstrip().endswith(b"::")
        fitting = tuple(item for item in found.targets if (item.symbol.kind not in FIELDS) == called)
        return replace(found, targets=fitting) if fitting else found

    def _leads_outside(self, use: Use) -> bool:
        """Whether a path of Rust begins with another crate: a bare name may be bound by a macro, such a path can't."""
        first = _PARTS.split(use.receiver)[0]
        if self._language != "rust" or not first.isidentifier() or not self._is_path(use):
            return False
        return not self._resolver.world.modules.resolve(self._language, self._path, first).paths

    def _meaning(self, use: Use) -> Meaning:
        world = self._resolver.world
        if use.role != "import":
            own = world.exports(self._path).get(use.name) if not use.receiver else None
            if own and self._line(use)[: use.column].split()[-1:] == [b"as"]:
                # In `export { y as x }` the second name is what others call the first.
                return self._resolver.top(self._path, own)
            found = self._of_its_kind(use, self._resolver.meaning_of(self._path, use))
            if found == BEYOND and self._leads_outside(use):
                return OUTSIDE
            guessed = found.tier == LIKELY and self._resolver.is_guessed(self._path, use.name, found)
            # A path says where its end is: that nothing here is there makes the only member of that name no likelier.
            return weaker(found, NAME) if guessed and use.receiver and self._is_path(use) else found
        # Of several imports of a name it is that of the statement it stands in.
        fitting = self._imports_of(use.name)
        scope = world.scope(self._path)
        if not fitting:
            if use.name not in self._import_parts:
                return UNKNOWN
            # A path may lead through a type, where it isn't one of files.
            return BEYOND if customs_of(scope.language).paths_to_names else OUTSIDE
        if scope.language == "python" and self._names_module(use):
            return OUTSIDE
        return self._resolver.imported(self._path, *min(fitting, key=lambda each: abs(each[0].line - use.line)))

    def _imports_of(self, name: str) -> list[tuple[EdgeRow, Binding]]:
        """The imports that bind a name or bring what is called so, in order; most uses of a file are of one name."""
        found = self._imports.get(name)
        if found is None:
            pairs = (pair for bound in self._resolver.world.scope(self._path).bound.values() for pair in bound)
            found = self._imports[name] = [
                (edge, binding)
                for edge, binding in pairs
                if name in (binding.local, _LAST.split((binding.name or edge.target).partition(" as ")[0])[-1])
            ]
        return found

    @cached_property
    def _import_parts(self) -> frozenset[str]:
        edges = self._resolver.world.scope(self._path).edges
        return frozenset(part for edge in edges for part in _PARTS.split(edge.target))

    def _line(self, use: Use) -> bytes:
        return self._lines[use.line - 1]

    @cached_property
    def _lines(self) -> list[bytes]:
        return (self._resolver.world.view.rows.whole_text_of(self._path) or b"").split(b"\n")

    def _names_module(self, use: Use) -> bool:
        """What stands between `from` and `import` names the module."""
        edges = self._resolver.world.scope(self._path).edges
        if not any(use.name in _PARTS.split(edge.target) for edge in edges if edge.line == use.line):
            return False
        line = self._line(use)
        return line.lstrip().startswith(b"from ") and use.column < line.find(b" import") + 1
