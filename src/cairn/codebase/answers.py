"""What surfaces ask the coordinator, and what they get: values that say what they rest on."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, get_args

from cairn.base.errors import UsageError
from cairn.base.notes import Lift, Note
from cairn.base.text import plural
from cairn.base.values import dataclass, field, replace
from cairn.config.project import MAX_BUDGET_TOKENS, MAX_RESULTS, Mode
from cairn.kernel.tokens import token_cost, token_cost_of
from cairn.search import Filters, Fitted, Matches, Pattern, Query, Unit, fit, parse_literal, parse_regex, parse_words
from cairn.search.facets import ALL, Narrowed
from cairn.store import Manifest, SnapshotView
from cairn.workspace.pathkey import key_beneath

if TYPE_CHECKING:
    from cairn.codebase.treenames import TreeNames
    from cairn.search.find import Findings

MODES: tuple[str, ...] = get_args(Mode)
BUDGET_LIMIT = 50
"""How many results a budget chooses from when no limit is given: the budget is what cuts."""
_NAMED = 20
WHOLE_LIST = 100_000
"""More than a search ever weighs."""
NEAREST = "nearest_in_meaning"
"""The code of the note where nothing has a word of the query."""


class Placed(Protocol):
    """Something that is in a file."""

    @property
    def path(self) -> str:
        """The file's key, from the root on."""


class Cited(Placed, Protocol):
    """Something that an answer cites from a file, as the snapshot has it."""

    @property
    def file_hash(self) -> str:
        """The hash of the file in the snapshot."""


T = TypeVar("T")
P = TypeVar("P", bound=Placed)
C = TypeVar("C", bound=Cited)
LeastFit = Callable[[], float]
"""How badly an answer to a question may fit it; worked out where it is asked."""
C_co = TypeVar("C_co", bound=Cited, covariant=True)


@dataclass(frozen=True, slots=True)
class Request:
    """A search as a surface asks for it."""

    query: str
    limit: int | None = None
    mode: str | None = None
    filters: Filters = field(default_factory=Filters)
    budget_tokens: int | None = None
    """How much the texts of the answer may take; None for no limit."""
    per_file: int | None = None
    """How many places of a file are told, where they differ; None for one, and of a long text up to three."""
    whole: bool = False
    """Every candidate, however many: a list that is paged, and counted."""

    def __post_init__(self) -> None:
        query: object = self.query
        if not isinstance(query, str) or not query.strip():
            raise UsageError("The query is empty.", hint="Ask for something, for example 'parse the config'.")
        _require_limit(self.limit)
        _require_mode(self.mode)
        if self.budget_tokens is not None:
            require_budget(self.budget_tokens)

    def limit_or(self, default: int) -> int:
        """How many results to look for."""
        if self.whole:
            return WHOLE_LIST
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
class LineRequest:
    """A search for lines: a text as it stands, or a regular expression."""

    pattern: str
    regex: bool = False
    ignore_case: bool = False
    limit: int | None = None
    mode: str | None = None
    filters: Filters = field(default_factory=Filters)
    by_file: bool = False
    """Of each file the first line, and how many there are."""
    word: bool = False
    """Only where no character of a word stands right before or behind the match."""
    invert: bool = False
    """The lines that don't match."""
    max_count: int | None = None
    before: int = 0
    after: int = 0
    sort: str = "path"
    whole: bool = False
    """Lines as they are, however long."""
    all_matches: bool = False
    behind: tuple[str, int] | None = None
    """The last line of an earlier page, as path and number."""
    narrowed: Narrowed = ALL

    def __post_init__(self) -> None:
        pattern: object = self.pattern
        if not isinstance(pattern, str):
            raise UsageError("The pattern is no text.", hint="Give a text to look for.")
        _require_mode(self.mode)
        if self.mode == "symbol" or self.filters.kinds:
            raise UsageError(
                "Lines are not looked for by symbol or kind.", hint="Leave that out, or search without a pattern."
            )

    def parsed(self) -> Pattern:
        """What to look for; UsageError for what can't be meant."""
        parse = parse_regex if self.regex else parse_literal
        if self.word:
            parse = partial(parse_words, regex=self.regex)
        found = parse(self.pattern, ignore_case=self.ignore_case)
        whole = self.whole or self.all_matches or bool(self.before or self.after)
        found = replace(found, whole=whole, every=self.all_matches)
        return found.other_lines() if self.invert else found


