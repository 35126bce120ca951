"""The metadata of a read: which lines of which version were given, in which form, on top of which base.

Metadata is read back from a log that others may have written, so nothing here trusts it: what isn't
well-formed is no metadata at all.
"""

from enum import StrEnum

from cairn.base.values import dataclass

META_VERSION = 1
FULL_SCOPE = "full"
_HASH_CHARS = 64
_HEX = frozenset("0123456789abcdef")
LAST_LINE = 10**9
"""No line has a number as large."""


class Mode(StrEnum):
    """The form in which a read was answered."""

    FULL = "full"
    UNCHANGED = "unchanged"
    UNCHANGED_RANGE = "unchanged_range"
    DIFF = "diff"
    BASELINE_FALLBACK = "baseline_fallback"


ANCHORS = frozenset((Mode.FULL, Mode.BASELINE_FALLBACK))
"""Modes that give the content itself, and so establish trust."""
DERIVED = frozenset((Mode.UNCHANGED, Mode.UNCHANGED_RANGE, Mode.DIFF))
"""Modes that build on what was given before."""


@dataclass(frozen=True, slots=True)
class ReadMeta:
    """One read, as the log holds it."""

    path_key: str
    scope_key: str
    served_hash: str
    mode: Mode
    base_hash: str = ""
    total_lines: int = 0
    range_start: int = 0
    range_end: int = 0
    bytes: int = 0
    """How much was given."""
    full_bytes: int = 0
    """How much plain content would have been."""


def range_scope(start: int, end: int) -> str:
    """The scope key of a range of lines."""
    return f"r:{start}:{end}"


def range_of(scope_key: str) -> tuple[int, int] | None:
    """(first, last) of a range scope; None for the full scope and for what is no scope."""
    kind, _, rest = scope_key.partition(":")
    start, _, end = rest.partition(":")
    if kind != "r" or not _is_line(start) or not _is_line(end):
        return None
    found = int(start), int(end)
    return found if 1 <= found[0] <= found[1] and range_scope(*found) == scope_key else None


def is_well_formed(meta: ReadMeta) -> bool:
    """Whether a replay may look at it; a derived mode without its base is malformed."""
    texts: tuple[object, ...] = (meta.path_key, meta.scope_key)
    if not meta.path_key or not all(isinstance(text, str) for text in texts):
        return False
    if meta.scope_key != FULL_SCOPE and range_of(meta.scope_key) is None:
        return False
    if not is_hash(meta.served_hash):
        return False
    return is_hash(meta.base_hash) if meta.mode in DERIVED else not meta.base_hash or is_hash(meta.base_hash)


def is_hash(text: object) -> bool:
    """Whether a value is a sha256 in hexadecimal."""
    return isinstance(text, str) and len(text) == _HASH_CHARS and _HEX.issuperset(text)


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < len(str(LAST_LINE))
