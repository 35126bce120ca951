"""Members of types: their own, those of what they are derived from, and those of a value of unknown type."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from cairn.base.values import replace
from cairn.graph.customs import customs_of, family, is_header
from cairn.graph.joins import Joins
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
    Meaning,
    only_one,
    weaker,
)
from cairn.graph.promises import Promises
from cairn.graph.repeated import are_several, here, is_declaration, is_piece, is_static
from cairn.graph.scopes import FUNCTIONS, TYPES, FileScope, is_named_as_its_type, is_spread
from cairn.graph.symbols import Definition, Key, key_of
from cairn.graph.world import World
from cairn.languages.record import BEHIND_ANGLE, BEHIND_COLON, IN_PARENTHESES
from cairn.languages.registry import record_of

_MOST = 20
_WORDS = re.compile(r"\b(?:extends|implements|with|on)\b")
_SIGNS = re.compile(r"[,+&]")
_BOUNDS = re.compile(r"\bwhere\b")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_CALLED = re.compile(r"\([^()]*\)")
_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|\\)[^\W\d][\w$]*)*")
_ACCESS = re.compile(r"\b(?:public|private|protected|virtual|by)\b.*?(?=[^\W\d])")


@lru_cache(maxsize=50_000)
def bases_of(language: str, signature: str) -> tuple[str, ...]:
    """Dotted names of what a class, interface or trait extends, in order; empty where its head names none."""
    text = _without(_GENERIC, signature)
    where = record_of(language).heads.bases
    if where == IN_PARENTHESES:
        opened, _, _ = text.partition("(")
        inside = text[len(opened) + 1 : text.rfind(")")] if "(" in text else ""
        parts = [part for part in _without(_CALLED, inside).split(",") if "=" not in part and "*" not in part]
    elif where == BEHIND_ANGLE:
        parts = [text.partition("<")[2]]
    elif where == BEHIND_COLON:
        # A constructor's parameters have colons of their own, and so have bounds of what a type is given.
        head = _BOUNDS.split(_without(_CALLED, text).replace("::", "\0"))[0]
        parts = _SIGNS.split(_ACCESS.sub("", head.partition(":")[2]))
        parts = [part.replace("\0", "::") for part in parts]
    else:
        parts = [part for clause in _WORDS.split(_without(_CALLED, text))[1:] for part in clause.split(",")]
    found = (match[0] for part in parts if (match := _NAME.search(part)))
    return tuple(re.sub(r"::|\\", ".", name) for name in found)[:_MOST]


def _without(pattern: re.Pattern[str], text: str) -> str:
    """A text without what a pattern matches, from the inside out."""
    before = ""
    while before != text:
        before, text = text, pattern.sub("", text)
    return text


Line = tuple[tuple[Definition | None, str], ...]
"""A type and what it is derived from, in the order in which a member is looked for; None for what isn't known."""


