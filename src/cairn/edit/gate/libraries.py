"""What is known of the types of a language's own library: which members they have."""

import builtins
import importlib

from cairn.edit.gate.table import Table
from cairn.graph.resolve import Resolver

MAKING = frozenset({"__init__", "__new__"})
"""Every class may define these in its own way, whatever its bases have."""


def lacks(resolver: Resolver, path: str, written: str, name: str, table: Table) -> bool:
    """Whether what a file calls so is a class of the language's own that is known to have no member of a name."""
    if not table.libraries:
        return False
    head, _, rest = written.partition(".")
    module, wanted = "builtins", written
    for edge, binding in resolver.world.scope(path).bound.get(head, ()):
        module, wanted = (edge.target, rest or head) if not binding.name else (edge.target, binding.name)
        module = module.removesuffix(f".{wanted}")
    if module not in table.libraries:
        return False
    home = builtins if module == "builtins" else importlib.import_module(module)
    found = getattr(home, wanted.partition("[")[0], None)
    special = getattr(found, "__module__", "") == "typing" and not isinstance(found, type)
    return special or (isinstance(found, type) and (name in MAKING or not hasattr(found, name)))
