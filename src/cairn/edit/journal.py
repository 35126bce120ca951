"""Writing several files of the tree: all of them or none, whatever happens in between.

<store>/edits/<id>/
  old-<n>, new-<n>   the files' contents before and after; none where there is no file then
  journal.json       which files, and how far it is: written last, so that without it nothing has begun

applying -> applied                     every file has its new content
applying -> reverting -> reverted       every file has its old content again
applied -> reverting -> reverted        undone by the user
reverting -> incomplete                 as reverted, but for files whose kept content is damaged: they stay as they are

A process that dies leaves `applying` or `reverting`, which `recover` brings to its end. A file that somebody else has
changed meanwhile is never overwritten: then the others get their old contents back. A file that is made must not be
there, and folders that are made for it go with it if nothing else came into them. Each file has a temporary name of
its own: with one for all files of a folder, recovery would take what one file left for the content of another.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from cairn.base import durable
from cairn.base.errors import BusyError, CairnError, ContentChangedError, CorruptStoreError, RefusedError
from cairn.base.ownfile import StrangeFileError
from cairn.base.steps import Advice, NextStep
from cairn.base.ulid import is_ulid, new_ulid
from cairn.base.values import dataclass, replace
from cairn.edit.journalfile import (
    APPLIED,
    APPLYING,
    INCOMPLETE,
    REVERTED,
    REVERTING,
    EditedFile,
    EditRecord,
    decode,
    encode,
    newer_first,
    unreadable_journal,
)
from cairn.store import faults
from cairn.store.layout import Layout
from cairn.workspace.beneath import Beneath
from cairn.workspace.exchange import NOT_THERE, FilePlace, has_folder, make_folder, place, remove_folder
from cairn.workspace.reads import content_hash

FOLDER = "edits"
_JOURNAL = "journal.json"
KEPT = 20
"""Edits that can be undone."""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A file with its content before and after: None where it is made, or removed."""

    path: str
    old: bytes | None
    new: bytes | None
    mode: int = 0
    """The permissions of a file that is made; by default those of any new file."""


_NOT_OURS = (RefusedError, FileNotFoundError, NotADirectoryError)
"""Errors that mean that the path no longer names the file that we know, so we must not change it."""


