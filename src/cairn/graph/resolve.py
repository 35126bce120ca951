"""From a name at a place to what it means, with how sure that is."""

from collections.abc import Iterator
from functools import cached_property

from cairn.base.values import replace
from cairn.graph.annotations import LIST, OR
from cairn.graph.binding import ChainPlace
from cairn.graph.customs import FIELDS, Target, calls_apart, customs_of, family, hides_alike
from cairn.graph.evaluate import Evaluator
from cairn.graph.literals import Literals
from cairn.graph.meaning import (
    BEYOND,
    LIKELY,
    MOST_TARGETS,
    NAME,
    OUTSIDE,
    PROVEN,
    TIERS,
    UNKNOWN,
    Circles,
    KeptValues,
    Meaning,
    joined,
    module,
    static,
    weaker,
)
from cairn.graph.members import Members, types_in
from cairn.graph.places import (
    ANYWHERE,
    DEFINITION,
    FREE,
    HIDDEN,
    PARAMETER,
    VARIABLE,
    HeadReader,
    Held,
    NamedPlace,
    Places,
)
from cairn.graph.repeated import defined, here
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope, is_in
from cairn.graph.semantics import Semantics
from cairn.graph.sides import is_of_namespace, on_side
from cairn.graph.symbols import Definition, key_of
from cairn.graph.toplevel import TopLevel, inside_of, is_whole
from cairn.graph.typed import Typed
from cairn.graph.values import Value, as_sure_as, either
from cairn.graph.world import World
from cairn.store import EdgeRow
from cairn.syntax.imported import Binding, unpacked
from cairn.syntax.receivers import GLOBAL, plain_receiver
from cairn.syntax.uses import Use

__all__ = ["LIKELY", "NAME", "PROVEN", "TIERS", "Meaning", "Resolver"]


