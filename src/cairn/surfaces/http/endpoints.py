"""The questions of the API: each is a command of the command line, and answers with its document."""

from cairn.base.values import dataclass, replace
from cairn.codebase.answers import MAX_LINES
from cairn.config.project import MAX_BUDGET_TOKENS, MAX_RESULTS
from cairn.questions import schemas
from cairn.questions.schemas import Schema
from cairn.surfaces.http.parameters import Parameter

ROOT = Parameter("root", "string", "the codebase: an absolute path of it or beneath it", None, required=True)
SYNC = Parameter(
    "sync",
    "boolean",
    "look at the tree first; otherwise the last snapshot answers, held against it",
    None,
    default=False,
)
TIMEOUT = Parameter("timeout_ms", "integer", "answer by then, or not at all", None, least=1, most=600_000)
_ROOTS = (
    Parameter("root", "string", "the codebase; relative paths start from it", None),
    Parameter("roots", "strings", "several codebases instead of one", "--root"),
    Parameter("all", "boolean", "every codebase that is indexed", "--all", default=False),
)
_NAME = Parameter("name", "string", "a name, owner.name, an id, or FILE:LINE[:COLUMN]", required=True)
_FILE = Parameter("file", "string", "a file of the codebase, from its root on", required=True)
_LIMIT = Parameter("limit", "integer", "how many", "--limit", least=1, most=2_000, default=50)
_DEPTH = Parameter("depth", "integer", "how many steps", "--depth", least=1, most=3)


@dataclass(frozen=True, slots=True)
class Endpoint:
    path: str
    command: str
    text: str
    parameters: tuple[Parameter, ...]
    answer: Schema
    syncs: bool = True
    """Whether it may look at the tree first."""

    @property
    def taken(self) -> tuple[Parameter, ...]:
        """All that it takes."""
        return (*self.parameters, *((SYNC,) if self.syncs else ()), TIMEOUT)


ENDPOINTS = (
    Endpoint(
        "/v1/search",
        "search",
        "The places that answer best, or every line with a text.",
        (
            Parameter("q", "string", "a question, words, or the name of something"),
            *_ROOTS,
            Parameter(
                "limit",
                "integer",
                f"how many results: at most {MAX_RESULTS}, or {MAX_LINES} lines with literal or regex",
                "--limit",
                least=1,
                most=MAX_LINES,
            ),
            Parameter("mode", "string", "what to look for", "--mode", choices=("auto", "code", "docs", "symbol")),
            Parameter("lang", "strings", "only these languages", "--lang"),
            Parameter("glob", "strings", "only these files", "--path"),
            Parameter(
                "budget",
                "integer",
                "whole definitions within so many tokens",
                "--budget",
                least=1,
                most=MAX_BUDGET_TOKENS,
            ),
            Parameter("explain", "boolean", "what each signal added to the score", "--explain", default=False),
            Parameter("literal", "boolean", "q is a text: every line that holds it", "--literal", default=False),
            Parameter("regex", "boolean", "q is a regular expression", "--regex", default=False),
            Parameter("ignore_case", "boolean", "with literal or regex", "--ignore-case", default=False),
            Parameter("related", "string", "instead of q: places like the one at FILE:LINE", "--related"),
        ),
        schemas.SEARCH,
    ),
    Endpoint("/v1/symbol", "symbol", "Where something is defined.", (_NAME, *_ROOTS, _LIMIT), schemas.SYMBOL),
    Endpoint(
        "/v1/refs", "refs", "Where something is used, and how sure that is.", (_NAME, *_ROOTS, _LIMIT), schemas.REFS
    ),
    Endpoint(
        "/v1/callgraph",
        "callers",
        "What calls something, what it calls, or both.",
        (
            _NAME,
            ROOT,
            Parameter(
                "direction", "string", "which way", None, choices=("callers", "callees", "both"), default="callers"
            ),
            _DEPTH,
            Parameter("nodes", "integer", "how many definitions", "--nodes", least=1, most=2_000, default=100),
            Parameter("fan_out", "integer", "how many of each", "--fan-out", least=1, most=500, default=25),
            Parameter("notes", "integer", "how many notes", "--notes", least=0, most=1_000, default=50),
        ),
        schemas.CALLGRAPH,
    ),
    Endpoint(
        "/v1/outline",
        "outline",
        "What a file defines, as a tree.",
        (
            _FILE,
            ROOT,
            Parameter("symbol", "string", "one definition, by its id or name", "--symbol"),
            Parameter(
                "budget", "integer", "as much as fits into so many tokens", "--budget", least=1, most=MAX_BUDGET_TOKENS
            ),
        ),
        schemas.OUTLINE,
    ),
    Endpoint(
        "/v1/map",
        "map",
        "What a repository is made of and which files matter most.",
        (
            ROOT,
            Parameter(
                "budget", "integer", "as much as fits into so many tokens", "--budget", least=1, most=MAX_BUDGET_TOKENS
            ),
        ),
        schemas.MAP,
    ),
    Endpoint("/v1/imports", "imports", "What a file imports, and who imports it.", (_FILE, ROOT), schemas.IMPORTS),
    Endpoint(
        "/v1/impact",
        "impact",
        "What a change reaches.",
        (
            Parameter("files", "strings", "only these files"),
            ROOT,
            Parameter("since", "string", "what differs from this revision", "--since"),
            _DEPTH,
        ),
        schemas.IMPACT,
    ),
    Endpoint(
        "/v1/slice",
        "slice",
        "Definitions, uses and flow of a name inside one function.",
        (
            Parameter("place", "string", "a line of the function: FILE:LINE", required=True),
            Parameter("name", "string", "the name to follow", required=True),
            ROOT,
        ),
        schemas.SLICE,
    ),
    Endpoint("/v1/contexts", "contexts", "Which files are understood together.", (ROOT,), schemas.CONTEXTS),
    Endpoint(
        "/v1/jobs",
        "jobs",
        "Refresh jobs of the semantic layer.",
        (replace(ROOT, option=""),),
        schemas.JOBS,
        syncs=False,
    ),
    Endpoint("/v1/status", "status", "The state of a codebase and its snapshot.", (ROOT,), schemas.STATUS, syncs=False),
    Endpoint(
        "/v1/health",
        "health",
        "Everything in the store checked, trusting no cache.",
        (ROOT,),
        schemas.HEALTH,
        syncs=False,
    ),
    Endpoint("/v1/stores", "stores", "All stores of this home.", (), schemas.STORES, syncs=False),
)
