"""All commands, and the process that runs one of them."""

import gc
import os
import sys
from collections.abc import Sequence

from cairn.program import agents, mcp, serving
from cairn.questions import reports
from cairn.questions.registry import ABOUT_CODE, ABOUT_MEANING
from cairn.questions.search import SEARCH
from cairn.surfaces.cli import engines, index, jobs, maintenance, reads, refresh, rename
from cairn.surfaces.cli.asked import Questions
from cairn.surfaces.cli.parser import Groups, parser_of
from cairn.surfaces.cli.report import answered

_FEW_COLLECTIONS = 100_000
"""New objects between two looks for garbage; 700 in an ordinary program."""
_GROUPS: Groups = (
    ("find", (index, Questions((SEARCH,)))),
    ("ask about code (what is indexed already)", (Questions(ABOUT_CODE),)),
    ("read (what the conversation doesn't have yet)", (reads,)),
    ("understand code with its own tools", (Questions(ABOUT_MEANING), jobs, refresh)),
    ("change code", (rename,)),
    ("look after the index", (Questions(reports.ABOUT_STORES), maintenance, engines)),
    ("serve, and keep up to date by itself", (serving,)),
    ("serve coding agents", (mcp, agents)),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    # One question is too little work for several threads: starting and spinning they cost more than they save.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command makes many objects that stay and drops few in circles: looking for those often finds none.
    gc.set_threshold(_FEW_COLLECTIONS)
    return answered(list(sys.argv[1:] if argv is None else argv), parser_of(_GROUPS))
