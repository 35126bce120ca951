"""`cairn index`: bring the index up to date, or show what that would take in and leave out."""

import argparse
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode
from cairn.base.notes import Note
from cairn.base.text import human_bytes, json_text, plural, printable
from cairn.surfaces.cli.arguments import add_json, add_path
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.notes import note_fields, sentences
from cairn.surfaces.cli.progress import ProgressLine, SyncProgress
from cairn.surfaces.cli.text import say
from cairn.workspace.entries import blocking_collisions
from cairn.workspace.leftout import IndexPlan, plan_index, tree_notes
from cairn.workspace.pathkey import display

if TYPE_CHECKING:
    from cairn.indexing.options import SyncResult

SCHEMA_VERSION = 1
_EXAMPLES = 3
_LANGUAGES = 12


def add_to(commands: Any) -> None:
    """Add the command `index`."""
    parser = commands.add_parser(
        "index",
        help="create the index or bring it up to date; --dry-run shows the plan",
        description="Create the index of a tree, or bring it up to date with what changed.",
        epilog="Example: cairn index ~/src/project",
        allow_abbrev=False,
    )
    add_path(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="only show what would be indexed, and what is left out and why"
    )
    parser.add_argument("--reindex", action="store_true", help="build everything anew")
    parser.add_argument("--verify", action="store_true", help="read every file, whatever its time stamps say")
    parser.add_argument(
        "--allow-degraded", action="store_true", help="publish even if a file can't be read, and record which"
    )
    add_json(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="list every path of a dry run")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Create the index, bring it up to date, or show the plan; the exit code."""
    if options.dry_run:
        return _dry_run(options)
    # A dry run needs nothing of the store: its libraries are loaded only from here on.
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.options import SyncOptions

    sync_options = SyncOptions(
        reindex=options.reindex, verify=options.verify, allow_degraded=options.allow_degraded, tells=True
    )
    with Codebase(options.path, shared_store=options.shared_store) as codebase, SyncProgress(current().err) as progress:
        result = codebase.index(sync_options, progress)
        notes = (*codebase.notes, *result.tree_notes)
    if options.json:
        say(json_text({**sync_document(result), **note_fields(notes)}))
    else:
        say("\n".join([*sync_report(result), *(f"warning: {each}" for each in sentences(notes))]))
    return ExitCode.OK


def _dry_run(options: argparse.Namespace) -> int:
    with ProgressLine("looking at", current().err) as progress:
        plan = plan_index(options.path, progress)
    if options.json:
        say(json_text(document(plan)))
    else:
        say("\n".join(report(plan, options.verbose)))
    return ExitCode.OK


def sync_document(result: "SyncResult") -> dict[str, object]:
    """What a sync did, as JSON."""
    manifest, origin = result.manifest, result.origin
    return {
        "schema_version": SCHEMA_VERSION,
        "root": display(manifest.canonical_root),
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "published": result.published,
        "indexed": result.indexed,
        "deleted": result.deleted,
        "embedded": result.embedded,
        "degraded": manifest.degraded,
        "errors": [
            {"code": error.code, "message": error.message, "path_key": error.path_key} for error in manifest.errors
        ],
        "counts": {"files": manifest.counts.files_live, "chunks": manifest.counts.chunks_live},
        "started_from": origin
        and {"root": display(origin.canonical_root), "store_id": origin.store_id, "snapshot_id": origin.snapshot_id},
    }


def sync_report(result: "SyncResult") -> list[str]:
    """What a sync did, in lines."""
    manifest = result.manifest
    total = f"{plural(manifest.counts.files_live, 'file')}, {plural(manifest.counts.chunks_live, 'chunk')}"
    if not result.published:
        return [f"up to date: {total} in snapshot {manifest.snapshot_id}"]
    lines = []
    if result.origin is not None:
        root = printable(display(result.origin.canonical_root))
        differ = result.indexed + result.deleted
        lines.append(
            f"started from the index of {root} (snapshot {result.origin.snapshot_id}): "
            f"{plural(differ, 'file')} {'differs' if differ == 1 else 'differ'}"
        )
    lines += [
        f"indexed {plural(result.indexed, 'file')}, removed {result.deleted}: "
        f"{total} in snapshot {manifest.snapshot_id}"
    ]
    lines += [
        f"warning: {printable(error.path_key)} could not be brought up to date: {printable(error.message)}"
        for error in manifest.errors
    ]
    return lines


def document(plan: IndexPlan) -> dict[str, object]:
    """The JSON answer; every path that was looked at is in it."""
    scan = plan.detection.scan
    git = plan.detection.git
    blocking = blocking_collisions(scan, plan.detection.config.index)
    return {
        "schema_version": SCHEMA_VERSION,
        "root": display(plan.root.path),
        "requested_path": display(plan.root.requested),
        "git": git and {"head": git.head, "dirty": git.dirty, "untracked_included": git.untracked_included},
        "ignore_fingerprint": scan.ignore_fingerprint,
        "eligible": [entry.key for entry in scan.files],
        "aliases": [{"path": alias.key, "target": alias.target} for alias in scan.aliases],
        "skipped": [{"path": skip.path, "reason": skip.reason.value, "detail": skip.detail} for skip in scan.skips],
        "failed": [{"path": item.path, "code": item.code, "message": item.message} for item in scan.failures],
        "collisions": [
            {"paths": [display(path) for path in collision.paths], "blocks": collision in blocking}
            for collision in scan.collisions
        ],
        "counts": {
            "eligible": len(scan.files),
            "bytes": sum(entry.size for entry in scan.files),
            "skipped": len(scan.skips),
            "aliases": len(scan.aliases),
            "failed": len(scan.failures),
            "by_reason": scan.skips_by_reason(),
            "by_language": scan.files_by_language(),
        },
        **note_fields(_plan_notes(plan)),
    }


def report(plan: IndexPlan, verbose: bool) -> list[str]:
    """The answer for people."""
    scan = plan.detection.scan
    lines = [printable(display(plan.root.path)) + _git_note(plan)]
    if plan.root.requested != plan.root.path:
        lines.append(f"  (the git top-level of {printable(display(plan.root.requested))}: all of it counts)")
    size = human_bytes(sum(entry.size for entry in scan.files))
    lines += ["", f"would index {plural(len(scan.files), 'file')}, {size}"]
    languages = list(scan.files_by_language().items())
    lines += [f"  {count:>7,}  {language}" for language, count in languages[:_LANGUAGES]]
    if len(languages) > _LANGUAGES:
        rest = sum(count for _, count in languages[_LANGUAGES:])
        lines.append(f"  {rest:>7,}  in {plural(len(languages) - _LANGUAGES, 'other language')}")
    if verbose:
        lines += [f"    + {printable(entry.key)}" for entry in scan.files]
    if scan.aliases:
        lines += ["", f"{plural(len(scan.aliases), 'link')} to files and folders of the tree: no second result"]
        some = scan.aliases if verbose else scan.aliases[:_EXAMPLES]
        lines += [f"    = {printable(alias.key)} -> {printable(alias.target)}" for alias in some]
    lines += ["", f"would skip {plural(len(scan.skips), 'path')}" + (" (a folder counts once)" if scan.skips else "")]
    by_reason = sorted(scan.skips, key=lambda skip: skip.reason)
    for reason, group in groupby(by_reason, key=lambda skip: skip.reason):
        skips = list(group)
        lines.append(f"  {len(skips):>7,}  {reason.value}")
        shown = skips if verbose else skips[:_EXAMPLES]
        for skip in shown:
            detail = f"   [{printable(skip.detail)}]" if skip.detail else ""
            lines.append(f"           - {printable(skip.path)}{detail}")
        if len(skips) > len(shown):
            lines.append(f"           - and {len(skips) - len(shown):,} more (--verbose lists all)")
    lines += _problems(plan)
    return lines


def _git_note(plan: IndexPlan) -> str:
    git = plan.detection.git
    if git is None:
        return "  (no git)"
    if git.dirty is None:
        return "  (git is missing)"
    head = f"at {git.head[:10]}" if git.head else "before the first commit"
    return f"  {head}" + (", with uncommitted changes" if git.dirty else "")


def _plan_notes(plan: IndexPlan) -> tuple[Note, ...]:
    return tree_notes(plan.root.path, plan.detection)


def _problems(plan: IndexPlan) -> list[str]:
    scan = plan.detection.scan
    blocking = blocking_collisions(scan, plan.detection.config.index)
    lines = []
    for collision in scan.collisions:
        names = " and ".join(printable(display(path)) for path in collision.paths)
        effect = "indexing would be refused" if collision in blocking else "allowed by case_collisions"
        lines.append(f"warning: {names} differ only in case or normalisation: {effect}")
    lines += [f"warning: {printable(failure.message)}" for failure in scan.failures]
    lines += [f"warning: {sentence}" for sentence in sentences(_plan_notes(plan))]
    return ["", *lines] if lines else []
