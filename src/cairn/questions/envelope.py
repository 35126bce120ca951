"""What every answer says of itself, around the one body of its question."""

from collections.abc import Sequence
from typing import Any

from cairn.base.notes import Note
from cairn.base.steps import Advice, WordStep, worded_hint
from cairn.codebase.wording import Spelling, worded
from cairn.questions.question import Document
from cairn.store.versions import writable


def envelope(notes: Sequence[Note], answer: Any, body: Document, spelling: Spelling) -> Document:
    """The answer of one codebase: what it rests on, and then what it says."""
    found: Document = {
        "schema_version": writable("search_json"),
        "request_id": answer.request_id,
        **_basis(answer.manifest.canonical_root, answer),
        **note_fields(notes, spelling),
        "limits_hit": list(answer.limits_hit),
        "timings_ms": dict(answer.timings_ms),
    }
    return _worded(found | body, spelling)


def envelope_of_several(notes: Sequence[Note], answer: Any, body: Document, spelling: Spelling) -> Document:
    """The answer of several codebases: no single snapshot answers, and `codebases` has the same head for each."""
    found: Document = {
        "schema_version": writable("search_json"),
        "request_id": answer.request_id,
        **_HEAD,
        **note_fields(notes, spelling),
        "limits_hit": list(answer.limits_hit),
        "timings_ms": dict(answer.timings_ms),
        "codebases": [_codebase(item, notes, spelling) for item in answer.codebases],
    }
    said_of_each = {"codebases": spelled(body["codebases"], spelling.step)} if "codebases" in body else {}
    return _worded(found | body | said_of_each, spelling)


def report(document: Document, notes: Sequence[Note], spelling: Spelling) -> Document:
    """A report behind the head that every answer has: what it doesn't rest on is null or empty."""
    found: Document = spelled(_HEAD | note_fields(notes, spelling) | document, spelling.step)
    return found


_HEAD: Document = {
    "root": None,
    "snapshot_id": None,
    "freshness": None,
    "warnings": [],
    "notices": [],
    "limits_hit": [],
    "timings_ms": {},
}
"""What the document of every question says before its own fields."""
HEAD = frozenset(_HEAD)


def _basis(root: str, answer: Any) -> Document:
    manifest = answer.manifest
    return {
        "root": root,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "git": git_document(manifest),
        "degraded": manifest.degraded,
        "freshness": dict(answer.freshness),
    }


def _codebase(item: Any, notes: Sequence[Note], spelling: Spelling) -> Document:
    """What the part of one codebase rests on, or why it has none."""
    own = [note for note in notes if item.root in (note.fields.get("root"), note.fields.get("codebase"))]
    found = _HEAD | note_fields(own, spelling)
    if item.manifest is None:
        return found | {"root": item.root, **(item.error.envelope() if item.error is not None else {})}
    cut = {"limits_hit": list(item.limits_hit), "timings_ms": dict(item.timings_ms)}
    return found | _basis(item.root, item) | cut


def note_fields(notes: Sequence[Note], spelling: Spelling) -> Document:
    """What to know of an answer: as sentences, and as the values behind them."""
    return {"warnings": [worded(note, spelling) for note in notes], "notices": [note.document() for note in notes]}


def _worded(document: Document, spelling: Spelling) -> Document:
    """What a budget cut is a note like any other; `budget` repeats it beside what was cut."""
    budget = document.get("budget")
    if budget is None:
        return document
    note = budget.pop("note")
    if note is None:
        return document | {"budget": {**budget, "hint": "", "notice": None}}
    hint, notice = worded(note, spelling), note.document()
    return document | {
        "budget": {**budget, "hint": hint, "notice": notice},
        "warnings": [*document["warnings"], hint],
        "notices": [*document["notices"], notice],
    }


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
