"""What is under the pointer: the head of its definition and what is said of it; uses are counted apart."""

from typing import Any, TypedDict

from cairn.base.errors import NotIndexedError, RefusedError, UsageError
from cairn.codebase.codebase import Codebase
from cairn.codebase.heads import doc_of, head_of
from cairn.daemon.host import HouseHost
from cairn.daemon.syncs import DaemonState
from cairn.questions.asking import Where, ask, values_of
from cairn.questions.registry import question
from cairn.surfaces.http.answers import spelling
from cairn.surfaces.http.files import file_standing, source
from cairn.surfaces.http.looks import SCHEMA_VERSION

MOST_DEFINITIONS = 3
Row = dict[str, Any]


class _Definition(TypedDict):
    name: str
    kind: str
    path: str
    line: int
    language: str | None
    head: str
    doc: list[str]


class _Hover(TypedDict):
    schema_version: int
    root: str
    snapshot_id: str | None
    moved: bool
    local: bool
    total: int
    definitions: list[_Definition]


def hover(house: DaemonState, root: str, path: str, place: tuple[int, int], version: str | None) -> _Hover:
    """What is named at a line and column of a file, if it still holds the text of that version.

    Where the snapshot is older than the file, it is brought up to date first: no answer is about text that moved.
    """
    stands = file_standing(house, root, path, sync=True)
    moved = stands["changed_since"] is True or (version is not None and version != stands["version"])
    name = f"{stands['path']}:{place[0]}:{place[1]}"
    rows, total, local = ([], 0, False) if moved else _rows(house, stands["root"], name)
    with house.pool.using(root) as codebase:
        return {
            "schema_version": SCHEMA_VERSION,
            "root": stands["root"],
            "snapshot_id": stands["snapshot_id"],
            "moved": moved,
            "local": local,
            "total": total,
            "definitions": [_definition(codebase, row) for row in rows[:MOST_DEFINITIONS]],
        }


def _rows(house: DaemonState, root: str, place: str) -> tuple[list[Row], int, bool]:
    found = _asked(house, root, "symbol", {"name": place, "limit": MOST_DEFINITIONS})
    if found["results"]:
        return found["results"], found["total"], False
    used = _asked(house, root, "refs", {"name": place, "limit": 1})
    is_local = any(each["code"] == "local" for each in used["notices"])
    return (used["definitions"], len(used["definitions"]), True) if is_local else ([], 0, False)


def _asked(house: DaemonState, root: str, name: str, given: dict[str, Any]) -> Row:
    asked = question(name)
    answered = ask(asked, values_of(asked, given), HouseHost(house), Where(root), sync=False)
    return answered.document(spelling(asked))


def _definition(codebase: Codebase, row: Row) -> _Definition:
    lines, language = [], row.get("language")
    try:
        state = source(codebase, row["path"])
        if not state.changed:
            lines = state.source.data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    except (NotIndexedError, RefusedError, UsageError):
        pass  # what the index has of it is shown instead
    known = {"signature": "", "doc": "", "start_line": row["line"], "end_line": row["line"], **row}
    known = {**known, "signature": known["signature"] or "", "doc": known["doc"] or ""}
    head = head_of(lines, known)
    if not known["signature"] and 0 < row["line"] <= len(lines):
        head = lines[row["line"] - 1].strip()[:300]
    return {
        "name": row.get("qualified_name") or row["name"],
        "kind": row["kind"],
        "path": row["path"],
        "line": row["line"],
        "language": language,
        "head": head,
        "doc": doc_of(lines, known),
    }
