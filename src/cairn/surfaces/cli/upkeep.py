"""What the commands that look after a store do; imported only when one of them runs."""

import argparse
import contextlib
import time
from collections.abc import Iterator

from cairn.base.errors import BusyError, CairnError, ExitCode
from cairn.base.text import json_text, plural, printable
from cairn.codebase.codebase import Codebase
from cairn.lifecycle.prune import prune
from cairn.lifecycle.registry import Registry
from cairn.store.inventory import left_behind, list_stores, remove_store, remove_trash, unused
from cairn.store.layout import open_layout
from cairn.store.store import store_path
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.notes import sentences, texts
from cairn.surfaces.cli.text import say
from cairn.workspace import cairn_home, find_root

SCHEMA_VERSION = 1


def _codebase(options: argparse.Namespace) -> contextlib.AbstractContextManager[Codebase]:
    return current().opened(options.path, options.shared_store)


@contextlib.contextmanager
def _known(options: argparse.Namespace) -> Iterator[Codebase]:
    """A codebase whose store is looked after: one of other settings is not the store that was meant."""
    with _codebase(options) as codebase:
        if codebase.tracking is not None:
            codebase.tracking.require_settings()
        yield codebase


def run_repair(options: argparse.Namespace) -> int:
    """Make anew what is damaged; the exit code."""
    with _known(options) as codebase:
        result = codebase.repair()
    document = {
        "schema_version": SCHEMA_VERSION,
        "damage": list(result.damage.reasons),
        "affected": list(result.damage.affected),
        "actions": list(result.actions),
        "reindex_required": result.reindex_required,
    }
    if result.reindex_required:
        lines = [*result.damage.reasons, "a reindex is required: run `cairn index --reindex`"]
    else:
        lines = [*result.damage.reasons, *result.actions] or ["nothing is damaged"]
    _answer(options, document, [printable(line) for line in lines])
    return ExitCode.REQUIRES_REINDEX if result.reindex_required else ExitCode.OK


def compact(options: argparse.Namespace) -> int:
    """Merge segments; the exit code."""
    with _known(options) as codebase:
        manifest = codebase.compact(force=options.force)
    document = {
        "schema_version": SCHEMA_VERSION,
        "compacted": manifest is not None,
        "snapshot_id": manifest.snapshot_id if manifest is not None else None,
        "segments": len(manifest.segments) if manifest is not None else None,
    }
    done = f"snapshot {manifest.snapshot_id}: {plural(len(manifest.segments), 'segment')}" if manifest else "not due"
    _answer(options, document, [done])
    return ExitCode.OK


def gc(options: argparse.Namespace) -> int:
    """Remove what no snapshot needs, or whole stores; the exit code."""
    if options.stores:
        return _gc_stores(options)
    with _known(options) as codebase:
        plan = codebase.collect(force=options.force)
    document = {
        "schema_version": SCHEMA_VERSION,
        "snapshots": list(plan.snapshots),
        "segments": list(plan.segments),
        "staging": list(plan.staging),
    }
    counts = f"{plural(len(plan.snapshots), 'snapshot')}, {plural(len(plan.segments), 'segment')}"
    _answer(options, document, [f"removed {counts}, {plural(len(plan.staging), 'abandoned transaction')}"])
    return ExitCode.OK


def _gc_stores(options: argparse.Namespace) -> int:
    home = cairn_home()
    current = find_root(options.path).path
    chosen = unused(list_stores(home), current, time.time(), force=options.force)
    removed, busy = [], []
    left: list[str] = []
    failed: list[tuple[str, CairnError]] = []
    for store in chosen:
        try:
            behind = left_behind(store_path(home, store.store_id))
            if remove_store(home, store.store_id):
                removed.append(store.store_id)
                left += texts(behind)
        except BusyError:
            busy.append(store.store_id)
        except CairnError as error:
            # A server that is away is that of some stores, and no reason to keep the others.
            failed.append((store.store_id, error))
    remove_trash(home)
    # Nothing is left to be found of a codebase whose store is gone.
    forgotten = prune(Registry(home), lambda row: _is_certainly_gone(store_path(home, row.store_id)))
    document = {
        "schema_version": SCHEMA_VERSION,
        "removed": removed,
        "busy": busy,
        "failed": [{"store_id": name, "code": error.code, "message": error.message} for name, error in failed],
        "left": left,
        "forgotten": list(forgotten),
    }
    lines = [
        f"removed {plural(len(removed), 'store')}",
        *map(printable, left),
        *(f"in use, kept: {printable(name)}" for name in busy),
        *(f"kept: {printable(name)}: {printable(error.message)} {printable(error.hint)}" for name, error in failed),
    ]
    _answer(options, document, lines)
    return ExitCode.BUSY if busy else failed[0][1].exit_code if failed else ExitCode.OK


def _is_certainly_gone(path: str) -> bool:
    """A store that can't be looked at is still one."""
    try:
        return open_layout(path) is None
    except (CairnError, OSError):
        return False


def upgrade(options: argparse.Namespace) -> int:
    """Bring the store to the format of this version; the exit code."""
    with _known(options) as codebase:
        message = codebase.store().upgrade()
    _answer(options, {"schema_version": SCHEMA_VERSION, "message": message}, [message])
    return ExitCode.OK


def clear(options: argparse.Namespace) -> int:
    """Remove the index; the exit code."""
    with _codebase(options) as codebase:
        removed = codebase.clear()
        notes = codebase.notes
    _answer(
        options,
        {"schema_version": SCHEMA_VERSION, "removed": removed, "notes": texts(notes)},
        ["the index of this root was removed" if removed else "there was no index", *sentences(notes)],
    )
    return ExitCode.OK if removed else ExitCode.NOT_INDEXED


def _answer(options: argparse.Namespace, document: object, lines: list[str]) -> None:
    say(json_text(document) if options.json else "\n".join(lines))
