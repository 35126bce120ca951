"""What the commands do by which an index travels; imported only when one of them runs."""

import argparse
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import ExitCode, UsageError
from cairn.base.notes import Note
from cairn.base.text import human_bytes, json_text, plural, printable
from cairn.codebase import teamwork
from cairn.codebase.codebase import Codebase
from cairn.codebase.settings import changed, user_file
from cairn.codebase.teamwork import TakenIn
from cairn.config.lines import with_value
from cairn.indexing.options import SyncResult
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.notes import note_fields, sentences
from cairn.surfaces.cli.progress import SyncProgress
from cairn.surfaces.cli.text import say
from cairn.team.exchange import sweep
from cairn.team.settings import NAME, address_of, team_settings

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
        notes = (*done.notes, *codebase.notes)
    return _answer_taken(options, {"file": options.file}, done, notes, "imported")


def run_push(options: argparse.Namespace) -> int:
    """Put the index to a remote; the exit code."""
    with Codebase(options.path, shared_store=options.shared_store) as codebase, _progress() as progress:
        listing, done = teamwork.push(
            codebase,
            options.remote,
            anew=options.again,
            askable=options.askable,
            progress=progress,
            tell=progress.tell,
        )
    document = {
        "commit": listing.commit,
        "snapshot_id": listing.manifest.snapshot_id,
        "parts": done.parts,
        "sent": done.sent,
        "travelled_bytes": done.travelled,
    }
    line = (
        f"pushed the index {_at(listing.commit)}: {done.sent} of {plural(done.parts, 'part')}, "
        f"{human_bytes(done.travelled)}"
    )
    return _answer(options, document, [line])


def run_pull(options: argparse.Namespace) -> int:
    """Build the index on one of a remote; the exit code."""
    with Codebase(options.path, shared_store=options.shared_store) as codebase, _progress() as progress:
        done = teamwork.pull(codebase, options.remote, progress=progress, tell=progress.tell)
        notes = (*done.notes, *codebase.notes)
    return _answer_taken(options, {}, done, notes, "pulled")


def run_remote_add(options: argparse.Namespace) -> int:
    """Add a remote to the user's settings; the exit code."""
    if NAME.fullmatch(options.name) is None:
        raise UsageError(
            f"A remote can't be called {options.name!r}.", hint="Give a name of letters and digits, then the address."
        )
    return _changed(options, [*_without(options.name), f"{options.name}={address_of(options.address)}"], "added")


def run_remote_remove(options: argparse.Namespace) -> int:
    """Take a remote out of the user's settings; the exit code."""
    if options.name not in team_settings().addresses:
        raise UsageError(
            f"There is no remote {options.name!r}.", hint="Run `cairn remote list` to see which there are."
        )
    return _changed(options, _without(options.name), "removed")


def run_remote_list(options: argparse.Namespace) -> int:
    """Show the remotes; the exit code."""
    addresses = team_settings().addresses
    document = {"remotes": [{"name": name, "address": address} for name, address in addresses.items()]}
    lines = [f"{name}  {printable(address)}" for name, address in addresses.items()]
    return _answer(options, document, lines or ["there is no remote: run `cairn remote add NAME ADDRESS`"])


def run_remote_gc(options: argparse.Namespace) -> int:
    """Collect at a remote; the exit code."""
    if options.keep < 1:
        raise UsageError("--keep takes a number from 1 on.")
    done = sweep(teamwork.remote_named(options.remote, writes=True), keep=options.keep)
    line = f"removed {plural(done.snapshots, 'snapshot')} and {plural(done.parts, 'part')}, {done.kept} kept"
    return _answer(options, {"snapshots": done.snapshots, "parts": done.parts, "kept": done.kept}, [line])


def _without(name: str) -> list[str]:
    return [each for each in team_settings().remotes if each.partition("=")[0] != name]


def _changed(options: argparse.Namespace, remotes: list[str], verb: str) -> int:
    changed(user_file(), lambda text: with_value(text, "team", "remotes", remotes))
    return _answer(options, {verb: options.name}, [f"{verb} {printable(options.name)}"])


def _answer_taken(
    options: argparse.Namespace, document: dict[str, Any], done: TakenIn, notes: Sequence[Note], verb: str
) -> int:
    listing = done.listing
    document["commit"] = listing.commit if listing is not None else None
    if listing is not None:
        document["started_from"] = listing.manifest.snapshot_id
    document |= {"travelled_bytes": done.travelled, **_synced(done.result), **note_fields(notes)}
    return _answer(options, document, [_sentence(verb, done), *(f"warning: {each}" for each in sentences(notes))])


def _synced(result: SyncResult) -> dict[str, Any]:
    manifest = result.manifest
    return {
        "indexed": result.indexed,
        "deleted": result.deleted,
        "embedded": result.embedded,
        "snapshot_id": manifest.snapshot_id,
        "counts": {"files": manifest.counts.files_live, "chunks": manifest.counts.chunks_live},
    }


def _sentence(verb: str, done: TakenIn) -> str:
    result = done.result
    if done.listing is not None:
        what = f"{verb} the index {_at(done.listing.commit)} ({human_bytes(done.travelled)})"
    elif done.notes:
        what = f"{verb} nothing of use"
    else:
        have = "no index for this history and these settings" if done.is_lacking else "nothing nearer than what is here"
        what = f"the remote has {have}"
    return f"{what}, indexed {plural(result.indexed, 'file')}, removed {result.deleted}: {_counted(result)}"


def _counted(result: SyncResult) -> str:
    counts = result.manifest.counts
    return (
        f"{plural(counts.files_live, 'file')}, {plural(counts.chunks_live, 'chunk')} "
        f"in snapshot {result.manifest.snapshot_id}"
    )


def _at(commit: str | None) -> str:
    return f"at {commit[:10]}" if commit else "of no commit"


def _progress() -> _Progress:
    return _Progress(current().err)


def _answer(options: argparse.Namespace, document: dict[str, Any], lines: list[str]) -> int:
    say(json_text({"schema_version": SCHEMA_VERSION, **document}) if options.json else "\n".join(lines))
    return ExitCode.OK
