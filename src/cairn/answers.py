"""What surfaces ask the coordinator, and what they get: values that say what they rest on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, get_args

from cairn.config import MAX_RESULTS, Mode
from cairn.errors import UsageError
from cairn.search import Filters, Found, Query
from cairn.store import Manifest

MODES: tuple[str, ...] = get_args(Mode)


class Placed(Protocol):
    @property
    def path(self) -> str: ...


T = TypeVar("T")
P = TypeVar("P", bound=Placed)


@dataclass(frozen=True, slots=True)
class Request:
    """A search as a surface asks for it."""

    query: str
    limit: int | None = None
    mode: str | None = None
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        query: object = self.query
        if not isinstance(query, str) or not query.strip():
            raise UsageError("The query is empty.", hint="Ask for something, for example 'parse the config'.")
        if self.limit is not None and not (type(self.limit) is int and 1 <= self.limit <= MAX_RESULTS):
            raise UsageError(f"A limit of {self.limit} is not allowed; give a number from 1 to {MAX_RESULTS}.")
        if self.mode is not None and self.mode not in MODES:
            raise UsageError(f"The mode {self.mode!r} is not known; use one of {', '.join(MODES)}.")


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """Facts from one snapshot, and what one should know about them."""

    items: tuple[T, ...]
    snapshot_id: str
    changed: frozenset[str] = frozenset()
    """Files named here whose content is no longer what the snapshot holds."""
    warnings: tuple[str, ...] = ()
    limits_hit: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> T:
        return self.items[place]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, from which snapshot, and what one should know about it."""

    request_id: str
    manifest: Manifest
    query_fingerprint: str
    results: tuple[Found, ...]
    changed: frozenset[str] = frozenset()
    """Cited files whose content is no longer what the snapshot holds."""
    warnings: tuple[str, ...] = ()
    limits_hit: tuple[str, ...] = ()
    freshness: Mapping[str, object] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)


def warnings_of(
    query: Query,
    manifest: Manifest,
    recovered: str,
    gone: set[str],
    changed: frozenset[str],
    results: tuple[Found, ...],
) -> tuple[str, ...]:
    found = []
    if not query.terms and not query.names:
        found.append("the query has no words to look for: filters alone find nothing")
    if recovered:
        found.append(f"{recovered}: an older snapshot answers; run `cairn repair`")
    if gone:
        found.append(f"{counted(len(gone), 'result')} left out: gone since the snapshot")
    if changed:
        found.append(f"{counted(len(changed), 'cited file')} changed since the snapshot")
    if manifest.degraded:
        found.append(f"degraded: {counted(len(manifest.errors), 'file')} could not be brought up to date")
    failed = {error.path_key for error in manifest.errors}
    found += [
        f"{path} is shown as it was before: it could not be read since"
        for path in sorted({item.row.path_key for item in results} & failed)
    ]
    return tuple(found)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
