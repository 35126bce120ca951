"""`cairn status`: the state of a codebase, its snapshot, and whether somebody writes."""

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

from cairn.base.errors import CairnError, ExitCode
from cairn.base.text import human_bytes, json_text, plural, printable
from cairn.engines import whereabouts
from cairn.lifecycle.envelopes import LAST_INDEX_FAILED, error_of, message_of
from cairn.lifecycle.gates import NonOkReason, Verdict
from cairn.readcache.log import ReadLog
from cairn.readcache.savings import savings_of
from cairn.store.lease import read_lease
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.text import say
from cairn.syntax.grammar import grammars
from cairn.workspace import cairn_home

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cairn.codebase.codebase import Codebase
    from cairn.store import FileRow, SnapshotView

SCHEMA_VERSION = 1


def status(options: argparse.Namespace) -> int:
    with current().opened(options.path, options.shared_store) as codebase:
        verdict = codebase.verdict()
        if verdict.reason is NonOkReason.INDEXING:
            return _answer(options, _head(verdict), [message_of(verdict)])
        error = error_of(verdict)
        if error is not None and verdict.probe_failed:
            # What kept the probe from looking is the better answer than that nothing was found.
            with codebase.open_view():
                pass
        if error is not None:
            raise error
        with codebase.open_view() as view:
            lease = read_lease(codebase.store().layout)
            writing = lease is not None and not lease.is_free(time.time_ns())
            document, lines = _of_view(view, writing, options.offline)
            recovered = view.recovered
            edits = os.path.isdir(os.path.join(codebase.store().layout.path, "edits"))
            engine = codebase.identity.engine
            address = whereabouts(engine, codebase.store().layout.path)
            document["engine"], document["address"] = engine, address
            # A server that is away would keep whoever only looks waiting.
            there = f" at {printable(address)}, which `cairn health` asks" if address else ""
            lines.append(f"  vectors in {engine}{there}")
        document["interrupted_edits"], told = _interrupted(codebase) if edits else ([], [])
    saved = savings_of(ReadLog(cairn_home()), verdict.facts.root)
    document["reads"] = saved.document()
    if saved.modes:
        modes = ", ".join(f"{count:,} {mode}" for mode, count in sorted(saved.modes.items()))
        lines.append(
            f"  cached reads: {modes}; {human_bytes(saved.bytes_saved)} (about {saved.tokens_saved:,} tokens) saved"
        )
    failure = verdict.failure
    if failure is not None:
        lines.append(f"  warning: {LAST_INDEX_FAILED}: {printable(failure.message)} {printable(failure.hint)}")
    lines += [f"  warning: {printable(each)}" for each in told]
    notes = _notes(verdict)
    lines += [f"  note: {printable(note)}" for note in notes]
    _answer(options, {**_head(verdict), **document, "notes": notes}, lines)
    return ExitCode.CORRUPT if recovered else ExitCode.OK


def _head(verdict: Verdict) -> dict[str, Any]:
    """What the registry knows; `indexing` is null unless a run is under way."""
    facts, tracked, failure = verdict.facts, verdict.facts.tracked, verdict.failure
    running = tracked is not None and verdict.reason is NonOkReason.INDEXING
    return {
        "schema_version": SCHEMA_VERSION,
        "root": facts.root,
        # A store that proves itself is indexed, tracked or not.
        "state": str(tracked.state) if tracked is not None else "indexed",
        "indexing": {"progress_pct": tracked.progress, "phase": tracked.phase, "last_updated": tracked.updated_at}
        if running and tracked is not None
        else None,
        "last_error": {"code": failure.code, "message": failure.message, "hint": failure.hint}
        if failure is not None
        else None,
        "completion_proof": str(facts.proof.outcome) if facts.proof is not None else None,
    }


def _interrupted(codebase: "Codebase") -> tuple[list[str], list[str]]:
    """Edits that a process which is gone has left half done, and what to do about them."""
    from cairn.codebase.renames import Renaming  # most users have none

    try:
        found = Renaming(codebase).interrupted()
    except CairnError as error:
        return [], [f"{error.message} {error.hint}"]
    return list(found), [f"the edit {each} was interrupted: run `cairn rename --recover`" for each in found]


def _notes(verdict: Verdict) -> list[str]:
    """That a proof could not be looked for changes nothing, and is told all the same."""
    proof = verdict.facts.proof
    return [f"the completion proof could not be looked for: {proof.detail}"] if verdict.probe_failed and proof else []


def _of_view(view: "SnapshotView", writing: bool, offline: bool) -> tuple[dict[str, Any], list[str]]:
    manifest = view.manifest
    parsed = grammars()
    live = {file.path_key: file for file in view.files()}
    by_lines = sum(1 for file in live.values() if file.language in parsed and not file.interface_hash)
    semantic = _semantic(view, live)
    document = {
        "root": manifest.canonical_root,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "created_at": manifest.created_at,
        "cause": manifest.cause,
        "git": {"head": manifest.git.head_sha, "dirty": manifest.git.dirty},
        "counts": {
            "files": manifest.counts.files_live,
            "chunks": manifest.counts.chunks_live,
            "segments": len(manifest.segments),
            "tombstones": sum(ref.count for ref in manifest.tombstones),
            "by_lines": by_lines,
        },
        "semantic": semantic,
        "skipped": manifest.skipped,
        "degraded": manifest.degraded,
        "writing": writing,
        "recovered": view.recovered,
        "read_mode": current().read_mode(asked_for=offline),
    }
    lines = [
        printable(str(document["root"])),
        f"  snapshot {manifest.snapshot_id}, published {manifest.created_at} by {manifest.cause}",
        f"  {plural(manifest.counts.files_live, 'file')}, {plural(manifest.counts.chunks_live, 'chunk')}, "
        f"{plural(len(manifest.segments), 'segment')}",
    ]
    if by_lines:
        lines.append(
            f"  {plural(by_lines, 'file')} cut by lines, without symbols: too large, or no grammar could read them"
        )
    if semantic["contexts"]:
        lines.append(
            f"  semantic facts of {plural(semantic['files'], 'file')} in {plural(semantic['contexts'], 'context')}"
            + (f", {semantic['dirty']:,} dirty: run `cairn refresh`" if semantic["dirty"] else "")
        )
    lines.append(f"  read {document['read_mode']}")
    lines += [f"  skipped {count} as {reason}" for reason, count in manifest.skipped.items()]
    if writing:
        lines.append("  another process is writing")
    if view.recovered:
        lines.append(f"  warning: {view.recovered}; run `cairn repair`")
    if manifest.degraded:
        lines.append(f"  warning: degraded, {plural(len(manifest.errors), 'file')} could not be brought up to date")
    return document, lines


def _semantic(view: "SnapshotView", live: "Mapping[str, FileRow]") -> dict[str, int]:
    """How many live files have semantic facts, and how many of those were edited since."""
    held = [
        (file.content_hash, live[file.path].file_hash)
        for ref in view.semantics
        if (facts := view.semantic(ref.context)) is not None
        for file in facts.files()
        if file.path in live
    ]
    dirty = sum(1 for recorded, now in held if recorded != now)
    return {"contexts": len(view.semantics), "files": len(held), "dirty": dirty}


def _answer(options: argparse.Namespace, document: object, lines: list[str]) -> int:
    say(json_text(document) if options.json else "\n".join(lines))
    return ExitCode.OK
