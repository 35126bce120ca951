"""Names as texts and keywords that are proven to be a thing's: lists of exports and members, patterns of a match."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from cairn.base.values import dataclass
from cairn.edit.gate.corners import shows_itself
from cairn.edit.gate.reach import OTHER, MemberReach
from cairn.edit.gate.table import table_of
from cairn.edit.gate.thing import MEMBER, PARAMETER, TOP, Thing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.values import Construct
from cairn.edit.source.words import STRING, words_in
from cairn.graph.customs import family
from cairn.graph.meaning import PROVEN
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import key_of

_PRIVATE = re.compile(r"\b__\w*[^\W_]_?\b")


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


def _files(sources: SourceFiles, thing: Thing, word: str = "") -> Iterator[SourceFile]:
    return (each for each in sources.holding(word or thing.name) if family(each.language) == family(thing.family))


def special_names(resolver: Resolver, sources: SourceFiles, thing: Thing, new: str) -> Iterator[Construct]:
    """What the language or its tools look for by this name, and members' names in their full form."""
    table, called = table_of(thing.family), thing.kind in FUNCTIONS or thing.kind in TYPES
    members = (*table.special_members, *(table.special_methods if thing.kind in FUNCTIONS else ()))
    patterns = (*table.special, *(members if thing.reach == MEMBER else ()))
    found = [each for each in patterns if fnmatchcase(thing.name, each) and (called or each.startswith("_"))]
    if thing.reach != PARAMETER and any(not fnmatchcase(new, pattern) for pattern in found):
        first, name = thing.definitions[0], thing.name
        why = f"the language or its tools look for names like {name}"
        yield Construct(first.path, first.symbol.name_line, "special_name", name, why, f"special {name}")
    for full in sorted(_in_full(resolver, thing)):
        for source in _files(sources, thing, full):
            for word in words_in(source, full):
                shown = source.text.shown(word.line)
                why = f"has a member's name in its full form, {full}"
                yield Construct(source.path, word.line, "name_as_data", shown, why, f"{source.path} {shown}")


def _in_full(resolver: Resolver, thing: Thing) -> set[str]:
    """Python: private members have the name of their class in theirs."""
    if thing.reach == MEMBER and thing.name.startswith("__"):
        return {f"_{owner.symbol.name.lstrip('_')}{thing.name}" for owner in thing.owners}
    found: set[str] = set()
    for item in thing.definitions if thing.kind in TYPES and thing.family == "python" else ():
        lines = resolver.world.lines(item.path)[item.symbol.name_line - 1 : item.symbol.end_line]
        found |= {f"_{thing.name.lstrip('_')}{said}" for line in lines for said in _PRIVATE.findall(line)}
    return found


def listed_names(resolver: Resolver, sources: SourceFiles, thing: Thing, reach: MemberReach) -> Iterator[WrittenName]:
    """The name in a module's list of exports, or in a type's list of members."""
    table, own_keys = table_of(thing.family), set(map(key_of, thing.definitions))
    lists = table.lists if thing.reach == MEMBER else ("__all__",) if thing.reach == TOP else ()
    for source in _files(sources, thing) if lists else ():
        for word in words_in(source, thing.name):
            if word.listed not in lists:
                continue
            if thing.reach == TOP:
                meant = resolver.top(source.path, thing.name).targets
                hit = any(key_of(each) in own_keys for each in meant)
            else:
                own = (item.symbol for item in reach.below.values() if item.path == source.path)
                hit = any(each.start_line <= word.line <= each.end_line for each in own)
            if hit:
                yield WrittenName(source.path, word.line, word.column, True)


def matched_names(sources: SourceFiles, thing: Thing, reach: MemberReach) -> Iterator[WrittenName]:
    """`case Type(name=1)`: the member of what is matched."""
    for source in _files(sources, thing):
        for use in source.uses(thing.name, quoted=False):
            at = source.text.offset(use.line, use.column)
            node = source.node(at, at + 1) if use.keyword else None
            holder = node.parent if node is not None else None
            pattern = holder.parent if holder is not None and holder.type == "keyword_pattern" else None
            while pattern is not None and pattern.type == "case_pattern":
                pattern = pattern.parent
            if pattern is not None and pattern.type == "class_pattern":
                kind = pattern.named_children[0].said
                said = reach.of(reach.at(source.path, use, kind, pattern.start_point[1], pattern.start_point[0] + 1))
                if said != OTHER:
                    yield WrittenName(source.path, use.line, use.column, said == PROVEN)


def typed_names(resolver: Resolver, sources: SourceFiles, thing: Thing) -> Iterator[WrittenName]:
    """The name in a type that a call is given as a text: `cast("list[Name]", it)`."""
    typing, own = table_of(thing.family).typing, set(map(key_of, thing.definitions))
    for source in _files(sources, thing) if typing and thing.reach == TOP else ():
        for word in words_in(source, thing.name):
            at = source.text.offset(word.line, word.column)
            outer = source.node(at, at + 1) if word.kind == STRING else None
            while outer is not None and ("string" in outer.type or outer.type in ("keyword_argument", "argument_list")):
                outer = outer.parent
            called = outer.child_by_field_name("function") if outer is not None and outer.type == "call" else None
            name = called.said.rpartition(".")[2] if called is not None else ""
            if name in typing and any(key_of(each) in own for each in resolver.top(source.path, thing.name).targets):
                yield WrittenName(source.path, word.line, word.column, True)


def shown_names(sources: SourceFiles, thing: Thing) -> Iterator[Construct]:
    """Python: places that show the name itself beside its value: `f"{name=}"`."""
    for path, line, column in thing.uses if thing.family == "python" else ():
        source = sources.of(path)
        text = source.text
        at, shown = text.offset(line, column), text.shown(line)
        if "=" in shown and "{" in shown and shows_itself(iter([source.node(at, at + 1)])):
            why = "shows an expression as it is written beside its value"
            yield Construct(path, line, "asked_by_name", shown, why, f"{path} {shown}")
