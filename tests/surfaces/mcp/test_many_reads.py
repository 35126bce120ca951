"""Several files in one call of `read_file`: each has its own state, and all together one size."""

import json
from pathlib import Path
from typing import Any

import pytest

from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.mcp.client import small_tree
from tests.surfaces.mcp.local import Local, index
from tests.trees import write


@pytest.fixture
def asked(local: Local, tree: Path) -> Local:
    for name in ("a", "b"):
        write(tree, f"src/{name}.py", "".join(f"{name}_{line} = {line}\n" for line in range(1, 101)))
    index(tree)
    local.see(tree)
    return local


def told(local: Local, **given: Any) -> str:
    return text_of(BY_NAME["read_file"].call(local.service, ToolCall(local.access), given))


def test_each_is_as_if_it_were_read_alone(asked: Local) -> None:
    text = told(asked, files=["src/a.py:2-3", "src/b.py:9", "src/a.py:5-6"])
    assert text.split("\n")[:-1] == [
        *("a_2 = 2", "a_3 = 3", "src/a.py 2-3 of 100 lines"),
        *("b_9 = 9", "src/b.py 9-9 of 100 lines"),
        *("a_5 = 5", "a_6 = 6", "src/a.py 5-6 of 100 lines"),
    ]
    assert text.count("[ok, ") == 1


def test_lines_are_numbered_on_request_only(asked: Local) -> None:
    assert told(asked, path="src/a.py:9-10", numbers=True).startswith("9\ta_9 = 9\n10\ta_10 = 10\nsrc/a.py 9-10")
    assert told(asked, path="src/a.py:9-10").startswith("a_9 = 9\n")


def test_what_is_unchanged_is_said_of_each_in_few_bytes(asked: Local) -> None:
    asked.call("session_open", guarantee="linear", name="s")
    both = {"files": ["src/a.py", "src/b.py:10-60"], "session": "s"}
    assert "a_1 = 1\n" in told(asked, **both)
    text = told(asked, **both)
    assert text.split("\n")[:-1] == [
        *("src/a.py: [readcache: unchanged, 100 lines]", "entry 3"),
        *("src/b.py:10-60: [readcache: unchanged in lines 10-60 of 100]", "entry 4"),
    ]
    assert len(text) <= 2 * 120


def test_in_a_tree_each_stands_behind_the_one_before(asked: Local) -> None:
    asked.call("session_open", guarantee="tree", name="t")
    first = asked.call("read_file", path="src/a.py", session="t")["entry"]
    told(asked, files=["src/b.py", "src/lease.py"], session="t", parent=first)
    both = asked.call("read_file", files=["src/a.py", "src/b.py"], session="t", parent=first + 2)["files"]
    assert [each["mode"] for each in both] == ["unchanged", "unchanged"]


def test_what_can_not_be_read_is_told_in_its_place(asked: Local) -> None:
    text = told(asked, files=["gone.py", "src/a.py:1-1", "src", ".env"])
    assert "gone.py: There is no file gone.py." in text
    assert "a_1 = 1\nsrc/a.py 1-1" in text
    assert "src: " in text
    assert told(asked, files=["gone.py"]).startswith('{"status": "not_found"')
    found = asked.call("read_file", files=["src/a.py:1-1", "gone.py"])["files"]
    assert [each.get("message", each.get("text")) for each in found] == ["a_1 = 1\n", "There is no file gone.py."]


def test_all_together_have_one_size(asked: Local) -> None:
    text = told(asked, files=["src/a.py", "src/b.py", "src/lease.py"], max_bytes=1_500)
    assert "left out for want of room: src/b.py, src/lease.py" in text
    assert len(text) < 2_000


def test_files_of_two_codebases_say_which_is_which(asked: Local, tree: Path, tmp_path: Path) -> None:
    other = small_tree(tmp_path / "other")
    index(other)
    asked.see(tree, other)
    text = told(asked, files=[str(tree / "src/a.py:1-1"), str(other / "src/lease.py:1-1")])
    assert f"src/lease.py 1-1 of 10 lines, in {other}" in text


@pytest.mark.parametrize("more", [{"path": "src/a.py"}, {"start_line": 1}, {"symbol": "release"}])
def test_what_names_one_file_does_not_go_with_several(asked: Local, more: dict[str, Any]) -> None:
    said = json.loads(told(asked, files=["src/a.py"], **more))
    assert said["status"] == "invalid_arguments"
    assert "a.py:10-40" in said["hint"]
