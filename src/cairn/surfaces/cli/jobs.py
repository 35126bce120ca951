"""`cairn jobs`: the question, and what may be done about jobs."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.text import json_text
from cairn.questions.reports import JOBS
from cairn.surfaces.cli.asked import add_command, path_of, typed
from cairn.surfaces.cli.asked import run as ask
from cairn.surfaces.cli.joblines import show
from cairn.surfaces.cli.notes import PLAIN
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.semantic.job import Job

SCHEMA_VERSION = 1


def add_to(commands: Any) -> None:
    """Add the command `jobs`: the question, and what may be done about jobs."""
    add_command(commands, JOBS, JOBS.name, JOBS.summary, {}, _add_actions)


def _add_actions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cancel", action="store_true", help="cancel the job: nothing of it is published")
    parser.add_argument("--run", dest="runs", action="store_true", help="run the queued jobs in this process")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show jobs, end one, or work on them; the exit code."""
    if not options.cancel and not options.runs:
        return ask(JOBS, {}, options)
    from cairn.codebase.bodies import Answer
    from cairn.codebase.codebase import Codebase
    from cairn.questions.asking import Answered

    values = typed(JOBS, {}, options)
    if options.cancel and values["job"] is None:
        raise UsageError("No job is named.", hint="Name it by its id: cairn jobs --cancel JOB.")
    with Codebase(path_of(options), shared_store=options.shared_store) as codebase:
        codebase.require_readable()
        refreshing = codebase.refreshing
        refreshing.recover()
        found = (refreshing.cancel(values["job"]),) if options.cancel else refreshing.work()
        notes = tuple(refreshing.notes)
    document = Answered(JOBS, values, Answer(found, root=codebase.root.path), notes).document(PLAIN)
    if options.json:
        say(json_text(document))
    else:
        show(document, values)
    return exit_code(found) if options.runs else ExitCode.OK


def exit_code(jobs: Sequence["Job"]) -> int:
    """0 when the last job of each context was completed, 5 when one failed, 10 while one waits."""
    from cairn.semantic.job import JobStatus

    last = {job.context: job for job in jobs}.values()
    if any(job.status is JobStatus.FAILED for job in last):
        return ExitCode.REFUSED
    return ExitCode.BUSY if any(job.status is not JobStatus.COMPLETED for job in last) else ExitCode.OK
