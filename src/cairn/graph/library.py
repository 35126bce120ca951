"""What Python's own library makes: a value of one of its classes is of that class, and of nothing in the tree.

What is known of such a value is written as the way to it: `io.BytesIO` is the class, `io.BytesIO()` a value of it.
"""

import importlib
from functools import cache

from cairn.graph.scopes import FileScope

ANYTHING = "?"
"""A value of the library's own, of more than one class."""
_MODULES = frozenset(
    """
    argparse array codecs collections configparser contextlib csv datetime decimal difflib fractions functools hashlib
    html.parser io itertools json logging optparse pathlib queue random re shlex socket string struct subprocess
    tempfile textwrap threading time uuid zipfile
    """.split()
)
"""Modules that can be loaded without any effect."""
_STAND_INS = frozenset({"argparse.Namespace", "functools.partial", "functools.partialmethod", "optparse.Values"})
"""Classes whose values are called, or asked, in the place of others."""
_GIVES = {
    "argparse.ArgumentParser().parse_args": "argparse.Namespace()",
    "codecs.lookup": "codecs.CodecInfo()",
    "logging.getLogger": "logging.Logger()",
    "optparse.OptionParser().parse_args": "optparse.OptionParser().parse_args()",
    "re.compile": "re.Pattern()",
    "re.fullmatch": "re.Match()",
    "re.match": "re.Match()",
    "re.search": "re.Match()",
    "re.Pattern().fullmatch": "re.Match()",
    "re.Pattern().match": "re.Match()",
    "re.Pattern().search": "re.Match()",
    "tempfile.NamedTemporaryFile": "tempfile._TemporaryFileWrapper()",
}
_HOLDS = {"optparse.OptionParser().parse_args()": "optparse.Values()"}


def way_of(scope: FileScope, local: str) -> str:
    """What an import gives under a name; empty where several do."""
    pairs = scope.bound.get(local, ()) if scope.language == "python" else ()
    ways = {f"{edge.target.removesuffix(f'.{each.name}')}.{each.name}".rstrip(".") for edge, each in pairs}
    return ways.pop() if len(ways) == 1 else ""


def called(way: str) -> str:
    """What calling something of the library gives; empty where that isn't known."""
    return _GIVES.get(way, "") or (f"{way}()" if _is_class(way) else "")


def element(way: str) -> str:
    """What a value of the library holds; empty where that may be anything."""
    return _HOLDS.get(way, "")


@cache
def _is_class(way: str) -> bool:
    module, _, name = way.rpartition(".")
    if module not in _MODULES or way in _STAND_INS:
        return False
    found = getattr(importlib.import_module(module), name, None)
    # What has no class of its own to make, like an abstract one, is made by something else.
    return isinstance(found, type) and not getattr(found, "__abstractmethods__", None)
