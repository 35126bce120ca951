"""What a segment holds: chunk rows (ChunkRow v1), files, and the facts of each file."""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from cairn.base import lazy
from cairn.base.values import dataclass

MARKER_KIND = "cairn_index_completion_v1"
ROW_KINDS = frozenset({"text", "anchor"})
_SHA256 = lazy.expression(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One chunk of one file; its embedding stands under the same number in the vector engine."""

    row_id: str
    chunk_id: str
    path_key: str
    path_key_ci: str
    ordinal: int
    file_hash: str
    chunk_hash: str
    chunker_version: str
    kind: str
    text: str
    start_line: int
    end_line: int
    byte_start: int
    byte_end: int
    language: str
    symbols: str = ""
    """Qualified names of what the chunk defines, one a line."""


class FileRow(NamedTuple):
    """A file whose chunks a segment holds."""

    path_key: str
    file_hash: str
    size: int
    language: str
    chunks: int
    lines: int = 0
    interface_hash: str = ""
    """Changes when what other files can see of it changes; empty when it was not parsed."""


Links = tuple[tuple[str, str], ...]
"""Links of a tree, each with the real path that it leads to."""
FileTest = Callable[[FileRow, Links], bool]
"""Whether a file may answer, of a tree with these links."""


class RowHead(NamedTuple):
    """A row without its text."""

    start_line: int
    end_line: int
    kind: str
    symbols: str


class SymbolRow(NamedTuple):
    """A definition in a file."""

    layer: str
    name: str
    qualified_name: str
    kind: str
    signature: str
    start_line: int
    end_line: int
    name_line: int
    container: str
    exported: bool
    doc: str


class OccurrenceRow(NamedTuple):
    """A place where a name is used."""

    layer: str
    name: str
    role: str
    line: int
    within: str
    """The qualified name of the definition around it; empty at the top."""
    receiver: str = ""
    """What it is asked of, as written: `self`, `a.b`; "?" for what is no plain name, empty for nothing."""


class NamePlace(NamedTuple):
    """A place of a name in code."""

    name: str
    line: int
    column: int
    """Bytes from the start of the line."""
    what: int
    """What it does there: see syntax.blocks."""
    receiver: str
    within: str
    """The qualified name of the definition around it; empty at the top."""
    function: str
    """The qualified name of the definition that its tie names."""
    bound: int
    """The scope that binds it, one number for one scope of the file; 0 for none."""


class FlowRow(NamedTuple):
    """A value that flows to a name, or out of a function."""

    target: str
    """What gets it, as a chain of syntax.chains; or "return", "yield"."""
    line: int
    column: int
    """Bytes from the start of the line: the place of the target's own name, or of the word."""
    value: str
    """What it is: a chain, `: TYPE`, or "?"."""
    end_line: int
    """The last line of those in which it holds, where it says what a value is in them; else 0."""
    within: str
    """The qualified name of the definition around it; empty at the top."""


class EdgeRow(NamedTuple):
    """What a file asks for, as written."""

    layer: str
    kind: str
    target: str
    line: int
    names: str = ""
    """What it gives to the file: see syntax.imported."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a file beside its chunks."""

    symbols: tuple[SymbolRow, ...] = ()
    occurrences: tuple[OccurrenceRow, ...] = ()
    edges: tuple[EdgeRow, ...] = ()


NO_FACTS = Facts()
SYNTACTIC = "syntactic"


def chunk_hash_of(text: str) -> str:
    """The hash of a chunk's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def chunk_id_of(chunk_hash: str, chunker_version: str, kind: str) -> str:
    """Content identity: the same wherever the chunk stands, so that a rename embeds nothing."""
    return _digest(chunk_hash, chunker_version, kind)


def row_id_of(path_key: str, chunk_id: str, ordinal: int) -> str:
    """Row identity: content at a place."""
    return _digest(path_key, chunk_id, str(ordinal))


def row_faults(row: ChunkRow) -> list[str]:
    """Everything in which a row departs from the schema; empty for a sound one."""
    faults = []
    hashed = chunk_hash_of(row.text)
    if row.kind not in ROW_KINDS:
        faults.append(f"kind {row.kind!r} is unknown")
    if not row.path_key or not row.path_key_ci:
        faults.append("path_key is empty")
    if row.ordinal < 0:
        faults.append("ordinal is negative")
    if _SHA256.fullmatch(row.file_hash) is None:
        faults.append("file_hash is not a sha256")
    if row.chunk_hash != hashed:
        if _SHA256.fullmatch(row.chunk_hash) is None:
            faults.append("chunk_hash is not a sha256")
        faults.append("chunk_hash is not the hash of text")
    if row.chunk_id != chunk_id_of(row.chunk_hash, row.chunker_version, row.kind):
        faults.append("chunk_id does not follow from its parts")
    if row.row_id != row_id_of(row.path_key, row.chunk_id, row.ordinal):
        faults.append("row_id does not follow from its parts")
    if not 1 <= row.start_line <= row.end_line:
        faults.append(f"lines {row.start_line}-{row.end_line} are no range")
    if not 0 <= row.byte_start <= row.byte_end:
        faults.append(f"bytes {row.byte_start}-{row.byte_end} are no range")
    return faults


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
