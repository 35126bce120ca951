"""Names as texts and keywords that are proven to be a thing's: lists of exports and members, patterns of a match."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from cairn.edit.gate.case import NAME_AS_DATA, Case, WrittenName
from cairn.edit.gate.corners import shows_itself
from cairn.edit.gate.reach import OTHER
from cairn.edit.gate.thing import MEMBER, PARAMETER, TOP
from cairn.edit.source.file import SourceFile
from cairn.edit.source.values import Construct
from cairn.edit.source.words import STRING, words_in
from cairn.edit.source.written import said_of
from cairn.graph.meaning import PROVEN
from cairn.graph.scopes import FUNCTIONS, TYPES
from cairn.graph.symbols import key_of

_PRIVATE = re.compile(r"\b__\w*[^\W_]_?\b")


def special_names(case: Case) -> Iterator[Construct]:
    """What the language or its tools look for by this name, and members' names in their full form."""
    thing, table = case.thing, case.table
    called = thing.kind in FUNCTIONS or thing.kind in TYPES
    members = (*table.special_members, *(table.special_methods if thing.kind in FUNCTIONS else ()))
    patterns = (*table.special, *(members if thing.reach == MEMBER else ()))
    found = [each for each in patterns if fnmatchcase(thing.name, each) and (called or each.startswith("_"))]
    # What asks for one of these names makes it of a word: only a runner that takes every one knows the new name too.
    kept = (pattern in table.collected and fnmatchcase(case.new, pattern) for pattern in found)
    if thing.reach != PARAMETER and not all(kept):
        why = f"the language or its tools look for names like {thing.name}"
        yield case.head(thing.definitions[0], "special_name", why, thing.name, f"special {thing.name}")
    for full in sorted(_in_full(case)):
        for source in case.files(full):
            for word in words_in(source, full):
                why = f"has a member's name in its full form, {full}"
                yield case.construct(source.path, word.line, NAME_AS_DATA, why)


def _in_full(case: Case) -> set[str]:
    """Python: private members have the name of their class in theirs."""
    thing = case.thing
    if thing.reach == MEMBER and thing.name.startswith("__"):
        return {f"_{owner.symbol.name.lstrip('_')}{thing.name}" for owner in thing.owners}
    types = thing.definitions if thing.kind in TYPES and thing.family == "python" else ()
    return {f"_{thing.name.lstrip('_')}{said}" for item in types for said in _PRIVATE.findall(case.text_of(item))}


def listed_names(case: Case) -> Iterator[WrittenName]:
    """The name in a module's list of exports, or in a type's list of members."""
    of_module = case.thing.reach == TOP
    lists = case.table.lists if case.thing.reach == MEMBER else ("__all__",) if of_module else ()
    for source in case.files() if lists else ():
        own = [item.symbol for item in case.reach.below.values() if item.path == source.path]
        for word in words_in(source, case.thing.name):
            within = any(each.start_line <= word.line <= each.end_line for each in own)
            if word.listed in lists and (_is_own(case, source) if of_module else within):
                yield WrittenName(source.path, word.line, word.column, True)


def _is_own(case: Case, source: SourceFile) -> bool:
    """Whether the name means the thing at the top of a file."""
    return any(key_of(each) in case.own for each in case.resolver.top(source.path, case.thing.name).targets)


def matched_names(case: Case) -> Iterator[WrittenName]:
    """`case Type(name=1)`: the member of what is matched."""
    for source in case.files():
        for use in source.uses(case.thing.name, quoted=False):
            node = source.at(use.line, use.column) if use.keyword else None
            holder = node.parent if node is not None else None
            pattern = holder.parent if holder is not None and holder.type == "keyword_pattern" else None
            while pattern is not None and pattern.type == "case_pattern":
                pattern = pattern.parent
            if pattern is not None and pattern.type == "class_pattern":
                kind, (row, column) = pattern.named_children[0].said, pattern.start_point
                said = case.reach.of(case.reach.at(source.path, use, kind, column, row + 1))
                if said != OTHER:
                    yield WrittenName(source.path, use.line, use.column, said == PROVEN)


def typed_names(case: Case) -> Iterator[WrittenName]:
    """The name in a type that a call is given as a text: `cast("list[Name]", it)`."""
    typing = case.table.typing
    for source in case.files() if typing and case.thing.reach == TOP else ():
        for word in words_in(source, case.thing.name):
            outer = source.at(word.line, word.column) if word.kind == STRING else None
            while outer is not None and ("string" in outer.type or outer.type in ("keyword_argument", "argument_list")):
                outer = outer.parent
            called = outer.child_by_field_name("function") if outer is not None and outer.type == "call" else None
            if said_of(called).rpartition(".")[2] in typing and _is_own(case, source):
                yield WrittenName(source.path, word.line, word.column, True)


def shown_names(case: Case) -> Iterator[Construct]:
    """Python: places that show the name itself beside its value: `f"{name=}"`."""
    python = case.thing.family == "python" and case.thing.reach != PARAMETER
    for path, line, column in case.thing.uses if python else ():
        source = case.sources.of(path)
        shown = source.text.shown(line)
        if "=" in shown and "{" in shown and shows_itself(iter([source.at(line, column)])):
            why = "shows an expression as it is written beside its value"
            yield case.construct(path, line, "asked_by_name", why)
