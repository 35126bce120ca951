"""Indexes in the SCIP format: read as a stream, checked, and turned into values."""

from cairn.semantic.scip.columns import Encoding, TextMap, encoding_of
from cairn.semantic.scip.decode import Document, Index, Metadata, Occurrence, Relationship, Role, SymbolInformation
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scip.symbols import Descriptor, Suffix, Symbol, parse_symbol
from cairn.semantic.scip.wire import ScipError

__all__ = [
    "Descriptor",
    "Document",
    "Encoding",
    "Index",
    "Metadata",
    "Occurrence",
    "Relationship",
    "Role",
    "ScipError",
    "Suffix",
    "Symbol",
    "SymbolInformation",
    "TextMap",
    "encoding_of",
    "parse_symbol",
    "read_index",
]
