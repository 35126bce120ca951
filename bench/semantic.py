"""Importing an index beside decoding it into plain SQLite, and the states of many files."""

import hashlib
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench import projects
from bench.measure import Row, by_turns, megabytes, seconds_of, table
from bench.peers import SCIP_PYTHON, npm
from bench.processes import MissingError, environment
from cairn.semantic.importing import ImportResult, ImportSource, import_index
from cairn.semantic.scip.reader import read_index
from cairn.semantic.state import FileNow, FileThen, file_states
from cairn.store import SemanticMeta, SemanticWriter, StoreKind
from cairn.store.layout import create_layout

ROUNDS = 5
FILES, EDGES = 10_000, 100_000
_IMPORT_BAR = 2.0
_STATE_S = 1.0
_ABOUT = """The package of Django, indexed by scip-python. An import reads every file, judges every place, and ends with
a segment that is indexed, synced and hashed; what it is held against decodes the same index and inserts its
occurrences, with the same columns and no index, in one transaction. States are those of a random graph in which one
file in a hundred was edited."""


def section(work: Path) -> str:
    index, root = _index(work), projects.django_package(work)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        subject = _Importing(index, root, Path(folder))
        timings = by_turns({"cairn": subject.imported, "plain": subject.inserted, "states": _states()}, ROUNDS)
        ours, plain = timings["cairn"].middle, timings["plain"].middle
        told, states = subject.last, timings["states"].middle
    rows = [
        Row(
            f"import of {told.occurrences + told.dropped:,} occurrences in {told.files:,} files",
            seconds_of(ours),
            f"decoded and inserted: {seconds_of(plain)}",
            ours / plain,
            _IMPORT_BAR,
        ),
        Row("size of the segment", megabytes(subject.size), f"the index itself: {megabytes(index.stat().st_size)}"),
        Row(
            f"states of {FILES:,} files with {EDGES:,} dependencies",
            seconds_of(states),
            seconds_of(_STATE_S),
            states / _STATE_S,
            1,
        ),
    ]
    left_out = (
        f"{told.dropped:,} places were left out: symbols that nothing defines, and other names than the symbol's."
    )
    return f"{_ABOUT}\n\n{table(rows)}\n\n{left_out}"


class _Importing:
    """One index, imported and inserted again and again."""

    def __init__(self, index: Path, root: Path, folder: Path) -> None:
        self._index = str(index)
        self._root = root
        self._folder = folder
        self._layout = create_layout(str(folder / "store"), StoreKind.PRIVATE)
        self.last = ImportResult(0, 0, 0, frozenset())
        self.size = 0

    def source(self, path: str) -> ImportSource | None:
        try:
            data = (self._root / path).read_bytes()
        except OSError:
            return None
        content = hashlib.sha256(data).hexdigest()
        return ImportSource(data, content, content)

    def is_indexed(self, path: str) -> bool:
        return (self._root / path).is_file()

    def imported(self) -> None:
        folder = self._folder / "segment"
        shutil.rmtree(folder, ignore_errors=True)
        writer = SemanticWriter(self._layout, str(folder), SemanticMeta("python:.", "job"))
        self.last = import_index(read_index(self._index), "", "", self, writer, "job")
        self.size = writer.finish().digest.size_bytes

    def inserted(self) -> None:
        path = self._folder / "plain.sqlite"
        path.unlink(missing_ok=True)
        columns = "file, line, column, end_line, end_column, symbol, roles"
        connection = sqlite3.connect(path)
        connection.execute(f"CREATE TABLE occurrences ({columns})")
        rows = (
            (number, *each[:6])
            for number, document in enumerate(read_index(self._index).documents())
            for each in document.occurrences
        )
        connection.executemany("INSERT INTO occurrences VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        connection.commit()
        connection.close()


def _states() -> Callable[[], object]:
    chance = random.Random(1)
    names = [f"m{number}.py" for number in range(FILES)]
    on: dict[str, dict[str, str]] = {name: {} for name in names}
    for _ in range(EDGES):
        target = chance.choice(names)
        on[chance.choice(names)][target] = f"shown {target}"
    then = {name: FileThen(f"hash {name}", on[name]) for name in names}
    now = {name: FileNow(f"hash {name}", f"shown {name}") for name in names}
    for name in chance.sample(names, FILES // 100):
        now[name] = FileNow("edited", f"shown {name}")
    return lambda: file_states(then, now, owns=lambda _: True)


def _index(work: Path) -> Path:
    output = work / "django-package.scip"
    if not output.exists():
        root, tool = projects.django_package(work), npm(work, SCIP_PYTHON)
        nothing = work / "no-packages.json"
        nothing.write_text("[]", encoding="utf-8")
        names = ("--project-name", "django", "--project-version", "0", "--environment", str(nothing))
        staged = output.with_suffix(".staged")
        try:
            subprocess.run(
                (str(tool), "index", ".", *names, "--output", str(staged), "--quiet"),
                check=True,
                capture_output=True,
                cwd=root,
                env=environment(),
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise MissingError("scip-python could not index Django") from error
        os.rename(staged, output)
    return output
