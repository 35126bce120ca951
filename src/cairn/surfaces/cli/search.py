"""`cairn search`: index what is new, then ask."""

import argparse
from typing import TYPE_CHECKING, Any

from cairn.errors import (
    BusyError,
    CairnError,
    CancelledError,
    CorruptStoreError,
    ExitCode,
    IncompatibleError,
    UsageError,
)
from cairn.surfaces.cli.arguments import add_json, add_path
from cairn.surfaces.cli.progress import SyncProgress
from cairn.surfaces.cli.text import json_text, printable, say

if TYPE_CHECKING:
    from cairn.engine import Codebase

_PATIENCE_S = 1.0
MAX_LIMIT = 200


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "search",
        help="find code; creates or updates the index first",
        description="Bring the index up to date, then find the places that answer best.",
        epilog="Example: cairn search 'how are stale leases taken over' ~/src/project. "
        "A query may hold filters: lang:python path:src/ -path:tests kind:class",
        allow_abbrev=False,
    )
    parser.add_argument("query", metavar="QUERY", help="a question, words, or the name of something")
    add_path(parser)
    # None tells a path that was named from one that wasn't.
    parser.set_defaults(path=None)
    parser.add_argument(
        "--root", dest="roots", action="append", default=[], metavar="PATH", help="a codebase to ask (repeatable)"
    )
    parser.add_argument("--all", action="store_true", help="ask every codebase that is indexed")
    parser.add_argument(
        "-k", "--limit", type=int, default=None, metavar="N", help=f"how many results (1 to {MAX_LIMIT})"
    )
    parser.add_argument("--mode", choices=("auto", "code", "docs", "symbol"), help="what to look for")
    parser.add_argument("--lang", action="append", default=[], metavar="NAME", help="only this language (repeatable)")
    parser.add_argument("--path", dest="paths", action="append", default=[], metavar="GLOB", help="only these files")
    parser.add_argument(
        "--budget",
        type=int,
        default=None,
        metavar="TOKENS",
        help="print whole definitions, as many as fit",
    )
    parser.add_argument("--explain", action="store_true", help="show what each signal added to the score")
    parser.add_argument("--no-sync", action="store_true", help="only read: ask the snapshot as it is")
    parser.add_argument("--offline", action="store_true", help="read directly even if a daemon runs")
    add_json(parser)
    parser.intermixed = True
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.limit is not None and not 1 <= options.limit <= MAX_LIMIT:
        raise UsageError(f"--limit {options.limit} is not allowed; give a number from 1 to {MAX_LIMIT}.")
    if not options.query.strip():
        raise UsageError(
            "The query is empty.", hint="Ask for something, for example `cairn search 'parse the config'`."
        )
    from cairn.engine import Codebase, Request
    from cairn.search import Filters, parse_query
    from cairn.surfaces.cli import budget, results

    filters = Filters(languages=tuple(options.lang), paths=tuple(options.paths))
    request = Request(options.query, options.limit, options.mode, filters, options.budget)
    # A question that can't be understood is said before any work is done for it.
    parse_query(request.query, filters)
    if _asks_several(options):
        from cairn.surfaces.cli import several

        return several.run(options, request, _sync)
    path = options.roots[0] if options.roots else "." if options.path is None else options.path
    with Codebase(path, shared_store=options.shared_store) as codebase:
        synced, notes = (False, []) if options.no_sync else _sync(codebase)
        answer = codebase.search(request, synced=synced)
    if options.json:
        document = results.document(answer, notes, explain=options.explain)
        if request.budget_tokens is not None:
            document = budget.within(document, answer.units, request.budget_tokens)
        say(json_text(document))
        return ExitCode.OK
    if request.budget_tokens is not None:
        changed = frozenset(("", path) for path in answer.changed)
        budget.show(answer.results, answer.units, changed, request.budget_tokens, explain=options.explain)
        results.show_footer(results.footer_of(answer))
    else:
        results.show(answer, options.query, explain=options.explain)
    for note in (*notes, *answer.warnings):
        say(f"warning: {printable(note)}", error=True)
    return ExitCode.OK


def _asks_several(options: argparse.Namespace) -> bool:
    """Whether the answer is one of several codebases, which what was typed decides and not what is there."""
    if options.path is not None and (options.roots or options.all):
        raise UsageError("A path stands beside --root or --all.", hint="Name every codebase with --root.")
    if options.roots and options.all:
        raise UsageError("--root and --all exclude each other.", hint="Use --all alone to ask every codebase.")
    several = options.all or len(options.roots) > 1
    if several and options.shared_store is not None:
        raise UsageError(
            "A shared store holds one codebase, so it can't be asked together with others.",
            hint="Leave --shared-store and CAIRN_SHARED_STORE away, or ask that codebase alone.",
        )
    return several


def _sync(codebase: "Codebase") -> tuple[bool, list[str]]:
    """Bring the index up to date if that can be had soon; what is indexed already answers in any case."""
    from cairn.indexing import SyncOptions

    indexed = codebase.is_indexed()
    options = SyncOptions(wait_s=_PATIENCE_S) if indexed else SyncOptions()
    try:
        with SyncProgress() as progress:
            codebase.index(options, progress)
    except (UsageError, CancelledError, CorruptStoreError, IncompatibleError):
        raise
    except BusyError as error:
        if not indexed:
            raise
        return False, [f"not synced, the last snapshot answers: {error.message}"]
    except (CairnError, OSError) as error:
        if not indexed:
            raise
        return False, [f"last_index_failed, the last snapshot answers: {error}"]
    return True, list(codebase.notes)
