"""Suites of other tools are read as they are written, and scored against what Cairn tells."""

import json
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from bench.callgraphs import Score, scored
from bench.markers import Asked, read

from bench import hierarchies, oracles

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


@pytest.mark.usefixtures("home")
def test_names_of_java_are_read_without_their_parameters(tmp_path: Path) -> None:
    case = tmp_path / "group" / "case"
    (case / "p").mkdir(parents=True)
    (case / "p" / "Main.java").write_text(
        "package p;\nclass Main {\n    static void main(String[] a) {\n        new Other().go(1);\n    }\n}\n"
        "class Other {\n    void go(int n) {}\n}\n"
    )
    truth = {"p.Main:main(java.lang.String[])": ["p.Other:<init>()", "p.Other:go(int)", "java.lang.Object:<init>()"]}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    score = scored(case, tmp_path / "truth.json")
    assert score.wanted == {("p.Main.main", "p.Other.<init>"), ("p.Main.main", "p.Other.go")}
    assert score.found == dict.fromkeys(score.wanted, "proven")


_HIERARCHY = """// === Call Hierarchy ===
╭ name: bar
├ kind: function
├ file: /one.ts
├ selectionSpan:
│ ╭ /one.ts:2:10-2:13
│ │ 2: function bar() {}
│ ╰
├ incoming:
│ ╭ from:
│ │ ╭ name: /one.ts
│ │ ├ kind: file
│ │ ├ selectionSpan:
│ │ │ ╭ /one.ts:1:1-1:1
│ │ │ │ 1: bar();
│ │ │ ╰
│ │ ╰ incoming: none
╰ outgoing: none"""
_CALLED = """A title.

-- a.go --
package a

func A() { B() } //@loc(A, "A")

func B() {} //@loc(B, "B"), incomingcalls(B, A), outgoingcalls(B)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("home")
def test_call_hierarchies_are_read_and_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (baseline := tmp_path / "one.callHierarchy.txt").write_text(_HIERARCHY, "utf-8")
    (tmp_path / "one_test.go").write_text("const content = `bar();\nfunction /**/bar() {}`")
    (archive := tmp_path / "two.txt").write_text(_CALLED)
    files = {"one.ts": b"bar();\nfunction bar() {}"}
    assert list(hierarchies.read(baseline, tmp_path)) == [
        hierarchies.Asked(files, ("one.ts", 2, 9), "incoming", frozenset({("one.ts", 0)})),
        hierarchies.Asked(files, ("one.ts", 2, 9), "outgoing", frozenset()),
    ]
    with patch.object(sys, "argv", ["hierarchies", str(baseline), str(archive)]):
        hierarchies.main()
    assert "| 4 | 4 | 2 | 2 of 2 | 0 of 0 | 100.0% |" in capsys.readouterr().out


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
        starts = [{w: {"line": line, "character": at + n} for w, n in (("start", 0), ("end", 2))} for line, at in spots]
        send({"id": message["id"], "result": [{"uri": root + "/a.py", "range": start} for start in starts]})
"""


@pytest.mark.slow
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
