"""A file as the page shows it: its text as it is now, how that stands to the snapshot, its colours, its history.

Every answer names the version of the text that it is about, which is the hash of one read of it. Whoever holds another
text knows so, and never puts colours, marks or answers on lines that have moved.
"""

import os
import re
from datetime import UTC, datetime
from typing import TypedDict

from cairn.base.deadline import check
from cairn.base.errors import NotIndexedError, RefusedError, UsageError
from cairn.base.linemap import standing
from cairn.codebase.codebase import Codebase
from cairn.codebase.coloured import Colourist, Stretch
from cairn.codebase.differences import commit_meant
from cairn.daemon.host import HouseHost
from cairn.daemon.syncs import DaemonState
from cairn.languages.files import language_of
from cairn.questions.asking import brought
from cairn.readcache.answers import SourceState
from cairn.surfaces.http.looks import SCHEMA_VERSION
from cairn.syntax.colours import KINDS
from cairn.workspace.blame import blame
from cairn.workspace.git import Git, top_level_or_none

MOST_TEXT_BYTES = 2_000_000
MOST_EXCERPTS = 200
_HEAD = 8_000
"""Where git too looks for what no text has."""
_PLACE = re.compile(r"(.+):(\d{1,9})-(\d{1,9})", re.DOTALL)


class _Standing(TypedDict):
    schema_version: int
    root: str
    path: str
    snapshot_id: str | None
    indexed: bool
    changed_since: bool | None
    version: str
    read_at: str


class _File(_Standing):
    language: str | None
    bytes: int
    truncated: bool
    binary: bool
    text: str


class _Coloured(TypedDict):
    schema_version: int
    root: str
    path: str
    version: str
    kinds: list[str]
    tokens: list[int]


class _Excerpt(TypedDict):
    place: str
    version: str | None
    first: int
    lines: list[str]
    tokens: list[int]


class _Excerpts(TypedDict):
    schema_version: int
    root: str
    kinds: list[str]
    excerpts: list[_Excerpt]


class _Commit(TypedDict):
    commit: str
    author: str
    time: str
    subject: str


class _Blame(TypedDict):
    schema_version: int
    root: str
    path: str
    version: str
    commits: list[_Commit]
    runs: list[list[int | None]]


class _Changed(TypedDict):
    schema_version: int
    root: str
    path: str
    version: str
    since: str
    added: list[list[int]]
    removed: list[int]


def file(house: DaemonState, root: str, path: str, most: int = MOST_TEXT_BYTES) -> _File:
    """A file's text as it is now, so many bytes of it, and whether the snapshot knows it so."""
    with house.pool.using(root) as codebase:
        found = source(codebase, path)
        data = found.source.data
        is_binary = b"\0" in data[:_HEAD]
        return {
            **_stands(codebase, found),
            "language": language_of(found.source.path, data[:256]),
            "bytes": len(data),
            "truncated": len(data) > most and not is_binary,
            "binary": is_binary,
            "text": "" if is_binary else data[:most].decode("utf-8", "replace"),
        }


def file_standing(house: DaemonState, root: str, path: str, sync: bool) -> _Standing:
    """How a file stands now, without its text; with `sync`, after the snapshot was brought up to it."""
    with house.pool.using(root) as codebase:
        found = source(codebase, path)
        if sync and (found.changed or not found.indexed):
            brought(codebase, HouseHost(house), create=False)
            found = source(codebase, path)
        return _stands(codebase, found)


def raw(house: DaemonState, root: str, path: str) -> tuple[str, bytes]:
    """A file's path from the root on, and its bytes as they are now."""
    with house.pool.using(root) as codebase:
        found = source(codebase, path).source
        return found.path, found.data


def colours(house: DaemonState, colourist: Colourist, root: str, path: str, first: int, last: int | None) -> _Coloured:
    """The colours of a file's lines."""
    if last is not None and first > last:
        raise UsageError(f"Line {first} is behind line {last}.", hint="Name the first line, then the last one.")
    with house.pool.using(root) as codebase:
        found = source(codebase, path).source
    made = colourist.colours(_stretch(found.path, found.data, found.file_hash, first, last))
    return {
        "schema_version": SCHEMA_VERSION,
        "root": found.root,
        "path": found.path,
        "version": found.file_hash,
        "kinds": [*KINDS],
        "tokens": made,
    }


