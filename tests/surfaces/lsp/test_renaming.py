"""Renames in an editor: a real server plans them through the gate, and the test applies them as an editor would."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.lsp.applying import applied, applied_on_disk, position, under
from tests.surfaces.lsp.client import LanguageClient, Message
from tests.trees import Repo, cairn

FILES = {
    "lease.py": "def take(key):\n    return key\n\n\nclass Lock:\n    def held(self):\n        return 1\n",
    "user.py": "from lease import take\r\n\r\n\r\ndef use():\r\n    s = '😀é'; return take(s), '😀', take(1)\r\n",
    "marked.py": "\ufefffrom lease import take; take('😀'); take(2)\n",
    "later.py": "def later(thing):\n    return thing.held()\n",
    "listed.py": "import stone\n\nprint(vars(stone))\n",
    "stone.py": "def roll():\n    far = 1\n    return far\n",
    "Stone.ts": "export class Stone {}\n",
    "cairn.ts": "/* 😀😀 */ import { Stone } from './Stone';\r\nconst text = '😀'; export const top = new Stone();\r\n",
    "go.mod": "module example.com/pile\n\ngo 1.21\n",
    "pile.go": "package pile\n\nfunc heap(n int) int { return n }\n",
    "use.go": 'package pile\n\nfunc Use() (string, int) { return "😀", heap(len("é")) + heap(1) }\n',
}
EDITS = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    },
    "textDocument": {"rename": {"prepareSupport": True}},
}
ASKING = {**EDITS, "window": {"showMessage": {"messageActionItem": {}}}}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with the project in it, indexed once."""
    place = tmp_path_factory.mktemp("renames")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(place).items():
            patch.setenv(name, value)
        repo = Repo.create(place / "project")
        for path, text in FILES.items():
            repo.write(path, text)
        repo.commit()
        done = cairn("index", str(repo.path))
        assert done.returncode == 0, done.stderr
        yield place


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "CAIRN_HOME": str(home / ".cairn"), "CAIRN_EMBED_PROVIDER": "hashing"}


@pytest.fixture
def tree(home: Path) -> Iterator[Path]:
    """The project, as it was before every test."""
    root = home / "project"
    yield root
    for path in root.iterdir():
        if path.is_file() and path.name not in FILES:
            path.unlink()
    for name, text in FILES.items():
        if not (root / name).exists() or (root / name).read_bytes() != text.encode():
            (root / name).write_bytes(text.encode())


def served(home: Path, encoding: str = "utf-16", capabilities: Any = EDITS) -> LanguageClient:
    found = LanguageClient(environment=environment(home))
    found.initialize([home / "project"], {"features": "all"}, [encoding], capabilities)
    return found


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[LanguageClient]:
    with served(home) as found:
        yield found


@pytest.fixture(autouse=True)
def closed(request: pytest.FixtureRequest, tree: Path) -> Iterator[None]:
    """No test leaves documents open."""
    yield
    if "client" in request.fixturenames:
        found = request.getfixturevalue("client")
        for name in FILES:
            found.notify("textDocument/didClose", {"textDocument": {"uri": (tree / name).as_uri()}})


def place(path: Path, before: str, encoding: str = "utf-16") -> Message:
    text = path.read_bytes().decode().removeprefix("\ufeff")
    return {"textDocument": {"uri": path.as_uri()}, "position": position(text, before, encoding)}


def asked(client: LanguageClient, where: Message, new: str) -> Message:
    return client.wait(client.begin("textDocument/rename", {**where, "newName": new}))


def refusal(client: LanguageClient, where: Message, new: str) -> str:
    answer = asked(client, where, new)
    assert answer["error"]["code"] == -32803
    message: str = answer["error"]["message"]
    assert "\n" not in message
    return message


