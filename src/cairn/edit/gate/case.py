"""One rename as all rules judge it: the thing and its new name, the tree, and what has to do with the thing."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from cairn.base.values import dataclass
from cairn.edit.gate.reach import OTHER, MemberReach
from cairn.edit.gate.readof import CHAIN, plain, unwrapped
from cairn.edit.gate.table import MEMBERS, OWN, table_of
from cairn.edit.gate.thing import ERASED, MEMBER, PARAMETER, TOP, Thing, is_module
from cairn.edit.gate.worded import is_put_together, is_worded
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import Construct
from cairn.graph.binding import ChainPlace
from cairn.graph.customs import customs_of, family
from cairn.graph.meaning import NAME
from cairn.graph.members import types_in
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import Definition, key_of
from cairn.graph.values import Value
from cairn.store import SymbolRow
from cairn.workspace.reads import content_hash

_MODIFIERS = re.compile(r"^(?:(?:static|readonly|override|async|abstract|declare)\s+)*(private|protected|#)")
NAME_AS_DATA = "name_as_data"
"""The kind of what reads names while the program runs."""


@dataclass(frozen=True, slots=True)
class WrittenName:
    """The name in a construct that reads it: `getattr(it, "name")`, `replace(it, name=1)`."""

    path: str
    line: int
    column: int
    meant: bool
    """Whether it is proven to be the thing; otherwise it is open."""
    form: str = ""
    """How the new name is written there."""
    other: bool = False
    """Whether it is proven to be something else."""


Found = Iterator[Construct | WrittenName]


class Case:
    """One thing that is to be renamed in one snapshot."""

    def __init__(self, resolver: Resolver, sources: SourceFiles, thing: Thing, new: str = "", was: str = "") -> None:
        """`was`: what the thing is called, where it is looked for as if it had another name."""
        self.resolver, self.sources, self.thing, self.new = resolver, sources, thing, new
        self._called = was or thing.name
        self.table = table_of(thing.family)
        self.reach = MemberReach(resolver, thing.owners if thing.reach == MEMBER else types_in(thing.definitions))
        self.own = frozenset(map(key_of, thing.owners if thing.reach == PARAMETER else thing.definitions))
        """What is reached by reaching one of these."""

    def files(self, word: str = "") -> Iterator[SourceFile]:
        """The files of the thing's language that may hold a word, or its name."""
        for source in self.sources.holding(word or self.thing.name):
            if family(source.language) == family(self.thing.family):
                yield source

    def construct(self, path: str, line: int, kind: str, why: str, shown: str = "", about: str = "") -> Construct:
        """A place to ask about. An answer holds while the definition that it stands in is the same, or what it is
        `about`, where that is no place: a decorator, a base."""
        shown = shown or self.sources.of(path).text.shown(line)
        said = f"{kind}\0{about}" if about else f"{path}\0{kind}\0{why}\0{shown}\0{self.body(path, line)}"
        return Construct(path, line, kind, shown, why, content_hash(said.encode()))

    def head(self, item: Definition, kind: str, why: str, shown: str = "", about: str = "") -> Construct:
        """A question about what is defined somewhere."""
        return self.construct(item.path, item.symbol.name_line, kind, why, shown, about)

    def around(self, path: str, line: int) -> SymbolRow | None:
        """The innermost definition that holds a line."""
        rows = [each for each in self.resolver.world.scope(path).symbols if each.start_line <= line <= each.end_line]
        return max(rows, key=lambda each: (each.start_line, -each.end_line, len(each.qualified_name)), default=None)

    def within(self, path: str, line: int) -> str:
        """What that definition is called."""
        row = self.around(path, line)
        return row.qualified_name if row is not None else ""

    def body(self, path: str, line: int) -> str:
        """The text of that definition."""
        row = self.around(path, line)
        return self.text_of(Definition(path, row)) if row is not None else ""

    def text_of(self, item: Definition) -> str:
        """The text of a definition."""
        return "\n".join(self.resolver.world.lines(item.path)[item.symbol.start_line - 1 : item.symbol.end_line])

    @cached_property
    def is_worded(self) -> bool:
        """Whether the name stands as a text somewhere in the tree."""
        return is_worded(self.sources, self.thing.name, ("__all__", *self.table.lists))

    @cached_property
    def is_put_together(self) -> bool:
        """Whether texts of the tree may be put together to the name."""
        return is_put_together(self.sources, self.thing.name)

    @cached_property
    def is_of_class(self) -> bool:
        """Scripts, Go: whether values have it, a method, from their type: no list of what they hold has it."""
        thing = self.thing
        if thing.family == "go":
            return thing.kind in FUNCTIONS
        if thing.reach != MEMBER or not thing.owners or any(owner.symbol.kind != "class" for owner in thing.owners):
            return False
        # A field may hold a function: `name = () => 1`.
        symbols = [item.symbol for item in thing.definitions]
        return all(re.search(rf"(?<![\w$]){re.escape(each.name)}\s*[(<]", each.signature) for each in symbols)

    def reaches(self, value: Value, reads: str = MEMBERS, *, itself: bool = False) -> bool | None:
        """Whether a construct that is given a value reaches the thing; None where nothing tells."""
        thing = self.thing
        if thing.reach == TOP and any(map(self._is_offered, value.things.modules)):
            return True
        if reads == MEMBERS and thing.reach == TOP:
            # Only a module has it for a member.
            return False if value.answers and not value.open and not value.things.open else None
        if any(key_of(each) in self.own for each in value.things.targets):
            return True
        if reads == OWN and not (thing.reach == TOP and thing.kind in TYPES):
            # What a value is called is what its type is called, and no member of that.
            known = bool(value.types or value.things) and not value.open
            return False if known or value.literal else None
        said = self.reach.of(value, itself=itself)
        return None if said == NAME else said != OTHER

    def reaches_at(self, source: SourceFile, within: str, node: Any) -> bool | None:
        """Whether reading the members of what stands at a node reaches the thing; None where nothing tells."""
        node = unwrapped(node)
        row, column = node.start_point
        chain = plain(node.said)
        if not CHAIN.fullmatch(chain):
            return None
        return self.reaches(self.resolver.evaluator.at(ChainPlace(source.path, within, row + 1, column), chain))

    def _is_offered(self, path: str) -> bool:
        """Whether a module has the thing, be it its own or handed on."""
        meant = self.resolver.top(path, self._called).targets
        own = (key_of(each) in self.own for each in meant)
        return any(item.path == path for item in self.thing.definitions) or any(own)

    @cached_property
    def is_erased(self) -> bool:
        """TypeScript: whether it is a type alone, of which nothing is left when the program runs."""
        kinds = {item.symbol.kind for item in self.thing.definitions}
        return family(self.thing.family) == "javascript" and kinds.issubset(ERASED)

    def is_known_in(self, source: SourceFile) -> bool:
        """Scripts: whether a text that a file runs can name a thing of a module, or a module that has it."""
        world = self.resolver.world
        paths = {item.path for item in self.thing.definitions}
        if source.path in paths or any(path == source.path for path, _, _ in self.thing.uses):
            return True
        edges = (edge for pairs in world.scope(source.path).bound.values() for edge, _ in pairs)
        taken = {
            path for each in edges for path in world.modules.resolve(source.language, source.path, each.target).paths
        }
        # What is in no module is known everywhere.
        return any(map(self._is_offered, taken)) or not all(is_module(self.resolver, each) for each in paths)

    def has_to_do(self, source: SourceFile) -> bool:
        """Whether a file names a type that has the member, or the function of a parameter, or asks for the member."""
        thing = self.thing
        kin = thing.owners if thing.reach == PARAMETER else self.reach.below.values()
        if any(source.uses(item.symbol.name, quoted=True) for item in kin):
            return True
        return thing.reach == MEMBER and any(use.receiver for use in source.uses(thing.name, quoted=True))


def kept_by(item: Definition) -> str:
    """TypeScript: how a class keeps a member from others; empty if it doesn't."""
    said = _MODIFIERS.search(item.symbol.signature)
    return said[1] if said is not None else ""


def is_seen(thing: Thing, path: str, line: int) -> bool:
    """Whether a place may know the thing: Go's small letters end with the package, `private` with the class."""
    if thing.family == "go" and not thing.name[:1].isupper():
        return path.rpartition("/")[0] in {item.path.rpartition("/")[0] for item in thing.definitions}
    if not customs_of(thing.family).merged or thing.reach != MEMBER:
        return True
    if not all(kept_by(item) in ("private", "#") for item in thing.definitions):
        return True
    bodies = ((owner.path, owner.symbol.start_line, owner.symbol.end_line) for owner in thing.owners)
    return any(path == own and start <= line <= end for own, start, end in bodies)
