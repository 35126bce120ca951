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
    """Whether a symbol is a Python module by scip-python."""
    return symbol.startswith("scip-python ") and symbol.endswith(MODULE_END)


def trusted(suspects: Sequence[Suspect], name: str, *, ours: bool, relative: bool) -> list[Suspect]:
    """The places of one module in one file that can be trusted.

    A name of several parts is complete. In our own project, a name of one part is trusted if it is imported
    absolutely, and at its uses in such a file. It is not trusted after a dot, and in a file with imports by dots alone
    (`relative`) only at the import itself.
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
    """The files that a relative import may mean; several if nothing says how far up the module is."""
    if "." in name and written == name:
        return
    folders = path.split("/")[:-1]
    dots = len(written) - len(written.lstrip("."))
    ups = range(len(folders), -1, -1) if not dots else range(len(folders) - dots + 1, len(folders) - dots, -1)
    for depth in ups:
        if depth >= 0:
            base = "/".join((*folders[:depth], *name.split(".")))
            yield from (base + ending for ending in _ENDINGS)
