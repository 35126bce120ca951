"""Reports on the terminal: status, health, audit, stores."""

from collections.abc import Iterator
from typing import Any

from cairn.base.text import human_bytes, plural, printable

Report = dict[str, Any]


def status(told: Report) -> Iterator[str]:
    """The state of a codebase, its snapshot, and what to know of them."""
    if told.get("message"):
        yield told["message"]
        return
    counts, semantic = told["counts"], told["semantic"]
    yield printable(told["root"])
    yield f"  snapshot {told['snapshot_id']}, published {told['created_at']} by {told['cause']}"
    yield (
        f"  {plural(counts['files'], 'file')}, {plural(counts['chunks'], 'chunk')}, "
        f"{plural(counts['segments'], 'segment')}"
    )
    if counts["by_lines"]:
        cut = plural(counts["by_lines"], "file")
        yield f"  {cut} cut by lines, without symbols: too large, or no grammar could read them"
    if semantic["contexts"]:
        dirty = f", {semantic['dirty']:,} dirty: run `cairn refresh`" if semantic["dirty"] else ""
        held = f"{plural(semantic['files'], 'file')} in {plural(semantic['contexts'], 'context')}"
        yield f"  semantic facts of {held}{dirty}"
    yield f"  read {told['read_mode']}"
    yield from (f"  skipped {count} as {reason}" for reason, count in told["skipped"].items())
    if told["writing"]:
        yield "  another process is writing"
    if told["recovered"]:
        yield f"  warning: {told['recovered']}; run `cairn repair`"
    if told["degraded"]:
        failed = plural(told["failed_files"], "file")
        yield f"  warning: degraded, {failed} could not be brought up to date"
    # A server that is away would keep whoever only looks waiting.
    there = f" at {printable(told['address'])}, which `cairn health` asks" if told["address"] else ""
    yield f"  vectors in {told['engine']}{there}"
    reads = told["reads"]
    if reads["modes"]:
        modes = ", ".join(f"{count:,} {mode}" for mode, count in sorted(reads["modes"].items()))
        saved = f"{human_bytes(reads['bytes_saved'])} (about {reads['tokens_saved']:,} tokens)"
        yield f"  cached reads: {modes}; {saved} saved"
    yield from _cautions(told)


def _cautions(told: Report) -> Iterator[str]:
    if (error := told["last_error"]) is not None:
        yield f"  warning: last_index_failed: {printable(error['message'])} {printable(error['hint'])}"
    for each in told["interrupted_edits"]:
        yield f"  warning: the edit {printable(each)} was interrupted: run `cairn rename --recover`"
    yield from (f"  warning: {printable(each)}" for each in told["edit_faults"])
    yield from (f"  note: {printable(note)}" for note in told["notes"])


def health(told: Report) -> Iterator[str]:
    """Every check, and what mends what it found."""
    for check in told["checks"]:
        action = f"  -> {check['action']}" if check["action"] else ""
        yield f"{check['level']:<8} {check['code']}: {printable(check['message'])}{action}"


def audit(told: Report) -> Iterator[str]:
    """Where the counts differ from the data."""
    for drift in told["drift"]:
        yield f"{drift['code']}: {drift['message']}  -> {drift['action']}"
    if not told["drift"]:
        yield f"snapshot {told['snapshot_id']}: all counts hold"


def stores(told: Report) -> Iterator[str]:
    """All stores, with their size and their last use."""
    for store in told["stores"]:
        at = f" at {printable(store['address'])}" if store["address"] else ""
        vectors = f", vectors in {store['engine']}{at}" if store["engine"] else ""
        root = printable(store["canonical_root"]) or "(unreadable)"
        yield f"{root}  {human_bytes(store['size_bytes'])}, last used {store['last_used_at']}{vectors}"
        yield f"    {printable(store['store_id'])}"
    if not told["stores"]:
        yield "no stores"
