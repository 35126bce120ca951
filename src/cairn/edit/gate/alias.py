"""Names that an import gives in one file: `import { it as name }`, `import * as name`, `import name "package"`."""

from typing import Any

from cairn.edit.gate.thing import ALIAS, TOP, Thing, UseOfThing
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.graph.meaning import PROVEN
from cairn.graph.symbols import Definition
from cairn.store import SymbolRow
from cairn.syntax.occurrences import Occurrence
from cairn.syntax.uses import scoped_language

_WHOLE = frozenset({"namespace_import", "import_clause", "import_require_clause"})


def alias_at(sources: SourceFiles, source: SourceFile, at: tuple[int, int], name: str) -> Thing | None:
    """The alias whose name stands at a place, with its uses; None where it is something else, too."""
    found = source.found(name) if scoped_language(source.language) else None
    own = [one for one in found.occurrences if one.bare and found.meaning(one) is None] if found is not None else []
    own = [one for one in own if not _is_brought(source, one)]
    bound = [one for one in own if one.role == ALIAS and _gives(source.node(one.start, one.end))]
    asked = next((one for one in own if (one.line, one.column) == at), None)
    if len(bound) != 1 or asked is None or is_handed_on(source.node(asked.start, asked.end)):
        return None
    if any(one.role in (ALIAS, "definition") and one not in bound for one in own):
        return None
    if source.language == "python" and any(each is not source for each in sources.holding(name)):
        return None  # Another module may have it from this one.
    line = bound[0].line
    row = SymbolRow("syntactic", name, name, ALIAS, "", line, line, line, "", False, "")
    uses = {(source.path, one.line, one.column): UseOfThing(PROVEN, one.role) for one in own}
    return Thing(name, ALIAS, TOP, (Definition(source.path, row),), (), uses, source.language)


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
