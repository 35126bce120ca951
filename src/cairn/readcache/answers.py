"""The values that a cached read takes and returns."""

from typing import TYPE_CHECKING, Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass
from cairn.readcache.meta import META_VERSION, Mode, ReadMeta

if TYPE_CHECKING:
    from cairn.store import Manifest

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

    @property
    def path_key(self) -> str:
        """The absolute path, under which reads of this file are logged."""
        return f"{self.root}/{self.path}"


@dataclass(frozen=True, slots=True)
class SourceState:
    """A file compared with the snapshot: whether it is indexed, and whether it has changed since."""

    source: ReadSource
    snapshot: "Manifest"
    indexed: bool
    changed: bool

    @property
    def snapshot_id(self) -> str:
        """The snapshot that it is compared with."""
        return self.snapshot.snapshot_id


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The lines to read, and the conversation they are for; without a session the answer is plain content."""

    start: int | None = None
    end: int | None = None
    session: str | None = None
    parent: int | None = None
    """In a session that branches: the entry after which this read comes."""
    sequence: int | None = None
    """The client's own count of reads and events; a gap in it means that an event was not reported."""
    bypass: bool = False
    max_bytes: int = 1_000_000

    @property
    def is_range(self) -> bool:
        """Whether only some lines are asked for."""
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
    """None for plain content that no later answer may build on."""
    entry: int | None = None
    plain_because: str = ""
    full_bytes: int = 0
    """How large a text that was cut is without the cut."""

    def metadata(self) -> dict[str, Any] | None:
        """The metadata that a host may keep beside the answer; None for plain content without any."""
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
