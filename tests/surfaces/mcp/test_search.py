"""`search_codebase`: what narrows it, how large it is, and its pages, all of one snapshot."""

import base64
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import UsageError
from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.indexing.options import SyncOptions
from cairn.questions.paging import MARKS, Page, mark_of, page_of, question_of
from cairn.surfaces.mcp.compact import place
from cairn.surfaces.mcp.service import Service
from cairn.surfaces.mcp.size import fitted, size_of, text_of
from tests.semantic.facts import publish_recorded
from tests.semantic.recorded import make_project
from tests.surfaces.mcp.client import Answer
from tests.surfaces.mcp.local import Local, index, paths_of
from tests.trees import Repo, write
from tests.workspace.test_reads import append, before_each_read

WORDS = "alpha beta gamma delta"


def make_wide(path: Path) -> Path:
    """Many places that answer the same question."""
    repo = Repo.create(path)
    for number in range(60):
        folder = ("src", "lib/src", "src/[id]", "srcs")[number % 4]
        repo.write(
            f"{folder}/part{number}.py", f'def lease_{number}():\n    """The lease {WORDS}."""\n    return {number}\n'
        )
    repo.write("docs/lease.md", "# The lease\n\nThe lease alpha beta.\n")
    repo.commit()
    index(repo.path)
    return repo.path


@pytest.fixture(scope="module")
def wide_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """(home, root), for all who only ask."""
    home = str(tmp_path_factory.mktemp("wide-home") / ".cairn")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_HOME", home)
        return home, make_wide(tmp_path_factory.mktemp("wide") / "wide")


@pytest.fixture
def wide(local: Local, wide_once: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    home, root = wide_once
    monkeypatch.setenv("CAIRN_HOME", home)
    local.service = Service(home)
    local.see(root)
    return root


@pytest.fixture
def own(local: Local, tmp_path: Path) -> Path:
    """The same for those who edit it."""
    root = make_wide(tmp_path / "wide")
    local.see(root)
    return root


def search(local: Local, **more: Any) -> Answer:
    answer = local.call("search_codebase", **{"query": f"the lease {WORDS}", **more})
    assert answer["status"] == "ok", answer
    return answer


def pages(local: Local, **more: Any) -> list[Answer]:
    found = [search(local, **more)]
    while "continuation" in found[-1]:
        found.append(search(local, continuation=found[-1]["continuation"], **more))
        assert len(found) < 200
    return found


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_a_page_has_as_many_results_as_asked_for(local: Local, wide: Path, limit: int) -> None:
    answer = search(local, limit=limit, max_bytes=128_000)
    assert len(answer["results"]) == limit
    assert answer["more"] == 61 - limit


def test_every_line_with_a_text_is_found_page_by_page(local: Local, wide: Path) -> None:
    whole = local.call("search_codebase", query="def LEASE_1", literal=True, ignore_case=True, max_bytes=128_000)
    assert {(item["path"], item["line"]) for item in whole["results"]} == {
        (str(path.relative_to(wide)), 1) for path in wide.rglob("part1*.py")
    }
    assert all(item["text"].startswith("def lease_1") for item in whole["results"])
    explained = local.call("search_codebase", query="def (?=lease_1)", regex=True, explain=True)
    assert (explained["engine"], whole.get("engine")) == ("python", None)
    told, asked = [], {"query": "lease_1[0-9]", "regex": True, "limit": 4, "path": "src"}
    for page in pages(local, **asked):
        assert len(page["results"]) <= 4
        told += page["results"]
    assert told == pages(local, **asked | {"limit": 100})[0]["results"]
    assert {item["path"] for item in told} == {f"src/{each.name}" for each in wide.glob("src/part1?.py")} | {
        f"src/[id]/{each.name}" for each in (wide / "src/[id]").glob("part1?.py")
    }


def test_a_document_has_no_pages_and_is_not_cut(local: Local, wide: Path) -> None:
    answer = search(local, format="json", limit=60, max_bytes=1000)
    assert len(answer["results"]) == 60
    assert "continuation" not in answer
    first = search(local, limit=2)
    refused = local.call(
        "search_codebase", query=f"the lease {WORDS}", format="json", continuation=first["continuation"]
    )
    assert refused["status"] == "invalid_arguments"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"literal": True, "regex": True}, "literal and regex exclude each other"),
        ({"ignore_case": True}, "ignore_case belongs to literal or regex"),
    ],
)
def test_what_the_question_refuses_the_tool_refuses(
    local: Local, wide: Path, arguments: dict[str, Any], said: str
) -> None:
    refused = local.call("search_codebase", query="lease", **arguments)
    assert refused["status"] == "invalid_arguments"
    assert said in refused["message"]


