"""What depends on the module that a definition stands in: words of its code, texts that name modules, who keeps it."""

import keyword
import posixpath
import sys
from collections.abc import Iterator
from typing import Any

from cairn.base.errors import RefusedError
from cairn.edit.gate.table import Table, table_of
from cairn.edit.moving.transfer import Transfer
from cairn.edit.source.modulenames import ModuleNames
from cairn.edit.source.values import Construct
from cairn.edit.source.written import within
from cairn.graph.scopes import TYPES
from cairn.graph.symbols import Definition

Cut = tuple[int, int, str]
"""Some bytes of the definition, and what stands there instead."""
_CALLS = {"call": "function", "call_expression": "function", "new_expression": "constructor"}
_MEMBERS = {"attribute": "attribute", "member_expression": "property"}


def led_on(transfer: Transfer) -> Iterator[Cut]:
    """Ask about words that will mean something else there; texts that name modules from where they stand are led on."""
    table = table_of(transfer.source.language)
    said: set[str] = set()
    for node in (inner for each in transfer.extent.nodes for inner in within(each)):
        said.update(word for word in _words(node) if word in table.of_module)
        if (text := _loaded(node, table)) is not None:
            yield from _from_there(transfer, text)
    for word in sorted(said):
        shown = word.lstrip(".")
        transfer.doubt("own_module", f"It uses {shown}, which is of its module and will be another: does that matter?")


def keepers(transfer: Transfer, item: Definition) -> Iterator[Construct]:
    """What keeps in which module a type stands, in data that may be older than the move."""
    for word in table_of(transfer.source.language).keeps_modules if item.symbol.kind in TYPES else ():
        for source in transfer.sources.holding(word):
            for use in list(source.uses(word, quoted=False))[:1]:
                shown = source.text.shown(use.line)
                why = f"{word}: keeps in which module a class stands"
                yield Construct(source.path, use.line, "kept_module", shown, why, f"keeps {source.path} {shown}")


def require_importable(names: ModuleNames, to: str, *, made: bool) -> None:
    """RefusedError for a file of Python that nobody could import by its name, or that would take that of another."""
    parts = names.dotted(to).split(".")
    if reserved := next(filter(keyword.iskeyword, parts), ""):
        raise RefusedError(f"{to} can't be imported: {reserved} is a word of the language")
    if made and len(parts) == 1 and parts[0] in sys.stdlib_module_names:
        raise RefusedError(f"{to} would stand before {parts[0]} of Python's own modules")


def _words(node: Any) -> Iterator[str]:
    """The forms in which the table may list what stands at a node: `word`, `.member`, `word()` without arguments."""
    text = node.said
    above = node.parent
    if above is not None and above.type in _MEMBERS and above.child_by_field_name(_MEMBERS[above.type]) == node:
        yield f".{text}"
    elif node.type in _CALLS or not node.children or node.type in ("meta_property", *_MEMBERS):
        yield text


def _loaded(node: Any, table: Table) -> Any:
    """The text by which a call names a module from where the file stands; None for anything else."""
    if node.type not in _CALLS or not table.loads:
        return None
    called, given = node.child_by_field_name(_CALLS[node.type]), node.child_by_field_name("arguments")
    first = given.named_children[0] if given is not None and given.named_children else None
    if called is None or first is None or first.type != "string":
        return None
    last = called.said.rpartition(".")[2]
    return first if last in table.loads and first.text[1:2] == b"." else None


def _from_there(transfer: Transfer, node: Any) -> Iterator[Cut]:
    old, to = transfer.source.path, transfer.to
    if posixpath.dirname(old) == posixpath.dirname(to):
        return
    said = node.text[1:-1].decode("utf-8", "replace")
    origin = transfer.names.file_of(old, said)
    module = transfer.names.name_of(origin, to, said, origin) if origin else ""
    if module:
        yield node.start_byte + 1, node.end_byte - 1, module
    else:
        transfer.doubt("own_module", f"It loads {said} from where it stands: is that there, seen from {to}?")
