"""`cairn search`: index what is new, then ask; with --literal or --regex for lines."""

import argparse
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base.errors import (
    BusyError,
    CairnError,
    CancelledError,
    CorruptStoreError,
    ExitCode,
    IncompatibleError,
    RequiresReindexError,
    UsageError,
)
from cairn.base.notes import Note
from cairn.base.text import json_text
from cairn.surfaces.cli.arguments import add_json, add_offline, add_path
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.progress import SyncProgress
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase

_PATIENCE_S = 1.0
MAX_LIMIT = 200
_MAX_DIGITS = 9
MAX_LINES = 10_000
DEFAULT_LINES = 100


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "search",
        help="find code; creates or updates the index first",
        description="Bring the index up to date, then find the places that answer best.",
        epilog="Example: cairn search 'how are stale leases taken over' ~/src/project. "
        "A query may hold filters: lang:python path:src/ -path:tests kind:class. "
        "Every line with a text: cairn search --literal 'lease_ttl_ms ='",
        allow_abbrev=False,
    )
    parser.add_argument("query", nargs="?", metavar="QUERY", help="a question, words, or the name of something")
    add_path(parser)
    # None tells a path that was named from one that wasn't.
    parser.set_defaults(path=None)
    parser.add_argument(
        "--root", dest="roots", action="append", default=[], metavar="PATH", help="a codebase to ask (repeatable)"
    )
    parser.add_argument("--all", action="store_true", help="ask every codebase that is indexed")
    parser.add_argument("--related", metavar="FILE:LINE", help="instead of a query: places like the one at a line")
    parser.add_argument("--literal", action="store_true", help="QUERY is a text: every line that holds it")
    parser.add_argument("--regex", action="store_true", help="QUERY is a regular expression: every line that matches")
    parser.add_argument("-i", "--ignore-case", action="store_true", help="with --literal or --regex: case is the same")
    parser.add_argument(
        "-k",
        "--limit",
        type=int,
        default=None,
        metavar="N",
        help=f"how many results (1 to {MAX_LIMIT}), or lines (1 to {MAX_LINES}, default {DEFAULT_LINES})",
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
    add_offline(parser)
    add_json(parser)
    parser.intermixed = True
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    by_lines = options.literal or options.regex
    if options.related is not None:
        if options.path is not None:
            raise UsageError("--related asks by a place alone.", hint="Leave the query out.")
        # What stands first is then the path: there is no question beside the place.
        options.path, options.query = options.query, ""
    _require_sense(options, by_lines)
    if options.related is not None:
        return _related(options)
    if not by_lines and not (options.query or "").strip():
        raise UsageError(
            "The query is empty.", hint="Ask for something, for example `cairn search 'parse the config'`."
        )
    return _lines(options) if by_lines else _places(options)


def _require_sense(options: argparse.Namespace, by_lines: bool) -> None:
    """Options that don't go together are said before any work is done."""
    if options.literal and options.regex:
        raise UsageError("--literal and --regex exclude each other.", hint="Leave one of them out.")
    if options.ignore_case and not by_lines:
        raise UsageError("--ignore-case belongs to --literal or --regex.", hint="A search ignores case by itself.")
    if by_lines and options.explain:
        raise UsageError("--explain says nothing about lines: they have no score.", hint="Leave it out.")
    special = next((name for name in ("related", "literal", "regex") if getattr(options, name)), None)
    if special == "related" and (by_lines or options.mode):
        raise UsageError("--related asks by a place alone.", hint="Leave --literal, --regex and --mode out.")
    if special and options.budget is not None:
        raise UsageError(f"--budget doesn't go with --{special}.", hint="Use --limit.")
    if special and (options.all or len(options.roots) > 1):
        raise UsageError(f"--{special} asks one codebase.", hint="Name one with --root or as PATH.")
    if options.path is not None and (options.roots or options.all):
        raise UsageError("A path stands beside --root or --all.", hint="Name every codebase with --root.")
    most = MAX_LINES if by_lines else MAX_LIMIT
    if options.limit is not None and not 1 <= options.limit <= most:
        raise UsageError(f"--limit {options.limit} is not allowed; give a number from 1 to {most}.")


def _places(options: argparse.Namespace) -> int:
    from cairn.codebase.codebase import Request
    from cairn.search import Filters, parse_query
    from cairn.surfaces.cli import budget, results
    from cairn.surfaces.cli.envelope import footer_of, show_footer
    from cairn.surfaces.cli.notes import warn

    filters = Filters(languages=tuple(options.lang), paths=tuple(options.paths))
    request = Request(options.query, options.limit, options.mode, filters, options.budget)
    # A question that can't be understood is said before any work is done for it.
    parse_query(request.query, filters)
    if _asks_several(options):
        from cairn.surfaces.cli import several

        return several.run(options, request, sync_first)
    with current().opened(_one_path(options), options.shared_store) as codebase:
        synced, notes = (False, []) if options.no_sync else sync_first(codebase)
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
        show_footer(footer_of(answer, "result"))
    else:
        results.show(answer, options.query, explain=options.explain)
    warn((*notes, *answer.notes))
    return ExitCode.OK


def _related(options: argparse.Namespace) -> int:
    from cairn.codebase.codebase import RelatedRequest
    from cairn.search import Filters
    from cairn.surfaces.cli import results
    from cairn.surfaces.cli.notes import warn

    path, colon, line = options.related.rpartition(":")
    if not colon or not path or not (line.isascii() and line.isdigit() and len(line) <= _MAX_DIGITS):
        raise UsageError(f"{options.related!r} names no place.", hint="Name a file and a line: --related src/a.py:12.")
    filters = Filters(languages=tuple(options.lang), paths=tuple(options.paths)).with_known_languages()
    with current().opened(_one_path(options), options.shared_store) as codebase:
        request = RelatedRequest(_beneath(codebase.root.path, path), int(line), options.limit, filters)
        synced, notes = (False, []) if options.no_sync else sync_first(codebase)
        answer = codebase.related(request, synced=synced)
    if options.json:
        say(json_text(results.document(answer, notes, explain=options.explain)))
        return ExitCode.OK
    results.show(answer, "", explain=options.explain)
    warn((*notes, *answer.notes))
    return ExitCode.OK


def _beneath(root: str, path: str) -> str:
    """A file as the user names it: from where they stand if it is there, else from the root."""
    here = os.path.realpath(current().at(path))
    return here if os.path.exists(here) and here.startswith(root.rstrip("/") + "/") else path


def _asks_several(options: argparse.Namespace) -> bool:
    """Whether the answer is one of several codebases, which what was typed decides and not what is there."""
    if options.roots and options.all:
        raise UsageError("--root and --all exclude each other.", hint="Use --all alone to ask every codebase.")
    several = options.all or len(options.roots) > 1
    if several and options.shared_store is not None:
        raise UsageError(
            "A shared store holds one codebase, so it can't be asked together with others.",
            hint="Leave --shared-store and CAIRN_SHARED_STORE away, or ask that codebase alone.",
        )
    return several


def _lines(options: argparse.Namespace) -> int:
    from cairn.codebase.codebase import LineRequest
    from cairn.search import Filters
    from cairn.surfaces.cli import lines
    from cairn.surfaces.cli.notes import warn

    filters = Filters(languages=tuple(options.lang), paths=tuple(options.paths)).with_known_languages()
    request = LineRequest(options.query, options.regex, options.ignore_case, options.limit, options.mode, filters)
    request.parsed()
    with current().opened(_one_path(options), options.shared_store) as codebase:
        synced, notes = (False, []) if options.no_sync else sync_first(codebase)
        answer = codebase.grep(request, synced=synced)
    if options.json:
        say(json_text(lines.document(answer, notes)))
        return ExitCode.OK
    lines.show(answer)
    warn((*notes, *answer.notes))
    return ExitCode.OK


def _one_path(options: argparse.Namespace) -> str:
    """The only codebase that is asked."""
    path: str | None = options.roots[0] if options.roots else options.path
    return "." if path is None else path


def sync_first(codebase: "Codebase", *, create: bool = True) -> tuple[bool, list[Note]]:
    """Bring the index up to date if that can be had soon; what is indexed already answers in any case."""
    return current().brought(codebase, partial(_sync, create=create))


def _sync(codebase: "Codebase", *, create: bool) -> tuple[bool, list[Note]]:
    from cairn.indexing import SyncOptions

    indexed = codebase.is_indexed()
    options = SyncOptions(wait_s=_PATIENCE_S) if indexed else SyncOptions()
    try:
        with SyncProgress() as progress:
            codebase.index(options, progress, create=create)
    except (UsageError, CancelledError, CorruptStoreError, IncompatibleError, RequiresReindexError):
        raise
    except BusyError as error:
        if not indexed:
            raise
        return False, [Note("not_synced", {"message": error.message})]
    except (CairnError, OSError) as error:
        if not indexed:
            raise
        return False, [Note("sync_failed", {"message": str(error)})]
    return True, list(codebase.notes)