@pytest.mark.slow
def test_scope_is_code_docs_or_all(local: Local, own: Path) -> None:
    assert {item["language"] for item in search(local, scope="docs")["results"]} == {"markdown"}
    assert {item["language"] for item in search(local, scope="code", limit=50)["results"]} == {"python"}
    everything = {path for page in pages(local, scope="all", limit=50) for path in paths_of(page)}
    assert {"docs/lease.md", "src/part0.py"} <= everything
    write(own, ".cairn.toml", '[query]\nmode = "docs"\n')
    assert len(set(paths_of(search(local, scope="all", limit=50, max_bytes=128_000)))) > 1


def test_a_folder_narrows_to_itself_and_nothing_that_is_named_like_it(local: Local, wide: Path) -> None:
    for folder in ("src", "lib", "lib/src", "src/[id]", "srcs"):
        found = {path for page in pages(local, path=str(wide / folder), limit=50) for path in paths_of(page)}
        below = {str(path.relative_to(wide)) for path in (wide / folder).rglob("*.py")}
        assert found == below, folder
    assert set(paths_of(search(local, path="src/part0.py"))) == {"src/part0.py"}


def test_what_narrows_narrows_together(local: Local, wide: Path) -> None:
    """A folder stays one, whatever globs or filters of the query are given besides."""
    found = search(local, path="lib", include=["*.py", "docs/*"], limit=50)
    assert all(path.startswith("lib/") for path in paths_of(found))
    found = search(local, query=f"path:docs/ path:src/ the lease {WORDS}", path="lib", limit=50)
    assert all(path.startswith("lib/") for path in paths_of(found))
    assert search(local, path="lib", include=["docs/*"])["results"] == []
    assert set(paths_of(search(local, include=["docs/*"]))) == {"docs/lease.md"}


def test_nothing_found_is_told(local: Local, wide: Path) -> None:
    answer = search(local, include=["nothing/*"])
    assert answer["results"] == []
    assert "other words" in answer["message"]
    assert "continuation" not in answer
    assert "nextAction" not in answer


def test_a_snippet_marks_the_lines_that_it_leaves_out() -> None:
    head = ["def secho(", *(f"    option{at}: str," for at in range(8)), ") -> None:"]
    body = [f"    paint{at}()" for at in range(9)]
    text = "\n".join([*head, "    echo(styled)", "    flush(styled)", *body, ""])
    result = {"path": "a.py", "start_line": 1, "end_line": 21, "symbol": "secho", "kind": "function"}
    found = {**result, "language": "python", "score": 1.0, "text": text, "changed_since": False}
    terms = frozenset({"echo", "styled", "flush", "none"})
    lines = place(found, terms)["snippet"].split("\n")
    assert (lines[0], lines[1], lines[-1]) == ("def secho(", "...", "...")
    whole = text.split("\n")
    for before, after in pairwise(lines):
        assert "..." in (before, after) or whole.index(after) == whole.index(before) + 1
    assert place({**found, "text": "x = 1\ny = 2\n"}, terms)["snippet"] == "x = 1\ny = 2"


def test_files_alone_have_no_snippets_and_the_same_order(local: Local, wide: Path) -> None:
    places, files = (search(local, group=group, limit=50, max_bytes=128_000) for group in ("symbol", "file"))
    assert all(item["snippet"] for item in places["results"])
    assert [{**item, "snippet": None} for item in files["results"]] == [
        {**item, "snippet": None} for item in places["results"]
    ]
    assert not any("snippet" in item for item in files["results"])
    assert len(set(paths_of(files))) == 50


