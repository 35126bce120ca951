"""The edit of a rename, its choices and its sentences, made from the gate's plan and applied as a client would."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.goingon import going_on
from cairn.codebase.renames import Renaming
from cairn.edit.editor import Planned
from cairn.surfaces.lsp.choices import choices_of, sentence_of, standing_in_the_way
from cairn.surfaces.lsp.positions import PositionEncoding, Positions
from cairn.surfaces.lsp.shapes import plain
from cairn.surfaces.lsp.workspaceedit import EditingClient, workspace_edit
from tests.surfaces.lsp.applying import applied_on_disk
from tests.trees import Repo

FILES = {
    "lease.py": "def take(key):\n    return key\n\n\nclass Lock:\n    def held(self):\n        return 1\n",
    "user.py": "from lease import take\r\n\r\n\r\ndef use():\r\n    s = '😀é'; return take(s), '😀', take(1)\r\n",
    "marked.py": "\ufefffrom lease import take; take('😀'); take(2)\n",
    "later.py": "def later(thing):\n    return thing.held()\n\n\nimport lease\nprint(vars(lease))\n",
    "Stone.ts": "export class Stone {}\n",
    "cairn.ts": "/* 😀😀 */ import { Stone } from './Stone';\r\nconst text = '😀'; export const top = new Stone();\r\n",
    "go.mod": "module example.com/pile\n\ngo 1.21\n",
    "pile.go": "package pile\n\nfunc heap(n int) int { return n }\n",
    "use.go": 'package pile\n\nfunc Use() (string, int) { return "😀", heap(len("é")) + heap(1) }\n',
}
CASES = (
    (("lease.py", 1, 5), "take", "acquire", {"lease.py", "user.py", "marked.py"}),
    (("Stone.ts", 1, 14), "Stone ", "Rock ", {"Stone.ts", "cairn.ts"}),
    (("pile.go", 3, 6), "heap", "stack", {"pile.go", "use.go"}),
)
RICH = EditingClient(versions=True, renames_files=True, chooses=True)


@pytest.fixture
def renaming(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Renaming]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        yield Renaming(codebase)


def edit_of(
    renaming: Renaming, planned: Planned, root: Path, encoding: PositionEncoding, client: EditingClient = RICH
) -> dict[str, Any]:
    found = workspace_edit(
        renaming.changes(planned),
        planned,
        client,
        uri_of=lambda path: (root / path).as_uri(),
        version_of=lambda uri: 7 if uri.endswith("user.py") else None,
        positions_of=lambda _path, data: Positions(data, encoding),
    )
    edit: dict[str, Any] = plain(found)
    return edit


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_a_client_that_applies_it_gets_what_the_gate_would_write(renaming: Renaming, repo: Repo) -> None:
    for encoding, (place, old, new, paths) in product(PositionEncoding, CASES):
        planned = renaming.plan(*place, new.strip(), take="proven")
        wanted = {change.path: change.new for change in renaming.changes(planned)}
        assert wanted.keys() == paths
        assert old.encode() not in (wanted[place[0]] or b"")
        edit = edit_of(renaming, planned, repo.path, encoding)
        assert {path: (repo.path / path).read_bytes() for path in FILES} == {
            path: text.encode() for path, text in FILES.items()
        }, "nothing is written here"
        applied_on_disk(edit, encoding)
        assert {path: (repo.path / path).read_bytes() for path in wanted} == wanted
        versions = {
            each["textDocument"]["uri"].rpartition("/")[2]: each["textDocument"]["version"]
            for each in edit["documentChanges"]
        }
        assert versions == {path: 7 if path == "user.py" else None for path in paths}
        for path in paths:
            repo.write(path, FILES[path])


def test_a_file_follows_where_the_client_can_rename_files(renaming: Renaming, repo: Repo) -> None:
    planned = renaming.plan("Stone.ts", 1, 14, "Rock", take="proven,file")
    wanted = {change.path: change.new for change in renaming.changes(planned)}
    edit = edit_of(renaming, planned, repo.path, PositionEncoding.UTF16)
    assert edit["documentChanges"][-1] == {
        "kind": "rename",
        "oldUri": (repo.path / "Stone.ts").as_uri(),
        "newUri": (repo.path / "Rock.ts").as_uri(),
    }
    applied_on_disk(edit, "utf-16")
    assert (repo.path / "Rock.ts").read_bytes() == wanted["Rock.ts"] == b"export class Rock {}\n"
    assert b"import { Rock } from './Rock'" in (repo.path / "cairn.ts").read_bytes()
    assert not (repo.path / "Stone.ts").exists()


def test_a_plain_client_gets_plain_changes(renaming: Renaming, repo: Repo) -> None:
    planned = renaming.plan("lease.py", 1, 5, "acquire", take="proven")
    edit = edit_of(renaming, planned, repo.path, PositionEncoding.UTF16, EditingClient())
    assert edit.keys() == {"changes"}
    assert {uri.rpartition("/")[2]: len(found) for uri, found in edit["changes"].items()} == {
        "lease.py": 1,
        "marked.py": 3,
        "user.py": 3,
    }


def test_what_is_asked_is_one_sentence_and_choices_with_their_numbers(renaming: Renaming) -> None:
    asked = renaming.plan("lease.py", 6, 9, "kept")
    steps = going_on(asked, renaming.proof(asked))
    assert sentence_of(asked) == (
        "Not all of held is proven: 1 place proven, 1 open (later.py:2 'return thing.held()'); "
        "choose what to rename to kept."
    )
    assert [(each.title, each.take) for each in choices_of(asked, steps, files=True)] == [
        ("Rename to kept: take proven (1 place)", "proven"),
        ("Rename to kept: take proven and likely (2 places)", "likely"),
    ]
    (place,) = standing_in_the_way(asked)
    assert (place.path, place.line, place.column) == ("later.py", 2, 17)
    read = renaming.plan("lease.py", 1, 5, "acquire")
    assert "later.py:6 lists the names of fields ('print(vars(lease))')" in sentence_of(read)
    (construct,) = standing_in_the_way(read)
    assert (construct.path, construct.line, construct.column) == ("later.py", 6, None)
    refused = renaming.plan("lease.py", 1, 5, "Lock")
    assert sentence_of(refused) == "take can't be renamed to Lock: lease.py:5 uses Lock already."
    taken = renaming.plan("Stone.ts", 1, 14, "Rock")
    offered = going_on(taken, renaming.proof(taken))
    assert [each.title for each in choices_of(taken, offered, files=True)] == [
        "Rename to Rock: take proven, the file too (Stone.ts to Rock.ts) (4 places)"
    ]
    assert not choices_of(taken, offered, files=False)


def test_what_a_client_can_do_is_what_it_said() -> None:
    edit = {"documentChanges": True, "resourceOperations": ["create", "rename"]}
    assert EditingClient.of({"workspace": {"workspaceEdit": edit}, "window": {"showMessage": {}}}) == RICH
    for said in (
        {},
        {"workspace": 7, "window": None},
        {"workspace": {"workspaceEdit": {"resourceOperations": ["rename"]}}},
    ):
        assert EditingClient.of(said) == EditingClient()
    operations = {"documentChanges": True, "resourceOperations": 7}
    assert not EditingClient.of({"workspace": {"workspaceEdit": operations}}).renames_files


def test_what_stands_at_a_place_is_known_before_there_is_a_new_name(renaming: Renaming) -> None:
    target, fault = renaming.subject("user.py", 5, 28)
    assert (target.name, target.line, fault) == ("take", 5, "")
    assert renaming.subject("later.py", 6, 2)[1] == "nothing in the tree defines print as it is used at later.py:6"
    assert renaming.subject("lease.py", 2, 12)[1] == ""