class Journal:
    """The edits of one store's tree; one process at a time writes.

    `require` raises if this store may not write the tree; it is called under the lock, so the answer stays valid.
    """

    def __init__(self, layout: Layout, tree: Beneath, require: Callable[[], object] = lambda: None) -> None:
        self._layout = layout
        self._tree = tree
        self._require = require
        self._folder = os.path.join(layout.path, FOLDER)

    def apply(self, changes: Sequence[FileEdit], title: str) -> EditRecord:
        """Write all files or none; ContentChangedError if one no longer holds its old content."""
        with _alone(self._layout):
            self._require()
            self._require_settled()
            for change in changes:
                self._require_fit(change.path, made=change.old is None)
            edit = self._prepare(changes, title)
            faults.reach("edit.prepared")
            try:
                return self._forward(edit)
            except BaseException:
                self._back(edit)
                raise

    def unwritable(self, paths: Iterable[str], made: Collection[str] = ()) -> Iterator[str]:
        """Why some files must not be written: they are links, have several names, or `made` ones are there already."""
        for path in paths:
            try:
                self._require_fit(path, made=path in made)
            except CairnError as error:
                yield str(error)
            except (FileNotFoundError, NotADirectoryError):
                yield f"{path} is a link, or is not there any more: name the file itself"

    def _require_fit(self, path: str, *, made: bool) -> None:
        missing = _missing_folders(self._tree, path) if made else ()
        with place(self._tree, missing[0] if missing else path, f".cairn-{new_ulid()}") as found:
            if made:
                found.require_absent()
            else:
                found.require_plain()

    def mode(self, path: str) -> int:
        """The permissions of a file."""
        with place(self._tree, path, "") as found:
            return found.mode()

    def undo(self, edit_id: str) -> EditRecord:
        """Restore the old contents of an edit's files; RefusedError if one was changed since."""
        with _alone(self._layout):
            self._require()
            self._require_settled()
            edit = self.get(edit_id)
            if edit is None or edit.state != APPLIED:
                raise RefusedError(f"There is no edit {edit_id} to undo.", hint=Advice(NextStep("edits"), "."))
            for number, entry in enumerate(edit.entries):
                if not self._is_new(edit, number):
                    said = f"{entry.path} was changed since the edit."
                    raise ContentChangedError(said, hint=newer_first(self.all(), edit, entry.path))
            return self._back(edit)

    def _is_new(self, edit: EditRecord, number: int) -> bool:
        try:
            with self._place(edit, number) as found:
                return _hash(found.content()) == edit.entries[number].new
        except _NOT_OURS:
            return False

    def recover(self) -> tuple[EditRecord, ...]:
        """Complete the edits of processes that died: forward if possible, else back."""
        with _alone(self._layout):
            self._require()
            self._remove_unborn()
            return tuple(self._settle(edit) for edit in self.all() if edit.is_open)

    def interrupted(self) -> tuple[str, ...]:
        """Edits that a dead process left half done; cheap if there are none."""
        if not self._open():
            return ()
        try:
            with _alone(self._layout):
                return self._open()
        except BusyError:
            return ()  # Another process is writing.

    def _open(self) -> tuple[str, ...]:
        return _open_in(self._layout)

    def all(self) -> tuple[EditRecord, ...]:
        """All edits, oldest first."""
        return _all_in(self._layout)

    def get(self, edit_id: str) -> EditRecord | None:
        """One edit by its id; None if there is none."""
        return _read(self._layout, edit_id)

    def _settle(self, edit: EditRecord) -> EditRecord:
        """Finish an edit: keep it if all files are new already, else revert it, since the tree may have changed."""
        if edit.state == APPLYING and self._is_whole(edit):
            return self._note(edit, APPLIED)
        return self._back(edit)

    def _is_whole(self, edit: EditRecord) -> bool:
        """Whether all files have their new contents."""
        return all(self._tidied(edit, number) and self._is_new(edit, number) for number in range(len(edit.entries)))

    def _forward(self, edit: EditRecord) -> EditRecord:
        for folder in edit.folders:
            make_folder(self._tree, folder)
        for number, entry in enumerate(edit.entries):
            with self._place(edit, number) as found:
                if _hash(found.content()) != entry.new:
                    found.put(self._content(edit, "new", number), entry.old, _reached, entry.mode)
            faults.reach("edit.file_written")
        return self._note(edit, APPLIED)

    def _back(self, edit: EditRecord) -> EditRecord:
        for number in range(len(edit.entries)):
            # Before the state changes: it tells which of a file's contents the temporary name was meant for.
            self._tidied(edit, number)
        edit = self._note(edit, REVERTING)
        faults.reach("edit.reverting")
        left, lost = [], []
        for number, entry in enumerate(edit.entries):
            try:
                with self._place(edit, number) as found:
                    if _hash(found.content()) == entry.new:
                        found.put(self._content(edit, "old", number), entry.new, _reached, entry.mode)
                    elif _hash(found.content()) != entry.old:
                        left.append(entry.path)
            except CorruptStoreError:
                lost.append(entry.path)
            except _NOT_OURS:
                # If a file can't be written, the edit stays open. One whose folder was not made is as it was.
                if entry.old != NOT_THERE or has_folder(self._tree, entry.path.rpartition("/")[0]):
                    left.append(entry.path)
            faults.reach("edit.file_reverted")
        for folder in reversed(edit.folders):
            remove_folder(self._tree, folder)
        return self._note(replace(edit, left=tuple(left), lost=tuple(lost)), INCOMPLETE if lost else REVERTED)

    def _tidied(self, edit: EditRecord, number: int) -> bool:
        """Clean up a temporary file; False if it is somebody else's edit, which is put back if its place was taken."""
        entry, kind = edit.entries[number], "new" if edit.state == APPLYING else "old"
        try:
            with self._place(edit, number) as found:
                aside, there = found.aside(), _hash(found.content())
                if aside is None:
                    return True
                ours = content_hash(aside) in (entry.old, entry.new)
                swapped = there == (entry.new if kind == "new" else entry.old)
                if ours or (not swapped and self._is_begun(edit, kind, number, aside)):
                    found.drop_aside()
                    return True
                # The process died after the exchange, and the content that it took away was not what it had checked.
                if swapped or not there:
                    found.restore()
        except _NOT_OURS:
            pass
        return False

    def _is_begun(self, edit: EditRecord, kind: str, number: int, aside: bytes) -> bool:
        """Whether a temporary file is the beginning of what we wrote when the process died."""
        try:
            return (self._content(edit, kind, number) or b"").startswith(aside)
        except CorruptStoreError:
            return False

    @contextlib.contextmanager
    def _place(self, edit: EditRecord, number: int) -> Iterator[FilePlace]:
        with place(self._tree, edit.entries[number].path, f".cairn-{edit.id}-{number}") as found:
            yield found

    def _prepare(self, changes: Sequence[FileEdit], title: str) -> EditRecord:
        if not os.path.isdir(self._folder):
            self._layout.make_folder(self._folder)
        known = self.all()
        edit_id = new_ulid(known[-1].id if known else None)
        self._layout.make_folder(os.path.join(self._folder, edit_id))
        entries = []
        for number, change in enumerate(changes):
            for kind, data in (("old", change.old), ("new", change.new)):
                if data is not None:
                    self._layout.write_file(self._path(edit_id, f"{kind}-{number}"), data)
            mode = change.mode if change.new is not None else self.mode(change.path)
            entries.append(EditedFile(change.path, _hash(change.old), _hash(change.new), mode))
        faults.reach("edit.contents_written")
        made = (folder for change in changes for folder in _missing_folders(self._tree, change.path))
        record = EditRecord(edit_id, APPLYING, title, tuple(entries), folders=tuple(dict.fromkeys(made)))
        edit = self._note(record, APPLYING)
        self._prune(known)
        return edit

    def _note(self, edit: EditRecord, state: str) -> EditRecord:
        edit = replace(edit, state=state)
        self._layout.write_file(self._path(edit.id, _JOURNAL), encode(edit))
        return edit

    def _content(self, edit: EditRecord, kind: str, number: int) -> bytes | None:
        """The kept content of a file; None if there is no file then."""
        entry = edit.entries[number]
        if (entry.new if kind == "new" else entry.old) == NOT_THERE:
            return None
        data = b""
        with contextlib.suppress(FileNotFoundError, StrangeFileError):
            data = self._layout.read_file(self._path(edit.id, f"{kind}-{number}"))
        if content_hash(data) != (entry.new if kind == "new" else entry.old):
            raise CorruptStoreError(
                f"The kept content of {entry.path} is damaged.",
                hint="The files stay as they are: compare them with git.",
            )
        return data

    def _path(self, edit_id: str, name: str) -> str:
        return os.path.join(self._folder, edit_id, name)

    def _prune(self, known: Sequence[EditRecord]) -> None:
        settled = [edit for edit in known if not edit.is_open]
        for edit in settled[: max(0, len(settled) + 1 - KEPT)]:
            # Without its journal the rest belongs to nothing, so a kill in between leaves no edit without its contents.
            os.unlink(self._path(edit.id, _JOURNAL))
            shutil.rmtree(os.path.join(self._folder, edit.id), ignore_errors=True)

    def _remove_unborn(self) -> None:
        """Remove what a process that died had not finished: folders without a journal, and half-written files."""
        with contextlib.suppress(FileNotFoundError):
            for name in filter(is_ulid, os.listdir(self._folder)):
                if not os.path.lexists(self._path(name, _JOURNAL)):
                    shutil.rmtree(os.path.join(self._folder, name), ignore_errors=True)
                    continue
                # Whoever writes holds the lock that is held here.
                for part in os.listdir(os.path.join(self._folder, name)):
                    if durable.TEMP_MARK in part:
                        os.unlink(self._path(name, part))

    def require_whole(self) -> None:
        """RefusedError on a tree that a dead process left half written: what is there now is nobody's code."""
        if self.interrupted():
            raise _interrupted()

    def _require_settled(self) -> None:
        self._remove_unborn()
        if self._open():
            raise _interrupted()


