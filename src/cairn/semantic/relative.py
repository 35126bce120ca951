"""Modules as scip-python names them: one that is imported relatively has only the last parts of its name.

`from . import string` in `a/b.py` gives the symbol of a module `string`, which may well be there, and be another one.
"""

import re
from collections.abc import Iterator, Sequence

from cairn.semantic.edges import Suspect

MODULE_END = "/__init__:"
_ABSOLUTE = re.compile(r"\s*(?:from\s+|import\s+(?:[\w.]+\s*,\s*)*)$")
_ENDINGS = (".py", ".pyi", "/__init__.py", "/__init__.pyi")


def is_module(symbol: str) -> bool:
    return symbol.startswith("scip-python ") and symbol.endswith(MODULE_END)


def trusted(suspects: Sequence[Suspect], name: str, *, ours: bool, relative: bool) -> list[Suspect]:
    """Those places of one module in one file that are believed.

    A name of several parts is a whole one. One of a single part is, in our own project, believed where it is imported
    from the top, and where it is used in a file that does that; not behind a dot, and in a file that imports from its
    own package by dots alone (`relative`) not beyond the import itself.
    """
    if "." in name:
        return [each for each in suspects if each.written in (name, name.rpartition(".")[2])]
    named = [each for each in suspects if each.written == name]
    if not ours:
        return named
    absolute = [each for each in named if _ABSOLUTE.fullmatch(each.before)]
    if not absolute or relative:
        return absolute
    return [each for each in named if not each.before.endswith(".")]


def targets(path: str, name: str, written: str) -> Iterator[str]:
    """Files that a module may be that a file imports relatively: several where nothing says how far up it lies."""
    if "." in name and written == name:
        return
    folders = path.split("/")[:-1]
    dots = len(written) - len(written.lstrip("."))
    ups = range(len(folders), -1, -1) if not dots else range(len(folders) - dots + 1, len(folders) - dots, -1)
    for depth in ups:
        if depth >= 0:
            base = "/".join((*folders[:depth], *name.split(".")))
            yield from (base + ending for ending in _ENDINGS)
