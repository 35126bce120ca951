"""Search: the places that answer best, every line that holds a text, or places like a given one."""

from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import UsageError
from cairn.config.project import DEFAULT_LINES, DEFAULT_RESULTS, MAX_RESULTS
from cairn.questions.asking import file_meant
from cairn.questions.common import AT, REMOTE, budget_of
from cairn.questions.narrowing import within_of
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Question
from cairn.questions.tuning import Tuning

if TYPE_CHECKING:
    from cairn.codebase.answers import LineRequest

MOST_LINES = 10_000
_MAX_DIGITS = 9
_ALL_FILES = 10_000_000
_OF_LINES = ("word", "invert", "max_count", "before", "after", "sort", "whole", "all_matches")
"""Parameters of line searches alone."""
_MOST_AROUND = 1_000
_PAGE: dict[str, Any] = {"most": 100, "most_with": None}
"""A page of a tool holds places and lines alike."""


def _document(name: str) -> Any:
    """Bodies are made with modules of the search, which a parser need not load."""
    return lazy.function("cairn.questions.search_documents", name)


def _search(asked: Asked, values: Values) -> Any:
    from cairn.codebase.answers import RelatedRequest, Request

    codebase, filters = asked.codebase, filters_of(values, asked.within)
    if values["related"] is not None:
        path, line = _place(values["related"])
        place = RelatedRequest(file_meant(path, asked), line, values["limit"], filters.with_known_languages())
        return codebase.related(place, synced=asked.synced, snapshot_id=asked.snapshot_id)
    if by_lines(values):
        lines = line_request(values, asked.within)
        return codebase.grep(lines, synced=asked.synced, snapshot_id=asked.snapshot_id)
    request = Request(
        values["query"], values["limit"], values["mode"], filters, values["budget_tokens"], values["per_file"]
    )
    return codebase.search(request, synced=asked.synced, snapshot_id=asked.snapshot_id)


def line_request(values: Values, within: tuple[str, ...]) -> "LineRequest":
    """A search for lines, of what was given for it."""
    from cairn.codebase.answers import LineRequest

    counted = bool(values.get("count_only"))
    return LineRequest(
        values["query"],
        values["regex"],
        values["ignore_case"],
        _ALL_FILES if counted else values["limit"],
        values["mode"],
        filters_of(values, within).with_known_languages(),
        bool(values.get("files_only")) or counted,
        **{name: values[name] for name in _OF_LINES if name in values},
    )


def _search_several(codebases: Any, values: Values) -> Any:
    from cairn.codebase.answers import Request

    request = Request(
        values["query"],
        values["limit"],
        values["mode"],
        filters_of(values),
        values["budget_tokens"],
        values["per_file"],
    )
    return codebases.search(request)


def _found(answer: Any) -> bool:
    """What is only near in meaning was not found."""
    from cairn.codebase.answers import NEAREST

    return bool(answer.value.items) and all(note.code != NEAREST for note in answer.notes)


def by_lines(values: Values) -> bool:
    """Whether lines are looked for, and not places."""
    return bool(values["literal"] or values["regex"])


def special_of(values: Values) -> str:
    """The one way of asking that is not by a question, if it is used."""
    return next((name for name in ("related", "literal", "regex") if values.get(name)), "")


def filters_of(values: Values, within: tuple[str, ...] = ()) -> Any:
    """The conditions on results that were given."""
    from cairn.search import Filters
    from cairn.workspace.wildmatch import split_globs

    found = Filters(tuple(values["languages"]), *split_globs(values["paths"]), tuple(values["kinds"]), within)
    return found.with_known_kinds() if found.kinds else found


def _place(text: str) -> tuple[str, int]:
    path, colon, line = text.rpartition(":")
    if not colon or not path or not (line.isascii() and line.isdigit() and len(line) <= _MAX_DIGITS):
        raise UsageError(f"{text!r} names no place.", hint="Name a file and a line, like src/a.py:12.")
    return path, int(line)


def _require(values: Values, spell: Any) -> None:
    """Parameters that don't go together, and questions that can't be understood, are told before any work is done."""
    lines, special = by_lines(values), special_of(values)
    if values["at"] is not None and values["sort"] != "path":
        raise UsageError(f"{spell('sort')} is by the tree as it is, not by a commit.", hint="Leave one of them out.")
    if values["remote"] is not None and (special or values["at"] is not None):
        name = spell("at" if values["at"] is not None else special)
        raise UsageError(f"{spell('remote')} doesn't go with {name}.", hint="Leave one of them out.")
    if values["literal"] and values["regex"]:
        raise UsageError(f"{spell('literal')} and {spell('regex')} exclude each other.", hint="Leave one of them out.")
    if values["ignore_case"] and not lines:
        raise UsageError(
            f"{spell('ignore_case')} belongs to {spell('literal')} or {spell('regex')}.",
            hint="A search ignores case by itself.",
        )
    alone = {each.name: each.default for each in lines_alone()}
    if not lines and (name := next((name for name, usual in alone.items() if values[name] != usual), "")):
        raise UsageError(
            f"{spell(name)} belongs to {spell('literal')} or {spell('regex')}.",
            hint="It is about lines that hold a text or match.",
        )
    if values["count_only"] and (not lines or values["files_only"]):
        raise UsageError(
            f"{spell('count_only')} belongs to {spell('literal')} or {spell('regex')}, without {spell('files_only')}.",
            hint="Only lines are counted.",
        )
    if special == "related" and (lines or values["mode"] not in (None, "auto") or values["query"]):
        raise UsageError(f"{spell('related')} asks by a place alone.", hint="Leave the query and the mode out.")
    if special and values["budget_tokens"] is not None:
        raise UsageError(f"{spell('budget_tokens')} doesn't go with {spell(special)}.", hint=f"Use {spell('limit')}.")
    if special == "related":
        _place(values["related"])
    elif not special:
        _require_question(values, spell)
    else:
        _require_pattern(values)