class Members:
    """Members within one world; `meaning` tells what the name of a base means: path, name, receiver, within."""

    def __init__(self, world: World, circles: Circles, meaning: Callable[[str, str, str, str], Meaning]) -> None:
        self._world = world
        self._circles = circles
        self._meaning = meaning
        self._some: dict[tuple[str, str], Meaning] = {}
        self.joins = Joins(world, meaning)
        self.promises = Promises(world, self, circles)
        self.in_objects: Callable[[Definition], frozenset[Key]] = lambda _item: frozenset()
        """What a member of an object that is written out stands in the place of."""

    def of(self, item: Definition, name: str, *, inherited_only: bool = False, of_class: bool | None = None) -> Meaning:
        """A member of a type; beyond where it may be that of a base which the snapshot doesn't define.

        Who asks a class itself, or a value of it, means the members of that side where there are any.
        """
        key = ("member", key_of(item), name, inherited_only, of_class)
        return self._circles.kept(key, lambda: self._on_side(item, name, inherited_only, of_class))

    def _on_side(self, item: Definition, name: str, inherited_only: bool, of_class: bool | None) -> Meaning:
        if of_class is not None and customs_of(self._world.scope(item.path).language).statics_apart:
            found = self._of(item, name, inherited_only, of_class)
            if found.targets:
                return found
        return self._of(item, name, inherited_only, None)

    def _of(self, item: Definition, name: str, inherited_only: bool, of_class: bool | None) -> Meaning:
        unsure = False
        for each, tier in self.line(item)[inherited_only:]:
            if each is None:
                unsure = True
                continue
            found = self.own(each, name)
            if found and of_class is not None:
                own = tuple(target for target in found.targets if is_static(target) == of_class)
                found = replace(found, targets=own) if own else UNKNOWN
            if found:
                return weaker(found, LIKELY if unsure else tier)
        return BEYOND if unsure else UNKNOWN

    def line(self, item: Definition) -> Line:
        """Whoever is derived stands before what it is derived from, and bases in the order of the head."""
        return self._circles.answer(("line", key_of(item)), lambda: self._line(item), ((item, PROVEN),))

    def _line(self, item: Definition) -> Line:
        done: list[tuple[Definition | None, str]] = []
        seen: set[tuple[str, str, int]] = set()
        # From the last base to the first, each after its own bases: read backwards, that is the order wanted.
        waiting: list[tuple[Definition | None, str, bool]] = [(item, PROVEN, False)]
        while waiting:
            each, tier, said = waiting.pop()
            if said or each is None:
                done.append((each, tier))
            elif (key := key_of(each)) not in seen:
                seen.add(key)
                waiting.append((each, tier, True))
                waiting += [(base, max(tier, how, key=TIERS.index), False) for base, how in self.bases(each)]
        return tuple(reversed(done))

    def bases(self, item: Definition) -> Line:
        """What a type itself says that it is derived from; None for what isn't known."""
        return self._circles.answer(("bases", key_of(item)), lambda: self._find_bases(item), ())

    def _find_bases(self, item: Definition) -> Line:
        found: list[tuple[Definition | None, str]] = []
        language = self._world.scope(item.path).language
        for base in bases_of(language, item.symbol.signature):
            receiver, _, name = base.rpartition(".")
            meant = self._meaning(item.path, name, receiver, item.symbol.container)
            types = [each for each in types_in(meant.targets) if each != item]
            found += [(each, meant.tier) for each in types] if types and meant.tier != NAME else [(None, LIKELY)]
        return tuple(dict.fromkeys((*found, *self.joins.of(item))))

    def some(self, language: str, name: str) -> Meaning:
        """Asked of something whose type isn't known: the only member of that name, or just the name."""
        key = (family(language), name)
        found = self._some.get(key)
        if found is None:
            customs = customs_of(language)
            tier = NAME if name in customs.members else LIKELY
            found = self.one_of(language, filter(self.is_member, self.kin(language, name)), tier)
            if found.tier == LIKELY and not customs.scattered and not all(map(self.owners, found.targets)):
                # That one object is written out with such a member says nothing of others.
                found = weaker(found, NAME)
            self._some[key] = found
        return found

    def kin(self, language: str, name: str) -> list[Definition]:
        """Definitions of a name that a file of some language can mean."""
        wanted, languages = family(language), self._world.languages
        return [item for item in self._world.namesakes(name) if family(languages.get(item.path, "")) == wanted]

    def of_namespace(self, space: str, name: str, tier: str) -> Meaning:
        """What a namespace of PHP calls so, or one that ends as it does."""
        found = []
        for item in self.kin("php", name):
            spaces = self._world.namespaces(item.path)
            if not item.symbol.container and any(
                f".{each}".endswith(f".{space}") for each in spaces if space or not each
            ):
                found.append(item)
                tier = LIKELY if len(spaces) > 1 else tier
        if not found:
            return OUTSIDE
        tier = tier if len(found) == 1 else LIKELY
        return Meaning(tuple(found[:MOST_TARGETS]), tier, open=tier != PROVEN)

    def one_of(self, language: str, items: Iterable[Definition], tier: str) -> Meaning:
        """The only thing among some definitions; C's prototypes are the same thing as their definition."""
        found = list(items)
        if family(language) != "c":
            said = {("" if is_piece(self._world, item) else item.path, item.symbol.qualified_name) for item in found}
            return only_one(found, len(said), tier)
        bodies = [item for item in found if not is_header(item.path) and not is_declaration(self._world, item)]
        things = {item.symbol.qualified_name for item in found}
        homes = {item.path for item in bodies}
        return only_one(list(dict.fromkeys((*bodies, *found))), max(len(things), len(homes)), tier)

    def impl(self, scope: FileScope, within: str) -> Definition | None:
        """The type of a method whose container is defined elsewhere: Rust's impl blocks, C++ beside its header."""
        container = within.rpartition(".")[0]
        if not container or not customs_of(scope.language).scattered:
            return None
        types = types_in(self.kin(scope.language, container.rpartition(".")[2]))
        return types[0] if len(types) == 1 else None

    def overridden(self, item: Definition) -> frozenset[Key]:
        """Members of what a member's type is derived from that it stands in the place of."""
        return self._circles.answer(("overridden", key_of(item)), lambda: self._overridden(item), frozenset())

    def overriders(self, items: Sequence[Definition]) -> list[Definition]:
        """The members that stand in the place of some in what is derived from their types."""
        keys = {key_of(item) for item in items}
        return [
            each
            for name, language in {(item.symbol.name, self._world.languages.get(item.path, "")) for item in items}
            for each in self.kin(language, name)
            if not keys.isdisjoint(self.overridden(each))
        ]

    def _overridden(self, item: Definition) -> frozenset[Key]:
        owners = self.owners(item)
        if not owners:
            return self.in_objects(item)
        if not self.is_member(item):
            return frozenset()
        above = {key_of(each): each for owner in owners for each in self.promised(owner)}
        found = [each for base in above.values() for each in self.own(base, item.symbol.name).targets]
        if item.symbol.kind in FUNCTIONS:
            found += (each for owner in owners for each in self.promises.above(owner, item.symbol.name))
        return frozenset(key_of(each) for each in found if is_static(each) == is_static(item))

    def promised(self, item: Definition) -> Iterator[Definition]:
        """What a value of a type may be taken for: all that it is derived from, and nothing that it only embeds."""
        embeds = customs_of(self._world.scope(item.path).language).structural
        for each, _ in self.line(item)[1:]:
            if each is not None and (not embeds or each.symbol.kind == "interface"):
                yield each

    def methods(self, language: str, name: str) -> list[Definition]:
        """The functions that types have by a name."""
        return [item for item in self.kin(language, name) if item.symbol.kind in FUNCTIONS and self.is_member(item)]

    def is_member(self, item: Definition) -> bool:
        """Whether a definition belongs to a type."""
        if is_spread(self._world.scope(item.path), item.symbol):
            return False
        if not item.symbol.container:
            return item.symbol.kind == "method"  # of a class without a name
        if item.symbol.kind != "function":
            return True
        # A function in a function is nobody's member.
        return any(each.kind in TYPES for each in self._world.scope(item.path).named(item.symbol.container))

    def owners(self, item: Definition) -> list[Definition]:
        """The types that a member is one of: around it, else of its folder, else the only one of that name."""
        scope, name = self._world.scope(item.path), item.symbol.container
        here = types_in(Definition(item.path, each) for each in scope.named(name))
        if here or not name or not customs_of(scope.language).scattered:
            return list(here)
        folder = item.path.rpartition("/")[0]
        near = [
            each
            for each in types_in(self._world.namesakes(name.rpartition(".")[2]))
            if each.path.rpartition("/")[0] == folder and _same_path(each.symbol.qualified_name, name)
        ]
        apart = self.impl(scope, item.symbol.qualified_name) if not near else None
        return near if apart is None else [apart]

    def own(self, item: Definition, name: str) -> Meaning:
        """A member that a type has itself, wherever it is written."""
        scope = self._world.scope(item.path)
        own = scope.members.get(item.symbol.qualified_name, {}).get(name, ())
        if not own and item.symbol.container and customs_of(scope.language).scattered:
            # Blocks outside of its braces may leave out the module that the type is in.
            last = item.symbol.name
            own = scope.members.get(last, {}).get(name, ()) if not self._has_own(item, last) else ()
        own = own if name != item.symbol.name else tuple(each for each in own if not is_named_as_its_type(each))
        if own:
            # The members of Rust's impl blocks don't tell in which module their type is.
            several = scope.language == "rust" and sum(
                each.name == item.symbol.name and each.kind in TYPES for each in scope.symbols
            )
            return weaker(here(self._world, scope, own), LIKELY if several > 1 else "")
        return self._scattered(scope, item, name) if customs_of(scope.language).scattered else UNKNOWN

    def _scattered(self, scope: FileScope, item: Definition, name: str) -> Meaning:
        """Members of a type that stand outside of its braces."""
        last = item.symbol.name
        found = [
            each
            for each in self.kin(scope.language, name)
            if each.path != item.path
            and not is_named_as_its_type(each.symbol)
            and _same_path(each.symbol.container, item.symbol.qualified_name)
            and (customs_of(scope.language).reopened or not self._has_own(each, last))
        ]
        folder = scope.path.rpartition("/")[0]
        near = [each for each in found if each.path.rpartition("/")[0] == folder]
        if near:
            # Files for several systems may each have the member, and one has it in several ways.
            several = are_several(self._world, scope.language, near)
            return Meaning(tuple(near[:MOST_TARGETS]), LIKELY if several else PROVEN)
        types = {(each.path, each.symbol.qualified_name) for each in types_in(self.kin(scope.language, last))}
        tier = PROVEN if len(types) == 1 and not are_several(self._world, scope.language, found) else LIKELY
        return Meaning(tuple(found[:MOST_TARGETS]), tier, open=tier != PROVEN) if found else UNKNOWN

    def _has_own(self, item: Definition, name: str) -> bool:
        """Whether the file of a member defines a type of that name itself: then it is that one's."""
        return any(each.kind in TYPES for each in self._world.scope(item.path).members.get("", {}).get(name, ()))


def types_in(items: Iterable[Definition]) -> tuple[Definition, ...]:
    """The types among some definitions."""
    return tuple(item for item in items if item.symbol.kind in TYPES)


def _same_path(one: str, other: str) -> bool:
    """Whether two containers may be one: as much of them as both write is the same."""
    return one == other or (bool(one) and (one.endswith(f".{other}") or other.endswith(f".{one}")))
