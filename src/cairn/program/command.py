"""All commands, and the process that runs one of them."""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from cairn.base.tally import tallied
from cairn.config.user import cairn_home
from cairn.surfaces.cli.asked import Questions
from cairn.surfaces.cli.console import inside
from cairn.surfaces.cli.parser import Commands, Groups, parser_of
from cairn.surfaces.cli.presented import present
from cairn.surfaces.cli.report import ANSWERED, answered
from cairn.surfaces.cli.through import may_be_paged, options

_FEW_COLLECTIONS = 100_000
"""New objects between two looks for garbage; 700 in an ordinary program."""
_BARE: tuple[list[str], ...] = ([], ["--json"])
"""A line without a command: it asks where one stands."""
HOMES: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (
    (
        "find",
        (
            ("cairn.surfaces.cli.index", "index"),
            ("cairn.surfaces.cli.grep", "search grep"),
            ("cairn.surfaces.cli.opening", "open"),
            ("cairn.surfaces.cli.picking", "pick"),
        ),
    ),
    (
        "ask about code (what is indexed already)",
        (
            (
                "cairn.questions.code:QUESTIONS",
                "symbol refs callers callees implementors overrides hierarchy outline map imports cycles impact tests "
                "unused commits slice history",
            ),
        ),
    ),
    ("read files (only what a conversation doesn't have yet)", (("cairn.surfaces.cli.reads", "read session"),)),
    (
        "facts from the languages' own indexers",
        (
            ("cairn.questions.semantic:QUESTIONS", "contexts"),
            ("cairn.surfaces.cli.jobs", "jobs"),
            ("cairn.surfaces.cli.refresh", "refresh"),
        ),
    ),
    (
        "change code",
        (
            ("cairn.surfaces.cli.rename", "rename"),
            ("cairn.surfaces.cli.move", "move"),
            ("cairn.surfaces.cli.signature", "change-signature"),
        ),
    ),
    (
        "look after the index",
        (
            ("cairn.questions.reports:ABOUT_STORES", "status health audit stores gain"),
            ("cairn.surfaces.cli.maintenance", "repair compact gc upgrade-store clear"),
            ("cairn.surfaces.cli.engines", "engine"),
        ),
    ),
    ("share the index with a team", (("cairn.surfaces.cli.team", "export import push pull remote"),)),
    ("run in the background, and stay up to date", (("cairn.program.serving", "serve stop watch"),)),
    ("serve editors", (("cairn.program.lsp", "lsp"),)),
    ("serve coding agents", (("cairn.program.mcp", "mcp"), ("cairn.program.agents", "install uninstall doctor"))),
    (
        "settings and help",
        (
            ("cairn.surfaces.cli.config", "config"),
            ("cairn.program.completion", "completion"),
            ("cairn.program.helping", "help"),
        ),
    ),
)
"""The modules of commands under the titles that the help shows them by, each with the commands that it has: a process
runs one of them, and loads no other's module."""


def groups_with(command: str) -> Groups:
    """The modules that have a command; all of them where none has it, since the help or an error then lists them."""
    homes = [(title, [home for home, names in some if command in names.split()]) for title, some in HOMES]
    known = [(title, some) for title, some in homes if some]
    return [
        (title, [_loaded(home) for home in some])
        for title, some in known or [(title, [home for home, _ in some]) for title, some in HOMES]
    ]


def _loaded(home: str) -> Commands:
    module, _, questions = home.partition(":")
    found = import_module(module)
    return Questions(getattr(found, questions)) if questions else found


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    # One question is too little work for several threads: starting and spinning they cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command makes many objects that stay and drops few in circles: looking for those often finds none.
    gc.set_threshold(_FEW_COLLECTIONS)
    words = list(sys.argv[1:] if argv is None else argv)
    with tallied() as tally:
        code = _presented(words)
    if tally.answers and code in ANSWERED:
        from cairn.codebase.ledger import record

        record(cairn_home(), tally, "cli")
    return code


def _presented(words: list[str]) -> int:
    """Run a command; what a question is answered with may take a pager."""
    parser = parser_of(() if words in _BARE else groups_with(words[0]))
    # A command that tells of all others is one of them.
    parser.set_defaults(everything=lambda: parser_of(groups_with("")))
    if sys.stdout is None or not sys.stdout.isatty() or not may_be_paged(words):
        return answered(words, parser)
    from cairn.surfaces.cli.paged import PagedConsole

    gathered = PagedConsole()
    try:
        with inside(gathered):
            code = answered(words, parser)
    finally:
        unseen = present(gathered.said, options(words))
    return unseen or code
