"""What install changed, kept so that it can be undone exactly.

CAIRN_HOME/backups/
  manifest.json            for each file of each run: where it is, whether it was there, hashes before and after
  <run>/<number>.before    the bytes from before
  lock                     held by whoever installs or uninstalls

All of a run is on disk before its first file is touched. So the manifest is right even if a run is killed half-way:
a file that was not reached still has the hash from before, and nothing has to be undone in it.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from cairn.base import durable
from cairn.base.errors import BusyError, RefusedError
from cairn.base.values import as_dict, dataclass

SCHEMA_VERSION = 1
FOLDER = "backups"
_MANIFEST = "manifest.json"
_LOCK = "lock"


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """One file that one run changed."""

    run: str
    created_at: str
    project: str
    """The project that the run was for; empty for the user's own settings."""
    path: str
    target: str
    existed: bool
    sha256_before: str
    sha256_after: str
    backup: str
    """The name of the file with the bytes from before; empty if there were none."""
    folders: tuple[str, ...]
    """Folders that were made for it, from the top down."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that a run is about to change."""

    path: str
    target: str
    before: bytes | None
    after: bytes
    folders: tuple[str, ...]


def digest(data: bytes | None) -> str:
    """The sha256 of a file's bytes; empty for a file that doesn't exist."""
    return hashlib.sha256(data).hexdigest() if data is not None else ""


@contextlib.contextmanager
def exclusive(home: str) -> Iterator[None]:
    """Allow one install or uninstall at a time: two would overwrite each other's manifest."""
    durable.make_private_folders(_folder(home))
    fd = os.open(os.path.join(_folder(home), _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(fd)
        raise BusyError("Another `cairn install` or `cairn uninstall` is at work.") from error
    try:
        yield
    finally:
        os.close(fd)


def keep(home: str, project: str, files: Sequence[Kept]) -> list[BackupRecord]:
    """Keep what a run is about to change."""
    run = os.urandom(8).hex()
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    folder = os.path.join(_folder(home), run)
    durable.make_private_folders(folder)
    records = []
    for number, file in enumerate(files):
        name = f"{number}.before" if file.before is not None else ""
        if file.before is not None:
            durable.write_new_file(os.path.join(folder, name), file.before, 0o600)
        hashes = digest(file.before), digest(file.after)
        records.append(
            BackupRecord(
                run, now, project, file.path, file.target, file.before is not None, *hashes, name, file.folders
            )
        )
    durable.sync_folder(folder)
    _write(home, [*records, *read(home)])
    return records


def forget(home: str, records: Sequence[BackupRecord]) -> None:
    """Drop records that are undone, with the bytes that were kept for them."""
    left = [each for each in read(home) if each not in records]
    _write(home, left)
    for run in {record.run for record in records} - {record.run for record in left}:
        shutil.rmtree(os.path.join(_folder(home), run), ignore_errors=True)
    for record in records:
        if record.backup:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(_folder(home), record.run, record.backup))


def read(home: str) -> list[BackupRecord]:
    """The records of all changes that are not undone yet, newest first."""
    path = os.path.join(_folder(home), _MANIFEST)
    try:
        with open(path, "rb") as file:
            document = json.loads(file.read())
        return [_record(each) for each in document["files"]]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise RefusedError(
            f"The manifest {path} can't be read.", hint=f"Nothing was changed. Move {_folder(home)} away and try again."
        ) from error


def bytes_before(home: str, record: BackupRecord) -> bytes | None:
    """A file's bytes from before a run; RefusedError if the backup was changed."""
    if not record.existed:
        return None
    path = os.path.join(_folder(home), record.run, record.backup)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        data = b""
    if digest(data) != record.sha256_before:
        raise RefusedError(
            f"The backup {path} of {record.path} is missing or damaged.",
            hint=f"Nothing was changed. Move {_folder(home)} away and try again: then only the entry is taken out.",
        )
    return data


def place_of(home: str, record: BackupRecord) -> str:
    """The folder that a run's backup lies in."""
    return os.path.join(_folder(home), record.run)


def _folder(home: str) -> str:
    return os.path.join(home, FOLDER)


def _record(found: dict[str, Any]) -> BackupRecord:
    return BackupRecord(**{**found, "folders": tuple(found["folders"])})


def _write(home: str, records: Sequence[BackupRecord]) -> None:
    documents = [{**as_dict(record), "folders": list(record.folders)} for record in records]
    data = json.dumps({"schema_version": SCHEMA_VERSION, "files": documents}, indent=1).encode()
    durable.write_file(os.path.join(_folder(home), _MANIFEST), data, 0o600)
