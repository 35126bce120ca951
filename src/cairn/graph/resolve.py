"""From a name at a place to what it means, with how sure that is."""

from collections.abc import Iterator
from functools import cached_property

from cairn.graph.annotations import OR, field_type, parameters_of
from cairn.graph.callsites import CallSites
from cairn.graph.customs import FREE, SEES_MEMBERS, family, parents, selves
from cairn.graph.meaning import (
    LIKELY,
    NAME,
    OUTSIDE,
    PROVEN,
    SEMANTIC,
    TIERS,
    UNKNOWN,
    Circles,
    Meaning,
    here,
    joined,
    module,
    weaker,
)
from cairn.graph.members import Members, types_in
from cairn.graph.modules import Target
from cairn.graph.prototypes import bodies_of, is_declaration
from cairn.graph.scopes import FUNCTIONS, TYPES, Scope, is_in
from cairn.graph.symbols import Definition
from cairn.graph.tops import Tops, inside_of
from cairn.graph.world import World
from cairn.store import EdgeRow, SymbolRow
from cairn.syntax.imported import Binding, unpacked
from cairn.values import replace

__all__ = ["LIKELY", "NAME", "PROVEN", "SEMANTIC", "TIERS", "Meaning", "Resolver"]


class Resolver:
    """Meanings of names within one world; what was found is kept."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._circles = Circles()
        self._members = Members(world, self._circles, self.meaning)
        self._tops = Tops(world, self._circles, self._members.of)
        self._heads: dict[tuple[str, str, int], dict[str, str]] = {}

    def meaning(self, path: str, name: str, receiver: str = "", within: str = "") -> Meaning:
        """What `receiver.name` means inside the definition `within` of a file."""

        def ask() -> Meaning:
            scope = self.world.scope(path)
            found = self._asked_of(scope, name, receiver, within) if receiver else self._bare(scope, name, within)
            return self._defined(found) if family(scope.language) == "c" else found

        return self._circles.answer((path, name, receiver, within), ask, UNKNOWN)

    def top(self, path: str, name: str) -> Meaning:
        """What a name means at the top of a file: its own, an import, or what its package has."""
        found = self._tops.find(path, name)
        return self._defined(found) if family(self.world.languages.get(path, "")) == "c" else found

    def member(self, item: Definition, name: str, *, inherited_only: bool = False) -> Meaning:
        """What a member of a type is: its own or that of what it is derived from."""
        return self._members.of(item, name, inherited_only=inherited_only)

    def is_member(self, item: Definition) -> bool:
        """Whether it is asked of a value: a function in a function is not."""
        return self._members.is_member(item)

    def imported(self, path: str, edge: EdgeRow, binding: Binding) -> Meaning:
        """What one name of an import is."""
        return self._tops.follow(self.world.scope(path), edge, binding)

    def files_imported(self, path: str) -> Iterator[tuple[EdgeRow, Target]]:
        """Each import of a file with the files that it leads to."""
        scope = self.world.scope(path)
        for edge in scope.edges:
            yield edge, self._tops.target(scope, edge.target)
            if scope.language == "python":
                # `from package import module` asks for the module, not for what the package says.
                for binding in unpacked(edge.names):
                    if binding.name:
                        inner = self._tops.target(scope, inside_of("python", edge.target, binding.name))
                        if inner.paths and not inner.rest:
                            yield edge, inner

    @cached_property
    def call_sites(self) -> CallSites:
        """Calls by what they mean."""
        return CallSites(self.world, self.meaning)

    @cached_property
    def importers(self) -> dict[str, tuple[tuple[str, str, int], ...]]:
        """(importing file, tier, line) for every file that is imported: of several imports, the surest."""
        self.world.load(self.world.languages)
        found: dict[str, dict[str, tuple[int, int]]] = {}
        for path in self.world.languages:
            for edge, target in self.files_imported(path):
                told = (TIERS.index(PROVEN if target.certain else LIKELY), edge.line)
                for imported in target.paths:
                    if imported != path:
                        each = found.setdefault(imported, {})
                        each[path] = min(each.get(path, told), told)
        return {
            path: tuple((importer, TIERS[tier], line) for importer, (tier, line) in each.items())
            for path, each in found.items()
        }

    def _bare(self, scope: Scope, name: str, within: str) -> Meaning:
        unsure = in_function = False
        for around in self._around(scope, within):
            symbol = around.symbol
            if symbol.kind in FUNCTIONS:
                in_function = True
                inside = scope.members.get(symbol.qualified_name, {}).get(name, ())
                if inside:
                    return here(scope.path, inside)
                if name in self._parameters(scope, symbol):
                    return OUTSIDE
                own = [pair for pair in scope.bound.get(name, ()) if is_in(pair[0], symbol)]
                if own:
                    return joined([self._tops.follow(scope, *pair) for pair in own])
            elif symbol.kind in TYPES and scope.language in SEES_MEMBERS:
                found = self._members.of(around, name)
                if found:
                    return found
                unsure = unsure or found.outside
            elif symbol.kind in TYPES and scope.language == "python" and not in_function:
                # In the body of a class, and not in its methods, its names are at hand.
                inside = scope.members.get(symbol.qualified_name, {}).get(name, ())
                if inside:
                    return here(scope.path, inside)
        found = self._tops.find(scope.path, name)
        if not found and not found.outside and name not in scope.bound:
            found = self._elsewhere(scope, name)
        if unsure and not types_in(found.targets):
            # A base that isn't known may have the name too, and would come first.
            return weaker(found, LIKELY) if found else OUTSIDE
        return found

    def _elsewhere(self, scope: Scope, name: str) -> Meaning:
        """A bare name that nothing in its file explains."""
        if scope.language not in FREE:
            return OUTSIDE
        found = [
            item
            for item in self._members.kin(scope.language, name)
            if (scope.language == "ruby" or not item.symbol.container or item.symbol.kind in TYPES)
            and (item.symbol.exported or family(scope.language) != "c")
        ]
        return self._members.one_of(scope.language, found, LIKELY)

    def _asked_of(self, scope: Scope, name: str, receiver: str, within: str) -> Meaning:
        parts = receiver.split(".")
        first = parts[0]
        if first in selves(scope.language) or first in parents(scope.language):
            owner = self._owner(scope, first, within)
            if owner is not None:
                return self._of_self(scope, owner, (*parts[1:], name), first in parents(scope.language))
        if scope.language == "rust" and first in ("crate", "super"):
            return self._tops.path_to_name(scope, "::".join((*parts, name)))
        typed = self._typed(scope, first, within)
        if typed is not None:
            return self._of_type(scope, typed, (*parts[1:], name))
        # `import a.b` binds a dotted path: the longest that is bound explains the most.
        for length in range(len(parts), 0, -1):
            local = ".".join(parts[:length])
            if length > 1 and local not in scope.bound:
                continue
            base = self._bare(scope, local, within)
            if base.outside and local in scope.bound:
                return OUTSIDE
            if base:
                return self._walk(scope, self._value_of(base), (*parts[length:], name))
        package = self._package(scope, first)
        return self._walk(scope, package, (*parts[1:], name)) if package else self._members.some(scope.language, name)

    def _of_self(self, scope: Scope, owner: Definition, parts: tuple[str, ...], inherited_only: bool) -> Meaning:
        if len(parts) > 1:
            return self._of_type(scope, Meaning((owner,), PROVEN), parts)
        found = self._members.of(owner, parts[0], inherited_only=inherited_only)
        if found:
            return found
        # A base's that isn't known, what is derived from this, or set on the value: no definition says it.
        some = weaker(self._members.some(scope.language, parts[0]), NAME)
        return some if some else found

    def _owner(self, scope: Scope, word: str, within: str) -> Definition | None:
        """The type whose member is around a place, where the word stands for its value."""
        around = self._around(scope, within)
        if scope.language == "python" and word in selves("python"):
            for item in around:
                parameters = self._parameters(scope, item.symbol) if item.symbol.kind in FUNCTIONS else {}
                if word in parameters:
                    holder = scope.named(item.symbol.container)
                    own = next(iter(parameters)) == word and holder and holder[0].kind in TYPES
                    return Definition(scope.path, holder[0]) if own else None
            return None
        return next((item for item in around if item.symbol.kind in TYPES), None)

    def _around(self, scope: Scope, within: str) -> list[Definition]:
        """The definitions around a place, the innermost first, with the type that a method stands apart from."""
        found = [Definition(scope.path, symbol) for symbol in scope.around(within)]
        if found and not scope.named(found[0].symbol.container) and found[0].symbol.kind in FUNCTIONS:
            apart = self._members.impl(scope, found[0].symbol.qualified_name)
            found[1:1] = [apart] if apart is not None else []
        return found

    def _package(self, scope: Scope, name: str) -> Meaning:
        """`import a.b` binds `a` as well."""
        if scope.language != "python" or not any(local.startswith(f"{name}.") for local in scope.bound):
            return UNKNOWN
        target = self._tops.target(scope, name)
        return module(target.paths, target.certain) if target.paths and not target.rest else UNKNOWN

    def _walk(self, scope: Scope, base: Meaning, parts: tuple[str, ...]) -> Meaning:
        """Follow names from a module or a type inwards."""
        if base.outside:
            return OUTSIDE
        for place, part in enumerate(parts, start=1):
            found = self._tops.inside(base, part) if base.modules else UNKNOWN
            inner = [self._members.of(item, part) for item in types_in(base.targets)]
            found = found if found else weaker(joined(inner), base.tier)
            if not found:
                if base.modules:
                    return found  # a module without the name gets it elsewhere
                some = self._members.some(scope.language, parts[-1])
                if not inner or place < len(parts):
                    return some
                # Only a base that isn't known, or what is derived from the type, can have the member.
                return weaker(some, NAME) if some else found
            base = found if place == len(parts) else self._value_of(found)
            if base.outside:
                return OUTSIDE
        return base

    def _typed(self, scope: Scope, name: str, within: str) -> Meaning | None:
        """The type of a parameter of a function around a place; None where it is no parameter."""
        name = name.removeprefix("$") if scope.language == "php" else name
        for around in scope.around(within):
            parameters = self._parameters(scope, around) if around.kind in FUNCTIONS else {}
            if name in parameters:
                return self._type(scope, parameters[name], around.container)
        return None

    def _type(self, scope: Scope, written: str, within: str) -> Meaning:
        choices = [each.rpartition(".") for each in written.split(OR)] if written else []
        found = joined([self.meaning(scope.path, name, receiver, within) for receiver, _, name in choices])
        return found if found.outside else replace(found, targets=types_in(found.targets), modules=())

    def _of_type(self, scope: Scope, typed: Meaning, parts: tuple[str, ...]) -> Meaning:
        """A chain of members that begins with a value of some type."""
        if typed.outside:
            return OUTSIDE
        if not typed.targets:
            return self._members.some(scope.language, parts[-1])
        return self._walk(scope, typed, parts)

    def _value_of(self, meaning: Meaning) -> Meaning:
        """What members are asked of: a type itself, or the type that a field's head names."""
        types: list[Definition] = []
        tier, outside = meaning.tier, False
        for item in meaning.targets:
            if item.symbol.kind in TYPES:
                types.append(item)
            elif item.symbol.kind not in FUNCTIONS:
                scope = self.world.scope(item.path)
                written = field_type(scope.language, item.symbol.signature, item.symbol.name)
                typed = self._type(scope, written, item.symbol.container)
                outside = outside or typed.outside
                types += typed.targets
                tier = max(tier, typed.tier or tier, key=TIERS.index)
        if outside and not types and not meaning.modules:
            return OUTSIDE
        return replace(meaning, targets=tuple(types), tier=tier)

    def _parameters(self, scope: Scope, function: SymbolRow) -> dict[str, str]:
        """In the order of the head."""
        key = (scope.path, function.qualified_name, function.start_line)
        found = self._heads.get(key)
        if found is None:
            found = self._heads[key] = parameters_of(scope.language, function.signature)
        return found

    def _defined(self, found: Meaning) -> Meaning:
        """C's prototypes stand for the definition, which is in a file that nothing names."""
        heads = [item for item in found.targets if is_declaration(self.world, item)]
        bodies = bodies_of(self.world, heads)
        targets = tuple(dict.fromkeys((*bodies, *found.targets)))
        several = len({body.path for body in bodies}) > 1
        return weaker(replace(found, targets=targets), LIKELY if several else "") if bodies else found