@dataclass(frozen=True, slots=True)
class RelatedRequest:
    """A search for places like a given one."""

    path: str
    line: int
    limit: int | None = None
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        path: object = self.path
        if not isinstance(path, str) or not path:
            raise UsageError("No file is named.", hint="Name a place like src/a.py and 12.")
        if type(self.line) is not int or self.line < 1:
            raise UsageError(f"There is no line {self.line}: lines are counted from 1.", hint="Name a line from 1 on.")
        _require_limit(self.limit)


def _require_limit(limit: int | None) -> None:
    if limit is not None and not (type(limit) is int and 1 <= limit <= MAX_RESULTS):
        raise UsageError(f"A limit of {limit} is not allowed; give a number from 1 to {MAX_RESULTS}.")


def _require_mode(mode: str | None) -> None:
    if mode is not None and mode not in MODES:
        raise UsageError(f"The mode {mode!r} is not known; use one of {', '.join(MODES)}.")


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
        raise UsageError(
            f"{path} has {plural(len(lines), 'line')}: there is no line {from_line}.",
            hint=f"Name a line from 1 to {max(len(lines), 1)}.",
        )
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
class Outcome(Generic[C_co]):
    """What a view says, before it is held against the tree."""

    results: tuple[C_co, ...]
    units: tuple[Unit, ...] = ()
    limits_hit: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    moved: bool = False
    """Whether what the question itself names is otherwise now."""
    engine: str = ""
    """Of lines: what matched them."""
    terms: Mapping[str, float] = field(default_factory=dict)
    """Of a search by words: what each is worth."""


def within_budget(
    units: tuple[Unit, ...], budget_tokens: int | None
) -> tuple[Fitted | None, tuple[str, ...], tuple[Note, ...]]:
    """The forms of results that a budget holds, the limit where it cut, and how to get the rest."""
    if budget_tokens is None:
        return None, (), ()
    fitted = fit(units, budget_tokens)
    return fitted, ("budget",) if fitted.is_cut else (), (fitted.note,) if fitted.note is not None else ()


class Clock:
    """How long each part of an answer took."""

    def __init__(self) -> None:
        self._began = self._last = time.perf_counter()
        self._laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """End a lap under a name; the next one begins."""
        now = time.perf_counter()
        self._laps[name] = _ms(self._last, now)
        self._last = now

    def laps(self) -> dict[str, float]:
        """Milliseconds of each lap, and of all together as `total`."""
        return {**self._laps, "total": _ms(self._began, self._last)}


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)


@dataclass(frozen=True, slots=True)
class Checked(Generic[C_co]):
    """Results held against the tree as it is now."""

    results: tuple[C_co, ...]
    gone: int
    """How many files were left out, since they are gone."""
    changed: frozenset[str]
    cited: frozenset[str]
    """The files of what is left."""


class Now:
    """The files of a tree as they are while one question is answered: each is looked at once."""

    def __init__(self, states_of: Callable[[Iterable[str]], Mapping[str, str | None]]) -> None:
        """`states_of` gives the hash of each of some files, None for one that is gone."""
        self._states_of = states_of
        self._states: dict[str, str | None] = {}

    def hash_of(self, path: str) -> str | None:
        """The hash of a file as it is now; None where it is gone. Each file is looked at once."""
        self._look([path])
        return self._states[path]

    def is_there(self, path: str) -> bool:
        """Whether a file still exists."""
        return self.hash_of(path) is not None

    def are_there(self, paths: Sequence[str]) -> list[bool]:
        """Whether each of some files still exists; those that are new are looked at together."""
        self._look(paths)
        return [self._states[path] is not None for path in paths]

    @property
    def gone(self) -> int:
        """How many files that would have been cited are gone."""
        return sum(state is None for state in self._states.values())

    def _look(self, paths: Iterable[str]) -> None:
        if new := [path for path in paths if path not in self._states]:
            self._states |= self._states_of(new)