def _interrupted() -> RefusedError:
    return RefusedError("An earlier edit was interrupted.", hint=Advice(NextStep("recover"), " first."))


@contextlib.contextmanager
def _alone(layout: Layout) -> Iterator[None]:
    fd = layout.open_lock(os.path.join(layout.locks, "edits.lock"))
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BusyError("Another process is writing an edit.") from error
        yield
    finally:
        os.close(fd)


def _all_in(layout: Layout) -> tuple[EditRecord, ...]:
    try:
        names = sorted(os.listdir(os.path.join(layout.path, FOLDER)))
    except FileNotFoundError:
        return ()
    return tuple(edit for name in names if (edit := _read(layout, name)) is not None)


def _open_in(layout: Layout) -> tuple[str, ...]:
    return tuple(edit.id for edit in _all_in(layout) if edit.is_open)


def _read(layout: Layout, edit_id: str) -> EditRecord | None:
    if not is_ulid(edit_id):
        return None
    try:
        return decode(edit_id, layout.read_file(os.path.join(layout.path, FOLDER, edit_id, _JOURNAL)))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except StrangeFileError as error:
        raise unreadable_journal(edit_id, str(error.strerror)) from error


def _reached(step: str) -> None:
    faults.reach(f"edit.{step}")


def _hash(data: bytes | None) -> str:
    return content_hash(data) if data is not None else NOT_THERE


