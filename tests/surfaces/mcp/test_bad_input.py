"""Whatever a client sends: an envelope that says what is allowed, never a failure of the protocol."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.mcp.client import Raw, Session, connected
from tests.surfaces.mcp.local import Local, index
from tests.trees import write

LONG = "x" * 1_000_000


@pytest.mark.requirement("SIS.11")
@pytest.mark.parametrize(
    ("name", "arguments", "hint"),
    [
        ("search_codebase", {}, "query is empty"),
        ("search_codebase", {"query": ""}, ""),
        ("search_codebase", {"query": " "}, ""),
        ("search_codebase", {"query": 3}, "a text of 1 to 50000 characters"),
        ("search_codebase", {"query": LONG}, "more than 50,000 characters"),
        ("search_codebase", {"query": "a\0b"}, "holds a NUL"),
        ("search_codebase", {"query": ["lease"]}, "a text"),
        ("search_codebase", {"query": {"text": "lease"}}, "a text"),
        ("search_codebase", {"query": "lease", "limit": 0}, "from 1 to 100"),
        ("search_codebase", {"query": "lease", "limit": 101}, "from 1 to 100"),
        ("search_codebase", {"query": "lease", "limit": 10**400}, "from 1 to 100"),
        ("search_codebase", {"query": "lease", "limit": -1}, "from 1 to 100"),
        ("search_codebase", {"query": "lease", "limit": 2.5}, "a whole number"),
        ("search_codebase", {"query": "lease", "limit": "5"}, "a whole number"),
        ("search_codebase", {"query": "lease", "limit": True}, "a whole number"),
        ("search_codebase", {"query": "lease", "scope": "tests"}, "one of code, docs, all"),
        ("search_codebase", {"query": "lease", "group": 1}, "one of symbol, file"),
        ("search_codebase", {"query": "lease", "include": "*.py"}, "a list"),
        ("search_codebase", {"query": "lease", "include": [1]}, "a list"),
        ("search_codebase", {"query": "lease", "include": ["x"] * 101}, "at most 100"),
        ("search_codebase", {"query": "lease", "include": ["../up"]}, "Use a path like"),
        ("search_codebase", {"query": "lease", "max_bytes": 10}, "from 1000 to 128000"),
        ("search_codebase", {"query": "lease", "debug": "yes"}, "true or false"),
        ("search_codebase", {"query": "lease", "unknown": 1}, "query, path, codebases, at, remote, limit"),
        ("search_codebase", {"query": "lang:klingon lease"}, "like python"),
        ("manage_index", {}, "one of create, reindex, sync, status, clear, repair"),
        ("manage_index", {"action": "explode"}, "one of create, reindex, sync, status, clear, repair"),
        ("manage_index", {"action": "status", "wait": "long"}, "true or false"),
        ("manage_index", {"action": "status", "path": "a\0b"}, "holds a NUL"),
        ("manage_index", {"action": "status", "path": LONG}, "more than 50,000 characters"),
        ("manage_index", {"action": "status", "path": 7}, "a text"),
        ("list_codebases", {"path": "."}, "Parameters are: format, debug"),
        ("file_outline", {"path": "src"}, "Name a file"),
        ("file_outline", {"path": "."}, "Name a file"),
        ("file_outline", {"path": ""}, "path is empty"),
        ("read_file", {"path": "src"}, "Name a file"),
        ("read_file", {"path": "src/lease.py", "start_line": 0}, "from 1 to"),
        ("read_file", {"path": "src/lease.py", "start_line": 11}, "from 1 to 10"),
        ("read_file", {"path": "src/lease.py", "start_line": 5, "end_line": 4}, "from 1 to 10"),
        ("call_graph", {"symbol": "release", "depth": 11}, "from 1 to 10"),
        ("call_graph", {"symbol": "release", "direction": "up"}, "one of callers, callees, both"),
        ("call_graph", {"symbol": "src/lease.py:999"}, ""),
        ("find_references", {"symbol": "../x.py:1"}, "Name a file"),
        ("repo_map", {"budget_tokens": 1}, "from 100 to 100000"),
        ("nosuch", {}, "list_codebases, manage_index, search_codebase"),
    ],
)
def test_what_is_wrong_is_told_with_what_is_allowed(
    shared: Session, name: str, arguments: dict[str, Any], hint: str
) -> None:
    answer = shared.call(name, **arguments)
    assert answer["status"] == "invalid_arguments"
    assert "reason" not in answer
    assert answer["message"]
    assert len(answer["message"]) < 300
    assert hint in f"{answer['message']} {answer['hint']}"
    assert shared.call("list_codebases")["status"] == "ok"


@pytest.mark.parametrize("value", [5.0, 5])
def test_a_whole_number_may_be_written_as_json_does(shared: Session, value: float) -> None:
    assert len(shared.call("search_codebase", query="lease", limit=value)["results"]) == 5


def test_null_is_as_if_it_was_left_out(shared: Session) -> None:
    assert shared.call("search_codebase", query="lease", limit=None, include=None)["status"] == "ok"
    assert shared.call("search_codebase", query=None)["status"] == "invalid_arguments"


@pytest.mark.parametrize("query", ["?!", "🦀", "a" * 9_999, "' OR 1=1 --", "(((", '"', "\u202e\ufeff"])
def test_any_text_may_be_asked_for(shared: Session, query: str) -> None:
    assert shared.call("search_codebase", query=query)["status"] == "ok"


@pytest.mark.parametrize("symbol", ["", " ", ":", "::", "a:b:c", "💥", "." * 500, "src/lease.py:4", "src/lease.py:4:5"])
@pytest.mark.parametrize("name", ["call_graph", "find_references"])
def test_any_text_may_be_a_symbol(shared: Session, name: str, symbol: str) -> None:
    assert shared.call(name, symbol=symbol)["status"] in ("ok", "not_found", "invalid_arguments")


@pytest.mark.slow
def test_a_file_whose_name_is_no_text_is_left_out_and_harms_nobody(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "named"
    folder.mkdir()
    (folder / "fine.py").write_text("def lease():\n    pass\n", encoding="utf-8")
    with open(os.path.join(os.fsencode(folder), b"caf\xe9.py"), "w", encoding="utf-8") as file:
        file.write("def lease():\n    pass\n")
    below = os.path.join(os.fsencode(folder), b"dir\xff")
    os.mkdir(below)
    with open(os.path.join(below, b"in.py"), "w", encoding="utf-8") as file:
        file.write("def lease():\n    pass\n")
    with connected(home, folder) as session:
        session.create(folder)
        assert [item["path"] for item in session.call("search_codebase", query="lease")["results"]] == ["fine.py"]
        assert session.call("repo_map")["status"] == "ok"
        assert session.call("read_file", path="caf\ufffd.py")["status"] == "not_found"
    # A server that is started in such a folder can't be told of it by name, and answers nevertheless.
    with connected(home, cwd=Path(os.fsdecode(below))) as session:
        assert session.call("list_codebases")["status"] == "ok"
        assert session.call("manage_index", action="status")["state"] == "not_found"
        made = session.call("manage_index", action="create", wait=True)
        assert made["status"] == "ok", made
        assert [item["path"] for item in session.call("search_codebase", query="lease")["results"]] == ["in.py"]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b'{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"search_codebase","arguments":[1]}}',
        b'{"jsonrpc":"2.0","id":901,"method":"tools/call","params":"no"}',
        b'{"jsonrpc":"2.0","id":902,"method":"tools/call","params":{"name":"search_codebase","arguments":{"query":"\\ud800"}}}',
        b'{"jsonrpc":"2.0","id":903,"method":"nosuch"}',
        b'{"jsonrpc":"2.0","id":904,"method":"tools/call"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}',
        b"[" * 50_000,
    ],
    ids=range(13),
)
def test_garbage_does_not_end_the_server(raw: Raw, line: bytes) -> None:
    raw.write(line)
    assert raw.call("list_codebases")["status"] == "ok"


@pytest.fixture(scope="module")
def raw(shared_home: Path, shared_tree: Path) -> Any:
    with Raw(shared_home, shared_tree) as server:
        yield server


@pytest.mark.slow
def test_a_continuation_that_was_cut_begins_nothing_anew(local: Local, tmp_path: Path) -> None:
    root = tmp_path / "many"
    for number in range(300):
        write(root, f"d{number % 7}/f{number}.py", f"def f{number}():\n    return {number}\n")
    index(root)
    local.see(root)
    first = local.call("search_codebase", query=".*", regex=True, limit=5)
    token = first["continuation"]
    following = local.call("search_codebase", query=".*", regex=True, limit=5, continuation=token)
    assert not {json.dumps(each) for each in following["results"]} & {json.dumps(each) for each in first["results"]}
    for wrong in (token[:-1], token[:-3], token[:-8], token[:20], token[::-1], f"{token}A", "A" * 5_000, "garbage"):
        said = local.call("search_codebase", query=".*", regex=True, limit=5, continuation=wrong)
        assert said["status"] == "invalid_arguments", wrong
