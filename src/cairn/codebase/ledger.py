"""What was asked and what the answers weighed: a line an answer, in a file a day beneath `CAIRN_HOME/gain/`.

A line is appended by one write, so many processes share a file without a lock, and what a crash cuts short is one line
that readers leave out. Files are bounded in size and in number. No question, no name and no code is in them: how many
bytes an answer had, and how many the files that it names have. Nothing here may fail an answer; `cairn doctor` tells
what keeps it from being counted.
"""

import atexit
import contextlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from cairn.base.durable import make_private_folders, write_all
from cairn.base.errors import CairnError, ConfigError
from cairn.base.ownfile import open_own, read_own
from cairn.base.tally import Tally
from cairn.base.values import dataclass
from cairn.config.user import LEDGER_DAYS, read_user_config, section_of

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer

FOLDER = "gain"
MOST_BYTES = 2 * 1024 * 1024
"""How large the file of a day may be: some ten thousand answers."""
_SUFFIX = ".jsonl"
_WAITING = 1_000
_PATIENCE_S = 1.0
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer, as far as one codebase is concerned."""

    day: str
    root: str
    question: str
    door: str
    bytes: int
    files: int
    whole_bytes: int
    """What the files that the answer names have in all, each once."""


def is_on(home: str, data: bytes | None = None) -> bool:
    """Whether answers are counted: `record` in the section [gain] of the user's configuration, or of `data` for it."""
    said = section_of(read_user_config(home) if data is None else data, "gain").get("record", True)
    if not isinstance(said, bool):
        raise ConfigError(
            "config.toml: gain.record must be true or false.", hint="Correct config.toml in Cairn's home."
        )
    return said


def record(home: str, tally: Tally, door: str) -> None:
    """Count what was answered; whatever keeps it from that is left for `fault` to find."""
    if not tally.answers:
        return
    with contextlib.suppress(CairnError, OSError, ValueError):
        if is_on(home):
            text = "".join(tally.texts)
            day = _day()
            lines = [
                json.dumps([entry.root, entry.question, entry.door, entry.bytes, entry.files, entry.whole_bytes])
                for entry in _entries(tally, text, day, door)
            ]
            _append(home, day, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))


def record_later(home: str, tally: Tally, door: str, text: Callable[[], str] | None = None) -> None:
    """The same in a thread of its own, for processes whose answers nobody should wait longer for."""
    if not tally.answers:
        return

    def work() -> None:
        if text is not None:
            tally.texts.append(text())
        record(home, tally, door)

    _WRITER.take(work)


def entries(home: str, days: int, now: float | None = None) -> tuple[list[Entry], int]:
    """What was counted in the last days, oldest first, and how many lines can't be read."""
    found: list[Entry] = []
    unreadable = 0
    first = _day(days - 1, now)
    for name in _files(home):
        day = name.removesuffix(_SUFFIX)
        if day < first:
            continue
        try:
            data = read_own(os.path.join(home, FOLDER, name))
        except OSError:
            unreadable += 1
            continue
        for line in data.splitlines():
            entry = _read(day, line)
            found += [entry] if entry is not None else []
            unreadable += entry is None
    return found, unreadable


def fault(home: str) -> str:
    """Why answers can't be counted just now; empty where they can. It tries what counting does."""
    try:
        size = _append(home, _day(), b"")
    except CairnError as error:
        return error.message.removesuffix(".")
    except OSError as error:
        return f"{error.filename or os.path.join(home, FOLDER)}: {error.strerror}"
    return f"the file of today has {MOST_BYTES >> 20} MB already" if size >= MOST_BYTES else ""


