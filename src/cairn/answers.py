"""What surfaces ask the coordinator, and what they get: values that say what they rest on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar, get_args

from cairn.config import MAX_BUDGET_TOKENS, MAX_RESULTS, Mode
from cairn.errors import UsageError
from cairn.search import Filters, Found, Query, Unit
from cairn.store import Manifest
from cairn.syntax.cost import token_cost, token_cost_of

MODES: tuple[str, ...] = get_args(Mode)
BUDGET_LIMIT = 50
"""How many results a budget chooses from when no limit is given: the budget is what cuts."""


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
    budget_tokens: int | None = None
    """How much the texts of the answer may take; None for no limit."""

    def __post_init__(self) -> None:
        query: object = self.query
        if not isinstance(query, str) or not query.strip():
            raise UsageError("The query is empty.", hint="Ask for something, for example 'parse the config'.")
        if self.limit is not None and not (type(self.limit) is int and 1 <= self.limit <= MAX_RESULTS):
            raise UsageError(f"A limit of {self.limit} is not allowed; give a number from 1 to {MAX_RESULTS}.")
        if self.mode is not None and self.mode not in MODES:
            raise UsageError(f"The mode {self.mode!r} is not known; use one of {', '.join(MODES)}.")
        if self.budget_tokens is not None:
            require_budget(self.budget_tokens)

    def limit_or(self, default: int) -> int:
        """How many results to look for."""
        return self.limit or (default if self.budget_tokens is None else BUDGET_LIMIT)


def require_budget(tokens: int) -> int:
    """A budget that makes sense; UsageError for any other."""
    if type(tokens) is int and 1 <= tokens <= MAX_BUDGET_TOKENS:
        return tokens
    raise UsageError(
        f"A budget of {tokens} tokens is not allowed; give a number from 1 to {MAX_BUDGET_TOKENS}.",
        hint="Leave the budget away for an answer that is not cut by size.",
    )


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """Facts from one snapshot, and what one should know about them."""

    items: tuple[T, ...]
    snapshot_id: str
    changed: frozenset[str] = frozenset()
    """Files named here whose content is no longer what the snapshot holds."""
    warnings: tuple[str, ...] = ()
    limits_hit: tuple[str, ...] = ()
    left_out: tuple[T, ...] = ()
    """What a budget had no room for."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> T:
        return self.items[place]


def within_budget(listed: Listed[T], left_out: Sequence[T], full_tokens: int) -> Listed[T]:
    """Say of a list that a budget has cut what it cut, and which budget would not have."""
    if not left_out:
        return listed
    warning = f"{counted(len(left_out), 'definition')} left out: a budget of {full_tokens} tokens shows all"
    return replace(
        listed,
        left_out=tuple(left_out),
        warnings=(*listed.warnings, warning),
        limits_hit=(*listed.limits_hit, "budget"),
    )


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Whole lines of a file as it is now, as many as a budget holds."""

    path: str
    text: str
    first_line: int
    last_line: int
    """One less than the first where not even that line fits."""
    lines: int
    """How many the file has."""
    budget_tokens: int
    used_tokens: int
    hint: str = ""
    """How to get the lines that follow; empty where none do."""

    def __str__(self) -> str:
        return self.text

    @property
    def left_out(self) -> tuple[int, int] | None:
        """The lines after the last one, if there are any."""
        return (self.last_line + 1, self.lines) if self.last_line < self.lines else None


def excerpt(path: str, text: str, budget_tokens: int, from_line: int = 1) -> Excerpt:
    """The lines from one on that a budget holds; UsageError for a line that the file doesn't have."""
    require_budget(budget_tokens)
    # Lines end at newlines alone, as everywhere in the index.
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    if not lines[-1]:
        lines.pop()
    if type(from_line) is not int or not 1 <= from_line <= max(len(lines), 1):
        raise UsageError(f"{path} has {counted(len(lines), 'line')}: there is no line {from_line}.")
    size, end = 0, from_line - 1
    while end < len(lines) and token_cost_of(size + len(lines[end].encode())) <= budget_tokens:
        size += len(lines[end].encode())
        end += 1
    hint = ""
    if end < from_line <= len(lines):
        hint = f"Line {from_line} alone takes {token_cost(lines[end])} tokens: give a budget of that."
    elif end < len(lines):
        hint = f"Read on with from_line={end + 1}, or give a budget of {token_cost(text)} tokens for all of it."
    return Excerpt(
        path,
        "".join(lines[from_line - 1 : end]),
        from_line,
        end,
        len(lines),
        budget_tokens,
        token_cost_of(size),
        hint,
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, from which snapshot, and what one should know about it."""

    request_id: str
    manifest: Manifest
    query_fingerprint: str
    results: tuple[Found, ...]
    changed: frozenset[str] = frozenset()
    """Cited files whose content is no longer what the snapshot holds."""
    units: tuple[Unit, ...] = ()
    """With a budget: each result in all its forms."""
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
