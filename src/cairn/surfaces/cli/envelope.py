"""What every answer to a search says of itself, as JSON and as a footer; and colours, where somebody sees them."""

import time
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cairn.base.text import plural
from cairn.store.versions import writable
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.notes import told
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.base.notes import Note
    from cairn.codebase.answers import Answer
    from cairn.store import Manifest

PATH, DIM, BOLD, WARN, _END = "\x1b[1;36m", "\x1b[2m", "\x1b[1m", "\x1b[33m", "\x1b[0m"


def envelope(answer: "Answer[Any]", notes: "Sequence[Note]", results: list[dict[str, object]]) -> dict[str, object]:
    """The JSON answer."""
    manifest = answer.manifest
    return {
        "schema_version": writable("search_json"),
        "request_id": answer.request_id,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "query_fingerprint": answer.query_fingerprint,
        "git": git_document(manifest),
        "degraded": manifest.degraded,
        "freshness": dict(answer.freshness),
        **told((*notes, *answer.notes)),
        "limits_hit": list(answer.limits_hit),
        "timings_ms": dict(answer.timings_ms),
        "results": results,
    }


def git_document(manifest: "Manifest") -> dict[str, object]:
    return {
        "head": manifest.git.head_sha,
        "dirty": manifest.git.dirty,
        "untracked_included": manifest.git.untracked_included,
    }


def show_footer(text: str) -> None:
    """What an answer says of itself: for people, so it stays out of a pipe."""
    say(paint(text, DIM, wants_colour()), error=not is_terminal())


def footer_of(answer: "Answer[Any]", noun: str) -> str:
    manifest = answer.manifest
    state = "the tree was just synced" if answer.freshness.get("synced") else "not synced"
    if answer.changed:
        state += f", {plural(len(answer.changed), 'cited file')} changed since"
    parts = [
        plural(len(answer.results), noun),
        f"snapshot {manifest.snapshot_id}, {age_of(manifest.created_at)}",
        state,
    ]
    if manifest.degraded:
        parts.append("degraded")
    if answer.limits_hit:
        parts.append("cut short: " + ", ".join(answer.limits_hit))
    parts.append(f"{answer.timings_ms['total']:.0f} ms")
    return " · ".join(parts)


def age_of(created_at: str) -> str:
    seconds = max(0.0, time.time() - datetime.fromisoformat(created_at).timestamp())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{plural(int(seconds // size), unit)} old"
    return f"{plural(int(seconds), 'second')} old"


def is_terminal() -> bool:
    out = current().out
    return out is not None and out.isatty()


def wants_colour() -> bool:
    here = current()
    return not here.variable("NO_COLOR") and is_terminal() and here.variable("TERM") != "dumb"


def paint(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{_END}" if colour and text else text
