"""Parse once, and take everything from it."""

import re
from functools import lru_cache
from typing import Any

from cairn.languages.registry import record_of
from cairn.syntax.chunks import chunk_tree
from cairn.syntax.extract import extract
from cairn.syntax.facts import ParsedFile, interface_hash
from cairn.syntax.grammar import Loaded, load
from cairn.syntax.lines import chunk_lines
from cairn.syntax.mending import mended
from cairn.syntax.native import native_grammar, parse_natively
from cairn.syntax.treeblocks import tree_block

MAX_PARSED_BYTES = 1_500_000
_LONG_LINE = 20_000
_CPP = re.compile(rb"^\s*(?:class\s+\w|namespace\b|template\s*<|using\s|public:|private:|extern\s+\"C\")", re.MULTILINE)

_OBJC = re.compile(rb"^\s*(?:@interface|@protocol|#import)\b", re.MULTILINE)
_NOT_PLAIN = (".mll", ".mly", ".lhs")
"""Mixtures of a language with another notation, which its grammar can't read."""


def parse_file(
    path_key: str, language: str, data: bytes, chunk_bytes: int, max_chunks: int, *, names: bool = False
) -> ParsedFile:
    """Facts and chunks of a file; by lines alone where there is no grammar or no sense in one.

    Where its names are asked for and the core can tell them, they come from the same tree.
    """
    name = grammar_name(path_key, language, data)
    lines = line_count(data)
    if name is None:
        return ParsedFile(language, lines, tuple(chunk_lines(data, chunk_bytes, max_chunks)))
    found = parse_natively(name, language, lines, data, chunk_bytes, max_chunks, names)
    return parse_by_reference(name, language, lines, data, chunk_bytes, max_chunks, names) if found is None else found


def make_ready(language: str) -> None:
    """Load the grammar of a language, if it has one, as parsing its files will need it."""
    if native_grammar(language) is None:
        load(language)


def parse_by_reference(
    grammar: str, language: str, lines: int, data: bytes, chunk_bytes: int, max_chunks: int, names: bool = False
) -> ParsedFile:
    """Facts and chunks of a file by the reference, with a grammar that there is."""
    loaded = load(grammar)
    assert loaded is not None
    root = _tree(grammar, data).root_node
    found = extract(loaded, root, data)
    return ParsedFile(
        language=language,
        lines=lines,
        chunks=tuple(chunk_tree(data, root, found.spans, found.symbols, chunk_bytes, max_chunks)),
        symbols=found.symbols,
        imports=found.imports,
        calls=found.calls,
        top_comment=found.top_comment,
        interface_hash=interface_hash(found.symbols),
        parsed=True,
        tree=tree_block(root, data) if names else b"",
    )


def tree_of(path_key: str, language: str, data: bytes) -> Any:
    """The syntax tree of a file, None where there is no grammar for it; the last few are kept, to be read only."""
    name = grammar_name(path_key, language, data)
    return _tree(name, data) if name is not None else None


@lru_cache(maxsize=8)
def _tree(grammar: str, data: bytes) -> Any:
    """Facts and names of a file are asked for one after the other, and so are several names."""
    loaded = load(grammar)
    assert loaded is not None
    return mended(grammar, data) or loaded.parser.parse(data)


def line_count(data: bytes) -> int:
    """How many lines a file has."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def grammar_for(path_key: str, language: str, data: bytes) -> Loaded | None:
    """The grammar that a file is parsed with; None where it isn't parsed."""
    name = grammar_name(path_key, language, data)
    return load(name) if name is not None else None


def grammar_name(path_key: str, language: str, data: bytes) -> str | None:
    """The language whose grammar a file is parsed with; None where it isn't parsed."""
    if len(data) > MAX_PARSED_BYTES or _is_minified(data):
        return None
    name = language
    if language == "c" and path_key.endswith(".h") and _CPP.search(data):
        name = "cpp"
    elif language == "c" and path_key.endswith(".h") and _OBJC.search(data):
        name = "objective-c"
    elif language == "ocaml" and path_key.endswith(".mli"):
        name = "ocaml-interface"
    elif path_key.endswith(_NOT_PLAIN):
        return None
    return name if record_of(name).grammar is not None else None


def _is_minified(data: bytes) -> bool:
    """One endless line: a tree of it would be costly and say nothing about places."""
    return len(data) > _LONG_LINE and max(map(len, data.split(b"\n"))) > _LONG_LINE
