"""Questions about changes: what they reach, which tests see them, and what nothing uses."""

from typing import Any

from cairn.base import lazy
from cairn.questions.asking import file_meant, files_beneath, place_or_name_meant
from cairn.questions.common import depth_of, limit_of
from cairn.questions.narrowing import within_of
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Question

_IMPACT_NODES, _IMPACT_FAN_OUT, _IMPACT_NOTES = 500, 100, 50


def _graph_document(name: str) -> Any:
    """Bodies are made with modules of the graph, which a parser need not load."""
    return lazy.function("cairn.questions.graph_documents", name)


def _plain_file(name: str) -> Any:
    return lazy.function("cairn.questions.plain_files", name)


def _impact(asked: Asked, values: Values) -> Any:
    from cairn.graph.calls import Limits

    limits = Limits(values["depth"], _IMPACT_NODES, _IMPACT_FAN_OUT, _IMPACT_NOTES)
    files = files_beneath(values["files"], asked, file_meant)
    codebase = asked.codebase
    return codebase.insight.impact(codebase.detector.git, values["since"], files, limits, synced=asked.synced)


def _tests(asked: Asked, values: Values) -> Any:
    from cairn.graph.calls import Limits

    limits = Limits(values["depth"], _IMPACT_NODES, _IMPACT_FAN_OUT, _IMPACT_NOTES)
    places = files_beneath(values["places"], asked, place_or_name_meant)
    git = asked.codebase.detector.git
    insight, most, weak = asked.codebase.insight, values["limit"], values["weak"]
    return insight.tests(git, values["since"], places, limits, most, weak=weak, synced=asked.synced)


def _unused(asked: Asked, values: Values) -> Any:
    return asked.codebase.insight.unused(values["exported"], values["limit"], within=asked.within, synced=asked.synced)


IMPACT = Question(
    "impact",
    "what a change reaches: symbols, callers, dependants and tests",
    (
        Parameter(
            "files",
            "strings",
            "only these files or folders (default: all that changed)",
            flag=None,
            metavar="FILE",
            is_path=True,
        ),
        Parameter("since", "string", "what differs from this commit, branch or tag (default HEAD)", metavar="REV"),
        depth_of(3),
    ),
    _impact,
    _graph_document("impact"),
    plain=_plain_file("impact"),
    example="cairn impact --since main",
    subject="changes",
    pictures=True,
    formats={name: lazy.function("cairn.questions.review_text", name) for name in ("markdown", "sarif")},
)
TESTS = Question(
    "tests",
    "which tests see a change, the likeliest first, and why",
    (
        Parameter(
            "places",
            "strings",
            "files, folders, places like FILE:LINE, or names (default: all that changed)",
            flag=None,
            metavar="PLACE",
        ),
        Parameter("since", "string", "what differs from this commit, branch or tag (default HEAD)", metavar="REV"),
        Parameter("weak", "boolean", "also tests for which little speaks: far off, or only of the same package"),
        depth_of(3),
        limit_of(100),
    ),
    _tests,
    _graph_document("tests"),
    plain=_plain_file("tests"),
    example="cairn tests --since main",
    subject="changes",
    listings={
        "plain": "only the paths of test files, one a line",
        "names": "paths alone, with the tests of a file where they are known: path::name",
    },
)
UNUSED = Question(
    "unused",
    "definitions that nothing uses, as far as names tell",
    (
        within_of(),
        Parameter("exported", "boolean", "also what others may use, of whom this tree knows nothing"),
        limit_of(200),
    ),
    _unused,
    _graph_document("unused"),
    plain=_plain_file("unused"),
    example="cairn unused --exported",
    listings={"plain": "only places and names, one a line"},
)
