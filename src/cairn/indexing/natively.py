"""A file packed by the native core: no row of it becomes an object of Python. Reference: `prepare`."""

import hashlib
from functools import partial
from typing import Any, NamedTuple

from cairn.kernel.core import core
from cairn.store import SYNTACTIC, EdgeRow, FileRow, PackedFile, pack_joined, pack_tree
from cairn.syntax.native import native_for
from cairn.syntax.parse import grammar_name, line_count
from cairn.syntax.treeblocks import split_block
from cairn.syntax.versions import CHUNKER_VERSION
from cairn.workspace.pathkey import fold

_edge: Any = partial(tuple.__new__, EdgeRow)
Found = tuple[PackedFile, tuple[str, ...], tuple[str, ...]]


class _Labels(NamedTuple):
    """What the columns of a file say that the core can't know."""

    folded: str
    version: str
    layer: str


def pack_natively(
    path_key: str, language: str, file_hash: str, data: bytes, chunk_bytes: int, max_chunks: int
) -> Found | None:
    """A file with the texts and the symbols of its rows; None where the reference has to tell."""
    native = core()
    if native is None:
        return None
    labels = _Labels(fold(path_key), CHUNKER_VERSION, SYNTACTIC)
    file = partial(FileRow, path_key, file_hash, len(data), language, lines=line_count(data))
    name = grammar_name(path_key, language, data)
    if name is None:
        cut = native.packed_by_lines(data, chunk_bytes, max_chunks, labels)
        if cut is None:
            return None
        texts, chunks = cut
        return pack_joined(file(chunks=len(texts)), data, chunks), tuple(texts), ("",) * len(texts)
    grammar = native_for(name, data)
    found = grammar.pack(data, chunk_bytes, max_chunks, labels) if grammar is not None else None
    if found is None:
        return None
    texts, inside, chunks, symbols, uses, occurrences, flows, edges, (defined, interface, tree) = found
    packed = pack_joined(
        file(chunks=len(texts), interface_hash=hashlib.sha256(interface).hexdigest()),
        data,
        chunks,
        symbols,
        uses,
        edges=tuple(map(_edge, edges)),
        defined=defined,
        occurrences=occurrences,
        tree=pack_tree(*split_block(tree)),
        flows=flows,
    )
    return packed, tuple(texts), tuple(inside)
