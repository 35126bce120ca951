"""Every tool over a real client: what it answers when all is well."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cairn.questions.code import MAP
from cairn.questions.registry import QUESTIONS
from cairn.surfaces.mcp.compact import compact
from cairn.surfaces.mcp.size import size_of
from cairn.surfaces.mcp.tools import TOOLS
from tests.surfaces.mcp.client import Session, connected
from tests.trees import write

SAMPLES: dict[str, dict[str, Any]] = {
    "list_codebases": {},
    "manage_index": {"action": "status", "wait": False},
    "search_codebase": {"query": "lease", "limit": 3, "scope": "code", "group": "file", "include": ["*.py"]},
    "file_outline": {"path": "src/lease.py", "symbol": "release", "max_bytes": 4000},
    "call_graph": {"symbol": "release", "direction": "both", "depth": 2, "limit": 9, "note_limit": 3},
    "find_references": {"symbol": "take_over", "limit": 5},
    "repo_map": {"budget_tokens": 500},
    "rename_symbol": {"action": "plan", "path": "lib/part0.py", "line": 1, "column": 5, "new_name": "part_of_it"},
    "read_file": {"path": "src/lease.py", "start_line": 4, "end_line": 6},
    "read_refresh": {"session": "sample", "path": "src/lease.py", "start_line": 4, "end_line": 6},
    "session_open": {"guarantee": "linear", "boundary": "strict", "name": "sample"},
    "session_event": {"session": "sample", "event": "compaction", "sequence": 3},
}
WRITING = ("manage_index", "rename_symbol")


def test_a_client_sees_the_tools_and_what_they_are_for(shared: Session) -> None:
    assert sorted(shared.tools()) == sorted(SAMPLES)
    assert all(tool.description for tool in shared.tools().values())
    hints = {name: tool.annotations for name, tool in shared.tools().items()}
    assert all(hint is not None and hint.read_only_hint is (name not in WRITING) for name, hint in hints.items())
    assert "manage_index" in (shared.client.instructions or "")


@pytest.mark.parametrize("name", SAMPLES)
def test_the_schemas_are_flat_and_strict(shared: Session, name: str) -> None:
    tool = shared.tools()[name]
    schema = tool.input_schema
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert set(schema.get("required", [])) <= set(schema["properties"])
    for argument, told in schema["properties"].items():
        assert told["description"], argument
        assert isinstance(told["type"], str)
        assert told["type"] != "array" or told["items"] == {"type": "string"}
        assert set(told) <= {"type", "description", "items", "enum", "minimum", "maximum", "default"}
    assert not {"$ref", "anyOf", "oneOf", "allOf", "$defs"} & set(_keys(schema))
    assert tool.output_schema is not None
    jsonschema.Draft202012Validator.check_schema(tool.output_schema)


def _keys(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for each in value.values() for key in _keys(each))]
    return [key for each in value for key in _keys(each)] if isinstance(value, list) else []


@pytest.mark.parametrize("name", SAMPLES)
def test_what_the_schema_allows_the_tool_takes(shared: Session, name: str) -> None:
    sample = SAMPLES[name]
    jsonschema.Draft202012Validator(shared.tools()[name].input_schema).validate(sample)
    assert shared.call("session_open", **SAMPLES["session_open"])["status"] == "ok"
    # No indexer covers the tree: a rename goes by the syntax.
    assert shared.call(name, **sample)["status"] == ("ok_syntactic" if name == "rename_symbol" else "ok")


@pytest.mark.parametrize("name", SAMPLES)
def test_defaults_and_bounds_of_a_schema_are_valid_by_it(shared: Session, name: str) -> None:
    for told in shared.tools()[name].input_schema["properties"].values():
        validator = jsonschema.Draft202012Validator({key: told[key] for key in told if key != "default"})
        for key in ("default", "minimum", "maximum"):
            if key in told:
                assert validator.is_valid(told[key]), (told, key)


def test_list_codebases_tells_what_is_indexed(shared: Session, shared_tree: Path) -> None:
    answer = shared.call("list_codebases")
    (row,) = answer["codebases"]
    assert row["path"] == str(shared_tree)
    assert row["state"] == "indexed"
    assert row["files"] == 9
    assert row["chunks"] >= 9
    assert "nextAction" not in answer


def test_search_finds_places(shared: Session, shared_tree: Path) -> None:
    answer = shared.call("search_codebase", query="take over a stale lease", path=str(shared_tree))
    best = answer["results"][0]
    assert best["path"] == "src/lease.py"
    assert best["symbol"] == "take_over"
    assert "def take_over" in best["snippet"]
    assert answer["codebaseRoot"] == str(shared_tree)
    assert answer["freshness"]["decision"] in ("skipped_unchanged", "synced")
    status = shared.call("manage_index", action="status")
    assert answer["snapshotId"] == status["snapshotId"]


def test_the_next_action_can_be_executed_as_it_stands(shared: Session) -> None:
    answer = shared.call("search_codebase", query="take over a stale lease")
    action = answer["nextAction"]
    read = shared.call(action["tool"], **action["args"])
    assert "def take_over" in read["text"]


def test_file_outline_shows_the_tree_of_a_file(shared: Session) -> None:
    answer = shared.call("file_outline", path="src/writer.py")
    assert [(row["name"], row["depth"]) for row in answer["symbols"]] == [("Writer", 0), ("begin", 1), ("end", 1)]
    assert answer["language"] == "python"
    (one,) = shared.call("file_outline", path="src/writer.py", symbol="begin")["symbols"]
    assert one["signature"].startswith("def begin")
    assert one["id"] == answer["symbols"][1]["id"]


def test_call_graph_names_callers_and_callees(shared: Session) -> None:
    answer = shared.call("call_graph", symbol="release", depth=2)
    assert {node["name"] for node in answer["nodes"]} == {"release", "take_over", "Writer.begin"}
    assert len(answer["edges"]) == 2
    assert (answer["notesTruncated"], answer["totalNoteCount"], answer["returnedNoteCount"]) == (
        False,
        len(answer["notes"]),
        len(answer["notes"]),
    )
    callees = shared.call("call_graph", symbol="take_over", direction="callees")
    assert "release" in {node["name"] for node in callees["nodes"]}


def test_call_graph_asks_what_is_above_and_below_by_its_direction(shared: Session, shared_tree: Path) -> None:
    write(
        shared_tree,
        "src/quick.py",
        "from src.writer import Writer\n\n\nclass Quick(Writer):\n    def begin(self):\n        return 1\n",
    )
    try:
        shared.call("manage_index", action="sync", wait=True)
        below = shared.call("call_graph", symbol="Writer", direction="implementors")
        assert {node["name"] for node in below["nodes"]} == {"Writer", "Quick"}
        assert [(each["tier"], each["relation"]) for each in below["edges"]] == [("proven", "extends")]
        assert (below["direction"], below["unknownBases"], below["unresolved"]) == ("down", [], 0)
        above = shared.call("call_graph", symbol="Quick.begin", direction="overrides")
        assert [(each["tier"], each["relation"]) for each in above["edges"]] == [("proven", "overrides")]
        whole = shared.call("call_graph", symbol="Writer", direction="implementors", format="json")
        assert len(whole["nodes"]) == 2
        assert shared.call("call_graph", symbol="nobody", direction="overrides")["status"] == "not_found"
        assert shared.call("call_graph", symbol="Writer", direction="up")["status"] == "invalid_arguments"
    finally:
        (shared_tree / "src" / "quick.py").unlink()
        shared.call("manage_index", action="sync", wait=True)


def test_find_references_tells_each_use(shared: Session) -> None:
    answer = shared.call("find_references", symbol="take_over")
    assert answer["definitions"][0]["path"] == "src/lease.py"
    assert {(use["path"], use["role"]) for use in answer["references"]} >= {("src/writer.py", "call")}
    assert answer["total"] == len(answer["references"])


def test_repo_map_shows_tests_impact_and_what_is_unused(shared: Session) -> None:
    tests = shared.call("repo_map", show="tests", places=["src/lease.py"])
    assert tests["status"] == "ok"
    assert tests["total"] == len(tests["tests"])
    impact = shared.call("repo_map", show="impact", places=["src/lease.py"])
    assert {"users", "symbols", "unresolved"} <= impact.keys()
    unused = shared.call("repo_map", show="unused")
    assert {"unused", "exported"} <= unused.keys()
    assert "map" not in unused


def test_repo_map_fits_its_budget(shared: Session) -> None:
    answer = shared.call("repo_map", budget_tokens=200)
    assert answer["tokens"] <= 200
    assert "python" in answer["map"]


def test_every_tool_that_asks_a_question_takes_max_bytes(shared: Session) -> None:
    asked = {question.tool for question in QUESTIONS if question.tool}
    assert all("max_bytes" in shared.tools()[name].input_schema["properties"] for name in asked)


def test_a_map_is_cut_to_whole_lines_where_it_is_too_large() -> None:
    text = "".join(f"src/part_{at}.py\n  def offer_{at}() -> None\n" for at in range(400))
    document = {"text": text, "tokens": 9_000, "full_tokens": 9_000, "files_left_out": 0}
    whole, cut = (compact(MAP, {"status": "ok"}, document, {"max_bytes": most}) for most in (128_000, 4_000))
    assert (whole["map"], "leftOut" in whole) == (text, False)
    assert size_of(cut) <= 4_000
    assert text.startswith(cut["map"])
    assert cut["map"].endswith("\n")
    assert cut["limitsHit"] == ["max_bytes"]
    assert cut["warnings"] == [f"{cut['leftOut']} of 800 lines left out: max_bytes: 18000 shows all"]
    document["text"] = text * 20
    huge, most = (compact(MAP, {"status": "ok"}, document, {"max_bytes": most}) for most in (4_000, 128_000))
    assert huge["warnings"][0].endswith("left out: max_bytes: 128000 shows more")
    assert most["warnings"][0].endswith("left out: search, or ask for the outline of a file")


def test_read_file_gives_lines_and_how_to_go_on(shared: Session, shared_tree: Path) -> None:
    whole = (shared_tree / "src/lease.py").read_text(encoding="utf-8")
    answer = shared.call("read_file", path="src/lease.py")
    assert answer["text"] == whole
    assert (answer["startLine"], answer["endLine"], answer["totalLines"]) == (1, 10, 10)
    some = shared.call("read_file", path=str(shared_tree / "src/lease.py"), start_line=4, end_line=5)
    assert some["text"].splitlines() == whole.splitlines()[3:5]
    assert "truncated" not in some


@pytest.mark.slow
def test_read_file_is_cut_to_its_bytes_and_says_how_to_go_on(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    lines = [f"line_{number} = '{'x' * 40}'" for number in range(100)]
    (folder / "a.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "wide.py").write_text(f"wide = '{'é' * 3000}'\n", encoding="utf-8")
    with connected(home, folder) as session:
        session.create(folder)
        read: list[str] = []
        action: dict[str, Any] = {"tool": "read_file", "args": {"path": "a.py", "max_bytes": 1000}}
        for _ in range(50):
            answer = session.call(action["tool"], **action["args"])
            assert len(answer["text"].encode()) <= 1000
            read += answer["text"].splitlines()
            if "nextAction" not in answer:
                break
            assert answer["truncated"] is True
            action = answer["nextAction"]
            action["args"]["max_bytes"] = 1000
        assert read == lines
        wide = session.call("read_file", path="wide.py", max_bytes=1001)
        assert wide["truncated"] is True
        assert len(wide["text"].encode()) <= 1001
        assert wide["limitsHit"] == ["max_bytes"]
        assert wide["warnings"] == ["cut within line 1: max_bytes: 6010 shows all"]


@pytest.mark.slow
def test_manage_index_syncs_repairs_and_clears(tree: Path, home: Path) -> None:
    with connected(home, tree) as session:
        made = session.create(tree)
        assert (made["action"], made["state"], made["files"]) == ("create", "indexed", 9)
        again = session.call("manage_index", action="create", path=str(tree))
        assert again["alreadyIndexed"] is True
        (tree / "src/new.py").write_text("def brand_new():\n    pass\n", encoding="utf-8")
        synced = session.call("manage_index", action="sync")
        assert (synced["published"], synced["indexed"], synced["files"]) == (True, 1, 10)
        assert session.call("manage_index", action="sync")["published"] is False
        assert session.call("manage_index", action="status")["state"] == "sync_completed"
        repaired = session.call("manage_index", action="repair")
        assert (repaired["status"], repaired["damage"], repaired["reindexRequired"]) == ("ok", [], False)
        rebuilt = session.call("manage_index", action="reindex", wait=True)
        assert (rebuilt["state"], rebuilt["files"]) == ("indexed", 10)
        assert rebuilt["snapshotId"] != synced["snapshotId"]
        cleared = session.call("manage_index", action="clear")
        assert (cleared["removed"], cleared["state"]) == (True, "not_found")
        assert session.call("list_codebases")["codebases"] == []
        assert session.call("manage_index", action="status")["state"] == "not_found"
        assert session.call("manage_index", action="clear")["removed"] is False


@pytest.mark.slow
def test_the_table_of_tools_is_what_clients_see(shared: Session) -> None:
    assert {tool.name: tool.schema for tool in TOOLS} == {
        name: tool.input_schema for name, tool in shared.tools().items()
    }
