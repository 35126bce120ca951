"""What a name means at the top of a file: its own, an import, what its package has, what is passed on to it."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from cairn.base.values import replace
from cairn.graph.customs import Target, customs_of, family
from cairn.graph.meaning import (
    BEYOND,
    LIKELY,
    MOST_TARGETS,
    OUTSIDE,
    PROVEN,
    UNKNOWN,
    Circles,
    Meaning,
    joined,
    module,
    weaker,
)
from cairn.graph.repeated import are_several, here
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope, is_in
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.store import EdgeRow
from cairn.syntax.imported import EVERYTHING, Binding, unpacked

_OF_THE_CRATE = frozenset({"crate", "self", "super"})
"""What a path of Rust begins with that is never another crate's, though its file may not be found."""
_DEFAULT = re.compile(
    r"^[ \t]*(?:export\s+default\s+(?:(?:async|abstract)\s+)*(?:function\b\s*\*?|class\b|interface\b)?"
    r"|module\.exports\s*=\s*(?:async\s+)?(?:function\b\s*\*?|class\b)?)[ \t]*"
    r"(?P<name>[^\W\d][\w$]*)?\s*(?P<more>[.(=+?]|as\b)?|^[ \t]*export\s*\{[^{}]*?(?P<as>[\w$]+)\s+as\s+default\b",
    re.MULTILINE,
)


