"""Names, kinds and signatures of symbols: from what an indexer calls them, and what it says about them."""

import re
from typing import NamedTuple

from cairn.semantic.scip.decode import SymbolInformation
from cairn.semantic.scip.symbols import Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError

MODULE = "module"
LOCAL = "local"
CONSTRUCTOR = "constructor"
_CONSTRUCTORS = ("<constructor>", "<init>")
_ACCESSOR = re.compile(r"<(?:get|set)>(?=.)")
_KINDS = {
    Suffix.NAMESPACE: MODULE,
    Suffix.TYPE: "class",
    Suffix.TERM: "variable",
    Suffix.METHOD: "function",
    Suffix.TYPE_PARAMETER: "type_parameter",
    Suffix.PARAMETER: "parameter",
    Suffix.META: "property",
    Suffix.MACRO: "macro",
    Suffix.LOCAL: LOCAL,
}
_WITHIN_A_TYPE = {Suffix.TERM: "field", Suffix.METHOD: "method"}
# What the line that a tool shows of a type begins with, where it isn't a class.
_TYPES = {"interface": "interface", "enum": "enum", "type": "type", "struct": "struct", "trait": "trait"}
_MODULE_OF_PYTHON = "__init__"
# Of SymbolInformation.Kind in scip.proto, where it says more than a descriptor.
_KINDS_NAMED = {
    7: "class",
    8: "constant",
    9: CONSTRUCTOR,
    11: "enum",
    12: "constant",
    15: "field",
    17: "function",
    21: "interface",
    25: "macro",
    26: "method",
    29: MODULE,
    30: MODULE,
    35: MODULE,
    41: "property",
    42: "interface",
    49: "struct",
    53: "trait",
    54: "type",
    55: "type",
    61: "variable",
    66: "method",
    79: "field",
    80: "method",
}


class SymbolName(NamedTuple):
    """A symbol's name and kind, and for a constructor its class."""

    name: str
    """As it is written where the symbol is used."""
    kind: str
    owner: str = ""
    """For a constructor, the symbol of its class."""


def named(symbol: str) -> SymbolName | None:
    """The name and kind of a symbol that other files can name; None for what the grammar doesn't allow."""
    plain = _at_sight(symbol)
    if plain is not None:
        return plain
    try:
        parsed = parse_symbol(symbol)
    except ScipError:
        return None
    last = parsed.descriptors[-1]
    if last.suffix is Suffix.META and last.name == _MODULE_OF_PYTHON:
        return SymbolName(parsed.descriptors[-2].name if len(parsed.descriptors) > 1 else last.name, MODULE)
    if last.suffix is Suffix.METHOD and last.name in _CONSTRUCTORS:
        return SymbolName(CONSTRUCTOR, CONSTRUCTOR, symbol[: symbol.rindex(f"`{last.name}`")])
    within = parsed.descriptors[-2].suffix if len(parsed.descriptors) > 1 else Suffix.NAMESPACE
    kind = _WITHIN_A_TYPE.get(last.suffix) if within is Suffix.TYPE else None
    return SymbolName(_ACCESSOR.sub("", last.name), kind or _KINDS[last.suffix])


def _at_sight(symbol: str) -> SymbolName | None:
    """A fast path for plain names, which nearly all symbols are: it takes an eighth of the time."""
    if symbol.endswith(")"):
        name = symbol[symbol.rfind("(") + 1 : -1]
        return SymbolName(name, _KINDS[Suffix.PARAMETER]) if name.isidentifier() else None
    if symbol.endswith("()."):
        suffix, stem = Suffix.METHOD, symbol[:-3]
    elif symbol.endswith((".", "#")):
        suffix, stem = (Suffix.TYPE if symbol[-1] == "#" else Suffix.TERM), symbol[:-1]
    else:
        return None
    at = max(stem.rfind("/"), stem.rfind("#"), stem.rfind("."))
    name = stem[at + 1 :]
    if at < 0 or stem[at] not in "/#" or not name.isidentifier():
        return None
    return SymbolName(name, _WITHIN_A_TYPE.get(suffix, _KINDS[suffix]) if stem[at] == "#" else _KINDS[suffix])


def kind_named(kind: str, said: int, signature: str) -> str:
    """A more exact kind, if the tool states it or the signature shows it."""
    if said in _KINDS_NAMED:
        return _KINDS_NAMED[said]
    return _TYPES.get(signature.partition(" ")[0], kind) if kind == "class" else kind


def signature_of(information: SymbolInformation) -> str:
    """A symbol's code as the tool shows it, on one line; empty if it shows nothing."""
    shown = information.documentation[0] if information.documentation else ""
    if not shown.startswith("```"):
        return ""
    _, _, code = shown.partition("\n")
    code = code.removesuffix("\n```")
    if "\n" not in code:
        return code
    code = code.replace("(\n  ", "(").replace(",\n  ", ", ").replace("\n)", ")")
    return " ".join(code.split("\n"))
