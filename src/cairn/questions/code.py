"""Questions about the structure of code: definitions, uses, calls, imports, slices, outlines and the map."""

from typing import Any

from cairn.base import lazy
from cairn.base.errors import UsageError
from cairn.questions.asking import file_meant, target_meant
from cairn.questions.changes import IMPACT, TESTS, UNUSED
from cairn.questions.commits import COMMITS
from cairn.questions.common import (
    ALL_ROLES,
    AT,
    FILES,
    FILES_OF_TOOLS,
    MOST_PLACES,
    budget_of,
    depth_of,
    file_of,
    files_of,
    limit_of,
    name_of,
    require_tests,
    wanted_of,
)
from cairn.questions.narrowing import within_of
from cairn.questions.parameters import Parameter, Values
from cairn.questions.past import PAST
from cairn.questions.question import Asked, Question
from cairn.questions.tuning import Tuning

_SYMBOL_NAME = {"name": "symbol"}
_USED_AS = ("calls", "writes", "reads", "types", "imports", "tests")
_DERIVED = {"implementors": ("hierarchy", {"direction": "down"}), "overrides": ("hierarchy", {"direction": "both"})}
"""What tools ask the hierarchy for in place of their own question."""


def _document(name: str) -> Any:
    """Bodies are made with modules of the graph, which a parser need not load."""
    return lazy.function("cairn.questions.code_documents", name)


def _graph_document(name: str) -> Any:
    return lazy.function("cairn.questions.graph_documents", name)


def _plain(name: str) -> Any:
    """Plain text of what hangs together."""
    return lazy.function("cairn.questions.plain_relations", name)


def _plain_file(name: str) -> Any:
    return lazy.function("cairn.questions.plain_files", name)


def _symbol(asked: Asked, values: Values) -> Any:
    target = target_meant(values["name"], asked)
    return asked.codebase.insight.symbol(
        target, values["limit"], code=values["code"], within=asked.within, synced=asked.synced
    )


def _references(asked: Asked, values: Values) -> Any:
    target = target_meant(values["name"], asked)
    insight, only = asked.codebase.insight, wanted_of(values, asked.within)
    return insight.references(target, values["limit"], only=only, most=MOST_PLACES, synced=asked.synced)


def _calls(asked: Asked, values: Values) -> Any:
    from cairn.graph.calls import Limits

    limits = Limits(values["depth"], values["nodes"], values["fan_out"], values["notes"])
    target = target_meant(values["name"], asked)
    insight, only = asked.codebase.insight, wanted_of(values, asked.within)
    if values["to"] is not None:
        return insight.way(target, target_meant(values["to"], asked), only=only, synced=asked.synced)
    return insight.calls(target, values["direction"], limits, only=only, synced=asked.synced)


def _hierarchy(asked: Asked, values: Values) -> Any:
    target = target_meant(values["name"], asked)
    insight, only = asked.codebase.insight, wanted_of(values, asked.within)
    return insight.hierarchy(target, values["direction"], values["nodes"], only=only, synced=asked.synced)


def _cycles(asked: Asked, values: Values) -> Any:
    return asked.codebase.insight.cycles(
        values["limit"], lazily=values["lazy"], within=asked.within, synced=asked.synced
    )


def _outline(asked: Asked, values: Values) -> Any:
    file, insight = file_meant(values["file"], asked), asked.codebase.insight
    kept = {name: values[name] for name in ("depth", "around")}
    return insight.outline(file, values["symbol"], values["budget_tokens"], **kept, synced=asked.synced)


def _map(asked: Asked, values: Values) -> Any:
    return asked.codebase.insight.map(values["budget_tokens"], within=asked.within, synced=asked.synced)


def _imports(asked: Asked, values: Values) -> Any:
    return asked.codebase.insight.imports(file_meant(values["file"], asked), synced=asked.synced)


def _slice(asked: Asked, values: Values) -> Any:
    from cairn.graph.targets import place_of

    place = place_of(values["place"])
    if place is None:
        raise UsageError(f"{values['place']} is no place.", hint="Name a line, like src/a.py:42.")
    file = file_meant(place.path, asked)
    return asked.codebase.insight.slice(file, place.line, values["name"], synced=asked.synced)


