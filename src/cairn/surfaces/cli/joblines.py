"""Refresh jobs as text."""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from cairn.base.steps import worded_hint
from cairn.base.text import plural, printable
from cairn.questions.parameters import Values
from cairn.questions.question import Document
from cairn.questions.semantic_documents import moment
from cairn.surfaces.cli.notes import command
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.semantic.control import KnownContext

_NAMED = 3


def show(document: Document, values: Values) -> None:
    """Print jobs: each in a line, or the one that was asked for whole."""
    if values["job"] is not None:
        say("\n".join(whole(document["jobs"][0])))
        return
    lines = [*map(line, document["jobs"]), *(f"warning: {each}" for each in document["warnings"])]
    say("\n".join(lines or ["no jobs"]))


def line(job: Document) -> str:
    """A job in one line, with its hint beneath it if it failed."""
    parts = [job["id"], f"{printable(job['context'])}  {job['status']}", scope_text(job["scope"]), _when(job)]
    failure = job["failure"]
    if failure is None:
        return "  ".join(filter(None, parts))
    parts.append(f"{failure['code']}: {printable(failure['message'])}")
    hint = f"\n    {printable(worded_hint(failure['hint'], command))}" if failure["hint"] else ""
    return "  ".join(filter(None, parts)) + hint


def whole(job: Document) -> Iterator[str]:
    """All that is known of a job, in lines."""
    shown: dict[str, str | None] = {
        "job": job["id"],
        "context": job["context"],
        "status": job["status"],
        "scope": scope_text(job["scope"]),
        "then": scope_text(job["widened"]),
        "asked by": job["reason"],
        "head": job["head"] or "unknown",
        "follows": job["follows"],
        "phase": job["phase"],
        "created": job["created_at"],
        "started": job["started_at"],
        "finished": job["finished_at"],
        "took": f"{job['took_s']} s" if job["took_s"] is not None else None,
        "attempts": str(job["attempts"]),
        "superseded": job["superseded_reason"],
    }
    if job["failure"] is not None:
        failure = job["failure"]
        hint = worded_hint(failure["hint"], command)
        shown |= {"failure": failure["code"], "message": failure["message"], "hint": hint}
    return (f"{name:<10}  {printable(value)}" for name, value in shown.items() if value)


def last_refresh(known: "KnownContext | None") -> str:
    """When a context was last refreshed, and by what; empty where nobody knows."""
    from cairn.surfaces.cli.envelope import time_since

    at = moment(known.refreshed_at) if known is not None else None
    if known is None or at is None:
        return ""
    return f"{printable(f'{known.tool} {known.tool_version}').rstrip()}: {time_since(at)} ago"


def scope_text(scope: Document) -> str:
    """What a refresh is about, in words; empty for nothing."""
    if scope["full"]:
        return "all of it"
    parts = []
    for noun, names in (("file", scope["files"]), ("folder", scope["packages"])):
        if len(names) > _NAMED:
            parts.append(plural(len(names), noun))
        else:
            parts += map(printable, names)
    if scope["changed_since"] is not None:
        parts.append(f"changed since {scope['changed_since']}")
    return ", ".join(parts)


def _when(job: Document) -> str:
    if job["finished_at"] is not None:
        return str(job["finished_at"])
    if job["started_at"] is None:
        return ""
    seconds = time.time() - datetime.fromisoformat(job["started_at"]).timestamp()
    return f"{job['phase']} for {max(0.0, seconds):.0f} s"
