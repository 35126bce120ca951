"""`cairn search`: index what is new, then ask."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from cairn.errors import BusyError, ExitCode, UsageError
from cairn.surfaces.cli.arguments import add_json, add_path
from cairn.surfaces.cli.progress import ProgressLine
from cairn.surfaces.cli.text import json_text, printable, say

if TYPE_CHECKING:
    from cairn.engine import Codebase

SCHEMA_VERSION = 1
_SNIPPET_LINES = 6
_PATIENCE_S = 1.0


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "search",
        help="find code; creates or updates the index first",
        description="Bring the index up to date, then find the places that match best.",
        epilog="Example: cairn search 'stale lease taken over' ~/src/project",
        allow_abbrev=False,
    )
    parser.add_argument("query", metavar="QUERY", help="words, or the name of something")
    add_path(parser)
    parser.add_argument("-k", "--limit", type=int, default=None, metavar="N", help="how many results (1 to 200)")
    parser.add_argument("--no-sync", action="store_true", help="only read: ask the snapshot as it is")
    add_json(parser)
    parser.intermixed = True
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.limit is not None and not 1 <= options.limit <= 200:
        raise UsageError(f"--limit {options.limit} is not allowed; give a number from 1 to 200.")
    from cairn.engine import Codebase

    with Codebase(options.path, shared_store=options.shared_store) as codebase:
        warnings = [] if options.no_sync else _sync(codebase)
        limit = options.limit or codebase.detector.config.query.limit
        manifest, found = codebase.search(options.query, limit)
    results: list[dict[str, object]] = [
        {
            "path": item.row.path_key,
            "start_line": item.row.start_line,
            "end_line": item.row.end_line,
            "kind": item.row.kind,
            "language": item.row.language,
            "score": round(item.score, 6),
            "text": item.row.text,
        }
        for item in found
    ]
    if options.json:
        say(
            json_text(
                {
                    "schema_version": SCHEMA_VERSION,
                    "store_id": manifest.store_id,
                    "snapshot_id": manifest.snapshot_id,
                    "config_fingerprint": manifest.config_fingerprint,
                    "ignore_fingerprint": manifest.ignore_fingerprint,
                    "degraded": manifest.degraded,
                    "warnings": warnings,
                    "results": results,
                }
            )
        )
        return ExitCode.OK
    for result in results:
        say(f"{printable(str(result['path']))}:{result['start_line']}")
        for line in str(result["text"]).splitlines()[:_SNIPPET_LINES]:
            say(f"    {printable(line.expandtabs(4))[:160]}")
    note = f"{len(results)} results from snapshot {manifest.snapshot_id}" + (" (degraded)" if manifest.degraded else "")
    for warning in warnings:
        say(f"warning: {warning}", error=True)
    say(note, error=sys.stdout is not None and not sys.stdout.isatty())
    return ExitCode.OK


def _sync(codebase: "Codebase") -> list[str]:
    """Bring the index up to date; a reader never waits long for a writer if there is something to read."""
    from cairn.indexing import SyncOptions

    indexed = codebase.is_indexed()
    options = SyncOptions(wait_s=_PATIENCE_S) if indexed else SyncOptions()
    try:
        with ProgressLine("indexing") as progress:
            result = codebase.index(options, lambda done, _: progress(done))
    except BusyError as error:
        if not indexed:
            raise
        return [f"not synced, the last snapshot answers: {error.message}"]
    return list(codebase.warnings(result))