def _outline_makes_sense(values: Values, spell: Any) -> None:
    if values["budget_tokens"] is not None and values["symbol"] is not None:
        raise UsageError(f"{spell('budget_tokens')} doesn't go with {spell('symbol')}.", hint="Leave one of them out.")


def _slice_makes_sense(values: Values, _spell: Any) -> None:
    from cairn.graph.targets import place_of

    if place_of(values["place"]) is None:
        raise UsageError(f"{values['place']} is no place.", hint="Name a line, like src/a.py:42.")
    if not values["name"].strip():
        raise UsageError("No name is given.", hint="Name what to follow, like epoch.")


def _several_symbols(codebases: Any, values: Values) -> Any:
    return codebases.symbol(values["name"], values["limit"])


def _several_references(codebases: Any, values: Values) -> Any:
    return codebases.references(values["name"], values["limit"], most=MOST_PLACES)


SYMBOL = Question(
    "symbol",
    "where something is defined",
    (
        name_of("NAME"),
        within_of(),
        limit_of(),
        AT,
        Parameter("code", "boolean", "with the lines of each", default=False),
    ),
    _symbol,
    _document("symbols"),
    plain=_plain("symbols"),
    example="cairn symbol Lease.release",
    subject="several",
    ask_several=_several_symbols,
    document_several=_document("several_symbols"),
    found=lambda answer: answer.items,
    single=lambda values: "code" if values["code"] else "",
    tuning=Tuning(names=_SYMBOL_NAME),
)
REFERENCES = Question(
    "refs",
    "where something is used, and how sure that is",
    (
        name_of(),
        within_of(),
        limit_of(),
        AT,
        Parameter("role", "string", "only such uses", ALL_ROLES, choices=(ALL_ROLES, *_USED_AS)),
        *files_of(),
    ),
    _references,
    _document("references"),
    plain=_plain("references"),
    example="cairn refs src/lease.py:12",
    subject="several",
    ask_several=_several_references,
    require=require_tests,
    document_several=_document("several_references"),
    found=lambda answer: answer.items,
    single=lambda values: "role" if values["role"] != ALL_ROLES else next(filter(values.get, FILES), ""),
    tool="find_references",
    tool_text="Where a symbol is defined and every use of it; by role only calls, writes, "
    "implementors, or its history.",
    tuning=Tuning(
        names={**_SYMBOL_NAME, **FILES_OF_TOOLS},
        bounds={"role": {"choices": (ALL_ROLES, *_USED_AS, *_DERIVED, "history")}, "limit": {"default": 500}},
        others={"role": {**_DERIVED, "history": ("past", {})}},
        sized=True,
    ),
)
HIERARCHY = Question(
    "hierarchy",
    "what a type or member is derived from, and what is derived from it",
    (
        name_of(),
        within_of(),
        Parameter(
            "direction",
            "string",
            "which way",
            "both",
            choices=("up", "down", "both"),
            switches=(
                ("--up", "up", "only what it is derived from"),
                ("--down", "down", "only what is derived from it"),
            ),
        ),
        Parameter("nodes", "integer", "how many definitions", 100, least=1, most=MOST_PLACES, metavar="N"),
        *files_of(),
    ),
    _hierarchy,
    _graph_document("hierarchy"),
    plain=_plain("hierarchy"),
    example="cairn implementors Storage",
    commands={
        "implementors": ("what extends, implements or overrides something", {"direction": "down"}),
        "overrides": ("what a member overrides, and what overrides it", {"direction": "both"}),
        "hierarchy": ("what a type or member is derived from, and what is derived from it", {"direction": "both"}),
    },
    found=lambda answer: answer.value.edges or answer.value.foreign,
    pictures=True,
    tuning=Tuning(names={**_SYMBOL_NAME, **FILES_OF_TOOLS, "nodes": "limit"}, sized=True),
)
CALLS = Question(
    "callgraph",
    "what calls something, what it calls, or both",
    (
        name_of(),
        within_of(),
        Parameter(
            "direction",
            "string",
            "which way",
            "callers",
            choices=("callers", "callees", "both"),
            switches=(("--both", "both", "callers and callees"),),
        ),
        depth_of(1),
        Parameter("nodes", "integer", "how many definitions", 100, least=1, most=MOST_PLACES, metavar="N"),
        Parameter("fan_out", "integer", "how many of each", 25, least=1, most=500, metavar="N"),
        Parameter("notes", "integer", "how many notes", 50, least=0, most=1_000, metavar="N"),
        Parameter("to", "string", "tell the way of calls to this", metavar="NAME"),
        *files_of(),
    ),
    _calls,
    _graph_document("calls"),
    plain=_plain("calls"),
    example="cairn callers Lease.release --depth 2",
    commands={
        "callers": ("what calls something", {"direction": "callers"}),
        "callees": ("what something calls", {"direction": "callees"}),
    },
    found=lambda answer: answer.value.calls,
    pictures=True,
    tool="call_graph",
    tool_text="Who calls something and what it calls, up to three steps; the shortest way of calls from it to another "
    "(to); or what extends, implements or overrides it.",
    tuning=Tuning(
        names={**_SYMBOL_NAME, **FILES_OF_TOOLS, "nodes": "limit", "notes": "note_limit"},
        bounds={
            "direction": {"choices": ("callers", "callees", "both", *_DERIVED)},
            "nodes": {"default": 200, "most": 500},
            "notes": {"default": 20, "most": 500},
        },
        others={"direction": _DERIVED},
        without=frozenset({"fan_out"}),
        fixed={"fan_out": 500},
        sized=True,
    ),
)
OUTLINE = Question(
    "outline",
    "what a file defines, as a tree",
    (
        file_of(),
        Parameter("symbol", "string", "one definition, by its id or name", metavar="ID|LABEL"),
        Parameter("depth", "integer", "how many levels are shown", least=1, most=100, metavar="N"),
        Parameter("around", "integer", "only what is around a line", least=1, most=10**9 - 1, metavar="LINE"),
        budget_of(),
    ),
    _outline,
    _document("outline"),
    plain=_plain_file("outline"),
    example="cairn outline src/lease.py",
    subject="file",
    require=_outline_makes_sense,
    tool="file_outline",
    tool_text="What a file defines, with lines and signatures; or what it imports and who imports it.",
    tuning=Tuning(bounds={"budget_tokens": {"default": 2_500, "help": "size of the answer"}}, sized=True),
)
MAP = Question(
    "map",
    "what a repository is made of and which files matter most",
    (within_of(), budget_of(2_000), AT),
    _map,
    _graph_document("repo_map"),
    plain=_plain_file("repo_map"),
    example="cairn map",
    tool="repo_map",
    tool_text="What a repository is made of, the files that matter most first. With show: what a change reaches "
    "(impact), which tests to run for it (tests), what nothing uses (unused).",
    tuning=Tuning(bounds={"budget_tokens": {"least": 100, "most": 100_000, "help": "size of the map"}}, sized=True),
)
IMPORTS = Question(
    "imports",
    "what a file imports, and who imports it",
    (file_of(),),
    _imports,
    _graph_document("imports"),
    plain=_plain("imports"),
    example="cairn imports src/lease.py",
    subject="file",
    pictures=True,
)
CYCLES = Question(
    "cycles",
    "files that import each other in a circle, the shortest way round each",
    (within_of(), Parameter("lazy", "boolean", "also imports inside of functions", default=False), limit_of(20)),
    _cycles,
    _graph_document("cycles"),
    example="cairn cycles",
    pictures=True,
)
SLICE = Question(
    "slice",
    "definitions, uses and flow of a name inside one function",
    (
        Parameter(
            "place", "string", "a line of the function", required=True, flag=None, metavar="FILE:LINE", is_path=True
        ),
        Parameter("name", "string", "the name to follow", required=True, flag=None, metavar="NAME"),
    ),
    _slice,
    _document("local_slice"),
    example="cairn slice src/lease.py:42 epoch",
    found=lambda answer: answer.value,
    subject="file",
    require=_slice_makes_sense,
)
QUESTIONS = (
    SYMBOL,
    REFERENCES,
    CALLS,
    HIERARCHY,
    OUTLINE,
    MAP,
    IMPORTS,
    CYCLES,
    IMPACT,
    TESTS,
    UNUSED,
    COMMITS,
    SLICE,
    PAST,
)