def offered(client: LanguageClient, where: Message, **context: Any) -> list[Message]:
    there = {"start": where["position"], "end": where["position"]}
    said = {"textDocument": where["textDocument"], "range": there, "context": {"diagnostics": [], **context}}
    found: list[Message] = client.request("textDocument/codeAction", said)
    return found


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_imports_link_to_the_files_that_they_lead_to(client: LanguageClient, tree: Path) -> None:
    for name, wanted in (
        ("user.py", [("lease", "lease.py")]),
        ("cairn.ts", [("./Stone", "Stone.ts")]),
        ("listed.py", [("stone", "stone.py")]),
        ("lease.py", []),
    ):
        client.open(tree / name)
        found = client.request("textDocument/documentLink", {"textDocument": {"uri": (tree / name).as_uri()}})
        shown = [(under(FILES[name], each["range"], "utf-16"), each["target"]) for each in found]
        assert shown == [(text, (tree / path).as_uri()) for text, path in wanted]


def check_renames(client: LanguageClient, tree: Path, encoding: str) -> None:
    """In three languages, from definitions and from uses behind characters that are counted in several ways."""
    for name, before, old, new, paths in (
        ("lease.py", "take", "take", "acquire", ("lease.py", "user.py", "marked.py")),
        ("user.py", "take(s)", "take", "acquire", ("lease.py", "user.py", "marked.py")),
        ("user.py", "take(1)", "take", "acquire", ("lease.py", "user.py", "marked.py")),
        ("marked.py", "take(2)", "take", "acquire", ("lease.py", "user.py", "marked.py")),
        ("use.go", "heap(1)", "heap", "stack", ("pile.go", "use.go")),
    ):
        text = FILES[name].removeprefix("\ufeff")
        client.open(tree / name, text)
        where = place(tree / name, before, encoding)
        prepared = client.request("textDocument/prepareRename", where)
        assert (under(text, prepared["range"], encoding), prepared["placeholder"]) == (old, old)
        assert prepared["range"]["start"] == where["position"]
        edit = client.request("textDocument/rename", {**where, "newName": new})
        assert all((tree / path).read_bytes() == said.encode() for path, said in FILES.items()), "nothing is written"
        versions = {each["textDocument"]["uri"]: each["textDocument"]["version"] for each in edit["documentChanges"]}
        assert versions == {(tree / path).as_uri(): 1 if path == name else None for path in paths}
        applied_on_disk(edit, encoding)
        for path, said in FILES.items():
            wanted = said.replace(old, new) if path in paths else said
            assert (tree / path).read_bytes() == wanted.encode()
            (tree / path).write_bytes(said.encode())
        client.notify("textDocument/didClose", {"textDocument": {"uri": (tree / name).as_uri()}})


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_a_rename_is_an_edit_that_the_editor_applies(client: LanguageClient, home: Path, tree: Path) -> None:
    check_renames(client, tree, "utf-16")
    assert not list(home.glob(".cairn/**/edits/*")), "nothing was written here, so nothing is in the journal"


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
def test_places_are_counted_as_the_editor_counts(home: Path, tree: Path, encoding: str) -> None:
    with served(home, encoding) as client:
        assert client.capabilities["positionEncoding"] == encoding
        check_renames(client, tree, encoding)


