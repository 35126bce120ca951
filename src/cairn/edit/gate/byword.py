"""Python: what becomes of a table of names, and whether a program only asks it for single ones."""

from collections.abc import Iterator
from typing import Any

from cairn.edit.gate.case import Case
from cairn.edit.source.file import SourceFile
from cairn.edit.source.written import function_on, said_of
from cairn.graph.meaning import PROVEN
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.standins import decorators_of
from cairn.graph.symbols import Definition

_MOST_STEPS = 4
_BOUND = ("classmethod", "staticmethod")


def is_by_word(case: Case, source: SourceFile, node: Any, steps: int = _MOST_STEPS) -> bool:
    """Whether a table is only asked for, or given, names one by one: `it["name"]`, `it.get(word)`.

    It is followed into the functions of the tree that it is given to.
    """
    holder = node.parent if node is not None else None
    if holder is None or source.language != "python":
        return False
    if holder.type == "attribute":
        return said_of(holder.child_by_field_name("attribute")) in case.table.by_word
    if holder.type == "subscript":
        return bool(holder.child_by_field_name("value") == node)
    given = holder.parent if holder.type == "keyword_argument" else holder
    if given.type != "argument_list" or not steps or any("splat" in each.type for each in given.named_children):
        return False
    functions = list(_called(case, source, given.parent))
    return bool(functions) and all(_takes_by_word(case, each, given, node, steps - 1) for each in functions)


def _called(case: Case, source: SourceFile, call: Any) -> Iterator[Definition]:
    """The functions that are certainly called, with their arguments as written; nothing where one may not be."""
    function = call.child_by_field_name("function")
    last = function.child_by_field_name("attribute") or function if function is not None else None
    use = case.resolver.world.use_at(source.path, last.said, *source.text.place(last.start_byte)) if last else None
    meant = case.resolver.meaning_of(source.path, use) if use is not None else None
    if use is None or meant is None or meant.open or meant.tier != PROVEN:
        return
    for item in meant.targets:
        said = {each[1].rpartition(".")[2] for _, each in decorators_of(case.resolver.world, item)}
        bound = use.receiver in ("", "self") or not said.isdisjoint(_BOUND)
        if item.symbol.kind not in FUNCTIONS or not bound or not said.issubset(case.table.plain_decorators):
            return
    yield from meant.targets


def _takes_by_word(case: Case, item: Definition, given: Any, node: Any, steps: int) -> bool:
    """Whether a function asks what it is given at a place of a call only for single names."""
    source, symbol = case.sources.of(item.path), item.symbol
    function = function_on(source.root, symbol.name_line)
    listed = function.child_by_field_name("parameters").named_children if function is not None else []
    names = [each.named_children[0].said if each.named_children else each.said for each in listed]
    names = [each for each in names if each not in ("self", "cls")]
    keyword = node.parent.child_by_field_name("name") if node.parent.type == "keyword_argument" else None
    place = names.index(keyword.said) if keyword is not None and keyword.said in names else -1
    place = given.named_children.index(node) if keyword is None else place
    if not 0 <= place < len(names) or any("splat" in each.type for each in listed):
        return False
    uses = [
        each for each in case.resolver.world.uses(item.path, names[place]) if not each.receiver and not each.keyword
    ]
    inside = [each for each in uses if symbol.name_line <= each.line <= symbol.end_line and each.role != "definition"]
    return all(
        each.role == "read" and is_by_word(case, source, source.at(each.line, each.column), steps) for each in inside
    )