class TopLevel:
    """The tops of files within one world; `member` tells what a member of a type is."""

    def __init__(self, world: World, circles: Circles, member: Callable[[Definition, str], Meaning]) -> None:
        self._world = world
        self._circles = circles
        self._member = member
        self._passed: dict[str, tuple[tuple[str, bool, int], ...]] = {}

    def find(self, path: str, name: str) -> Meaning:
        """What a name means at the top of a file."""
        return self._circles.answer(("top", path, name), lambda: self._find(self._world.scope(path), name), UNKNOWN)

    def inside(self, base: Meaning, name: str) -> Meaning:
        """What a name is inside of a module: what its file has at the top, or a module below it."""
        found = self._importable(joined([self._given(path, name) for path in base.modules]))
        if found:
            return weaker(found, base.tier)
        for path in base.modules:
            language = self._world.languages.get(path, "")
            below = f".{name}" if language == "python" else f"./{name}"
            target = self._world.modules.resolve(language, path, below)
            if target.paths and not target.rest:
                return weaker(module(target.paths, target.certain), base.tier)
        return UNKNOWN

    def target(self, scope: FileScope, source: str) -> Target:
        """The files that an import of this file leads to."""
        return self._world.modules.resolve(scope.language, scope.path, source)

    def _given(self, path: str, name: str) -> Meaning:
        """What other files get of a file by a name, which may not be what it calls that itself."""
        own = self._world.exports(path).get(name, name)
        return self.find(path, own) if own else weaker(self.find(path, name), LIKELY)

    def path_from(self, scope: FileScope, parts: Sequence[str], within: str) -> Meaning:
        """What a path of Rust means that begins with `crate` or `super`, in a definition of a file."""
        modules = [each.qualified_name for each in scope.around(within) if each.kind == "module"]
        return self.path_to_name(scope, _seen_from_file(modules, "::".join(parts)))

    def path_to_name(self, scope: FileScope, source: str) -> Meaning:
        """What a path means that names a definition, as those of Java and Rust do."""
        target = self.target(scope, source)
        parts = [part for part in re.split(r"\.|::|\\", source) if part]
        if not target.paths:
            return self._by_its_package(scope, parts)
        tier = PROVEN if target.certain else LIKELY
        if not target.rest:
            if scope.language == "rust":
                return module(target.paths, target.certain)
            named = [each for path in target.paths for each in self._called(path, parts[-1])]
            said = Meaning(tuple(named[:MOST_TARGETS]), tier, open=not target.certain)
            if are_several(self._world, scope.language, named):
                said = replace(said, tier=LIKELY)
            return said if named else module(target.paths, target.certain)
        found = module(target.paths, target.certain)
        if scope.language != "rust" and len(parts) > len(target.rest):
            # A file is named after its type, whose members follow.
            types = tuple(
                each
                for path in target.paths
                for each in self._called(path, parts[-len(target.rest) - 1])
                if each.symbol.kind in TYPES
            )
            found = Meaning(types, tier, open=not target.certain) if types else found
        for part in target.rest:
            found = self._step(found, part)
        return found

    def _by_its_package(self, scope: FileScope, parts: Sequence[str]) -> Meaning:
        """What a path means where no file is named after its type: one of Java beside others, and any of C#."""
        world, is_of_package = self._world, customs_of(scope.language).of_package
        if is_of_package is None:
            return BEYOND if parts[0] in _OF_THE_CRATE else OUTSIDE
        for at in range(1, len(parts)):
            found = tuple(
                item
                for item in world.namesakes(parts[at])
                if item.symbol.kind in TYPES | FUNCTIONS
                and world.languages.get(item.path) == scope.language
                and is_of_package(
                    item.path, item.symbol.qualified_name, partial(_text, world, item.path), parts[: at + 1]
                )
            )
            if found:
                meant = Meaning(found[:MOST_TARGETS], PROVEN if len(found) == 1 else LIKELY, open=len(found) > 1)
                for part in parts[at + 1 :]:
                    meant = self._step(meant, part)
                return meant
        return OUTSIDE

    def default(self, path: str) -> Meaning:
        """What a file of JavaScript offers as a whole: `export default`, `module.exports =`."""
        text = self._world.text(path) or ""
        scope = self._world.scope(path)
        for said in _DEFAULT.finditer(text):
            # What is computed has no name of its own.
            named = said["as"] or (said["name"] if not said["more"] or _heads(said[0]) else None)
            nameless = "exports" if "module" in said[0] else "default"
            top = scope.members.get("", {})
            own = top.get(named or "") or top.get(nameless, ())
            if own:
                return here(self._world, scope, own)
            return self.find(path, named) if named else UNKNOWN
        return UNKNOWN

    def _find(self, scope: FileScope, name: str) -> Meaning:
        own = scope.members.get("", {}).get(name, ())
        bound = self._imported(scope, name)
        if own:
            found = here(self._world, scope, own)
            # A name that is imported as well is the one or the other: a fallback, or a wrapper.
            return joined([found, *bound]) if bound and self._is_seen_at_top(scope, name) else found
        if bound:
            return weaker(joined(bound), LIKELY if self._is_rebound(scope, name) else "")
        if customs_of(scope.language).sees_package:
            found = self._in_package(scope, name)
            if found:
                return found
        if name == "default" and customs_of(scope.language).default_export:
            return self.default(scope.path)
        return self._passed_on(scope, name)

    def _is_rebound(self, scope: FileScope, name: str) -> bool:
        """Whether a file of Python gives an imported name another value, which is no definition of its own."""
        return scope.language == "python" and self._world.is_rebound(scope.path, name)

    def _is_seen_at_top(self, scope: FileScope, name: str) -> bool:
        """Whether what imports a name of Python gives it to the module, and not to a function that imports it."""
        _, inner = scope.imports_of(name)
        said = re.compile(rf"^\s*global\b[^\n#]*\b{re.escape(name)}\b", re.MULTILINE)
        return scope.language == "python" and (
            not inner or said.search("\n".join(self._world.lines(scope.path))) is not None
        )

    def _in_package(self, scope: FileScope, name: str) -> Meaning:
        language, customs = scope.language, customs_of(scope.language)
        own = customs.package(scope.path)
        found = tuple(
            item
            for item in self._world.namesakes(name)
            if not item.symbol.container
            and self._world.languages.get(item.path) == language
            and customs.package(item.path) == own
            and (customs.clause is None or self._shares_clause(scope.path, item.path, customs.tests))
        )
        if customs.clause is not None and len(found) > 1:
            # Build tags and the names of files tell which of them is there, and nobody here knows these.
            return Meaning(found[:MOST_TARGETS], LIKELY)
        several = are_several(self._world, language, found)
        return Meaning(found[:MOST_TARGETS], LIKELY if several else PROVEN) if found else UNKNOWN

    def _shares_clause(self, path: str, other: str, tests: str) -> bool:
        """Whether two files of a folder are one package; its tests are seen by tests alone."""
        seen = path.endswith(tests) or not other.endswith(tests)
        return seen and self._world.clause(path) == self._world.clause(other)

    def _importable(self, found: Meaning) -> Meaning:
        """Without what a folder of Go holds beside the package that is imported: programs that make its files."""
        if len(found.targets) < 2 or customs_of(self._world.languages.get(found.targets[0].path, "")).clause is None:
            return found
        kept = tuple(item for item in found.targets if self._world.clause(item.path) != "main")
        if not kept or len(kept) == len(found.targets):
            return found
        return replace(found, targets=kept, tier=PROVEN if len(kept) == 1 else found.tier)

    def _passed_on(self, scope: FileScope, name: str) -> Meaning:
        """What imports of everything give; who has the name itself hides what it was given."""
        found: list[Meaning] = []
        hidden = 0
        for path, certain, depth in self._star_files(scope):
            if hidden and depth > hidden:
                continue
            hidden = 0
            given = self._offered(path, name)
            if given:
                found.append(weaker(given, PROVEN if certain else LIKELY))
                hidden = depth
        if customs_of(scope.language).paths_to_names:
            found += self._of_starred_types(scope, name)
        return joined(found)

    def _of_starred_types(self, scope: FileScope, name: str) -> Iterator[Meaning]:
        """What imports of all that a type has give: Rust's `use a::Kind::*`, Java's `import static a.B.*`."""
        for edge in scope.stars:
            for source in _star_sources(scope, edge):
                meant = self.path_to_name(scope, source)
                for item in meant.targets:
                    given = self._member(item, name) if item.symbol.kind in TYPES else UNKNOWN
                    if given.targets:
                        yield weaker(given, meant.tier)

    def _star_files(self, scope: FileScope) -> tuple[tuple[str, bool, int], ...]:
        """(file, certain, depth) of all that imports of everything reach, each once, the nearest way first."""
        known = self._passed.get(scope.path)
        if known is not None:
            return known
        found: list[tuple[str, bool, int]] = []
        seen = {scope.path}
        waiting = [(path, certain, 1) for path, certain in reversed(self._starred(scope, first=True))]
        while waiting:
            path, certain, depth = waiting.pop()
            if path in seen:
                continue
            seen.add(path)
            offer = self._world.starred(path)
            found.append((path, certain and offer.known, depth))
            if offer.names is not None:
                continue  # what it passes on is what it lists, and is looked for from there
            certain = certain and offer.known
            inner = self._starred(self._world.scope(path), first=False)
            waiting += [(each, certain and sure, depth + 1) for each, sure in reversed(inner)]
        self._passed[scope.path] = tuple(found)
        return self._passed[scope.path]

    def _starred(self, scope: FileScope, *, first: bool) -> list[tuple[str, bool]]:
        found = []
        for edge in scope.stars:
            if first or edge.kind == "reexport" or customs_of(scope.language).passes_on:
                for source in _star_sources(scope, edge):
                    target = self.target(scope, source)
                    found += [(path, target.certain) for path in target.paths]
        return found

    def _offered(self, path: str, name: str) -> Meaning:
        """What a file itself gives to those who import everything of it."""
        scope = self._world.scope(path)
        listed = self._world.starred(path).names
        if listed is not None:
            return self.inside(module((path,), True), name) if name in listed else UNKNOWN
        if name in self._world.exports(path):
            return self._given(path, name)
        if scope.language == "python" and name.startswith("_"):
            return UNKNOWN
        # What is included is a text: its `static` functions are there, too.
        whole = family(scope.language) == "c"
        own = [symbol for symbol in scope.members.get("", {}).get(name, ()) if symbol.exported or whole]
        if own:
            return here(self._world, scope, own)
        bound = self._imported(scope, name)
        return joined(bound) if bound else UNKNOWN

    def _imported(self, scope: FileScope, name: str) -> list[Meaning]:
        pairs, inner = scope.imports_of(name)
        return [weaker(self.follow(scope, edge, binding), LIKELY if inner else "") for edge, binding in pairs]

    def follow(self, scope: FileScope, edge: EdgeRow, binding: Binding) -> Meaning:
        """What an import gives; unknown where it leads into the tree to something that isn't there."""
        source = edge.target
        if customs_of(scope.language).paths_to_names:
            joint = customs_of(scope.language).joint
            start = _start(scope, edge)
            return self.path_to_name(scope, joint.join(filter(None, (start, *binding.name.split(".")))))
        target = self.target(scope, source)
        if not binding.name:
            if not target.paths:
                return OUTSIDE
            may_be_whole = customs_of(scope.language).default_export and len(target.paths) == 1
            whole = self.default(target.paths[0]) if may_be_whole else UNKNOWN
            return replace(module(target.paths, target.certain), targets=whole.targets)
        found = joined([self._given(path, binding.name) for path in target.paths if path != scope.path])
        if found:
            return weaker(found, PROVEN if target.certain else LIKELY)
        inner = self.target(scope, inside_of(scope.language, source, binding.name))
        if inner.paths and not inner.rest:
            return module(inner.paths, inner.certain)
        if target.paths:
            return UNKNOWN
        return BEYOND if self._may_be_here(scope, source) else OUTSIDE

    def _may_be_here(self, scope: FileScope, source: str) -> bool:
        """Whether a source that leads nowhere may be a file under a name that only a bundler's settings explain."""
        if not customs_of(scope.language).default_export or "/" not in source:
            return False
        last = source.rsplit("/", 1)[-1].partition(".")[0]
        return not source.startswith(("./", "../")) and last in self._world.stems

    def _called(self, path: str, name: str) -> Iterator[Definition]:
        """What a file calls so: at its top, else the first in a namespace."""
        scope = self._world.scope(path)
        own = scope.members.get("", {}).get(name, ())
        if not own:
            own = tuple(each for each in scope.symbols if each.name == name and each.kind in TYPES | FUNCTIONS)[:1]
        return (Definition(path, each) for each in own)

    def _step(self, base: Meaning, part: str) -> Meaning:
        found = joined([self.find(path, part) for path in base.modules])
        for item in base.targets:
            found = found if found else self._member(item, part)
        return weaker(found, base.tier)


