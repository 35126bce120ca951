"""What one file says: the values that parsing gives."""

import hashlib
import json
from collections.abc import Iterable
from typing import NamedTuple

from cairn.base.values import dataclass

SYMBOL_KINDS = frozenset(
    {
        "class",
        "constant",
        "constructor",
        "enum",
        "field",
        "function",
        "heading",
        "interface",
        "key",
        "macro",
        "method",
        "module",
        "property",
        "rule",
        "struct",
        "table",
        "trait",
        "type",
        "variable",
    }
)


class Symbol(NamedTuple):
    """A definition; lines are counted from 1 and include decorators, not leading comments."""

    name: str
    qualified_name: str
    kind: str
    signature: str
    start_line: int
    end_line: int
    name_line: int
    container: str
    """The qualified name of what it stands in; empty at the top."""
    exported: bool
    doc: str
    """The first lines of its doc comment."""


class Import(NamedTuple):
    """A file, module or package that is asked for, as written."""

    source: str
    line: int
    names: str = ""
    """What it gives to the file: see `imported`."""
    again: bool = False
    """Whether the file offers it to others as its own."""


class Call(NamedTuple):
    """A place where something is called by name."""

    name: str
    line: int
    caller: str
    """The qualified name of the definition around it; empty at the top."""
    receiver: str = ""
    """What it is asked of, as written; "?" for what is no plain name, empty for nothing."""


class Chunk(NamedTuple):
    """A piece of a file; lines and bytes describe the same range."""

    text: str
    start_line: int
    end_line: int
    byte_start: int
    byte_end: int
    symbols: tuple[str, ...] = ()
    """Qualified names of what is defined in it."""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Everything that is taken from one parse of one file."""

    language: str
    lines: int
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()
    top_comment: str = ""
    interface_hash: str = ""
    parsed: bool = False
    """Whether a grammar was at work; False means that lines were all there was to go by."""
    names: bytes | None = None
    """Its occurrences as columns; None where nobody asked for them, or another has to tell: see `syntax.blocks`."""
    tree: bytes = b""
    """Its tree, where its names were asked for: see `syntax.treeblocks`."""


def interface_hash(symbols: Iterable[Symbol]) -> str:
    """Over exported names, kinds and signatures; bodies, private names and their order don't count."""
    visible = sorted((symbol.qualified_name, symbol.kind, symbol.signature) for symbol in symbols if symbol.exported)
    return hashlib.sha256(json.dumps(visible, separators=(",", ":")).encode()).hexdigest()
