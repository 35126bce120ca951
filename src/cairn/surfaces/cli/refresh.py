"""`cairn refresh`: ask for semantic facts, and have the work done here or in a process of its own."""

import argparse
import math
import re
import time
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.text import json_text, plural, printable
from cairn.surfaces.cli.arguments import add_json, add_path
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.refreshes import ContextOutcome
    from cairn.semantic.job import Job
    from cairn.semantic.requests import RefreshRequest

_NAMED = 3
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def add_to(commands: Any) -> None:
    """Add the command `refresh`."""
    parser = commands.add_parser(
        "refresh",
        help="ask the languages' own indexers for facts about what changed",
        description="Run SCIP indexers over the contexts whose facts are missing or old. What is indexed is brought up "
        "to date first. The work is done in a process of its own, unless --wait is given.",
        epilog="Example: cairn refresh ~/src/project --wait",
        allow_abbrev=False,
    )
    parser.intermixed = True
    add_path(parser)
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--files", nargs="+", default=[], metavar="FILE", help="only what these files need")
    scope.add_argument("--package", nargs="+", default=[], metavar="FOLDER", help="only what lies in these folders")
    scope.add_argument(
        "--since", metavar="TIME", help="what changed since: 2026-01-31, 2026-01-31T12:00, 30m, 2h or 3d ago"
    )
    scope.add_argument("--all", action="store_true", help="everything, whether or not it changed")
    parser.add_argument("--context", default="", metavar="ID", help="only one context, as `cairn contexts` names it")
    parser.add_argument("--wait", action="store_true", help="wait until the jobs have ended; exit code 5 if one fails")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask for semantic facts and wait for the jobs; the exit code."""
    from cairn.codebase.codebase import Codebase
    from cairn.questions.asking import brought, require_readable
    from cairn.surfaces.cli.notes import note_fields as said_of
    from cairn.surfaces.cli.notes import warn

    since = moment_of(options.since, time.time()) if options.since is not None else None
    with Codebase(options.path, shared_store=options.shared_store) as codebase:
        require_readable(codebase, current())
        _, notes = brought(codebase, current(), create=False)
        refreshing = codebase.refreshing
        asked = refreshing.ask(_wish(options, codebase, since), "refresh")
        wanted = [each.job.id for each in asked if each.job is not None]
        jobs = _waited(codebase, wanted) if options.wait else []
        worker = None
        if refreshing.is_anything_queued():
            from cairn.daemon.detached import start_worker

            worker = start_worker(codebase)
        active = codebase.store().active()
        notes = [*notes, *refreshing.notes]
    if options.json:
        from cairn.questions.semantic_documents import job_document
        from cairn.surfaces.cli.jobs import SCHEMA_VERSION

        said: dict[str, object] = {"schema_version": SCHEMA_VERSION, "root": codebase.root.path}
        said["snapshot_id"] = active.snapshot_id if active is not None else None
        said["contexts"] = [
            {
                "context": each.context,
                "outcome": each.outcome,
                "why": each.why or None,
                "job": job_document(each.job) if each.job is not None else None,
            }
            for each in asked
        ]
        said |= {"jobs": [*map(job_document, jobs)], "worker": worker, **said_of(notes)}
        say(json_text(said))
    else:
        _show(asked, jobs, worker, options.wait)
        warn(notes)
    return _exit_code(jobs) if options.wait else ExitCode.OK


def _wish(options: argparse.Namespace, codebase: "Codebase", since: float | None) -> "RefreshRequest":
    from cairn.questions.asking import files_meant, place_meant
    from cairn.questions.question import Asked

    asked = Asked(codebase, current())
    return codebase.refreshing.wish(
        files=files_meant(options.files, asked),
        packages=[place_meant(name.rstrip("/") or name, asked) for name in options.package],
        since=since,
        everything=options.all,
        context=options.context,
    )


def _waited(codebase: "Codebase", wanted: Sequence[str]) -> "list[Job]":
    from cairn.surfaces.cli.console import current
    from cairn.surfaces.cli.progress import ProgressLine

    begun = time.monotonic()
    with ProgressLine("refreshing", current().err) as progress:

        def tell(job: "Job") -> None:
            what = job.phase or f"{job.status.value}: another job runs"
            progress.show(f"{printable(job.context)}  {what}  {time.monotonic() - begun:.0f} s")

        return codebase.refreshing.wait(wanted, tell)


def _show(asked: "Sequence[ContextOutcome]", jobs: "Sequence[Job]", worker: int | None, waited: bool) -> None:
    from cairn.questions.semantic_documents import job_document
    from cairn.semantic.job import JobFailureCode
    from cairn.surfaces.cli.joblines import line, scope_text

    if not asked:
        say("nothing to refresh: no context of this codebase has an indexer, or none has such files")
    for each in asked:
        if each.job is None:
            say(f"{printable(each.context)}  {printable(each.why) or each.outcome}")
        elif not waited:
            scope = scope_text(job_document(each.job)["scope"])
            say(f"{printable(each.context)}  {each.outcome}: {scope}  job {each.job.id}")
    failures: dict[tuple[str, str], list[str]] = {}
    for job in jobs:
        document = job_document(job)
        failure = document["failure"]
        # One tool that is missing is told once, for however many contexts.
        if failure is not None and failure["code"] == JobFailureCode.MISSING_TOOL:
            failures.setdefault((failure["message"], failure["hint"]), []).append(job.context)
        else:
            say(line(document))
    for (message, hint), contexts in failures.items():
        said = ", ".join(map(printable, contexts[:_NAMED])) + ", ..." * (len(contexts) > _NAMED)
        say(f"nothing was refreshed of {plural(len(contexts), 'context')} ({said})")
        say(f"  {printable(message)}, then `cairn refresh --wait`")
        say(f"  {printable(hint)}")
        say("  until then answers and renames go by syntax alone")
    if worker is not None:
        say(f"process {worker} works on what is queued: `cairn jobs` shows how far it is")


def _exit_code(jobs: "Sequence[Job]") -> int:
    from cairn.surfaces.cli.jobs import exit_code

    return exit_code(jobs)


def moment_of(text: str, now: float) -> float:
    """A moment as people write it, in seconds since 1970; without a time zone it is the local one."""
    ago = re.fullmatch(r"(\d{1,6})([smhd])(?: ago)?", text.strip())
    if ago is not None:
        return now - int(ago[1]) * _UNITS[ago[2]]
    try:
        moment = datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        moment = math.nan
    if not math.isfinite(moment):
        raise UsageError(f"--since {text} is no moment.", hint="Write 2026-01-31, 2026-01-31T12:00, 30m, 2h or 3d.")
    if moment > now:
        raise UsageError(f"--since {text} lies in the future.", hint="Name a moment that has passed, or 30m, 2h or 3d.")
    return moment
