"""Keywords of calls and keys of objects: which of them may name something of the code."""

import posixpath
import re
from collections.abc import Collection
from typing import Any

from cairn.edit.group import Group
from cairn.semantic.scip import ScipError, parse_symbol
from cairn.store import SemanticSymbol

_LIBRARY = "python-stdlib"
_MAKERS = frozenset(
    """
    types unittest unittest.mock dataclasses functools argparse copy collections string threading ctypes enum inspect
    logging typing contextlib concurrent.futures asyncio
    """.split()
)
"""Modules with something that makes members of its keywords, or passes them on to what it calls."""
_TAKE_ALL = frozenset({"dict", "type", "format", "update", "super", "object", "__init__", "__new__"})
_SET_NAMES = frozenset({b"multiple", b"update"})
"""What gives a module new values by its keywords: `patch.multiple(module, name=...)`."""


def called_by(keyword: Any) -> Any:
    """The last name of what a keyword is given to; None where it is not one of a call."""
    holder = keyword.parent if keyword is not None else None
    given = holder.parent if holder is not None and holder.type == "keyword_argument" else None
    call = given.parent if given is not None and given.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    return function.named_children[-1] if function is not None and function.type == "attribute" else function


def sets_names(called: Any) -> bool:
    return called is not None and called.text in _SET_NAMES


def takes_its_own(called: Collection[SemanticSymbol]) -> bool:
    """Whether something of Python's own library is called whose keywords are its own parameters alone."""
    return bool(called) and all(map(_is_plain, called))


def _is_plain(symbol: SemanticSymbol) -> bool:
    try:
        parsed = parse_symbol(symbol.symbol)
    except ScipError:
        return False
    if parsed.package != _LIBRARY or not parsed.descriptors:
        return False
    return parsed.descriptors[0].name not in _MAKERS and parsed.descriptors[-1].name not in _TAKE_ALL


def stands_in(group: Group, data: bytes) -> bool:
    """Whether a file with an object that has a key of that name knows the module: the object may stand in for it."""
    if group.member or group.parameter or group.home:
        return False
    return any(re.search(rb"[\"'`/]%s(?:\.\w+)?[\"'`]" % re.escape(module), data) for module in modules_of(group))


def modules_of(group: Group) -> frozenset[bytes]:
    """What those who import them call the modules of JavaScript that something is defined in."""
    found = set()
    for path, _ in group.definitions:
        folder, _, name = path.rpartition("/")
        bare = name.partition(".")[0]
        found.add((posixpath.basename(folder) if bare == "index" else bare).encode())
    return frozenset(found - {b""})
