"""Reports on the terminal: status, health, audit, stores."""

from collections.abc import Iterator
from typing import Any

from cairn.base.steps import worded_hint
from cairn.base.text import human_bytes, plural, printable
from cairn.surfaces.cli.steps import command

Report = dict[str, Any]


def status(said: Report) -> Iterator[str]:
    """The state of a codebase, its snapshot, and what to know of them."""
    if said.get("message"):
        yield said["message"]
        return
    counts, semantic = said["counts"], said["semantic"]
    yield printable(said["root"])
    yield f"  snapshot {said['snapshot_id']}, published {said['created_at']} by {said['cause']}"
    yield (
        f"  {plural(counts['files'], 'file')}, {plural(counts['chunks'], 'chunk')}, "
        f"{plural(counts['segments'], 'segment')}"
    )
    if (tree := said["tree"]) is not None:
        since = ", ".join(f"{count:,} {kind}" for kind, count in tree.items() if count)
        yield f"  since then: {since}; the next question brings it up to date" if since else "  the tree is as indexed"
    if counts["by_lines"]:
        cut = plural(counts["by_lines"], "file")
        yield f"  {cut} cut by lines, without symbols: too large, or no grammar could read them"
    if semantic["contexts"]:
        dirty = f", {semantic['dirty']:,} dirty: run `cairn refresh`" if semantic["dirty"] else ""
        held = f"{plural(semantic['files'], 'file')} in {plural(semantic['contexts'], 'context')}"
        yield f"  semantic facts of {held}{dirty}"
    yield f"  read {said['read_mode']}"
    yield from (f"  skipped {count} as {reason}" for reason, count in said["skipped"].items())
    if said["writing"]:
        yield "  another process is writing"
    if said["recovered"]:
        yield f"  warning: {said['recovered']}; run `cairn repair`"
    if said["degraded"]:
        failed = plural(said["failed_files"], "file")
        yield f"  warning: degraded, {failed} could not be brought up to date"
    # A server that is away would keep whoever only looks waiting.
    there = f" at {printable(said['address'])}, which `cairn health` asks" if said["address"] else ""
    yield f"  vectors in {said['engine']}{there}"
    reads = said["reads"]
    if reads["modes"]:
        modes = ", ".join(f"{count:,} {mode}" for mode, count in sorted(reads["modes"].items()))
        saved = f"{human_bytes(reads['bytes_saved'])} (about {reads['tokens_saved']:,} tokens)"
        yield f"  cached reads: {modes}; {saved} saved"
    yield from _cautions(said)


def _cautions(said: Report) -> Iterator[str]:
    if (error := said["last_error"]) is not None:
        yield f"  warning: last_index_failed: {printable(error['message'])} {printable(error['hint'])}"
    for each in said["interrupted_edits"]:
        yield f"  warning: the edit {printable(each)} was interrupted: run `cairn rename --recover`"
    yield from (f"  warning: {printable(each)}" for each in said["edit_faults"])
    yield from (f"  note: {printable(note)}" for note in said["notes"])


def health(said: Report) -> Iterator[str]:
    """Every check, and what mends what it found."""
    for check in said["checks"]:
        action = f"  -> {worded_hint(check['action'], command)}" if check["action"] else ""
        yield f"{check['level']:<8} {check['code']}: {printable(check['message'])}{action}"


def audit(said: Report) -> Iterator[str]:
    """Where the counts differ from the data."""
    for drift in said["drift"]:
        yield f"{drift['code']}: {drift['message']}  -> {drift['action']}"
    if not said["drift"]:
        yield f"snapshot {said['snapshot_id']}: all counts hold"


def stores(said: Report) -> Iterator[str]:
    """All stores, with their size and their last use."""
    for store in said["stores"]:
        at = f" at {printable(store['address'])}" if store["address"] else ""
        vectors = f", vectors in {store['engine']}{at}" if store["engine"] else ""
        root = printable(store["canonical_root"]) or ("(nothing indexed yet)" if store["empty"] else "(unreadable)")
        root += " (gone)" if store["root_gone"] else ""
        yield f"{root}  {human_bytes(store['size_bytes'])}, last used {store['last_used_at']}{vectors}"
        yield f"    {printable(store['store_id'])}"
    if not said["stores"]:
        yield "no stores"
