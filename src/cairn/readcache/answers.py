"""What a cached read asks and gets: values alone."""

from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass
from cairn.readcache.meta import META_VERSION, Mode, ReadMeta

GUARANTEES = ("none", "linear", "tree")
BOUNDARIES = ("strict", "first_kept")
EVENTS = ("compaction", "navigate", "fork", "clear", "resume", "drop")


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A file as one read gave it: bytes and hash belong together."""

    root: str
    path: str
    """From the root on."""
    data: bytes
    file_hash: str
    is_secret: bool = False

    @property
    def path_key(self) -> str:
        return f"{self.root}/{self.path}"


@dataclass(frozen=True, slots=True)
class SourceState:
    """A file beside the snapshot: whether that knows it, and whether it has changed since."""

    source: ReadSource
    snapshot_id: str
    indexed: bool
    changed: bool


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """Which lines, and where in which conversation; without a session there is nothing to build on."""

    start: int | None = None
    end: int | None = None
    session: str | None = None
    parent: int | None = None
    """In a session shaped like a tree: the entry behind which this read stands."""
    sequence: int | None = None
    """The client's own count of reads and events; one that is missing means that something was not told."""
    bypass: bool = False
    max_bytes: int = 1_000_000

    @property
    def is_range(self) -> bool:
        return self.start is not None or self.end is not None


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What is given to the model."""

    mode: Mode
    text: str
    path: str
    total_lines: int
    start_line: int
    end_line: int
    file_hash: str
    truncated: bool = False
    """Whether lines that were asked for are missing at the end."""
    meta: ReadMeta | None = None
    """None for plain content that nothing can be built on."""
    entry: int | None = None
    plain_because: str = ""

    def metadata(self) -> dict[str, Any] | None:
        meta = self.meta
        if meta is None:
            return None
        return {
            "v": META_VERSION,
            "pathKey": meta.path_key,
            "scopeKey": meta.scope_key,
            "servedHash": meta.served_hash,
            "baseHash": meta.base_hash or None,
            "mode": meta.mode.value,
            "totalLines": meta.total_lines,
            "rangeStart": meta.range_start or None,
            "rangeEnd": meta.range_end or None,
            "bytes": meta.bytes,
        }


@dataclass(frozen=True, slots=True)
class EventReceipt:
    """What became of an event."""

    session: str
    entry: int | None
    note: str = ""


def lines_wanted(request: ReadRequest, total: int, path: str) -> tuple[int, int]:
    """The first and last line that are meant; UsageError for lines that the file doesn't have."""
    start = 1 if request.start is None else request.start
    end = total if request.end is None else request.end
    if start < 1 or end < start or start > max(total, 1):
        if not request.is_range:
            return 1, total
        raise UsageError(
            f"{path} has {total} {'line' if total == 1 else 'lines'}: there are no lines {start} to {end}.",
            hint=f"Give lines from 1 to {total}." if total else "The file is empty.",
        )
    return start, min(end, total)