def _require_question(values: Values, spell: Any) -> None:
    from cairn.search.query import parse_query

    if not (values["query"] or "").strip():
        raise UsageError(f"{spell('query')} is empty.", hint="Ask for something, for example 'parse the config'.")
    parse_query(values["query"], filters_of(values))


def _require_pattern(values: Values) -> None:
    from cairn.codebase.answers import LineRequest

    LineRequest(
        values["query"] or "",
        values["regex"],
        values["ignore_case"],
        values["limit"],
        values["mode"],
        filters_of(values).with_known_languages(),
    ).parsed()


def lines_alone(lead: str = "of lines: ") -> tuple[Parameter, ...]:
    """What `grep` and its kin have for lines, by their names; `lead` stands before what each is."""

    def of(name: str, kind: Any, text: str, default: Any = None, **more: Any) -> Parameter:
        return Parameter(name, kind, lead + text, default, in_tools=False, **more)

    around: dict[str, Any] = {"default": 0, "least": 0, "most": _MOST_AROUND, "metavar": "N"}
    return (
        of("word", "boolean", "only whole words", False, flag="--word-regexp", short="-w"),
        of("invert", "boolean", "those that don't match", False, flag="--invert-match", short="-v"),
        of("max_count", "integer", "so many of a file", least=1, most=MOST_LINES, short="-m", metavar="N"),
        of("after", "integer", "so many lines after each", flag="--after-context", short="-A", **around),
        of("before", "integer", "so many lines before each", flag="--before-context", short="-B", **around),
        of(
            "sort",
            "string",
            "files by path, or by when they were changed",
            "path",
            choices=("path", "modified", "newest"),
        ),
        of("whole", "boolean", "as they are, however long", False, flag="--whole-lines"),
        of("all_matches", "boolean", "where every match of each begins and ends", False),
    )


SEARCH = Question(
    "search",
    "the places that answer a question best, or every line that has a text",
    (
        Parameter(
            "query",
            "string",
            "a question, words, or the name of something",
            flag=None,
            metavar="QUERY",
            http="q",
            in_words=True,
        ),
        within_of(),
        AT,
        REMOTE,
        Parameter(
            "limit",
            "integer",
            f"how many results, or lines (default {DEFAULT_LINES})",
            least=1,
            most=MAX_RESULTS,
            most_with=(MOST_LINES, "lines", ("literal", "regex")),
            short="-k",
            metavar="N",
        ),
        Parameter("mode", "string", "what to look for", choices=("auto", "code", "docs", "symbol")),
        Parameter("languages", "strings", "only this language", flag="--lang", metavar="NAME", http="lang"),
        Parameter("paths", "strings", "only these files", flag="--path", metavar="GLOB", http="glob"),
        Parameter("kinds", "strings", "only definitions of this kind", flag="--kind", metavar="KIND", http="kind"),
        budget_of(help="whole definitions, as many as fit into so many tokens"),
        Parameter(
            "explain",
            "boolean",
            "the words that were searched by, what each signal added to the score; which engine matched lines",
            False,
        ),
        Parameter("literal", "boolean", "the query is plain text", False),
        Parameter("regex", "boolean", "the query is a regular expression", False),
        Parameter("ignore_case", "boolean", "with literal or regex: ignore case", False, short="-i"),
        Parameter("files_only", "boolean", "only files, of lines with how many each has", False, short="-l"),
        Parameter("count_only", "boolean", "with literal or regex: only the numbers", False),
        Parameter(
            "per_file",
            "integer",
            "how many places of a file, where they differ (default 1, of a long text up to 3)",
            least=1,
            most=5,
        ),
        *lines_alone(),
        Parameter("related", "string", "instead of a query: places like the one at a line", metavar="FILE:LINE"),
    ),
    _search,
    _document("search"),
    plain=lazy.function("cairn.questions.plain_places", "found"),
    example="cairn search how are stale leases taken over src/. "
    "Words need no quotes: the last arguments that exist as a file or folder, or hold a slash, are PATHs, all others "
    "the query; quote the query to have no doubt. "
    "A query that is - is read from standard input: cairn search - < issue.txt. Options end at --: what begins with a "
    "dash may stand behind it. "
    "A query may hold filters: lang:python path:src/ -path:tests kind:class. "
    "Every line with a text: cairn search --literal 'lease_ttl_ms =', or `cairn grep`",
    subject="several",
    ask_several=_search_several,
    document_several=_document("several"),
    found=_found,
    creates=True,
    require=_require,
    single=special_of,
    tool="search_codebase",
    tool_text="Find code: by a question or words (places, best first), by a name (scope=symbol), or every line that "
    "holds a text (literal) or matches (regex). Use it in place of grep.",
    tuning=Tuning(
        names={"mode": "scope", "paths": "include"},
        bounds={
            "limit": {
                "help": f"results (default {DEFAULT_RESULTS}) or lines of a page",
                **_PAGE,
            },
            "mode": {
                "help": "what to look in; symbol: names of definitions",
                "choices": ("code", "docs", "all", "symbol"),
            },
            "per_file": {"help": "how many places of a file, where they differ", "default": 3},
            "paths": {"help": "only these globs: ['src/**']"},
            "budget_tokens": {"help": "size of the answer"},
        },
        meanings={"mode": {"all": "auto"}},
        sized=True,
    ),
)
QUESTIONS = (SEARCH,)
