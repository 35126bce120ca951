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
"""Modules with functions that turn keywords into members, or pass them on."""
_TAKE_ALL = frozenset({"dict", "type", "format", "update", "super", "object", "__init__", "__new__"})
_SET_NAMES = frozenset({b"multiple", b"update"})
"""Functions that set members by keyword: `patch.multiple(module, name=...)`."""


def called_by(keyword: Any) -> Any:
    """The last name of the function that a keyword is passed to; None if it is not in a call."""
    holder = keyword.parent if keyword is not None else None
    given = holder.parent if holder is not None and holder.type == "keyword_argument" else None
    call = given.parent if given is not None and given.type == "argument_list" else None
    function = call.child_by_field_name("function") if call is not None else None
    return function.named_children[-1] if function is not None and function.type == "attribute" else function


def sets_names(called: Any) -> bool:
    """Whether a called function sets members of a module by its keywords."""
    return called is not None and called.text in _SET_NAMES


def takes_its_own(called: Collection[SemanticSymbol]) -> bool:
    """Whether a function of Python's library is called that has only its own parameters as keywords."""
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
    """Whether a file mentions the module, so that an object with a key of that name may stand in for it."""
    if group.member or group.parameter or group.home:
        return False
    return any(re.search(rb"[\"'`/]%s(?:\.\w+)?[\"'`]" % re.escape(module), data) for module in modules_of(group))


def modules_of(group: Group) -> frozenset[bytes]:
    """The names by which JavaScript imports the modules that define something."""
    found = set()
    for path, _ in group.definitions:
        folder, _, name = path.rpartition("/")
        bare = name.partition(".")[0]
        found.add((posixpath.basename(folder) if bare == "index" else bare).encode())
    return frozenset(found - {b""})
