"""Names that an import gives in one file: `import { it as name }`, `import * as name`, `import name "package"`.

In Python also what a module binds without a definition: `a, b = 1, 2`, `global a`, `(a := 1)`.
"""

from typing import Any

from cairn.edit.gate.thing import ALIAS, TOP, Thing, UseOfThing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.graph.meaning import NAME, PROVEN
from cairn.graph.symbols import Definition
from cairn.store import SymbolRow
from cairn.syntax.occurrences import FileOccurrences, Occurrence
from cairn.syntax.scopes import SPACE, Scope
from cairn.syntax.uses import scoped_language

_WHOLE = frozenset({"namespace_import", "import_clause", "import_require_clause"})


def alias_at(sources: SourceFiles, source: SourceFile, at: tuple[int, int], name: str) -> Thing | None:
    """The alias whose name stands at a place, with its uses; None where it is something else, too."""
    found = source.found(name) if scoped_language(source.language) else None
    asked = next((one for one in found.occurrences if (one.line, one.column) == at), None) if found else None
    if found is None or asked is None:
        return None
    scope = _function(source, found, asked)
    own = [one for one in found.occurrences if one.bare and _function(source, found, one) is scope]
    own = [one for one in own if _is_outer(found, one) and not _is_brought(source, one)]
    if asked not in own or is_handed_on(source.node(asked.start, asked.end)):
        return None
    uses = {(source.path, one.line, one.column): UseOfThing(PROVEN, one.role) for one in own}
    bound = [one for one in own if one.role == ALIAS and _gives(source.node(one.start, one.end))]
    others = [each for each in sources.holding(name) if each is not source and each.language == source.language]
    if source.language == "python" and not any(one.role == ALIAS for one in own):
        bound = [one for one in own if one.role == "write" and scope is None][:1]
        if any(one.binds is not None and one.binds.kind == SPACE for one in own):
            return None
        stem = source.path.rpartition("/")[2].removesuffix(".py").encode()
        for each in others:
            # Another module that names this one may have it from here.
            if stem in each.data or stem == b"__init__":
                here = (use for use in each.uses(name, quoted=True) if not use.keyword)
                uses |= {(each.path, use.line, use.column): UseOfThing(NAME, use.role) for use in here}
    elif source.language == "python" and scope is None and others:
        return None  # Another module may have it from this one.
    if len(bound) != 1 or any(one.role in (ALIAS, "definition") and one not in bound for one in own):
        return None
    line = bound[0].line
    row = SymbolRow("syntactic", name, name, ALIAS, "", line, line, line, "", False, "")
    return Thing(name, ALIAS, TOP, (Definition(source.path, row),), (), uses, source.language)


def _function(source: SourceFile, found: FileOccurrences, one: Occurrence) -> Scope | None:
    """Python: the function in which an import binds a name; None for what is known to a whole file."""
    meant = found.meaning(one)
    if meant is None or meant[1].local or source.language != "python" or _is_global(source, found, meant[0]):
        return None
    return meant[0]


def _is_global(source: SourceFile, found: FileOccurrences, scope: Scope) -> bool:
    """Whether a function says that a name is its module's."""
    said = (one for one in found.occurrences if scope.start <= one.start < scope.end)
    nodes = (source.node(one.start, one.end) for one in said)
    return any(
        node is not None and node.parent is not None and node.parent.type == "global_statement" for node in nodes
    )


def _is_outer(found: FileOccurrences, one: Occurrence) -> bool:
    """Whether no function has a name for its own."""
    meant = found.meaning(one)
    return meant is None or not meant[1].local


def _gives(node: Any) -> bool:
    """Whether it is the name that an import gives, and not the one that it finds."""
    holder = node.parent
    field = "name" if holder.type == "import_spec" else "alias"
    return holder.type in _WHOLE or holder.child_by_field_name(field) == node


def _is_brought(source: SourceFile, one: Occurrence) -> bool:
    """Whether it is what another module calls it: `export { name } from`, `import { name as other }`."""
    node: Any = source.node(one.start, one.end)
    holder = node.parent if node is not None else None
    if holder is None or one.role != ALIAS:
        return False
    renamed = holder.child_by_field_name("alias") if holder.child_by_field_name("name") == node else None
    return holder.type == "export_specifier" or (renamed is not None and renamed.text != node.text)


def is_handed_on(node: Any) -> bool:
    """`export { name }`: others know it by this name."""
    holder = node.parent if node is not None else None
    return holder is not None and holder.type == "export_specifier" and holder.child_by_field_name("alias") is None
