"""`cairn jobs`: what refreshes were asked for and what became of them; and jobs as text and as JSON."""

import argparse
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.steps import worded_hint
from cairn.base.text import json_text, plural, printable
from cairn.questions.reports import JOB_STATES, jobs_document
from cairn.questions.semantic_documents import moment
from cairn.surfaces.cli.arguments import add_json, add_store
from cairn.surfaces.cli.notes import PLAIN, sentences
from cairn.surfaces.cli.steps import command
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.semantic.contexttable import KnownContext
    from cairn.semantic.job import Job
    from cairn.semantic.scope import RefreshScope

SCHEMA_VERSION = 1
_NAMED = 3


def add_to(commands: Any) -> None:
    """Add the command `jobs`."""
    parser = commands.add_parser(
        "jobs",
        help="refreshes that were asked for, and what became of them",
        description="List the refresh jobs of a codebase, or show one whole. Jobs whose worker is gone are settled "
        "first.",
        epilog="Example: cairn jobs --status failed",
        allow_abbrev=False,
    )
    parser.intermixed = True
    parser.add_argument(
        "words", nargs="*", metavar="PATH|JOB", help="a folder of the codebase, and the id of one job to show it whole"
    )
    add_store(parser)
    parser.add_argument("--context", metavar="ID", default=None, help="only those of one context")
    parser.add_argument("--status", choices=JOB_STATES, default=None, help="only those that are in this state")
    parser.add_argument("--cancel", action="store_true", help="end the job: nothing of it is published")
    parser.add_argument("--run", dest="runs", action="store_true", help="work here on what is queued, to its end")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the jobs, or show one whole; the exit code."""
    from cairn.codebase.codebase import Codebase
    from cairn.semantic.job import JobStatus

    path, named = _path_and_job(options.words)
    if options.cancel and named is None:
        raise UsageError("No job is named.", hint="Name it by its id: cairn jobs --cancel JOB.")
    with Codebase(path, shared_store=options.shared_store) as codebase:
        codebase.require_readable()
        refreshing = codebase.refreshing
        refreshing.recover()
        if named is not None:
            found: Sequence[Job] = (refreshing.cancel(named) if options.cancel else refreshing.job(named),)
        elif options.runs:
            found = refreshing.work()
        else:
            status = JobStatus(options.status) if options.status is not None else None
            found = refreshing.queue.all(context=options.context, status=status)
        notes = tuple(refreshing.notes)
    if options.json:
        say(json_text(jobs_document(codebase.root.path, found, notes, PLAIN)))
    elif named is not None:
        say("\n".join(whole(found[0])))
    else:
        say(
            "\n".join(
                [*(line(job) for job in found), *(f"warning: {each}" for each in sentences(notes))] or ["no jobs"]
            )
        )
    return exit_code(found) if options.runs else ExitCode.OK


def _path_and_job(words: Sequence[str]) -> tuple[str, str | None]:
    """What a word is, its form tells: ids of jobs are ULIDs."""
    from cairn.base.ulid import is_ulid

    jobs, paths = [word for word in words if is_ulid(word)], [word for word in words if not is_ulid(word)]
    if len(jobs) > 1 or len(paths) > 1:
        raise UsageError("More than one job or path is named.", hint="Name one: cairn jobs PATH JOB.")
    return next(iter(paths), "."), next(iter(jobs), None)


def exit_code(jobs: Sequence["Job"]) -> int:
    """0 when the last job of each context was completed, 5 when one failed, 10 while one waits."""
    from cairn.semantic.job import JobStatus

    last = {job.context: job for job in jobs}.values()
    if any(job.status is JobStatus.FAILED for job in last):
        return ExitCode.REFUSED
    return ExitCode.BUSY if any(job.status is not JobStatus.COMPLETED for job in last) else ExitCode.OK


def line(job: "Job") -> str:
    """A job in one line, with its hint beneath it if it failed."""
    parts = [job.id, f"{printable(job.context)}  {job.status.value}", scope_text(job.scope), _when(job)]
    if job.failure is not None:
        parts.append(f"{job.failure.code.value}: {printable(job.failure.message)}")
    hint = (
        f"\n    {printable(worded_hint(job.failure.hint, command))}"
        if job.failure is not None and job.failure.hint
        else ""
    )
    return "  ".join(filter(None, parts)) + hint


def whole(job: "Job") -> Iterator[str]:
    """All that is known of a job, in lines."""
    told: dict[str, str | None] = {
        "job": job.id,
        "context": job.context,
        "status": job.status.value,
        "scope": scope_text(job.scope),
        "then": scope_text(job.widened) if not job.widened.is_empty else None,
        "asked by": job.reason,
        "head": job.head or "unknown",
        "follows": job.follows,
        "phase": job.phase,
        "created": moment(job.created_at),
        "started": moment(job.started_at),
        "finished": moment(job.finished_at),
        "attempts": str(job.attempts),
        "superseded": job.superseded_reason,
    }
    if job.failure is not None:
        told |= {
            "failure": job.failure.code.value,
            "message": job.failure.message,
            "hint": worded_hint(job.failure.hint, command),
        }
    return (f"{name:<10}  {printable(value)}" for name, value in told.items() if value)


def last_refresh(known: "KnownContext | None") -> str:
    """When a context was last refreshed, and by what; empty where nobody knows."""
    from cairn.surfaces.cli.envelope import time_since

    at = moment(known.refreshed_at) if known is not None else None
    if known is None or at is None:
        return ""
    return f"{printable(f'{known.tool} {known.tool_version}').rstrip()}: {time_since(at)} ago"


def scope_text(scope: "RefreshScope") -> str:
    """What a refresh is about, in words."""
    if scope.full:
        return "all of it"
    parts = []
    for noun, names in (("file", sorted(scope.files)), ("folder", sorted(scope.packages))):
        if len(names) > _NAMED:
            parts.append(plural(len(names), noun))
        else:
            parts += map(printable, names)
    if scope.changed_since is not None:
        parts.append(f"changed since {moment(scope.changed_since)}")
    return ", ".join(parts)


def _when(job: "Job") -> str:
    if job.finished_at is not None:
        return moment(job.finished_at) or ""
    if job.started_at is not None:
        return f"{job.phase} for {max(0.0, time.time() - job.started_at):.0f} s"
    return ""
