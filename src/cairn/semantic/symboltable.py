"""The symbols of one import: each has a number, the name that its uses must show, and a description."""

import re
from collections.abc import Collection, Iterator, Sequence

from cairn.semantic.naming import LOCAL, MODULE, SymbolName, kind_named, named, signature_of
from cairn.semantic.scip.decode import Relationship, SymbolInformation
from cairn.store import SemanticSymbol
from cairn.store.semantics import DEFINITION, IMPLEMENTATION, REFERENCE, TYPE_DEFINITION

_LOCAL = "local "
_UNREADABLE = SymbolName("", "")
_PACKAGE = re.compile(r"(?:(?:[^ ]|  )* ){2}((?:[^ ]|  )*) (?:[^ ]|  )* ")
_IDENTIFIER = re.compile(rb"[\w$\x80-\xff]+")
_LOCAL_ONE = SymbolName("", LOCAL)
# Words that may stand for a symbol of another name.
_SPECIAL = frozenset({"default", "exports", "this", "super", "self", "Self"})
_QUOTES = "\"'`"


class SymbolTable:
    """Numbers for symbols: global ones are there once, local ones once a document."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """Of global symbols, and of the local ones of the document that is being read."""
        self.names: list[bytes | None] = [None]
        """The text that a use must have; None if that takes a closer look."""
        self.symbols = [""]
        self.named = [_UNREADABLE]
        self._signatures: dict[int, str] = {}
        self._homes: dict[int, str] = {}
        """The files of local symbols."""
        self._described: set[int] = set()
        self._path = ""
        self._locals: list[str] = []

    def open(self, path: str) -> None:
        """Begin a document, whose local symbols are its own."""
        self._path = path
        for symbol in self._locals:
            del self.numbers[symbol]
        self._locals.clear()

    def number(self, symbol: str) -> int:
        """The number of a symbol; a new one for a symbol that was not seen before."""
        known = self.numbers.get(symbol)
        if known is not None:
            return known
        number = self.numbers[symbol] = len(self.symbols)
        self.symbols.append(symbol)
        if symbol.startswith(_LOCAL):
            self._homes[number] = self._path
            self._locals.append(symbol)
            found = _LOCAL_ONE
        else:
            found = named(symbol) or _UNREADABLE
        self.named.append(found)
        self.names.append(found.name.encode() if found.name and found.kind != MODULE else None)
        return number

    def is_local(self, number: int) -> bool:
        """Whether a symbol has no meaning outside of its document."""
        return number in self._homes

    def adopt(self, number: int, written: bytes) -> bool:
        """Give a local symbol the name that stands at its first place."""
        if number not in self._homes or self.names[number] is not None or not _IDENTIFIER.fullmatch(written):
            return False
        self.names[number] = written
        self.named[number] = SymbolName(written.decode("utf-8", "replace"), LOCAL)
        return True

    def accepts(self, number: int, written: str, roles: int) -> bool:
        """Whether a text is acceptable for a symbol without looking at other places."""
        name, kind, _ = self.named[number]
        if kind == LOCAL:
            return bool(written) and (written == name or self.adopt(number, written.encode()))
        if not written:
            return bool(roles & DEFINITION) and kind == MODULE
        if kind == MODULE:
            # The path of a file, as scip-typescript writes imports.
            return written[0] in _QUOTES and not self.symbols[number].endswith(":")
        if written == name or written in _SPECIAL:
            return True
        if written[0] in _QUOTES:
            return written.strip(_QUOTES) == name.strip("[]").strip(_QUOTES)
        if kind == "property" and name.startswith(written) and name[len(written) :].isdigit():
            # scip-typescript counts the keys of objects that have no name.
            self.names[number] = written.encode()
            self.named[number] = SymbolName(written, kind)
            return True
        # An operator stands for the function that it calls.
        return kind in ("function", "method") and not any(sign.isalnum() or sign in "_.$" for sign in written)

    def describe(self, information: SymbolInformation) -> Sequence[tuple[int, int, str]]:
        """Record the description of a known symbol; returns its relationships, by numbers."""
        number = self.numbers.get(information.symbol)
        if number is None:
            return ()
        if number in self._homes:
            if information.documentation and "Unknown" not in information.documentation[0]:
                self._described.add(number)
        elif number not in self._signatures:
            signature = self._signatures[number] = signature_of(information)
            found = self.named[number]
            kind = kind_named(found.kind, information.kind, signature)
            if kind != found.kind:
                self.named[number] = found._replace(kind=kind)
        if not information.relationships:
            return ()
        return [each for said in information.relationships if said.symbol for each in self._related(number, said)]

    def _related(self, number: int, said: Relationship) -> Iterator[tuple[int, int, str]]:
        other = self.number(said.symbol)
        if said.implementation:
            yield number, other, IMPLEMENTATION
        if said.reference or said.definition:
            yield number, other, REFERENCE
        if said.type_definition:
            yield number, other, TYPE_DEFINITION

    def describes(self, number: int) -> bool:
        """Whether the tool described a local symbol."""
        return number in self._described

    def rows(self, numbers: Collection[int]) -> Iterator[SemanticSymbol]:
        """The rows of some symbols, as they are stored."""
        for number in sorted(numbers):
            name, kind, _ = self.named[number]
            signature = self._signatures.get(number, "")
            yield SemanticSymbol(number, self.symbols[number], name, kind, self._homes.get(number, ""), signature)


def package_of(symbol: str) -> str:
    """Scheme, manager, package and version as written; empty if a symbol names no package."""
    found = _PACKAGE.match(symbol)
    return found[0] if found is not None and found[1].strip(".") else ""