def _text(world: World, path: str) -> str:
    return world.text(path) or ""


def inside_of(language: str, source: str, name: str) -> str:
    """The source of what an import asks a module for, if that is a module too."""
    if language == "python":
        return source + name if source.endswith(".") else f"{source}.{name}"
    return f"{source.rstrip('/')}/{name}"


def _start(scope: FileScope, edge: EdgeRow) -> str:
    """What all that an import asks for share of their paths."""
    start = customs_of(scope.language).stem(edge.target)
    if scope.language != "rust":
        return start
    return _seen_from_file([each.qualified_name for each in reversed(scope.modules) if is_in(edge, each)], start)


def _seen_from_file(modules: Sequence[str], path: str) -> str:
    """A path of Rust as the top of its file would write it: `super` leaves the modules written out in it first."""
    parts = path.split("::")
    ups = next((at for at, part in enumerate(parts) if part != "super"), len(parts))
    if not ups:
        return path
    inner = modules[ups].split(".") if ups < len(modules) else []
    return "::".join(("self", *inner, *parts[min(ups, len(modules)) :]))


def _star_sources(scope: FileScope, edge: EdgeRow) -> Iterator[str]:
    """What an import of everything asks for: in Rust a leaf of its tree may."""
    start = _start(scope, edge)
    for binding in unpacked(edge.names):
        if binding.local == EVERYTHING:
            inner = binding.name.removesuffix(EVERYTHING).rstrip(".").replace(".", "::")
            yield f"{start}::{inner}" if inner and scope.language == "rust" else start


def _heads(text: str) -> bool:
    """Whether a default is written as a definition: parentheses belong to its head."""
    return re.search(r"\b(?:function|class|interface)\b", text) is not None


def is_whole(scope: FileScope, local: str) -> bool:
    """Whether an import binds a module, or a class of Java's: what is asked of these is their own."""
    customs = customs_of(scope.language)
    whole = customs.joint == "." and customs.paths_to_names
    return whole or (not customs.paths_to_names and all(not each.name for _, each in scope.bound[local]))