@pytest.mark.slow
@pytest.mark.parametrize("max_bytes", [1000, 1500, 4000, 16_000])
@pytest.mark.parametrize("group", ["symbol", "file"])
def test_an_answer_is_never_larger_than_allowed_and_loses_nothing(
    local: Local, wide: Path, max_bytes: int, group: str
) -> None:
    whole = [(item["path"], item["lines"]) for page in pages(local, limit=50, group=group) for item in page["results"]]
    told = pages(local, limit=50, max_bytes=max_bytes, group=group)
    assert all(size_of(page) <= max_bytes for page in told)
    assert all(page["results"] for page in told)
    assert [(item["path"], item["lines"]) for page in told for item in page["results"]] == whole


def test_a_place_comes_before_what_it_looks_like(local: Local, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    write(folder, "a.py", f"lease = '{'é' * 1400}'\n")
    index(folder)
    local.see(folder)
    answer = search(local, query="lease", max_bytes=1000)
    assert size_of(answer) <= 1000
    (item,) = answer["results"]
    assert (item["path"], item["snippet"], item["snippetCut"]) == ("a.py", "", True)


@pytest.mark.slow
def test_what_can_not_fit_is_refused_with_what_would(local: Local, tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    name = "/".join(["d" * 200] * 5) + "/lease.py"
    write(folder, name, "def lease():\n    pass\n")
    index(folder)
    local.see(folder)
    for tool, arguments in (
        ("search_codebase", {"query": "lease"}),
        ("file_outline", {"path": name}),
        ("find_references", {"symbol": "lease"}),
        ("call_graph", {"symbol": "lease"}),
    ):
        refused = local.call(tool, **arguments, max_bytes=1000)
        assert refused["status"] == "invalid_arguments"
        least = int(refused["hint"].split()[1])
        assert local.call(tool, **arguments, max_bytes=least)["status"] == "ok"
        assert local.call(tool, **arguments, max_bytes=least - 1)["status"] == "invalid_arguments"


@pytest.mark.slow
@pytest.mark.parametrize("max_bytes", [1200, 3000, 5000])
def test_the_answers_of_other_tools_keep_to_their_bytes_too(local: Local, tmp_path: Path, max_bytes: int) -> None:
    folder = tmp_path / "calls"
    calls = "\n\n\n".join(f"def caller_{number}():\n    return target({number})" for number in range(80))
    write(folder, "a.py", f"def target(number):\n    return number\n\n\n{calls}\n")
    index(folder)
    local.see(folder)
    for name, rows, arguments in (
        ("file_outline", "symbols", {"path": "a.py"}),
        ("call_graph", "nodes", {"symbol": "target", "limit": 500}),
        ("find_references", "references", {"symbol": "target", "limit": 500}),
    ):
        whole = local.call(name, **arguments, max_bytes=128_000)
        assert "leftOut" not in whole
        cut = local.call(name, **arguments, max_bytes=max_bytes)
        assert size_of(cut) <= max_bytes
        assert cut[rows] == whole[rows][: len(cut[rows])]
        assert cut[rows]
        assert cut["leftOut"] == len(whole[rows]) - len(cut[rows])
        assert "max_bytes" in cut["limitsHit"]
        (value,) = (int(warning.split()[-3]) for warning in cut["warnings"] if warning.endswith("shows all"))
        assert "leftOut" not in local.call(name, **arguments, max_bytes=value)
    graph = local.call("call_graph", symbol="target", limit=500, max_bytes=max_bytes)
    ids = {node["id"] for node in graph["nodes"]}
    assert all({edge["source"], edge["target"]} <= ids for edge in graph["edges"])
    assert len(graph["edges"]) == len(ids) - 1


def test_a_graph_that_is_cut_says_so_in_words_that_this_tool_has(local: Local, tmp_path: Path) -> None:
    folder = tmp_path / "calls"
    calls = "\n\n\n".join(f"def caller_{number}():\n    return target({number})" for number in range(9))
    write(folder, "a.py", f"def target(number):\n    return number\n\n\n{calls}\n")
    index(folder)
    local.see(folder)
    answer = local.call("call_graph", symbol="target", limit=3)
    assert len(answer["nodes"]) == 3
    assert answer["limitsHit"] == ["nodes"]
    (warning,) = answer["warnings"]
    assert warning == "cut short by nodes: ask with limit: 500 for more"
    uses = local.call("find_references", symbol="target", limit=3)
    (warning,) = uses["warnings"]
    assert warning.endswith("ask with limit: 2000")


@pytest.mark.requirement("CGN.1")
def test_call_graph_notes_are_capped_and_say_so(local: Local, tmp_path: Path) -> None:
    """Seed 001, test requirement 6, as a client sees it."""
    folder = tmp_path / "dynamic"
    calls = "\n".join(f"    thing.unknown_{number}()\n    getattr(thing, 'x{number}')()" for number in range(30))
    write(folder, "a.py", f"def target(thing):\n{calls}\n")
    index(folder)
    local.see(folder)
    whole = local.call("call_graph", symbol="target", direction="both", note_limit=500, max_bytes=128_000)
    assert whole["totalNoteCount"] == whole["returnedNoteCount"] == len(whole["notes"]) > 3
    assert whole["notesTruncated"] is False
    cut = local.call("call_graph", symbol="target", direction="both", note_limit=2)
    assert (cut["notesTruncated"], cut["totalNoteCount"], cut["returnedNoteCount"]) == (
        True,
        whole["totalNoteCount"],
        2,
    )
    assert cut["notes"] == whole["notes"][:2]
    assert "CALL_GRAPH_NOTES_TRUNCATED" in cut["warnings"]


def test_the_settings_of_the_codebase_count_in_every_form(local: Local, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    for number in range(6):
        write(folder, f"lease{number}.py", f"def lease_{number}():\n    return {number}\n")
        write(folder, f"docs/lease{number}.md", f"# The lease {number}\n\nA lease.\n")
    write(folder, ".cairn.toml", '[query]\nlimit = 2\nmode = "docs"\n')
    index(folder)
    local.see(folder)
    short, whole = (
        local.call("search_codebase", query="lease"),
        local.call("search_codebase", query="lease", format="json"),
    )
    assert paths_of(short) == paths_of(whole)
    assert [Path(path).suffix for path in paths_of(short)] == [".md", ".md"]
    assert short["more"] == 4
    asked = local.call("search_codebase", query="lease", scope="all", limit=9)
    assert {Path(path).suffix for path in paths_of(asked)} == {".md", ".py"}


@pytest.mark.slow
@pytest.mark.parametrize("limit", [1, 9, 33])
@pytest.mark.parametrize("group", ["symbol", "file"])
def test_pages_are_the_one_long_page(local: Local, wide: Path, limit: int, group: str) -> None:
    long = [item for page in pages(local, limit=50, max_bytes=128_000, group=group) for item in page["results"]]
    told = pages(local, limit=limit, group=group)
    assert [item for page in told for item in page["results"]] == long
    assert len({page["snapshotId"] for page in told}) == 1
    assert [page["more"] for page in told[:-1]] == sorted((page["more"] for page in told[:-1]), reverse=True)
    assert all("nextAction" not in page for page in told[1:])


@pytest.mark.slow
def test_pages_come_from_the_first_ones_snapshot_whatever_is_edited(local: Local, own: Path) -> None:
    usual = pages(local, limit=10)
    first = search(local, limit=10)
    write(own, "src/part0.py", f'def lease_new():\n    """The lease {WORDS}."""\n')
    write(own, "src/very_new.py", f'def lease_new():\n    """The lease {WORDS}."""\n')
    assert search(local, limit=10)["snapshotId"] != first["snapshotId"]
    told = [first]
    while "continuation" in told[-1]:
        told.append(search(local, limit=10, continuation=told[-1]["continuation"]))
    assert {page["snapshotId"] for page in told} == {first["snapshotId"]}
    # What a further page would not tell of anyway is not looked for.
    assert {page["freshness"]["decision"] for page in told[1:]} == {"skipped_recent"}
    places = [(item["path"], item["lines"]) for page in told for item in page["results"]]
    assert places == [(item["path"], item["lines"]) for page in usual for item in page["results"]]
    changed = {item["path"] for page in told[1:] for item in page["results"] if item.get("changedSince")}
    assert changed <= {"src/part0.py"}


@pytest.mark.slow
def test_files_that_go_away_between_pages_shift_nothing(local: Local, own: Path) -> None:
    usual = [path for page in pages(local, limit=10) for path in paths_of(page)]
    first = search(local, limit=10)
    for gone in (*usual[1:4], usual[14]):
        (own / gone).unlink()
    told = [first]
    while "continuation" in told[-1]:
        told.append(search(local, limit=10, continuation=told[-1]["continuation"]))
    assert [path for page in told for path in paths_of(page)] == [path for path in usual if path != usual[14]]
    # Even the last ones that were shown.
    for gone in usual[7:10]:
        (own / gone).unlink()
    assert paths_of(search(local, limit=3, continuation=first["continuation"])) == usual[10:13]
    # Where nothing tells where it was: rather twice than never.
    for gone in usual[4:7]:
        (own / gone).unlink()
    assert usual[10] in paths_of(search(local, limit=10, continuation=first["continuation"]))


@pytest.mark.slow
def test_an_expired_snapshot_is_told_and_no_gate(local: Local, own: Path) -> None:
    first = search(local, limit=5)
    write(own, "src/part0.py", "def other():\n    pass\n")
    search(local)
    with Codebase(str(own)) as codebase:
        codebase.compact(force=True)
        codebase.collect(force=True)
    snapshots = Path(cairn_home(), "data").glob(f"*/snapshots/{first['snapshotId']}")
    for snapshot in snapshots:
        (snapshot / "manifest.json").unlink()
    answer = local.call("search_codebase", query=f"the lease {WORDS}", limit=5, continuation=first["continuation"])
    assert answer["status"] == "not_found"
    assert "reason" not in answer
    assert first["snapshotId"] in answer["message"]
    assert "without `continuation`" in answer["hint"]
    assert search(local)["results"]


def token(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


ULID = "01M7G3FSEPR959F08GMEE641E1"


@pytest.mark.parametrize(
    "made",
    [
        token(5, "../../../../etc/passwd", "x", []),
        token(5, "../" + ULID, "x", []),
        token(5, ULID + "/..", "x", []),
        token(5, ULID + "\n", "x", []),
        token(5, ULID.lower(), "x", []),
        token(5, None, "x", []),
        token(5, 7, "x", []),
        token(0, ULID, "x", []),
        token(-1, ULID, "x", []),
        token(101, ULID, "x", []),
        token(5.0, ULID, "x", []),
        token(True, ULID, "x", []),
        token("5", ULID, "x", []),
        token(5, ULID, "x"),
        token(5, ULID, "x", "y", "z"),
        token(5, ULID, "x", 7),
        token(5, ULID, "x", [7]),
        token(5, ULID, "x", "ab"),
        token(),
        "",
        "garbage",
        "é",
        "=" * 9,
        "W" * 9_999,
        base64.urlsafe_b64encode(b"[" * 5_000).decode(),
        base64.urlsafe_b64encode(b'{"a": 1}').decode(),
        base64.urlsafe_b64encode(b"5").decode(),
    ],
)
def test_a_token_that_nobody_gave_out_is_refused(local: Local, tree: Path, made: str) -> None:
    local.see(tree)
    answer = local.call("search_codebase", query="x", continuation=made)
    assert answer["status"] == "invalid_arguments"
    assert "continuation" in answer["message"]
    with pytest.raises(UsageError):
        page_of(made, "x", 100)


def test_a_token_of_another_question_is_refused(local: Local, wide: Path) -> None:
    given = search(local, limit=5)["continuation"]
    for other in ({"query": "other"}, {"scope": "code"}, {"group": "file"}, {"include": ["*.py"]}, {"path": "src"}):
        answer = local.call("search_codebase", **{"query": f"the lease {WORDS}", "continuation": given, **other})
        assert answer["status"] == "invalid_arguments"
        assert "another question" in answer["message"]
    # How much of it a page holds is no part of the question.
    assert search(local, limit=20, max_bytes=64_000, continuation=given)["results"]


def test_a_token_of_another_codebase_finds_no_snapshot(local: Local, wide: Path, tree: Path) -> None:
    given = search(local, limit=5)["continuation"]
    index(tree)
    local.see(tree)
    answer = local.call("search_codebase", query=f"the lease {WORDS}", limit=5, continuation=given)
    assert answer["status"] == "not_found"


def test_tokens_hold_what_they_are_made_of() -> None:
    question = question_of("a", None)
    for page in (Page(7, ULID, ("abcdef", "ef0123")), Page(100, ULID, behind="src/caf\udce9:\n.py:12")):
        assert page_of(page.token(question), question, 100) == page
    assert len(Page(100, ULID, (mark_of("a"),) * MARKS).token(question)) <= 52
    with pytest.raises(UsageError):
        page_of(Page(101, ULID).token(question), question, 100)
    assert page_of(None, question, 100) == Page()
    assert question_of("a", None) != question_of("a", "None")


def test_as_many_as_there_is_room_for() -> None:
    items = ["x" * 10] * 50

    def build(count: int) -> Answer:
        return {"items": items[:count], "left": len(items) - count}

    for most in range(40, 900, 13):
        found = fitted(build, len(items), most)
        count = len(found["items"])
        assert size_of(found) <= most
        assert count == len(items) or size_of(build(count + 1)) > most
    with pytest.raises(UsageError, match="max_bytes"):
        fitted(build, len(items), 20)
    assert fitted(lambda count: {"n": count}, 0, 1000) == {"n": 0}


def test_what_is_sent_is_text_whatever_names_hold() -> None:
    assert json.loads(text_of({"path": "caf\udce9", "é": "ü"})) == {"path": "caf?", "é": "ü"}


@pytest.mark.slow
@pytest.mark.parametrize("fresh_for_s", [0.0, 3600.0])
def test_the_tree_is_looked_at_before_every_answer_unless_told_otherwise(tree: Path, fresh_for_s: float) -> None:
    index(tree)
    local = Local(tree, fresh_for_s=fresh_for_s)
    assert search(local)["freshness"]["decision"] == "skipped_unchanged"
    write(tree, "src/lease.py", "def brand_new_name():\n    pass\n")
    answer = search(local, query="brand_new_name")
    assert answer["freshness"]["decision"] == ("skipped_recent" if fresh_for_s else "synced")
    found = [item["symbol"] for item in answer["results"]]
    assert ("brand_new_name" in found) is (not fresh_for_s)
    if fresh_for_s:
        # What is cited is held against the tree all the same.
        assert all(item.get("changedSince") for item in answer["results"] if item["path"] == "src/lease.py")
    local.close()


def test_a_sync_that_fails_is_told_and_the_last_snapshot_answers(
    local: Local, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(tree)
    local.see(tree)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Codebase, "index", refuse)
    answer = search(local, query="lease")
    assert answer["results"]
    assert answer["freshness"]["decision"] == "failed"
    assert "disk is full" in answer["freshness"]["detail"]
    assert any("not synced" in warning for warning in answer["warnings"])


@pytest.mark.requirement("MOD.1")
def test_references_say_which_layer_tells_them(local: Local, tmp_path: Path) -> None:
    folder = make_project(tmp_path / "shop", "scip-python")
    write(folder, "pyproject.toml", '[project]\nname = "shop"\n')
    with Codebase(str(folder)) as codebase:
        codebase.index()
        publish_recorded(codebase, "scip-python", "python:.")
    local.see(folder)
    answer = local.call("find_references", symbol="total")
    assert answer["layers"] == {"semantic": 1, "syntactic": 1}
    assert [(use["line"], use["layer"]) for use in answer["references"]] == [(3, "semantic"), (8, "syntactic")]
    assert [each["layer"] for each in answer["definitions"]] == ["semantic"]


@pytest.mark.slow
def test_a_path_that_looks_like_an_option_comes_out_whole(local: Local, tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "drafts")
    repo.write("docs/api--draft.md", "# The lease\n")
    repo.commit()
    index(repo.path)
    local.see(repo.path)
    repo.write("docs/api--draft.md", "# The lease again\n")
    with pytest.MonkeyPatch.context() as busy, Codebase(str(repo.path)) as codebase:
        before_each_read(busy, lambda path: append(path) if path.name == "api--draft.md" else None)
        codebase.index(SyncOptions(allow_degraded=True))
        answer = search(local, query="lease")
    assert "docs/api--draft.md is shown as it was before: it could not be read since" in answer["warnings"]