def check(results: Iterable[C], now: Now) -> Checked[C]:
    """Leave out what is gone, and say what has changed."""
    kept, cited, changed = [], set(), set()
    for item in results:
        path = item.path
        state = now.hash_of(path)
        if state is not None:
            kept.append(item)
            cited.add(path)
            if state != item.file_hash:
                changed.add(path)
    return Checked(tuple(kept), now.gone, frozenset(changed), frozenset(cited))


def alias_notes(names: "TreeNames", path: str) -> tuple[Note, ...]:
    """Says that a path was the name of a link, and which file is meant; nothing for a file's own name or none."""
    if not path:
        return ()
    named, real = key_beneath(names.root, path), names.key(path)
    return () if named == real else (Note("alias", {"path": named, "target": real}),)


def cautions_of(view: SnapshotView) -> tuple[Note, ...]:
    """What to know of a view before anything is asked."""
    found: tuple[Note, ...] = (Note("older_snapshot", {"cause": view.recovered}),) if view.recovered else ()
    if view.unsaved:
        found += (Note("unsaved", {"files": list(view.unsaved[:_NAMED]), "count": len(view.unsaved)}),)
    return found + ((Note("last_index_failed", {"message": view.caution}),) if view.caution else ())


def notes_of(manifest: Manifest, cautions: tuple[Note, ...], checked: Checked[C]) -> tuple[Note, ...]:
    """What is true of any answer."""
    found = [*cautions]
    if manifest.git.dirty is None:
        found.append(Note("git_missing"))
    if manifest.skipped and not manifest.counts.files_live:
        found.append(Note("index_empty"))
    if checked.gone:
        found.append(Note("files_gone", {"files": checked.gone}))
    if checked.changed:
        found.append(Note("cited_changed", {"files": len(checked.changed)}))
    if manifest.degraded:
        found.append(Note("degraded", {"files": len(manifest.errors)}))
    if manifest.errors:
        failed = {error.path_key for error in manifest.errors}
        found += [Note("shown_as_before", {"path": path}) for path in sorted(checked.cited & failed)]
    return tuple(found)


def notes_of_query(
    query: Query, findings: "Findings", least_fit: LeastFit | None, mode: str = "auto"
) -> tuple[Note, ...]:
    """A note on a query that has neither words nor names to search by, whose words nothing has, or nothing fits."""
    if not query.terms and not query.names:
        return (Note("no_words", {"filters": bool(query.filters)}),)
    if not findings.results:
        return ()
    if findings.has_words and (findings.fit is None or least_fit is None or findings.fit >= least_fit()):
        return ()
    looked_in = {"within": list(query.filters.within), "filtered": bool(query.filters), "mode": mode}
    return (Note("nothing_fits", looked_in) if findings.has_words else Note("nearest_in_meaning", looked_in),)


def notes_of_lines(found: Matches, limit: int) -> tuple[Note, ...]:
    """What is missing from a search for lines, and how to get it."""
    said = []
    if "results" in found.limits_hit:
        said.append(Note("lines_cut", {"limit": limit}, Lift("limit")))
    if found.given_up:
        said.append(Note("took_too_long", {"files": found.given_up[:_NAMED], "count": len(found.given_up)}))
    if found.not_reached:
        said.append(Note("not_reached", {"files": found.not_reached}))
    if "line" in found.limits_hit:
        said.append(Note("long_lines"))
    return tuple(said)