def excerpts(house: DaemonState, colourist: Colourist, root: str, places: list[str]) -> _Excerpts:
    """The colours of some lines of several files, with the lines themselves; none for what can't be read now."""
    if len(places) > MOST_EXCERPTS:
        raise UsageError(f"At most {MOST_EXCERPTS} places are coloured at once.", hint="Ask for the others apart.")
    found: list[_Excerpt] = []
    with house.pool.using(root) as codebase:
        codebase.require_readable()
        read: dict[str, SourceState | None] = {}
        for place in places:
            check()
            path, first, last = _place(place)
            if path not in read:
                read[path] = _source_or_none(codebase, path)
            state = read[path]
            if state is None:
                found.append({"place": place, "version": None, "first": first, "lines": [], "tokens": []})
                continue
            text = state.source
            lines = text.data.split(b"\n")[first - 1 : last]
            made = colourist.colours(_stretch(text.path, text.data, text.file_hash, first, last)) if lines else []
            found.append(
                {
                    "place": place,
                    "version": text.file_hash,
                    "first": first,
                    "lines": [line.removesuffix(b"\r").decode("utf-8", "replace") for line in lines],
                    "tokens": made,
                }
            )
        return {
            "schema_version": SCHEMA_VERSION,
            "root": codebase.root_path,
            "kinds": [*KINDS],
            "excerpts": found,
        }


def blamed(house: DaemonState, root: str, path: str) -> _Blame:
    """The last change of each line of a file as it is now."""
    with house.pool.using(root) as codebase:
        found = source(codebase, path).source
        said = blame(_git(codebase), found.path, found.data)
        return {
            "schema_version": SCHEMA_VERSION,
            "root": codebase.root_path,
            "path": found.path,
            "version": found.file_hash,
            "commits": [
                {
                    "commit": each.commit,
                    "author": each.author,
                    "time": datetime.fromtimestamp(each.time, UTC).isoformat(),
                    "subject": each.subject,
                }
                for each in said.commits
            ],
            "runs": [[*run] for run in said.runs],
        }


def changed_lines(house: DaemonState, root: str, path: str, since: str | None) -> _Changed:
    """Which lines of a file a revision doesn't have so, as first and last; and after which ones lines are missing."""
    with house.pool.using(root) as codebase:
        found = source(codebase, path).source
        git = _git(codebase)
        commit = commit_meant(git, since)
        before = git.blob(commit, found.path)
        then, now = (before or b"").split(b"\n"), found.data.split(b"\n")
        added, removed = _differences(then, now) if before is not None else ([[1, len(now)]], [])
        return {
            "schema_version": SCHEMA_VERSION,
            "root": codebase.root_path,
            "path": found.path,
            "version": found.file_hash,
            "since": commit,
            "added": added,
            "removed": removed,
        }


def source(codebase: Codebase, path: str) -> SourceState:
    """A file that may be shown, as it is now."""
    codebase.require_readable()
    return codebase.source(os.path.join(codebase.root_path, path))


def _source_or_none(codebase: Codebase, path: str) -> SourceState | None:
    try:
        return source(codebase, path)
    except (NotIndexedError, RefusedError, UsageError):
        return None


def _stands(codebase: Codebase, found: SourceState) -> _Standing:
    return {
        "schema_version": SCHEMA_VERSION,
        "root": codebase.root_path,
        "path": found.source.path,
        "snapshot_id": found.snapshot_id,
        "indexed": found.indexed,
        "changed_since": found.changed,
        "version": found.source.file_hash,
        "read_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _stretch(path: str, data: bytes, file_hash: str, first: int, last: int | None) -> Stretch:
    return Stretch(path, language_of(path, data[:256]) or "", data, file_hash, first, last)


def _place(text: str) -> tuple[str, int, int]:
    found = _PLACE.fullmatch(text)
    if found is None or not 0 < int(found[2]) <= int(found[3]):
        raise UsageError(f"{text[:200]!r} is no place.", hint="Name a file and its lines as PATH:FIRST-LAST.")
    return found[1], int(found[2]), int(found[3])


def _git(codebase: Codebase) -> Git:
    if top_level_or_none(codebase.root_path) is None:
        raise RefusedError("This codebase is in no git repository.", hint="There is no history to tell of.")
    return Git(codebase.root_path)


def _differences(then: list[bytes], now: list[bytes]) -> tuple[list[list[int]], list[int]]:
    numbers: dict[bytes, int] = {}
    rows = [[numbers.setdefault(line, len(numbers)) for line in text] for text in (then, now)]
    added: list[list[int]] = []
    removed: list[int] = []
    before, after = 0, 0
    for old, new in (*sorted(standing(*rows)), (len(then), len(now))):
        if new > after:
            added.append([after + 1, new])
        elif old > before:
            removed.append(after)
        before, after = old + 1, new + 1
    return added, removed
