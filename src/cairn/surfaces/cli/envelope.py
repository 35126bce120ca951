"""What every answer says of itself, as a footer; and colours, where somebody sees them."""

import contextlib
import contextvars
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cairn.base.text import plural
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer

PATH, DIM, BOLD, WARN, _END = "\x1b[1;36m", "\x1b[2m", "\x1b[1m", "\x1b[33m", "\x1b[0m"
MATCH = "\x1b[1;31m"
COLOURS = ("auto", "always", "never")
_WANTED: contextvars.ContextVar[str] = contextvars.ContextVar("colour", default="auto")
_NAMED: contextvars.ContextVar[bool] = contextvars.ContextVar("named", default=True)


def show_footer(text: str) -> None:
    """What an answer says of itself: for people, so it stays out of a pipe."""
    say(paint(text, DIM, wants_colour()), error=not is_terminal())


def footer_of(answer: "Answer[Any]", noun: str) -> str:
    """The line below an answer: how much there is, and how fresh it is."""
    manifest = answer.manifest
    state = state_of(answer.freshness)
    if answer.changed:
        state += f", {plural(len(answer.changed), 'cited file')} changed since"
    parts = [
        plural(len(answer.items), noun),
        f"snapshot {manifest.snapshot_id}, {age_of(manifest.created_at)}",
        state,
    ]
    if manifest.degraded:
        parts.append("degraded")
    if answer.limits_hit:
        parts.append("cut short: " + ", ".join(answer.limits_hit))
    parts.append(taken())
    return " · ".join(parts)


def state_of(freshness: Mapping[str, Any]) -> str:
    """Of what an answer tells, in words."""
    if commit := freshness.get("commit"):
        return f"of commit {commit[:12]}"
    if remote := freshness.get("remote"):
        over = plural(freshness["laid_over"], "changed file")
        return f"commit {freshness['remote_commit'][:12]} asked at {remote}, {over} of the tree over it"
    return "the tree was just synced" if freshness.get("synced") else "not synced"


def taken() -> str:
    """How long the user has waited: from the key press on, whoever does the work."""
    return f"{current().elapsed_ms():.0f} ms"


def age_of(created_at: str) -> str:
    """How old something is, in words."""
    return f"{time_since(created_at)} old"


def time_since(created_at: str) -> str:
    """How long ago something was, in its largest unit."""
    seconds = max(0.0, time.time() - datetime.fromisoformat(created_at).timestamp())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return plural(int(seconds // size), unit)
    return plural(int(seconds), "second")


def is_terminal() -> bool:
    """Whether the output goes to a terminal."""
    out = current().out
    return out is not None and out.isatty()


def wants_colour() -> bool:
    """Whether the output may be coloured."""
    here = current()
    if _WANTED.get() != "auto":
        return _WANTED.get() == "always"
    return not here.variable("NO_COLOR") and is_terminal() and here.variable("TERM") != "dumb"


@contextlib.contextmanager
def coloured(wanted: str) -> Iterator[None]:
    """Colours as they are asked for: where somebody sees them, always, or never."""
    token = _WANTED.set(wanted)
    try:
        yield
    finally:
        _WANTED.reset(token)


@contextlib.contextmanager
def named(wanted: bool) -> Iterator[None]:
    """Lines with the names of their files, or without."""
    token = _NAMED.set(wanted)
    try:
        yield
    finally:
        _NAMED.reset(token)


def wants_names() -> bool:
    """Whether a line says which file it is of."""
    return _NAMED.get()


def paint(text: str, code: str, colour: bool) -> str:
    """A text in a colour, or as it is."""
    return f"{code}{text}{_END}" if colour and text else text
