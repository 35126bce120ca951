"""Which names a variable of a construct can be, where every text that it may hold is written out."""

import re
from fnmatch import fnmatchcase
from typing import Any

from cairn.edit.gate.table import Table
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.texts import FileText
from cairn.edit.source.written import TEXT_FORM, CallNode, loop_names, parameter_place
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.symbols import Definition
from cairn.syntax.uses import Use


def possible_names(
    resolver: Resolver, sources: SourceFiles, table: Table, source: SourceFile, use: Use, said: Any
) -> list[str]:
    """The texts that a variable gets by a loop, or by all calls of its function; nothing where it may get another."""
    if said is None or said.type != "identifier":
        return []
    word = said.text.decode("utf-8", "replace")
    if names := loop_names(said):
        return names
    around = resolver.world.scope(source.path).named(use.within)
    found = [Definition(source.path, each) for each in around if each.kind in FUNCTIONS]
    if len(found) != 1:
        return []
    symbol = found[0].symbol
    if any(fnmatchcase(symbol.name, pattern) for pattern in table.fills_parameters):
        # A runner gives it what is written before it.
        lines = resolver.world.lines(source.path)[symbol.start_line - 1 : symbol.name_line - 1]
        names = [each[2] for each in TEXT_FORM.finditer("\n".join(lines))]
        return names if any(word in re.split(r"\W+", each) for each in names) else []
    at = FileText(source.data).offset(symbol.name_line, 0)
    place = parameter_place(source.node(at, at + 1), word)
    names = []
    for call in find_uses(resolver, found).items if place is not None else ():
        if call.role == "import":
            continue
        given = CallNode(sources.of(call.path), call).given(place, word) if place is not None else None
        if given is None or given.type != "string":
            return []
        names.append(TEXT_FORM.sub(r"\2", given.text.decode("utf-8", "replace")))
    return names
