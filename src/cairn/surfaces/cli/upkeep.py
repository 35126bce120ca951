"""What the commands that look after a store do; imported only when one of them runs."""

import argparse
import contextlib
from collections.abc import Iterator
from typing import Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.steps import worded_hint
from cairn.base.text import human_bytes, json_text, plural, printable
from cairn.codebase.codebase import Codebase
from cairn.codebase.collection import (
    collect_gone,
    collect_unused,
    drop_former,
    remove_named,
    stores_named,
    stores_of,
    tend,
)
from cairn.codebase.homestores import remove_trash
from cairn.codebase.upgrade import upgrade as upgrade_store
from cairn.config.user import cairn_home
from cairn.questions.report_documents import store_document
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.notes import command, sentences, texts
from cairn.surfaces.cli.text import say
from cairn.workspace.pathkey import quoted
from cairn.workspace.root import find_root

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
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "damage": list(result.damage.reasons),
        "affected": list(result.damage.affected),
        "actions": [worded_hint(each, command) for each in result.actions],
        "reindex_required": result.reindex_required,
    }
    if result.reindex_required:
        lines = [*result.damage.reasons, "a reindex is required: run `cairn index --reindex`"]
    else:
        lines = [*result.damage.reasons, *document["actions"]] or ["nothing is damaged"]
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
    if options.stores or options.gone:
        return _gc_stores(options)
    # Needs no room, and may make some.
    leftovers = remove_trash(cairn_home())
    with _known(options) as codebase:
        plan = codebase.collect(force=options.force)
    tended, said = _tended()
    document = {
        "schema_version": SCHEMA_VERSION,
        "snapshots": list(plan.snapshots),
        "segments": list(plan.segments),
        "staging": list(plan.staging),
        "leftovers": leftovers,
        **tended,
    }
    counts = f"{plural(len(plan.snapshots), 'snapshot')}, {plural(len(plan.segments), 'segment')}"
    done = f"removed {counts}, {plural(len(plan.staging), 'abandoned transaction')}"
    lines = [done, *_leftovers(leftovers), *said]
    _answer(options, document, lines)
    return ExitCode.OK


def _gc_stores(options: argparse.Namespace) -> int:
    home, gone = cairn_home(), options.gone
    if gone and options.path != ".":
        raise UsageError(
            f"--gone is about the roots of all stores, not about {quoted(options.path)} alone.",
            hint="Leave the path out, or clear that one: `cairn clear PATH`.",
        )
    found = collect_gone(home) if gone else collect_unused(home, find_root(options.path).path, force=options.force)
    left, (tended, said) = texts(found.left), _tended()
    document = {
        "schema_version": SCHEMA_VERSION,
        "removed": list(found.removed),
        "busy": list(found.busy),
        "failed": [{"store_id": name, "code": error.code, "message": error.message} for name, error in found.failed],
        "left": left,
        "forgotten": list(found.forgotten),
        "leftovers": found.leftovers,
        **tended,
    }
    lines = [
        f"removed {plural(len(found.removed), 'store')}",
        *_leftovers(found.leftovers),
        *map(printable, left),
        *(f"in use, kept: {printable(name)}" for name in found.busy),
        *(
            f"kept: {printable(name)}: {printable(error.message)} {printable(worded_hint(error.hint, command))}"
            for name, error in found.failed
        ),
        *said,
    ]
    _answer(options, document, lines)
    return ExitCode.BUSY if found.busy else found.failed[0][1].exit_code if found.failed else ExitCode.OK


def _tended() -> tuple[dict[str, Any], list[str]]:
    """What was done on the Milvus server of the stores, for programs and for people; nothing where there is none."""
    found = tend(cairn_home())
    if found is None:
        return {}, []
    lines = []
    if found.let_go:
        lines.append(f"the Milvus server let go of {plural(found.let_go, 'collection')} that nobody asked for a day")
    if found.removed:
        lines.append(f"removed {plural(found.removed, 'shared vector')} of chunks that nobody took for long")
    if found.failed is not None:
        lines.append(printable(found.failed.message))
    failed = None if found.failed is None else {"code": found.failed.code, "message": found.failed.message}
    return {"server": {"let_go": found.let_go, "removed": found.removed, "failed": failed}}, lines