def _entries(tally: Tally, text: str, day: str, door: str) -> Iterator[Entry]:
    """An entry a codebase; the bytes of an answer of several are split by how many files of each it names."""
    size = len(text.encode("utf-8", "replace"))
    asked = [(name, _cited(answer)) for name, answer in tally.answers if _is_about_code(answer)]
    parts = [(name, root, _named(paths, text)) for name, cited in asked for root, paths in cited.items()]
    weight = sum(len(paths) for _, _, paths in parts)
    for at, (name, root, paths) in enumerate(parts):
        share = size * len(paths) // weight if weight else size * (at == 0)
        whole = 0 if tally.goes_on else sum(_size(os.path.join(root, each)) for each in paths)
        yield Entry(day, root, name, door, share, len(paths), whole)


def _is_about_code(answer: "Answer[Any]") -> bool:
    """Whether snapshots answered; a report of what there is costs nobody a file."""
    return answer.snapshot is not None or bool(answer.codebases)


def _cited(answer: "Answer[Any]") -> dict[str, set[str]]:
    """The files of each codebase that an answer is about."""
    value = answer.value
    if not answer.codebases:
        root = answer.root or answer.manifest.canonical_root
        return {root: set(answer.cited)}
    found: dict[str, set[str]] = {each.root: set() for each in answer.codebases if each.error is None}
    if (parts := getattr(value, "answers", None)) is not None:
        return found | {root: set(part.cited) for root, part in parts.items()}
    roots: Iterable[Any] = getattr(value, "sources", ()) or answer.items
    for source, item in zip(roots, answer.items, strict=False):
        found.setdefault(source.root, set()).add(item.path)
    return found


def _named(paths: set[str], text: str) -> list[str]:
    """The files that a text names: what was found and then left out for want of room cost nobody anything.

    Where there is but one, the text is about it without a word.
    """
    return list(paths) if len(paths) == 1 else [path for path in paths if path in text]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def _append(home: str, day: str, data: bytes) -> int:
    """Append to the file of a day unless that is full; its size before."""
    folder = os.path.join(home, FOLDER)
    path = os.path.join(folder, day + _SUFFIX)
    try:
        fd = open_own(path, _APPEND)
    except FileNotFoundError:
        make_private_folders(folder)
        fd = open_own(path, _APPEND)
    try:
        size = os.fstat(fd).st_size
        if size == 0:
            _forget(home)
        if data and size < MOST_BYTES:
            write_all(fd, data)
        return size
    finally:
        os.close(fd)


def _forget(home: str) -> None:
    """Remove what is too old, once a day."""
    first = _day(LEDGER_DAYS - 1)
    for name in _files(home):
        if name.removesuffix(_SUFFIX) < first:
            with contextlib.suppress(OSError):
                os.remove(os.path.join(home, FOLDER, name))


def _files(home: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(os.path.join(home, FOLDER)) if name.endswith(_SUFFIX))
    except OSError:
        return []


def _day(ago: int = 0, now: float | None = None) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime((time.time() if now is None else now) - ago * 86_400))


def _read(day: str, line: bytes) -> Entry | None:
    try:
        root, question, door, *numbers = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return None
    fine = all(type(each) is str for each in (root, question, door)) and len(numbers) == 3
    if not fine or not all(type(each) is int and each >= 0 for each in numbers):
        return None
    return Entry(day, root, question, door, *numbers)


class _Writer:
    """One thread that writes for a process, begun with its first line; at the end it is waited for a moment."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def take(self, work: Callable[[], None]) -> None:
        """Have something done soon; dropped where more waits than is worth keeping."""
        with self._guard:
            if self._thread is None:
                atexit.register(self.finish)
            if self._thread is None or not self._thread.is_alive():  # a defect ends it, and is told
                self._thread = Thread(target=self._run, name="ledger", daemon=True)
                self._thread.start()
        if self._waiting.qsize() < _WAITING:
            self._waiting.put(work)

    def finish(self) -> None:
        """Wait until what was taken is done, for a moment."""
        with self._guard:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._waiting.put(None)
            thread.join(_PATIENCE_S)

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            work()


_WRITER = _Writer()


def finish() -> None:
    """Wait until what is being counted is counted, for a moment."""
    _WRITER.finish()
