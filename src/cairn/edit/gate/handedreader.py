"""Functions that read names, where they are values or get other names: whoever has them may call them with anything."""

import builtins
import re

from cairn.edit.gate.table import Reader
from cairn.edit.source.file import SourceFile
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver
from cairn.syntax.uses import Use

_LIBRARY = frozenset({"JSON", "Object", "Reflect"})
"""What JavaScript's own functions that read names are asked of."""
_RENAMED = re.compile(rb"\s+as\s+(\w+)")


def is_value_here(resolver: Resolver, source: SourceFile, use: Use, reader: Reader) -> bool:
    """Whether a word that isn't called is a function that reads names, and none of the tree's own; not known of Go."""
    if family(source.language) == "javascript":
        return use.role == "read" and use.receiver in _LIBRARY
    if family(source.language) != "python" or use.role not in ("read", "import") or reader.of == "self":
        return False
    scope = resolver.world.scope(source.path)
    if use.role == "import":
        other = _other_name(source, use)
        return bool(other) and not resolver.top(source.path, other).targets
    if use.receiver:
        if reader.asked_of or reader.size is not None or reader.of == "receiver":
            return True
        own = resolver.top(source.path, use.receiver).targets
        own = own or resolver.meaning(source.path, use.name, use.receiver, use.within).targets
        return use.receiver in scope.bound and not own
    if use.name in scope.bound:
        return not resolver.top(source.path, use.name).targets
    return not use.local and (hasattr(builtins, use.name) or bool(scope.stars))


def _other_name(source: SourceFile, use: Use) -> str:
    """The other name that an import gives a word; empty if none."""
    after = _RENAMED.match(source.data, source.text.offset(use.line, use.column) + len(use.name.encode()))
    return after[1].decode() if after is not None and after[1] != use.name.encode() else ""