def _leftovers(count: int) -> list[str]:
    return [f"removed what was left of {plural(count, 'store')}"] if count else []


def upgrade(options: argparse.Namespace) -> int:
    """Bring the store to the format of this version; the exit code."""
    with _codebase(options) as codebase:
        message = upgrade_store(codebase)
    _answer(options, {"schema_version": SCHEMA_VERSION, "message": message}, [message])
    return ExitCode.OK


def clear(options: argparse.Namespace) -> int:
    """Remove the index; the exit code."""
    gone = stores_named(cairn_home(), options.path)
    what = "this root"
    if gone:
        what = printable(gone[0].canonical_root or gone[0].store_id)
        removed, notes = remove_named(cairn_home(), gone)
    else:
        with _codebase(options) as codebase:
            removed = codebase.clear(whole=options.yes)
            notes = codebase.notes
    _answer(
        options,
        {"schema_version": SCHEMA_VERSION, "removed": removed, "notes": texts(notes)},
        [f"the index of {what} was removed" if removed else "there was no index", *sentences(notes)],
    )
    return ExitCode.OK if removed else ExitCode.NOT_INDEXED


def _answering(codebase: Codebase) -> str:
    """The id of the store that a codebase answers from; one that is shared has no other."""
    return codebase.identity.store_id if codebase.tracking is None else codebase.tracking.answering()


def engine_list(options: argparse.Namespace) -> int:
    """Show the indexes of a codebase; the exit code."""
    with _codebase(options) as codebase:
        stores, answering = stores_of(cairn_home(), codebase.root_path), _answering(codebase)
    rows: list[dict[str, Any]] = [{**store_document(store), "answers": store.store_id == answering} for store in stores]
    lines = [
        f"{'answers' if row['answers'] else 'former '}  {row['engine'] or '(nothing indexed yet)'}"
        f"{' at ' + printable(row['address']) if row['address'] else ''}"
        f"  {human_bytes(row['size_bytes'])}, last used {row['last_used_at']}\n         {printable(row['store_id'])}"
        for row in rows
    ]
    _answer(options, {"schema_version": SCHEMA_VERSION, "stores": rows}, lines or ["this root has no index"])
    return ExitCode.OK if rows else ExitCode.NOT_INDEXED


def engine_migrate(options: argparse.Namespace) -> int:
    """Copy the index into the engine that the settings name; the exit code."""
    with _codebase(options) as codebase:
        manifest = codebase.migrate(options.to)
    document = {
        "schema_version": SCHEMA_VERSION,
        "engine": options.to,
        "migrated": manifest is not None,
        "snapshot_id": manifest.snapshot_id if manifest is not None else None,
    }
    if manifest is None:
        line = f"the index is in {options.to} already"
    else:
        line = (
            f"copied {plural(manifest.counts.chunks_live, 'chunk')} of {plural(manifest.counts.files_live, 'file')} "
            f"into {options.to}: snapshot {manifest.snapshot_id}"
        )
    _answer(options, document, [line])
    return ExitCode.OK


def engine_drop(options: argparse.Namespace) -> int:
    """Remove former indexes of a codebase; the exit code."""
    with _codebase(options) as codebase:
        found = drop_former(cairn_home(), codebase.root_path, _answering(codebase), options.store)
    left = texts(found.left)
    document = {
        "schema_version": SCHEMA_VERSION,
        "removed": list(found.removed),
        "left": left,
    }
    _answer(options, document, [f"removed {plural(len(found.removed), 'store')}", *map(printable, left)])
    return ExitCode.OK


def _answer(options: argparse.Namespace, document: object, lines: list[str]) -> None:
    say(json_text(document) if options.json else "\n".join(lines))