class Resolver:
    """Meanings of names within one world; what was found is kept."""

    def __init__(self, world: World, semantics: Semantics | None = None) -> None:
        self.world = world
        self.semantics = semantics
        """What an index knows of the snapshot; None where there is none."""
        self.kept = KeptValues()
        self._circles = Circles()
        self._members = Members(world, self._circles, self.meaning)
        self._toplevel = TopLevel(world, self._circles, self._members.of)
        self._heads = HeadReader(self._members)
        self._places = Places(world)
        self._typed = Typed(world, self._circles, self._members, self._heads, self._type)
        self.evaluator = Evaluator(
            world, self._circles, self._members, self._toplevel, self._heads, self, self._places, self._typed
        )
        self.literals = Literals(world, self._circles, self.evaluator, self._typed)
        self._members.in_objects = self.literals.overridden

    def meaning(self, path: str, name: str, receiver: str = "", within: str = "", held: Held = ANYWHERE) -> Meaning:
        """What `receiver.name` means inside the definition `within` of a file, as far as heads and imports tell."""
        scope = self.world.scope(path)
        within = "" if scope.is_silent(within, receiver.partition(".")[0] or name) else within

        def ask() -> Meaning:
            found = (self._asked_of if receiver else self._bare)(scope, name, receiver, within, held)
            return defined(self.world, found) if family(scope.language) == "c" else found

        return self._circles.answer((path, name, receiver, within, held), ask, UNKNOWN)

    def meaning_at(self, path: str, use: NamedPlace, written: str, column: int | None = None) -> Meaning:
        """What a name means at its very place: a local hides what has its name further out."""
        receiver = plain_receiver(written)
        scope = self.world.scope(path)
        some = self._members.some(scope.language, use.name)
        if column is not None and self.evaluator.words.alone_tell(scope, use, receiver, column):
            return self._fitting(scope, use, receiver, self._of_value(scope, use, written, column, some))
        found = self.meaning(path, use.name, receiver, use.within)
        alike = receiver and hides_alike(scope.language)
        hidden = some if alike else self.meaning(path, use.name, receiver, use.within, HIDDEN)
        # To look at a place costs most: only where a local, or another of several heads, would mean something else.
        if not receiver and use.role == "call" and calls_apart(scope.language):  # what is called is no variable
            found = self.meaning(path, use.name, "", use.within, Held(use.line, FREE))
        elif receiver != "?" and (scope.repeats(use.within) or found != hidden):
            word = receiver.partition(".")[0] or use.name
            held = self._places.held(scope, word, use.within, use.line, column)
            found = self.meaning(path, use.name, receiver, use.within, held)
        weak = found.tier != PROVEN and (found.open or not found.outside)
        # What a head says of a value is less than what a test before the place does.
        narrows = found.dispatched and self.world.flows(path).narrows(receiver, use.line)
        if receiver and column is not None and (weak or narrows):
            found = self._of_value(scope, use, written, column, found)
        return self._fitting(scope, use, receiver, found)

    def _of_value(self, scope: FileScope, use: NamedPlace, chain: str, column: int, found: Meaning) -> Meaning:
        """What a name means that is asked of a value; as it was found where nothing is known of the value."""
        asked = self.evaluator.asked(ChainPlace(scope.path, use.within, use.line, column), chain, use.name)
        if asked is None:
            return found
        if not asked and not asked.outside:
            # The type is known, and has no such member: that there is only one of the name says nothing.
            return weaker(found, NAME)
        return defined(self.world, asked) if family(scope.language) == "c" else asked

    def meaning_of(self, path: str, use: Use) -> Meaning:
        """What a use means that was just read: of a bare name it is known whether it is local."""
        scope = self.world.scope(path)
        if use.receiver and use.role == "type" and is_of_namespace(self.world, scope, use):
            receiver = plain_receiver(use.receiver)
            found = self.meaning(path, use.name, receiver, use.within, Held(kind=FREE))
            return self._fitting(scope, use, receiver, found)
        if use.receiver or use.local:
            return self.meaning_at(path, use, use.receiver, use.column)
        held = Held(use.line if scope.repeats(use.within) else 0, FREE)
        found = self.meaning(path, use.name, "", use.within, held)
        if found.open or any(item.symbol.container for item in found.targets):
            found = self.meaning(path, use.name, "", self._places.seen_from(scope, use), held)
        inner = use.role == "type" and self._heads.has_type(scope, use.name, use.within)
        return self._fitting(scope, use, "", weaker(found, LIKELY if inner else ""))

    def _fitting(self, scope: FileScope, use: NamedPlace, receiver: str, found: Meaning) -> Meaning:
        """A meaning without what its role rules out."""
        found = on_side(self.world, scope, use, found) if len(found.targets) > 1 else found
        if use.role == "call" and customs_of(scope.language).uncalled_fields:
            # A variant of an enum that holds values is called to make one.
            called = tuple(
                item
                for item in found.targets
                if item.symbol.kind not in FIELDS or self.world.scope(item.path).is_variant(item.symbol)
            )
            if len(called) < len(found.targets):
                found = replace(found, targets=called) if called else UNKNOWN
        if use.role == "call" and customs_of(scope.language).macros_apart:
            found = self._places.as_called(scope, use.name, use.line, found)
        members = not receiver and any(item.symbol.container for item in found.targets)
        hidden = members and self._places.has_other_members(scope, use.within, use.line)
        templated = receiver and self._places.is_template(scope, use.within, use.line)
        return weaker(found, LIKELY if hidden or templated else "")

    def top(self, path: str, name: str) -> Meaning:
        """What a name means at the top of a file: its own, an import, or what its package has."""
        found = self._toplevel.find(path, name)
        return defined(self.world, found) if family(self.world.languages.get(path, "")) == "c" else found

    def member(self, item: Definition, name: str, *, inherited_only: bool = False) -> Meaning:
        """What a member of a type is: its own or that of what it is derived from."""
        return self._members.of(item, name, inherited_only=inherited_only)

    @property
    def members(self) -> Members:
        """The members and bases of types."""
        return self._members

    def is_guessed(self, path: str, name: str, found: Meaning) -> bool:
        """Whether nothing but being the only member of its name speaks for a meaning."""
        return found == self._members.some(self.world.scope(path).language, name)

    def is_member(self, item: Definition) -> bool:
        """Whether it is asked of a value: a function in a function is not."""
        return self._members.is_member(item)

    def imported(self, path: str, edge: EdgeRow, binding: Binding) -> Meaning:
        """What one name of an import is."""
        return self._toplevel.follow(self.world.scope(path), edge, binding)

    def files_imported(self, path: str) -> Iterator[tuple[EdgeRow, Target]]:
        """Each import of a file with the files that it leads to."""
        scope = self.world.scope(path)
        for edge in scope.edges:
            yield edge, self._toplevel.target(scope, edge.target)
            if scope.language == "python":
                # `from package import module` asks for the module, not for what the package says.
                for binding in unpacked(edge.names):
                    if binding.name:
                        inner = self._toplevel.target(scope, inside_of("python", edge.target, binding.name))
                        if inner.paths and not inner.rest:
                            yield edge, inner

    @cached_property
    def importers(self) -> dict[str, tuple[tuple[str, str, int], ...]]:
        """(importing file, tier, line) for every file that is imported: of several imports, the surest."""
        self.world.load(self.world.languages)
        found: dict[str, dict[str, tuple[int, int]]] = {}
        for path in self.world.languages:
            for edge, target in self.files_imported(path):
                said = (TIERS.index(PROVEN if target.certain else LIKELY), edge.line)
                for imported in target.paths:
                    if imported != path:
                        each = found.setdefault(imported, {})
                        each[path] = min(each.get(path, said), said)
        return {
            path: tuple((importer, TIERS[tier], line) for importer, (tier, line) in each.items())
            for path, each in found.items()
        }

    def _bare(self, scope: FileScope, name: str, _: str, within: str, held: Held) -> Meaning:
        if held.kind in (PARAMETER, VARIABLE):
            return OUTSIDE
        found = self._visible(scope, name, within, held)
        return weaker(found, LIKELY) if held.again else found

    def _visible(self, scope: FileScope, name: str, within: str, held: Held) -> Meaning:
        unsure = in_function = False
        for around in self._heads.around(scope, within, held):
            symbol = around.symbol
            if symbol.kind in FUNCTIONS:
                in_function = True
                inside = scope.members.get(symbol.qualified_name, {}).get(name, ())
                own = [pair for pair in scope.bound.get(name, ()) if is_in(pair[0], symbol)]
                if inside:
                    # An import of a block inside hides what the function around it defines.
                    given = [self._toplevel.follow(scope, *pair) for pair in own]
                    return joined([here(self.world, scope, inside), *given])
                if (
                    held.kind != FREE
                    and not calls_apart(scope.language)
                    and name in symbol.signature
                    and name in self._heads.parameters(scope, symbol)
                ):
                    return OUTSIDE
                if own:
                    return joined([self._toplevel.follow(scope, *pair) for pair in own])
            elif symbol.kind in TYPES and customs_of(scope.language).sees_members:
                found = self._members.of(around, name)
                if found:
                    found = self._of_same_side(scope, within, held, found)
                if found:
                    return replace(found, dispatched=True)
                unsure = unsure or found.outside
            elif symbol.kind in TYPES and (
                (scope.language == "python" and not in_function)
                or (symbol.kind == "module" and customs_of(scope.language).namespaces)
            ):
                # In the body of a class, and not in its methods, its names are at hand.
                inside = scope.members.get(symbol.qualified_name, {}).get(name, ())
                if inside:
                    return here(self.world, scope, inside)
        found = self._toplevel.find(scope.path, name)
        if not found and not found.outside and name not in scope.bound:
            found = self._elsewhere(scope, name)
        if unsure and not types_in(found.targets):
            # A base that isn't known may have the name too, and would come first.
            return weaker(found, LIKELY) if found else BEYOND
        return found

    def _of_same_side(self, scope: FileScope, within: str, held: Held, found: Meaning) -> Meaning:
        """Of members those that a bare name sees: a class's own methods and those of its values may be apart."""
        sides = customs_of(scope.language)
        if sides.class_side is None or sides.mixed_sides is None:
            return found
        caller = next((each for each in scope.around(within, held.line) if each.kind in FUNCTIONS), None)
        if caller is None or all(item.symbol.kind not in FUNCTIONS for item in found.targets):
            return found
        of_class, mixed = sides.class_side.match, sides.mixed_sides.search
        side = of_class(caller.signature) is not None
        fitting = tuple(item for item in found.targets if (of_class(item.symbol.signature) is not None) == side)
        if len(fitting) == len(found.targets):
            return found
        if any(mixed(self.world.text(path) or "") for path in {scope.path, *(item.path for item in found.targets)}):
            return weaker(found, LIKELY)
        return replace(found, targets=fitting) if fitting else UNKNOWN

    def _elsewhere(self, scope: FileScope, name: str) -> Meaning:
        """A bare name that nothing in its file explains."""
        customs = customs_of(scope.language)
        kin = self._members.kin(scope.language, name)
        if not customs.any_file:
            free = (item for item in kin if customs.default_export and not self._members.is_member(item))
            shared = [item for item in free if self.world.is_script(item.path)]
            if shared:
                # Scripts that are no modules share their tops.
                return Meaning(tuple(shared[:MOST_TARGETS]), NAME, open=True)
            macros = [item for item in kin if item.symbol.kind == "macro"]
            if macros:
                # Rust's are in scope below where they are written, in other files too, without an import.
                return self._members.one_of(scope.language, macros, LIKELY)
            return OUTSIDE if customs.explained else BEYOND
        found = [
            item
            for item in kin
            if (customs.any_member or not self._members.is_member(item) or item.symbol.kind in TYPES)
            and (item.symbol.exported or family(scope.language) != "c")
        ]
        return self._members.one_of(scope.language, found, LIKELY)

    def _asked_of(self, scope: FileScope, name: str, receiver: str, within: str, held: Held) -> Meaning:
        parts = receiver.split(".")
        first = parts[0]
        words = customs_of(scope.language)
        if first in words.selves or first in words.parents:
            owner = self._heads.owner(scope, first, within, held)
            if owner is not None:
                found = self._of_self(scope, owner, (*parts[1:], name), first in words.parents)
                if held.kind == DEFINITION:
                    return static(found)
                return found if first in words.parents else replace(found, dispatched=True)
        if scope.language == "php" and first == GLOBAL:
            return self._members.of_namespace("", name, PROVEN)
        if scope.language == "rust" and first in ("crate", "super"):
            return self._toplevel.path_from(scope, (*parts, name), within)
        written = self._heads.typed(scope, first, within, held)
        if written is not None:
            value = either([self._typed.value(scope.path, *each) for each in written])
            unsure = len(set(written)) > 1 or (held.again and customs_of(scope.language).retyped)
            return weaker(self._walked(scope, value, (*parts[1:], name)), LIKELY if unsure else "")
        base, length = self.base(scope, tuple(parts), within, held)
        if base.outside and length:
            return base
        if base:
            return self._walked(scope, self.evaluator.of(base), (*parts[length:], name))
        if scope.language == "php" and not first.startswith("$"):
            if found := self._members.of_namespace(receiver, name, LIKELY):
                return found
        if words.paths_to_names and words.joint == ".":
            # `p.Type` names its package in full.
            if (found := self._toplevel.path_to_name(scope, f"{receiver}.{name}")).targets:
                return found
        return self._members.some(scope.language, name)

    def base(self, scope: FileScope, parts: tuple[str, ...], within: str, held: Held) -> tuple[Meaning, int]:
        """What the first of some names mean together, and how many these are: none where no import says it."""
        if scope.language == "rust" and parts[0] in ("crate", "super"):
            found = self._toplevel.path_from(scope, parts, within)
            return (found, len(parts)) if found else (UNKNOWN, 1)
        found = UNKNOWN
        # `import a.b` binds a dotted path: the longest that is bound explains the most.
        for length in range(len(parts), 0, -1):
            local = ".".join(parts[:length])
            if length > 1 and local not in scope.bound:
                continue
            found = self._bare(scope, local, "", within, held)
            if found.outside and local in scope.bound:
                return (found if is_whole(scope, local) else BEYOND), length
            if found:
                return found, length
        package = self._package(scope, parts[0])
        return (package, 1) if package else (found, 0)

    def _of_self(self, scope: FileScope, owner: Definition, parts: tuple[str, ...], inherited_only: bool) -> Meaning:
        if len(parts) > 1:
            key = ("self", key_of(owner), parts, scope.path)
            return self._circles.kept(key, lambda: self._walked(scope, Value((owner,), selves=(owner,)), parts))
        found = self._members.of(owner, parts[0], inherited_only=inherited_only)
        if found:
            return found
        # A base's that isn't known, what is derived from this, or set on the value: no definition says it.
        return weaker(self._members.some(scope.language, parts[0]), NAME) or found

    def _package(self, scope: FileScope, name: str) -> Meaning:
        """`import a.b` binds `a` as well."""
        if scope.language != "python" or not any(local.startswith(f"{name}.") for local in scope.bound):
            return UNKNOWN
        target = self._toplevel.target(scope, name)
        return module(target.paths, target.certain) if target.paths and not target.rest else UNKNOWN

    def _walked(self, scope: FileScope, value: Value, parts: tuple[str, ...]) -> Meaning:
        """A chain of members that begins with a value."""
        for part in parts[:-1]:
            value = as_sure_as(self.evaluator.member(value, part), value)
        some = self._members.some(scope.language, parts[-1])
        if not value.answers:
            return some
        found = self.evaluator.member_of(value, parts[-1], scope.language)
        if found or found.outside or value.things.modules:
            return found  # a module without the name gets it elsewhere
        # Only a base that isn't known, or what is derived from the type, can have the member.
        return weaker(some, NAME) if some else found

    def _type(self, scope: FileScope, written: str, within: str) -> Meaning:
        hidden = self._heads.type_parameters(scope, within) if written else frozenset[str]()
        found = joined([self._choice(scope, each, within, hidden) for each in written.split(OR) if each])
        return found if found.outside else replace(found, targets=types_in(found.targets), modules=())

    def _choice(self, scope: FileScope, written: str, within: str, hidden: frozenset[str]) -> Meaning:
        if written == LIST:
            return OUTSIDE
        receiver, _, name = written.rpartition(".")
        if written.partition(".")[0] in hidden:
            return UNKNOWN
        held = Held(kind=FREE) if receiver and customs_of(scope.language).types_apart else ANYWHERE
        return self.meaning(scope.path, name, receiver, within, held)
