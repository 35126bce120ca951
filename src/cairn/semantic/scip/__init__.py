"""Indexes in the SCIP format: read as a stream, checked, and turned into values."""

from cairn.semantic.scip.columns import Encoding, TextMap, encoding_of
from cairn.semantic.scip.decode import Document, Index, Metadata, Relationship, Role, ScipOccurrence, SymbolInformation
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scip.symbols import Descriptor, ScipSymbol, Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError

__all__ = [
    "Descriptor",
    "Document",
    "Encoding",
    "Index",
    "Metadata",
    "Relationship",
    "Role",
    "ScipError",
    "ScipOccurrence",
    "ScipSymbol",
    "Suffix",
    "SymbolInformation",
    "TextMap",
    "encoding_of",
    "parse_symbol",
    "read_index",
]
