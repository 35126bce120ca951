"""Every use of a definition, with how sure it is: candidates from the index, places from their syntax trees."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from cairn.graph.aliases import other_names
from cairn.graph.customs import family
from cairn.graph.meaning import OUTSIDE, UNKNOWN
from cairn.graph.resolve import LIKELY, NAME, PROVEN, TIERS, Meaning, Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition
from cairn.store import Located, SnapshotView, buckets_in
from cairn.syntax.quoted import quoted_types
from cairn.syntax.uses import Use, uses_of
from cairn.values import dataclass, replace

MAX_FILES = 3_000
"""Files that are parsed for one question."""
_MOST_BUCKETS = 48
_WIDTH = 300
_LAST = re.compile(r"\.|::|\\")


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where something is used, and how sure it is that it is that very thing."""

    path: str
    line: int
    column: int
    """Bytes from the start of the line."""
    name: str
    """As it is written there: an alias, if it has one."""
    role: str
    within: str
    tier: str
    target: Definition | None = None
    """What is used; None where only the name is known."""
    layer: str = "syntactic"
    text: str = ""
    """The line, without the white space around it."""


@dataclass(frozen=True, slots=True)
class References:
    """All that was found, and how much of the name's uses is something else or unknown."""

    definitions: tuple[Definition, ...]
    items: tuple[Reference, ...]
    elsewhere: int = 0
    """Uses of the name that are surely something else: local variables, other definitions, libraries."""
    limits_hit: tuple[str, ...] = ()
    """`files`: too many hold the name, and only the first of them were looked at."""

    @property
    def unresolved(self) -> int:
        """Uses of which nothing but the name is known."""
        return sum(item.tier == NAME for item in self.items)

    @property
    def tiers(self) -> dict[str, int]:
        counts = Counter(item.tier for item in self.items)
        return {tier: counts[tier] for tier in TIERS if counts[tier]}


def find_uses(
    resolver: Resolver,
    definitions: Sequence[Definition],
    present: Callable[[str], bool] = lambda _path: True,
    max_files: int = MAX_FILES,
) -> References:
    """Uses of any of some definitions, by their names and by those that imports give them, in order of place."""
    view, world = resolver.world.view, resolver.world
    own = tuple(dict.fromkeys(item.symbol.name for item in definitions))
    others = (name for item in definitions for name in other_names(resolver, item))
    names = tuple(dict.fromkeys((*own, *others)))
    files: dict[str, Located] = {}
    for name in names:
        files |= {item.file.path_key: item for item in files_with(view, name) if present(item.file.path_key)}
    looked_at = sorted(files)[:max_files]
    world.load(looked_at)
    judge = _Judge(resolver, definitions)
    found: list[Reference] = []
    elsewhere = 0
    for path in looked_at:
        data = view.text_of(files[path])
        lines = data.split(b"\n")
        for name in names:
            if not any(form in data for form in _forms(name)):
                continue
            language = files[path].file.language
            for use in (*uses_of(path, language, data, name), *quoted_types(path, language, data, name)):
                if use.keyword or judge.is_head(path, use):
                    continue
                told = judge.judged(path, use)
                if told is not None:
                    text = lines[use.line - 1].decode("utf-8", "replace").strip()[:_WIDTH]
                    found.append(replace(told, text=text))
                elif name in own:
                    elsewhere += 1
    found.sort(key=lambda each: (each.path, each.line, each.column))
    return References(tuple(definitions), tuple(found), elsewhere, ("files",) if len(files) > max_files else ())


def files_with(view: SnapshotView, name: str) -> list[Located]:
    """Live files that may hold a name, in order of their paths."""
    found: dict[str, Located] = {}
    for form in _forms(name):
        buckets = buckets_in(form)[:_MOST_BUCKETS]
        found |= {item.file.path_key: item for item in view.files_holding([(buckets,)] if buckets else [])}
    return [found[path] for path in sorted(found)]