def _missing_folders(tree: Beneath, path: str) -> list[str]:
    """The folders that a file's path needs and the tree doesn't have, outermost first."""
    parts = path.split("/")[:-1]
    folders = ("/".join(parts[: size + 1]) for size in range(len(parts)))
    return [folder for folder in folders if not has_folder(tree, folder)]


@contextlib.contextmanager
def unchanging_edits(layout: Layout, engine: str) -> Iterator[None]:
    """Keep others from editing the store's tree; RefusedError if an edit was left half done.

    If two stores knew of it, both could complete it, the second one over whatever came after the first.
    """
    with _alone(layout):
        if _open_in(layout):
            raise RefusedError(
                "An edit was interrupted, and the index can't move before it is at its end.",
                hint=Advice(NextStep("recover_with", engine), ", then try again."),
            )
        yield


def copy_edits(source: Layout, target: Layout) -> None:
    """Copy the edits of one store to another, where they can then be recovered and undone."""
    theirs, ours = os.path.join(source.path, FOLDER), os.path.join(target.path, FOLDER)
    for name in sorted(filter(is_ulid, os.listdir(theirs))) if os.path.isdir(theirs) else ():
        if not os.path.isdir(ours):
            target.make_folder(ours)
        making = os.path.join(ours, f"{name}{durable.TEMP_MARK}{os.urandom(8).hex()}")
        target.make_folder(making)
        for file in sorted(os.listdir(os.path.join(theirs, name))):
            durable.copy_file(os.path.join(theirs, name, file), os.path.join(making, file), target.kind.file_mode)
        shutil.rmtree(os.path.join(ours, name), ignore_errors=True)
        durable.move(making, os.path.join(ours, name))
