"""What every answer says of itself, around the one body of its question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cairn.base.notes import Note
from cairn.base.steps import Advice, WordStep, worded_hint
from cairn.codebase.bodies import ANSWER_VERSION
from cairn.codebase.wording import Spelling, worded
from cairn.questions.head import SnapshotFields
from cairn.questions.question import Body, Document

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer, AskedCodebase


def envelope(answer: "Answer[Any]", notes: Sequence[Note], body: Body, spelling: Spelling) -> Document:
    """An answer as JSON: what it rests on, and then what it says.

    The head of every question is the same. Where no single snapshot answers, what would be said of it is null; of
    several codebases, `codebases` says it of each.
    """
    found: Document = {
        "schema_version": ANSWER_VERSION,
        "request_id": answer.request_id,
        **_basis(answer.snapshot, answer.root),
        "freshness": dict(answer.freshness) or None,
        **note_fields(notes, spelling),
        "limits_hit": list(answer.limits_hit),
        "timings_ms": dict(answer.timings_ms),
    }
    if answer.within:
        found["within"] = list(answer.within)
    if answer.codebases:
        manifests = [item.manifest for item in answer.codebases]
        found["degraded"] = any(manifest is not None and manifest.degraded for manifest in manifests)
        found["codebases"] = [_codebase(item, notes, spelling) for item in answer.codebases]
    document: Document = spelled(_worded({**found, **body}, spelling), spelling.step)
    return document


def _basis(manifest: Any, root: str | None) -> Document:
    """The snapshot that answers, or null for all that would be said of one."""
    if manifest is None:
        return dict.fromkeys(SnapshotFields.__annotations__) | {"root": root}
    return {
        "root": root or manifest.canonical_root,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "git": git_document(manifest),
        "degraded": manifest.degraded,
    }


def _codebase(item: "AskedCodebase", notes: Sequence[Note], spelling: Spelling) -> Document:
    """What the part of one codebase rests on, or why it has none."""
    own = [note for note in notes if item.root in (note.fields.get("root"), note.fields.get("codebase"))]
    return {
        **_basis(item.manifest, item.root),
        "freshness": dict(item.freshness) or None,
        **note_fields(own, spelling),
        "limits_hit": list(item.limits_hit),
        "timings_ms": dict(item.timings_ms),
        **(item.error.envelope(spelling.step) if item.error is not None else {}),
    }


def note_fields(notes: Sequence[Note], spelling: Spelling) -> Document:
    """What to know of an answer: as sentences, and as the values behind them."""
    return {
        "warnings": [worded(note, spelling) for note in notes],
        "notices": [spelling.lifted(note).document() for note in notes],
    }


def _worded(document: Document, spelling: Spelling) -> Document:
    """What a budget cut is a note like any other; `budget` repeats it beside what was cut."""
    budget = document.get("budget")
    if budget is None or (note := budget["notice"]) is None:
        return document
    return document | {"budget": {**budget, "hint": worded(note, spelling), "notice": spelling.lifted(note).document()}}


def spelled(value: Any, word: WordStep) -> Any:
    """A document with its hints in the words of a surface."""
    if isinstance(value, dict):
        return {name: spelled(each, word) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [spelled(each, word) for each in value]
    return worded_hint(value, word) if isinstance(value, Advice) else value


def git_document(manifest: Any) -> Document:
    """The state of git that a snapshot was made from."""
    git = manifest.git
    return {"head": git.head_sha, "dirty": git.dirty, "untracked_included": git.untracked_included}
