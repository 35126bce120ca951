"""What an answer says of its own limits comes true: the call that a hint names is taken, and shows what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.mcp.local import Local, index
from tests.trees import write


def _module(at: int) -> str:
    methods = "".join(f"    def method_{each}(self, value: int) -> int:\n        return value\n" for each in range(20))
    return f"class Kind{at}:\n{methods}\n" + "".join(f"def other_{at}_{each}() -> None: ...\n" for each in range(20))


@pytest.fixture
def asked(local: Local, tree: Path) -> Local:
    write(tree, "src/large.py", "".join(map(_module, range(4))))
    for at in range(8):
        write(tree, f"src/part_{at}.py", _module(at) + "def begun() -> None: ...\n")
    # Two of one name, of which the index can't tell which one counts.
    write(tree, "src/either.py", "if len('a'):\n    def one() -> int: ...\nelse:\n    def one() -> str: ...\n")
    index(tree)
    local.see(tree)
    return local


def told(local: Local, name: str, **given: Any) -> str:
    return text_of(BY_NAME[name].call(local.service, ToolCall(local.access), given))


def test_an_outline_is_narrowed_before_it_is_cut(asked: Local) -> None:
    line = 3 * _module(0).count("\n") + 5
    text = told(asked, "file_outline", path="src/large.py", around=line, budget_tokens=70)
    assert "class Kind3" in text
    assert "def method_1(" in text
    assert "2 definitions" in text
    assert "left out" not in text


@pytest.mark.parametrize("given", [{}, {"depth": 1}])
def test_the_budget_that_shows_a_whole_outline_does(asked: Local, given: dict[str, Any]) -> None:
    cut = told(asked, "file_outline", path="src/large.py", budget_tokens=150, **given)
    (said,) = re.findall(r"(\d+) of (\d+) definitions left out: budget_tokens (\d+) shows all", cut)
    whole = told(asked, "file_outline", path="src/large.py", budget_tokens=int(said[2]), **given)
    assert "left out" not in whole
    assert f"{said[1]} definitions" in whole
    # What is innermost is left out first.
    assert "def method_0" not in cut


@pytest.mark.parametrize("budget", [100, 300, 1_000])
@pytest.mark.slow
def test_the_budget_that_shows_a_whole_map_does(asked: Local, budget: int) -> None:
    cut = told(asked, "repo_map", budget_tokens=budget)
    assert len(cut.encode()) <= 4 * budget
    (said,) = re.findall(r"budget_tokens:? (\d+) shows all", cut)
    whole = told(asked, "repo_map", budget_tokens=int(said))
    assert "left out" not in whole
    assert "more file" not in whole
    assert "warning" not in whole


def test_only_tests_and_no_tests_contradict_each_other(asked: Local) -> None:
    text = told(asked, "find_references", symbol="begun", role="tests", no_tests=True)
    assert text.startswith('{"status": "invalid_arguments"')


def test_a_hint_names_only_what_the_tool_takes(asked: Local) -> None:
    text = told(asked, "read_file", symbol="begun")
    assert "only the first 5 of 8" in text
    assert "limit" not in text


def test_a_way_to_what_is_not_there_is_told_as_such(asked: Local) -> None:
    text = told(asked, "call_graph", symbol="take_over", to="nonesuch")
    assert "nothing is called nonesuch here" in text


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("repo_map", {"places": ["src/lease.py"]}),
        ("repo_map", {"show": "unused", "since": "HEAD"}),
        ("read_file", {"symbol": "take_over", "start_line": 2}),
    ],
)
def test_what_would_be_passed_over_is_refused(asked: Local, tool: str, given: dict[str, Any]) -> None:
    assert told(asked, tool, **given).startswith('{"status": "invalid_arguments"')


def test_a_definition_without_room_is_cut_and_says_how_to_go_on(asked: Local) -> None:
    cut = told(asked, "read_file", symbol="Kind3", max_bytes=1_000)
    assert len(cut.encode()) <= 1_000
    assert "budget_tokens" not in cut
    (whole,) = re.findall(r"1 of 2 definitions left out: max_bytes (\d+) shows all", cut)
    all_of_it = told(asked, "read_file", symbol="Kind3", max_bytes=int(whole))
    assert "left out" not in all_of_it
    assert "cut: go on" not in all_of_it
    ((path, start, end),) = re.findall(r"cut: go on with read_file path (\S+), start_line (\d+), end_line (\d+)", cut)
    rest = told(asked, "read_file", path=path, start_line=int(start), end_line=int(end), numbers=True)
    both = [*re.findall(r"^\d+\t.*", cut, re.MULTILINE), *re.findall(r"^\d+\t.*", rest, re.MULTILINE)]
    shown = re.findall(r"^\d+\t.*", all_of_it, re.MULTILINE)
    assert both == shown[: len(both)]
    assert len(both) == len(shown) // 2


def test_none_in_the_files_that_were_asked_for_is_not_none_at_all(asked: Local) -> None:
    kept = told(asked, "find_references", symbol="Kind3.method_1", include=["nothing/**"])
    assert "0 uses in the files asked for" in kept
    assert "in the files asked for" not in told(asked, "find_references", symbol="Kind3.method_1")


def test_a_search_of_several_codebases_says_that_there_may_be_more(asked: Local, tree: Path) -> None:
    few = told(asked, "search_codebase", query="other", codebases=[str(tree)], limit=2)
    assert "Only the best 2 are shown" in few
    assert "Only the best" not in told(asked, "search_codebase", query="other", codebases=[str(tree)], limit=100)
