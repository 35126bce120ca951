"""What the commands do by which an index travels; imported only when one of them runs."""

import argparse
from typing import Any

from cairn.base.errors import ExitCode
from cairn.base.text import human_bytes, json_text, plural, printable
from cairn.codebase import teamwork
from cairn.codebase.codebase import Codebase
from cairn.codebase.teamwork import TakenIn
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.notes import note_fields, sentences
from cairn.surfaces.cli.progress import SyncProgress
from cairn.surfaces.cli.text import say

SCHEMA_VERSION = 1


class _Progress(SyncProgress):
    """How far a sync is, or what travels."""

    def tell(self, what: str, done: int, total: int) -> None:
        """Bytes of a snapshot that have gone one way or the other."""
        self.show(f"{what:<10} {human_bytes(done)} of {human_bytes(total)}")


def run_export(options: argparse.Namespace) -> int:
    """Write the index to a file; the exit code."""
    with Codebase(options.path, shared_store=options.shared_store) as codebase, _progress() as progress:
        done = teamwork.export(
            codebase, options.file, uncommitted=options.uncommitted, progress=progress, tell=progress.tell
        )
    manifest = done.listing.manifest
    document = {
        "file": options.file,
        "size_bytes": done.size_bytes,
        "commit": done.listing.commit,
        "snapshot_id": manifest.snapshot_id,
        "counts": {"files": manifest.counts.files_live, "chunks": manifest.counts.chunks_live},
    }
    files, size = plural(manifest.counts.files_live, "file"), human_bytes(done.size_bytes)
    line = f"exported {files} {_at(done.listing.commit)} to {printable(options.file)}: {size}"
    return _answer(options, document, [line])


def run_import(options: argparse.Namespace) -> int:
    """Build the index on one from a file; the exit code."""
    with Codebase(options.path, shared_store=options.shared_store) as codebase, _progress() as progress:
        done = teamwork.take_in_file(codebase, options.file, progress=progress, tell=progress.tell)
        notes = codebase.notes
    document = {"file": options.file, **_taken_in(done), **note_fields(notes)}
    return _answer(options, document, [_sentence("imported", done), *(f"warning: {each}" for each in sentences(notes))])


def _taken_in(done: TakenIn) -> dict[str, Any]:
    manifest = done.result.manifest
    return {
        "commit": done.listing.commit,
        "started_from": done.listing.manifest.snapshot_id,
        "travelled_bytes": done.travelled,
        "indexed": done.result.indexed,
        "deleted": done.result.deleted,
        "embedded": done.result.embedded,
        "snapshot_id": manifest.snapshot_id,
        "counts": {"files": manifest.counts.files_live, "chunks": manifest.counts.chunks_live},
    }


def _sentence(verb: str, done: TakenIn) -> str:
    counts, result = done.result.manifest.counts, done.result
    return (
        f"{verb} the index {_at(done.listing.commit)} ({human_bytes(done.travelled)}), indexed "
        f"{plural(result.indexed, 'file')}, removed {result.deleted}: {plural(counts.files_live, 'file')}, "
        f"{plural(counts.chunks_live, 'chunk')} in snapshot {result.manifest.snapshot_id}"
    )


def _at(commit: str | None) -> str:
    return f"at {commit[:10]}" if commit else "of no commit"


def _progress() -> _Progress:
    return _Progress(current().err)


def _answer(options: argparse.Namespace, document: dict[str, Any], lines: list[str]) -> int:
    say(json_text({"schema_version": SCHEMA_VERSION, **document}) if options.json else "\n".join(lines))
    return ExitCode.OK
