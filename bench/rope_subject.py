"""Renames as rope makes them: run by the Python that has rope, one request a line, one answer a line."""

import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

_PARTS = re.compile(r"(\W+)")


def main() -> None:
    root = Path(sys.argv[1])
    project = importlib.import_module("rope.base.project").Project(str(root), ropefolder=None)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer: dict[str, Any] = {"edits": _renamed(project, root, **asked)}
        except Exception as error:  # noqa: BLE001 - rope has many, and some are of Python itself
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(answer), flush=True)


def _renamed(project: Any, root: Path, path: str, start: int, new: str) -> list[tuple[str, int, int, str]]:
    text = (root / path).read_bytes()
    offset = len(text[:start].decode())
    kind: Any = importlib.import_module("rope.refactor.rename").Rename
    changes = kind(project, project.get_resource(path), offset).get_changes(new, docs=False)
    found = []
    for change in changes.changes:
        if not hasattr(change, "new_contents"):
            continue  # a file that is renamed with its module
        old = change.resource.read()
        found += [(change.resource.path, *edit) for edit in _edits(old, change.new_contents)]
    return found


def _edits(old: str, new: str) -> list[tuple[int, int, str]]:
    """What was changed, in bytes; names alone are."""
    before, after = _PARTS.split(old), _PARTS.split(new)
    if len(before) != len(after):
        return [(0, len(old.encode()), new)]
    found, at = [], 0
    for was, now in zip(before, after, strict=True):
        size = len(was.encode())
        if was != now:
            found.append((at, at + size, now))
        at += size
    return found


if __name__ == "__main__":
    main()
