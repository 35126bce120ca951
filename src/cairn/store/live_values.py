"""Rows and files as the readers of a view hand them out."""

from cairn.base.values import dataclass
from cairn.store._candidates import FileAt
from cairn.store.rows import ChunkRow, FileRow


@dataclass(frozen=True, slots=True)
class Hit:
    """A row that matched, with the matcher's score."""

    row: ChunkRow
    score: float


@dataclass(frozen=True, slots=True)
class Located:
    """A live file, where it is, and the number of its first row."""

    at: FileAt
    first: int
    file: FileRow