def _forms(name: str) -> list[bytes]:
    """Letters with accents may be written in several ways."""
    forms = (name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))
    return [form.encode() for form in dict.fromkeys(forms)]


class _Judge:
    """Tells of uses whether they are of some definitions."""

    def __init__(self, resolver: Resolver, definitions: Sequence[Definition]) -> None:
        self._resolver = resolver
        self._wanted = {(item.path, item.symbol.qualified_name): item for item in reversed(definitions)}
        self._heads = {(item.path, item.symbol.name_line, item.symbol.name) for item in definitions}
        self._names = {item.symbol.name for item in definitions}

    def is_head(self, path: str, use: Use) -> bool:
        return use.role == "definition" and (path, use.line, use.name) in self._heads

    def judged(self, path: str, use: Use) -> Reference | None:
        """A use as a reference; None where it is surely something else."""
        if use.role == "definition" or (use.local and not self._is_nested(path, use)):
            return None
        meaning = self._meaning(path, use)
        hit = next((self._wanted[key] for item in meaning.targets if (key := _key(item)) in self._wanted), None)
        if hit is None or meaning.tier == NAME:
            # Where it may be one of several, none of them is what is meant.
            known = meaning.outside or (bool(meaning) and meaning.tier != NAME)
            if known or use.name not in self._names or not (hit or self._may_be(path, use)):
                return None
            return Reference(path, use.line, use.column, use.name, use.role, use.within, NAME, None)
        return Reference(path, use.line, use.column, use.name, use.role, use.within, meaning.tier, hit)

    def _is_nested(self, path: str, use: Use) -> bool:
        """Whether a local name may be a definition inside of the function that it is used in."""
        scope = self._resolver.world.scope(path)
        return any(
            home == path
            and item.symbol.kind in FUNCTIONS | TYPES
            and f"{use.within}.".startswith(f"{item.symbol.container}.")
            and any(symbol.kind in FUNCTIONS for symbol in scope.named(item.symbol.container))
            for (home, _), item in self._wanted.items()
        )

    def _meaning(self, path: str, use: Use) -> Meaning:
        if use.role != "import":
            return self._resolver.meaning_of(path, use)
        # Of several imports of a name it is that of the statement it stands in.
        scope = self._resolver.world.scope(path)
        fitting = [
            (abs(edge.line - use.line), place, edge, binding)
            for place, (edge, binding) in enumerate(pair for bound in scope.bound.values() for pair in bound)
            if use.name in (binding.local, _LAST.split(binding.name or edge.target)[-1])
        ]
        if not fitting:
            modules = {part for edge in scope.edges for part in re.split(r"[./:\\]+", edge.target)}
            return OUTSIDE if use.name in modules else UNKNOWN
        if scope.language == "python" and self._names_module(path, use):
            return OUTSIDE
        _, _, edge, binding = min(fitting, key=lambda each: each[:2])
        return self._resolver.imported(path, edge, binding)

    def _names_module(self, path: str, use: Use) -> bool:
        """What stands between `from` and `import` names the module."""
        line = (self._resolver.world.view.whole_text_of(path) or b"").split(b"\n")[use.line - 1]
        return line.lstrip().startswith(b"from ") and use.column < line.find(b" import") + 1

    def _may_be(self, path: str, use: Use) -> bool:
        """Whether a use of which nothing is known could be one of some: members are asked of something."""
        languages = self._resolver.world.languages
        kin = family(languages.get(path, ""))
        return any(
            self._resolver.is_member(item) == bool(use.receiver) and family(languages.get(item.path, "")) == kin
            for item in self._wanted.values()
        )


def _key(item: Definition) -> tuple[str, str]:
    return item.path, item.symbol.qualified_name


__all__ = ["LIKELY", "MAX_FILES", "NAME", "PROVEN", "Reference", "References", "files_with", "find_uses"]