@pytest.mark.requirement("LSP.1")
def test_a_rename_that_asks_says_why_and_offers_its_choices(client: LanguageClient, tree: Path) -> None:
    client.open(tree / "lease.py")
    where = place(tree / "lease.py", "held")
    assert offered(client, where) == []
    assert refusal(client, where, "kept") == (
        "Not all of held is proven: 1 place proven, 1 open (later.py:2 'return thing.held()'); "
        "choose what to rename to kept with a code action at the name."
    )
    actions = offered(client, where)
    assert [(each["title"], each["kind"]) for each in actions] == [
        ("Rename to kept: take proven (1 place)", "refactor.rename"),
        ("Rename to kept: take proven and likely (2 places)", "refactor.rename"),
        ("Rename to kept: show what is open (1)", "refactor.rename"),
        ("Rename to kept: leave it", "refactor.rename"),
    ]
    assert offered(client, where, only=["refactor"]) == actions
    assert offered(client, where, only=["quickfix"]) == []
    assert offered(client, place(tree / "lease.py", "key")) == []
    change = {"text": FILES["lease.py"]}
    document = {"uri": where["textDocument"]["uri"], "version": 2}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    assert offered(client, where) == [], "the answer was for what stood there before"
    client.open(tree / "lease.py")
    assert offered(client, where) == actions
    client.request("workspace/executeCommand", actions[2]["command"])
    (told,) = client.heard("textDocument/publishDiagnostics")
    assert told["uri"] == (tree / "later.py").as_uri()
    (mark,) = told["diagnostics"]
    assert under(FILES["later.py"], mark["range"], "utf-16") == "held()"
    assert mark["message"] == "Is this the same thing? The index can't tell."
    client.replies["workspace/applyEdit"] = {"applied": True}
    client.request("workspace/executeCommand", actions[1]["command"])
    edit = client.heard("workspace/applyEdit")[-1]
    assert edit["label"] == "Rename held to kept: 2 places in 2 files"
    assert client.heard("textDocument/publishDiagnostics", 2)[-1] == {"uri": told["uri"], "diagnostics": []}
    applied_on_disk(edit["edit"], "utf-16")
    assert b"thing.kept()" in (tree / "later.py").read_bytes()
    assert b"def kept(self)" in (tree / "lease.py").read_bytes()
    assert offered(client, where) == [], "it was answered"


def test_an_editor_that_does_not_apply_an_edit_is_told_so(client: LanguageClient, tree: Path) -> None:
    where = place(tree / "lease.py", "held")
    refusal(client, where, "kept")
    client.replies["workspace/applyEdit"] = {"applied": False, "failureReason": "read only"}
    given = {**where, "newName": "kept"}
    said = {"uri": given["textDocument"]["uri"], "position": given["position"], "newName": "kept", "take": "likely"}
    answer = client.wait(
        client.begin("workspace/executeCommand", {"command": "cairn.rename.take", "arguments": [said]})
    )
    assert answer["error"]["message"] == "The editor didn't apply it: read only."
    wrong = {"command": "cairn.rename.take", "arguments": [{**said, "position": "here"}]}
    answer = client.wait(client.begin("workspace/executeCommand", wrong))
    assert answer["error"]["message"] == "cairn.rename.take takes one object with uri, position, newName and take."


@pytest.mark.slow
def test_a_refusal_is_one_sentence(client: LanguageClient, tree: Path) -> None:
    where = place(tree / "lease.py", "take")
    assert refusal(client, where, "Lock") == "take can't be renamed to Lock: lease.py:5 uses Lock already."
    assert refusal(client, where, "def") == (
        "take can't be renamed to def: def can't be the name: it is a keyword of python."
    )
    assert refusal(client, place(tree / "lease.py", "def"), "x") == "There is no name at lease.py:1:1."
    read = refusal(client, place(tree / "stone.py", "roll"), "push")
    assert read == (
        "Not all of roll is proven: 1 place proven, listed.py:3 lists the names of fields ('print(vars(stone))'); "
        "choose what to rename to push with a code action at the name."
    )
    for method in ("textDocument/prepareRename", "textDocument/rename"):
        answer = client.wait(client.begin(method, {**place(tree / "listed.py", "print"), "newName": "say"}))
        assert "nothing in the tree defines print as it is used at listed.py:3" in answer["error"]["message"]
        for uri in ("untitled:Untitled-1", "file:///nowhere/x.py", "file:///", "https://example.invalid/x.py"):
            said = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}, "newName": "y"}
            answer = client.wait(client.begin(method, said))
            assert answer["error"]["message"].startswith("This document is in no codebase that is indexed")


