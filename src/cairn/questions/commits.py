"""The question about the past: which commits changed, or tell of, a text or an expression."""

from typing import Any

from cairn.base import lazy
from cairn.questions.common import limit_of
from cairn.questions.narrowing import within_of
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Question

_ALL = "all"


def _commits(asked: Asked, values: Values) -> Any:
    from datetime import time

    from cairn.codebase.commits import CHANGES, MESSAGES, CommitRequest, pathspecs_of, seconds_of
    from cairn.search.pattern import parse_literal, parse_regex
    from cairn.workspace.commits import CommitsMeant

    parse = parse_regex if values["regex"] else parse_literal
    after, before = seconds_of(values["after"], time.min), seconds_of(values["before"], time.max)
    request = CommitRequest(
        parse(values["text"], ignore_case=values["ignore_case"]),
        (MESSAGES, CHANGES) if values["look_in"] == _ALL else (values["look_in"],),
        CommitsMeant(values["author"] or "", after, before, pathspecs_of(asked.within, values["paths"])),
        values["head"],
        values["skip"],
        values["back"],
        values["limit"],
        values["lines"],
    )
    return asked.codebase.insight.commits(asked.codebase.detector.git, request)


COMMITS = Question(
    "commits",
    "commits whose message, or whose changed lines, hold a text",
    (
        Parameter("text", "string", "what to look for", required=True, flag=None, metavar="TEXT"),
        within_of(),
        Parameter("regex", "boolean", "it is an expression in Python's syntax", default=False),
        Parameter("ignore_case", "boolean", "in any case", default=False, short="-i"),
        Parameter("look_in", "string", "where to look", _ALL, choices=(_ALL, "messages", "changes"), flag="--in"),
        Parameter(
            "paths",
            "strings",
            "only changes of these globs, with ! of no such ones",
            flag="--path",
            metavar="GLOB",
            http="glob",
        ),
        Parameter("author", "string", "only of authors whose name or address holds this", metavar="NAME"),
        Parameter("after", "string", "only from this day on", metavar="DAY"),
        Parameter("before", "string", "only up to this day", metavar="DAY"),
        Parameter("head", "string", "from this commit, branch or tag back (default HEAD)", metavar="REV"),
        Parameter("skip", "integer", "leave out so many of the latest commits", 0, least=0, most=10_000_000),
        Parameter("back", "integer", "how many commits are looked at", 5_000, least=1, most=10_000_000, metavar="N"),
        limit_of(20),
        Parameter("lines", "integer", "how many lines of a file are shown", 5, least=1, most=1_000, metavar="N"),
    ),
    _commits,
    lazy.function("cairn.questions.commit_documents", "commits"),
    plain=lazy.function("cairn.questions.commit_documents", "plain_commits"),
    example="cairn commits acquire --in changes",
    syncs=False,
    found=lambda answer: answer.items,
)
