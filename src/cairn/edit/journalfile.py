"""`journal.json` of one edit, as a value."""

import json
from collections.abc import Sequence
from typing import Any

from cairn.base.errors import CorruptStoreError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass

APPLYING, APPLIED, REVERTING, REVERTED, INCOMPLETE = "applying", "applied", "reverting", "reverted", "incomplete"
_STATES = frozenset({APPLYING, APPLIED, REVERTING, REVERTED, INCOMPLETE})
_VERSION = 1


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file by the hashes of its contents before and after; a hash is empty where there is no file."""

    path: str
    old: str
    new: str
    mode: int = 0
    """The permissions of a file that is made or removed."""


@dataclass(frozen=True, slots=True)
class EditRecord:
    """One edit: its files, and how far it has come."""

    id: str
    state: str
    title: str
    entries: tuple[EditedFile, ...]
    left: tuple[str, ...] = ()
    """Files that somebody else has changed since: they were left as they are."""
    lost: tuple[str, ...] = ()
    """Files whose kept content is damaged: they have their new content still."""
    folders: tuple[str, ...] = ()
    """Folders that it makes for its files, outermost first."""

    @property
    def is_open(self) -> bool:
        """Whether it is under way, or was when its process died."""
        return self.state in (APPLYING, REVERTING)


def newer_first(edits: Sequence[EditRecord], edit: EditRecord, path: str) -> str:
    """What helps where a file of an edit was changed since: the newest edit that did must be undone first."""
    since = (each for each in edits if each.id > edit.id and each.state == APPLIED)
    newer = [each.id for each in since if any(entry.path == path for entry in each.entries)]
    return Advice(NextStep("undo", newer[-1]), " first.") if newer else "Undo it by hand, or with git."


def encode(edit: EditRecord) -> bytes:
    """The bytes of `journal.json` for an edit."""
    document = {
        "version": _VERSION,
        "state": edit.state,
        "title": edit.title,
        "left": list(edit.left),
        "lost": list(edit.lost),
        "folders": list(edit.folders),
        "files": [
            {"path": entry.path, "old": entry.old, "new": entry.new, "mode": entry.mode} for entry in edit.entries
        ],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def decode(edit_id: str, data: bytes) -> EditRecord:
    """The edit in the bytes of a `journal.json`; CorruptStoreError if they can't be read."""
    try:
        said: Any = json.loads(data)
        if said["version"] != _VERSION or said["state"] not in _STATES:
            raise ValueError("state")
        # What `get` asks for was not written by earlier versions.
        entries = tuple(
            EditedFile(file["path"], file["old"], file["new"], file.get("mode", 0)) for file in said["files"]
        )
        left, lost, folders = (tuple(said.get(name, ())) for name in ("left", "lost", "folders"))
        return EditRecord(edit_id, said["state"], said["title"], entries, left, lost, folders)
    except (ValueError, KeyError, TypeError) as error:
        raise unreadable_journal(edit_id, f"can't be read: {error!r}") from error


def unreadable_journal(edit_id: str, said: str) -> CorruptStoreError:
    """The error for an edit of which nobody knows how far it came."""
    return CorruptStoreError(
        f"The journal of edit {edit_id} {said}.",
        hint="Compare the tree with git, then remove that folder beneath edits/ in the store.",
    )
