"""Whether a rename is right: it is written into a copy of the project, whose own checks have to say what they said."""

import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.processes import ChildError, environment

TIME_LIMIT_S = 600
RIGHT = "right"
_COUNTS = re.compile(r"\b(\d+) (passed|failed|skipped|xfailed|xpassed|errors?|todo)\b")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Edit(NamedTuple):
    """A part of a file, in bytes, and what is written instead."""

    path: str
    start: int
    end: int
    text: str


Result = tuple[int, tuple[str, ...]]


def settled(edits: Iterable[Sequence[object]]) -> list[Edit]:
    """Edits in order, each once."""
    return sorted({Edit(*each) for each in edits})  # type: ignore[arg-type]


def key_of(edits: Sequence[Edit]) -> str:
    """What tells one rename from another."""
    return hashlib.sha256(json.dumps(edits).encode()).hexdigest()[:16]


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    """A file with edits that don't overlap."""
    parts, done = [], 0
    for each in sorted(edits, key=lambda edit: edit.start):
        if each.start < done:
            raise ChildError(f"two edits of {each.path} overlap")
        parts += [data[done : each.start], each.text.encode()]
        done = each.end
    return b"".join((*parts, data[done:]))


def in_comment(root: Path, edit: Edit) -> bool:
    """Whether an edit stands in a line that is a comment: no check tells of it, and gopls changes them as well."""
    data = (root / edit.path).read_bytes()
    line = data[data.rfind(b"\n", 0, edit.start) + 1 : edit.start].lstrip()
    return line.startswith((b"//", b"#", b"* ", b"/*"))


class Judge:
    """A copy of a project, and the commands that tell whether it is whole."""

    def __init__(self, root: Path, copy: Path, checks: Sequence[str]) -> None:
        self._copy, self._checks = copy, tuple(checks)
        if not copy.exists():
            shutil.copytree(root, copy, symlinks=True)
        self.before = [result(copy, check) for check in self._checks]

    def verdict(self, edits: Sequence[Edit]) -> str:
        """`right`, or what a check says other than before; the copy is as before then."""
        old = {path: (self._copy / path).read_bytes() for path in {edit.path for edit in edits}}
        try:
            for path, data in old.items():
                (self._copy / path).write_bytes(edited(data, [edit for edit in edits if edit.path == path]))
            for check, was in zip(self._checks, self.before, strict=True):
                now = result(self._copy, check)
                if now != was:
                    return f"{check.split()[0].rpartition('/')[2]}: {_said(now)} instead of {_said(was)}"
            return RIGHT
        except ChildError as error:
            return str(error)
        finally:
            for path, data in old.items():
                (self._copy / path).write_bytes(data)


def _said(told: Result) -> str:
    return ", ".join(told[1]) or f"exit status {told[0]}"


def result(root: Path, command: str) -> Result:
    """How a check ended, and what it counted."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        try:
            done = subprocess.run(
                command,
                shell=True,
                cwd=root,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment(PYTHONDONTWRITEBYTECODE="1"),
                timeout=TIME_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return -1, ("0 passed",)
        output.seek(0)
        text = _COLOURS.sub("", output.read())
    return done.returncode, tuple(sorted(" ".join(each) for each in _COUNTS.findall(text)))
