"""The symbols of one import: each has a number, a name that has to be written where it is used, and what is told of it."""

import re
from collections.abc import Collection, Iterator

from cairn.semantic.naming import LOCAL, MODULE, Named, kind_told, named, signature_of
from cairn.semantic.scip import SymbolInformation
from cairn.store import SemanticSymbol
from cairn.store.semantics import DEFINITION, IMPLEMENTATION, REFERENCE, TYPE_DEFINITION

_LOCAL = "local "
_UNREADABLE = Named("", "")
_PACKAGE = re.compile(r"(?:(?:[^ ]|  )* ){2}((?:[^ ]|  )*) (?:[^ ]|  )* ")
_IDENTIFIER = re.compile(r"[\w$]+")
# Written where a symbol is meant that has another name.
_SPECIAL = frozenset({"default", "exports", "this", "super", "self", "Self"})
_QUOTES = "\"'`"


class SymbolTable:
    """Symbols that other files can name are there once, local ones once a document."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """Of global symbols, and of the local ones of the document that is being read."""
        self.names: list[bytes | None] = [None]
        """What a place must hold; None where that takes a closer look."""
        self.symbols = [""]
        self.named = [_UNREADABLE]
        self._signatures: dict[int, str] = {}
        self._homes: dict[int, str] = {}
        self._path = ""
        self._locals: list[str] = []

    def open(self, path: str) -> None:
        """Begin with the local symbols of a document."""
        self._path = path
        for symbol in self._locals:
            del self.numbers[symbol]
        self._locals.clear()

    def number(self, symbol: str) -> int:
        known = self.numbers.get(symbol)
        if known is not None:
            return known
        number = self.numbers[symbol] = len(self.symbols)
        self.symbols.append(symbol)
        if symbol.startswith(_LOCAL):
            self._homes[number] = self._path
            self._locals.append(symbol)
            found = Named("", LOCAL)
        else:
            found = named(symbol) or _UNREADABLE
        self.named.append(found)
        self.names.append(found.name.encode() if found.name and found.kind != MODULE else None)
        return number

    def is_local(self, number: int) -> bool:
        return number in self._homes

    def accepts(self, number: int, written: str, roles: int) -> bool:
        """Whether a text stands for a symbol by itself, whatever other places say."""
        name, kind, _ = self.named[number]
        if kind == LOCAL and not name:
            # A local symbol has no name but what is written at its first place.
            if not _IDENTIFIER.fullmatch(written):
                return False
            self._name(number, written)
            return True
        if not written:
            return bool(roles & DEFINITION) and kind == MODULE
        if kind == MODULE:
            # The path of a file, as scip-typescript writes imports.
            return written[0] in _QUOTES and not self.symbols[number].endswith(":")
        if written == name or (written in _SPECIAL and kind != LOCAL):
            return True
        if written[0] in _QUOTES:
            return written.strip(_QUOTES) == name.strip("[]").strip(_QUOTES)
        if kind == "property" and name.startswith(written) and name[len(written) :].isdigit():
            # scip-typescript counts the keys of objects that have no name.
            self._name(number, written)
            return True
        # An operator stands for the function that it calls.
        return kind in ("function", "method") and not any(sign.isalnum() or sign in "_.$" for sign in written)

    def _name(self, number: int, written: str) -> None:
        self.named[number] = self.named[number]._replace(name=written)
        self.names[number] = written.encode()

    def describe(self, information: SymbolInformation) -> Iterator[tuple[int, int, str]]:
        """Note what is told of a symbol that was met; its relationships, by numbers."""
        number = self.numbers.get(information.symbol)
        if number is None:
            return
        if number not in self._signatures:
            signature = self._signatures[number] = signature_of(information)
            found = self.named[number]
            kind = kind_told(found.kind, information.kind, signature) if found.kind != LOCAL else LOCAL
            if kind != found.kind:
                self.named[number] = found._replace(kind=kind)
        for each in information.relationships:
            told = (
                (each.implementation, IMPLEMENTATION),
                (each.reference or each.definition, REFERENCE),
                (each.type_definition, TYPE_DEFINITION),
            )
            if each.symbol:
                yield from ((number, self.number(each.symbol), kind) for is_so, kind in told if is_so)

    def rows(self, numbers: Collection[int]) -> Iterator[SemanticSymbol]:
        for number in sorted(numbers):
            name, kind, _ = self.named[number]
            signature = self._signatures.get(number, "")
            yield SemanticSymbol(number, self.symbols[number], name, kind, self._homes.get(number, ""), signature)


def package_of(symbol: str) -> str:
    """Scheme, manager, package and version as written; empty where a symbol names no package."""
    found = _PACKAGE.match(symbol)
    return found[0] if found is not None and found[1] not in ("", ".") else ""