@pytest.mark.requirement("LSP.1")
def test_what_is_not_saved_is_renamed_as_it_is_shown(client: LanguageClient, tree: Path) -> None:
    shown = {
        "user.py": "import os\n\nfrom lease import take\n\n\ns = '😀'; take(2), take(3)\n",
        "marked.py": "# typed\nfrom lease import take; take('😀'); take(2)\n",
        "lease.py": FILES["lease.py"] + "\n\ntake(4)\n",
    }
    for name, text in shown.items():
        client.open(tree / name, text)
    where = {
        "textDocument": {"uri": (tree / "user.py").as_uri()},
        "position": position(shown["user.py"], "take(3)", "utf-16"),
    }
    prepared = client.request("textDocument/prepareRename", where)
    assert under(shown["user.py"], prepared["range"], "utf-16") == prepared["placeholder"] == "take"
    edit = client.request("textDocument/rename", {**where, "newName": "acquire"})
    found = {each["textDocument"]["uri"].rpartition("/")[2]: each for each in edit["documentChanges"]}
    assert {name: each["textDocument"]["version"] for name, each in found.items()} == dict.fromkeys(shown, 1)
    for name, text in shown.items():
        assert applied(text, found[name]["edits"], "utf-16") == text.replace("take", "acquire")
    assert all((tree / path).read_bytes() == said.encode() for path, said in FILES.items()), "nothing is written"
    client.open(tree / "user.py", shown["user.py"].replace("take", "grab"))
    edit = client.request("textDocument/rename", {**place(tree / "stone.py", "far"), "newName": "near"})
    assert [len(each["edits"]) for each in edit["documentChanges"]] == [2]


@pytest.mark.slow
def test_an_editor_that_can_ask_asks_at_once_and_a_file_may_follow(home: Path, tree: Path) -> None:
    with served(home, capabilities=ASKING) as client:
        client.replies["window/showMessageRequest"] = {
            "title": "Rename to Rock: take proven, the file too (Stone.ts to Rock.ts) (4 places)"
        }
        where = place(tree / "cairn.ts", "Stone }")
        edit = client.request("textDocument/rename", {**where, "newName": "Rock"})
        (question,) = client.heard("window/showMessageRequest")
        assert question["message"] == "The file is called after Stone: rename it too?"
        assert [each["title"] for each in question["actions"]] == [
            client.replies["window/showMessageRequest"]["title"],
            "Rename to Rock: only the name (3 places)",
        ]
        applied_on_disk(edit, "utf-16")
        assert (tree / "Rock.ts").read_bytes() == b"export class Rock {}\n"
        assert not (tree / "Stone.ts").exists()
        assert "import { Rock } from './Rock';\r\n" in (tree / "cairn.ts").read_bytes().decode()
        client.replies["window/showMessageRequest"] = None
        assert refusal(client, place(tree / "lease.py", "held"), "hold").startswith("Not all of held is proven")
        client.replies["window/showMessageRequest"] = {"title": "Rename to hold: take proven and likely (2 places)"}
        edit = client.request("textDocument/rename", {**place(tree / "lease.py", "held"), "newName": "hold"})
        assert {each["textDocument"]["uri"] for each in edit["documentChanges"]} == {
            (tree / name).as_uri() for name in ("lease.py", "later.py")
        }


@pytest.mark.slow
def test_a_user_who_lets_questions_lie_still_finds_definitions(home: Path, tree: Path) -> None:
    with served(home, capabilities=ASKING) as client:
        client.unanswered = {"window/showMessageRequest"}
        where = place(tree / "lease.py", "held")
        waiting = []
        for each in range(5):
            waiting.append(client.begin("textDocument/rename", {**where, "newName": f"kept{each}"}))
            client.heard("window/showMessageRequest", len(waiting))
        there = client.wait(client.begin("textDocument/definition", place(tree / "user.py", "take(s)")), 10.0)
        assert [each["uri"] for each in there["result"]] == [(tree / "lease.py").as_uri()]
        client.notify("$/cancelRequest", {"id": waiting[0]})
        assert client.wait(waiting[0], 10.0)["error"]["code"] == -32800
        assert len(asked(client, place(tree / "lease.py", "take"), "acquire")["result"]["documentChanges"]) == 3
