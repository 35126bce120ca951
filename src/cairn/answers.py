"""What surfaces ask the coordinator, and what they get: values that say what they rest on."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar, get_args

from cairn.config import MAX_RESULTS, Mode
from cairn.errors import UsageError
from cairn.search import Filters, Matches, Pattern, Query, parse_literal, parse_regex
from cairn.store import Manifest

MODES: tuple[str, ...] = get_args(Mode)
MAX_LINES = 10_000
DEFAULT_LINES = 100
_NAMED = 3


class Placed(Protocol):
    @property
    def path(self) -> str: ...


class Cited(Placed, Protocol):
    @property
    def file_hash(self) -> str: ...


T = TypeVar("T")
P = TypeVar("P", bound=Placed)
C = TypeVar("C", bound=Cited)
C_co = TypeVar("C_co", bound=Cited, covariant=True)


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
        _require_mode(self.mode)


@dataclass(frozen=True, slots=True)
class LineRequest:
    """A search for lines: a text as it stands, or a regular expression."""

    pattern: str
    regex: bool = False
    ignore_case: bool = False
    limit: int | None = None
    mode: str | None = None
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        pattern: object = self.pattern
        if not isinstance(pattern, str):
            raise UsageError("The pattern is no text.", hint="Give a text to look for.")
        if self.limit is not None and not (type(self.limit) is int and 1 <= self.limit <= MAX_LINES):
            raise UsageError(f"A limit of {self.limit} is not allowed; give a number from 1 to {MAX_LINES}.")
        _require_mode(self.mode)
        if self.mode == "symbol" or self.filters.kinds:
            raise UsageError(
                "Lines are not looked for by symbol or kind.", hint="Leave that out, or search without a pattern."
            )

    def parsed(self) -> Pattern:
        """What to look for; UsageError for what can't be meant."""
        parse = parse_regex if self.regex else parse_literal
        return parse(self.pattern, ignore_case=self.ignore_case)


def _require_mode(mode: str | None) -> None:
    if mode is not None and mode not in MODES:
        raise UsageError(f"The mode {mode!r} is not known; use one of {', '.join(MODES)}.")


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
class Answer(Generic[C_co]):
    """What a search found, from which snapshot, and what one should know about it."""

    request_id: str
    manifest: Manifest
    query_fingerprint: str
    results: tuple[C_co, ...]
    changed: frozenset[str] = frozenset()
    """Cited files whose content is no longer what the snapshot holds."""
    warnings: tuple[str, ...] = ()
    limits_hit: tuple[str, ...] = ()
    freshness: Mapping[str, object] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[C_co]):
    """What a view says, before it is held against the tree."""

    results: tuple[C_co, ...]
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Clock:
    """How long each part of an answer took."""

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._laps[name] = _ms(self._last, now)
        self._last = now

    def laps(self) -> dict[str, float]:
        return {**self._laps, "total": _ms(self._began, self._last)}


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)


@dataclass(frozen=True, slots=True)
class Checked(Generic[C_co]):
    """Results held against the tree as it is now."""

    results: tuple[C_co, ...]
    gone: int
    """How many results were left out, since their files are gone."""
    changed: frozenset[str]


def check(results: Iterable[C], state_of: Callable[[str], str | None]) -> Checked[C]:
    """Leave out what is gone, and say what has changed; `state_of` gives a file's hash now, None when it is gone."""
    found = tuple(results)
    states = {path: state_of(path) for path in dict.fromkeys(item.path for item in found)}
    kept = tuple(item for item in found if states[item.path] is not None)
    changed = frozenset(item.path for item in kept if states[item.path] != item.file_hash)
    return Checked(kept, len(found) - len(kept), changed)


def warnings_of(manifest: Manifest, recovered: str, checked: Checked[C]) -> tuple[str, ...]:
    """What is true of any answer."""
    found = []
    if recovered:
        found.append(f"{recovered}: an older snapshot answers; run `cairn repair`")
    if checked.gone:
        found.append(f"{counted(checked.gone, 'result')} left out: gone since the snapshot")
    if checked.changed:
        found.append(f"{counted(len(checked.changed), 'cited file')} changed since the snapshot")
    if manifest.degraded:
        found.append(f"degraded: {counted(len(manifest.errors), 'file')} could not be brought up to date")
    failed = {error.path_key for error in manifest.errors}
    found += [
        f"{path} is shown as it was before: it could not be read since"
        for path in sorted({item.path for item in checked.results} & failed)
    ]
    return tuple(found)


def warnings_of_query(query: Query) -> tuple[str, ...]:
    if query.terms or query.names:
        return ()
    return ("the query has no words to look for: filters alone find nothing",)


def warnings_of_lines(found: Matches, limit: int) -> tuple[str, ...]:
    """What is missing from a search for lines, and how to get it."""
    told = []
    if "results" in found.limits_hit:
        more = f"--limit up to {MAX_LINES:,}, or a" if limit < MAX_LINES else "a"
        told.append(f"only the first {counted(limit, 'line')}: there are more; use {more} narrower pattern or --path")
    if found.given_up:
        shown = ", ".join(found.given_up[:_NAMED]) + (", ..." if len(found.given_up) > _NAMED else "")
        told.append(f"the expression took too long in {counted(len(found.given_up), 'file')}, left out: {shown}")
    if found.not_reached:
        told.append(
            f"{counted(found.not_reached, 'file')} not looked at: the time was over; use a simpler expression or --path"
        )
    if "line" in found.limits_hit:
        told.append("of very long lines only the part around the match is shown")
    return tuple(told)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
