"""Suites of other tools are read as they are written, and scored against what Cairn tells."""

import json
import sys
from pathlib import Path

import pytest
from bench.callgraphs import Score, scored
from bench.markers import Asked, read

from bench import oracles

_BASELINE = """// === findAllReferences ===
// === /a.ts ===
// export class /*FIND ALL REFS*/[|A|] {
// }

// === /b.ts ===
// import { [|A|] } from "./a";
// const é = 1; new [|A|]();



// === findAllReferences ===
// === /a.ts ===
// --- (line: 1) skipped ---
// [|A|]/*FIND ALL REFS*/
"""
_ARCHIVE = """A title.

-- go.mod --
module example.com

-- a/a.go --
package a

type X struct { //@loc(x, "X"), refs("X", x, use)
}

var _ = X{} //@loc(use, re"= (X)"), refs(x, x, use)
"""


def test_a_baseline_is_read_without_its_marks(tmp_path: Path) -> None:
    (file := tmp_path / "one.jsonc").write_text(_BASELINE, "utf-8")
    files = {"a.ts": b"export class A {\n}\n", "b.ts": 'import { A } from "./a";\nconst é = 1; new A();\n'.encode()}
    truth = frozenset({("a.ts", 1, 13), ("b.ts", 1, 9), ("b.ts", 2, 18)})
    assert list(read(file)) == [Asked(files, ("a.ts", 1, 13), truth)]


def test_an_archive_of_markers_is_read_with_its_questions(tmp_path: Path) -> None:
    (file := tmp_path / "one.txt").write_text(_ARCHIVE, "utf-8")
    asked = list(read(file))
    truth = frozenset({("a/a.go", 3, 5), ("a/a.go", 6, 8)})
    assert [(each.spot, each.truth) for each in asked] == [(("a/a.go", 3, 5), truth)] * 2
    assert sorted(asked[0].files) == ["a/a.go", "go.mod"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.mark.usefixtures("home")
def test_a_case_is_scored_by_its_own_edges(tmp_path: Path) -> None:
    case = tmp_path / "group" / "case"
    case.mkdir(parents=True)
    (case / "main.py").write_text(
        "class A:\n    def __init__(self):\n        self.go()\n\n    def go(self):\n        pass\n\nx = A()\nprint(x)\n"
    )
    truth = {"main": ["main.A.__init__", "<builtin>.print"], "main.A.__init__": ["main.A.go"], "main.gone": ["main.A"]}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    score = scored(case, tmp_path / "truth.json")
    assert score == Score(
        "group/case",
        frozenset({("main", "main.A.__init__"), ("main.A.__init__", "main.A.go"), ("main.gone", "main.A")}),
        {("main", "main.A.__init__"): "proven", ("main.A.__init__", "main.A.go"): "proven"},
    )
    assert (score.right(("proven",)), score.told(("likely",))) == (2, 0)


SERVER = """
import json, sys

def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
    sys.stdout.buffer.flush()

root = ""
while line := sys.stdin.buffer.readline():
    size = int(line.partition(b":")[2])
    sys.stdin.buffer.readline()
    message = json.loads(sys.stdin.buffer.read(size))
    if message.get("method") == "initialize":
        root = message["params"]["rootUri"]
        send({"id": "settings", "method": "workspace/configuration", "params": {"items": [{}]}})
        send({"id": message["id"], "result": {"capabilities": {}}})
    elif message.get("method") == "textDocument/references":
        spots = [(2, 10), (4, 4)] if message["params"]["position"] == {"line": 0, "character": 4} else []
        starts = [{"start": {"line": line, "character": at}} for line, at in spots]
        send({"id": message["id"], "result": [{"uri": root + "/a.py", "range": start} for start in starts]})
"""


def test_uses_are_held_against_those_of_a_language_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    # The server counts in words of sixteen bits: the sign before the first use is two of them.
    (tree / "a.py").write_text("def go():\n    pass\ns = '\U0001f600'; go()\ngo()\nx = go\n")
    (tmp_path / "server.py").write_text(SERVER)
    asked = ["oracles", str(tree), "--language", "python", "--show", "--", sys.executable, str(tmp_path / "server.py")]
    monkeypatch.setattr(sys, "argv", asked)
    oracles.main()
    told = capsys.readouterr().out
    assert "function a.py:1:5: proven, not told by the server: a.py:4:1" in told
    assert "| function | 1 | 2 | 100.0% | 100.0% | 0 | 0 | 2 of 3 | 0 of 0 | 0 of 0 | 0 of 0 |" in told
