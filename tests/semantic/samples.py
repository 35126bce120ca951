"""Stores, processes and scopes for the tests of the semantic layer."""

import sys
from pathlib import Path

from cairn.base.owner import Owner, this_process
from cairn.base.values import replace
from cairn.semantic.jobs import JobQueue
from cairn.store.layout import Layout, StoreKind, create_layout

HEAD = "1" * 40
ELSEWHERE = "2" * 40


def layout(folder: Path, kind: StoreKind = StoreKind.PRIVATE) -> Layout:
    return create_layout(str(folder / "home" / "store"), kind)


def queue_at(store: str) -> JobQueue:
    """For a child process that knows the store's path alone."""
    return JobQueue(create_layout(store, StoreKind.PRIVATE))


def dead_owner() -> Owner:
    """A process that ended: this one's place in time is taken by nobody who started so long ago."""
    return replace(this_process(), started="1")


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *arguments)
