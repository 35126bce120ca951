"""The body of an answer is one compact text: real line numbers, marks where lines are left out, nothing twice."""

import re
from pathlib import Path
from typing import Any

import pytest

from cairn.questions.registry import QUESTIONS
from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.cli.test_store import run
from tests.surfaces.mcp.client import Session, connected, small_tree
from tests.surfaces.mcp.local import Local, index
from tests.trees import write

ASKED: dict[str, dict[str, Any]] = {
    "search_codebase": {"query": "take over a stale lease"},
    "find_references": {"symbol": "take_over"},
    "call_graph": {"symbol": "release"},
    "file_outline": {"path": "src/writer.py"},
    "repo_map": {},
    "read_file": {"path": "src/lease.py", "start_line": 4, "end_line": 6},
}
SNAPSHOT = r"snapshot [0-9A-Z]{26}"


@pytest.fixture
def asked(local: Local, tree: Path) -> Local:
    index(tree)
    local.see(tree)
    return local


def told(local: Local, name: str, **given: Any) -> str:
    return text_of(BY_NAME[name].call(local.service, ToolCall(local.access), given))


@pytest.mark.requirement("AGT.1")
def test_a_client_gets_one_text_and_nothing_twice(tmp_path: Path, home: Path) -> None:
    tree = small_tree(tmp_path / "repo")
    with connected(home, tree) as session:
        session.create(tree)
    with connected(home, tree, options=["--offline"], structured=False) as session:
        assert all(tool.output_schema is None for tool in session.tools().values())
        for name, given in ASKED.items():
            result = session.result(name, given)
            (content,) = result.content
            assert (result.structured_content, result.is_error) == (None, False)
            *_, last = content.text.split("\n")
            assert re.fullmatch(rf"\[ok, {re.escape(str(tree))}, {SNAPSHOT}(, \w+)?\]", last), last
        _refused(session)


def _refused(session: Session) -> None:
    """What is no answer stays the envelope that programs know."""
    (content,) = session.result("read_file", {"path": "/etc/passwd"}).content
    assert content.text.startswith('{"status": "refused"')
    (content,) = session.result("find_references", {"symbol": "nobody_is_called_so"}).content
    assert content.text.startswith('{"status": "not_found"')


def test_every_question_of_an_agent_has_a_text() -> None:
    assert {question.tool for question in QUESTIONS if question.tool} == set(ASKED)
    assert all(question.plain is not None for question in QUESTIONS if question.tool and question.name != "read")


@pytest.mark.requirement("AGT.1")
def test_a_use_is_one_line_below_its_file(asked: Local, tree: Path) -> None:
    text = told(asked, "find_references", symbol="take_over")
    assert text.split("\n")[:-1] == [
        "src/lease.py",
        "  4 defined  def take_over(lease: str) -> str",
        "src/writer.py",
        "  1 import  from src.lease import take_over",
        '  6 call  return take_over("mine")  in Writer.begin',
        "2 uses, all proven",
    ]

    _callers(asked)


def _callers(asked: Local) -> None:
    text = told(asked, "call_graph", symbol="release", depth=2)
    assert text.split("\n")[:-1] == [
        "of release (src/lease.py:9)",
        "src/lease.py",
        "  4 take_over at 6",
        "src/writer.py",
        "  5 Writer.begin calls take_over at 6",
        "2 calls between 3 definitions, all proven",
    ]


@pytest.mark.requirement("AGT.1")
def test_lines_that_are_left_out_have_a_mark_and_the_others_their_numbers(asked: Local, tree: Path) -> None:
    body = [f"    step_{at} = {at}" for at in range(40)]
    body[30] = "    # the walrus is fed at noon"
    write(tree, "src/long.py", "def feed():\n" + "\n".join(body) + "\n")
    lines = told(asked, "search_codebase", query="walrus fed at noon").split("\n")
    assert lines[:4] == ["src/long.py", "  1-41 function feed", "1\tdef feed():", "..."]
    shown = lines[4 : lines.index("...", 4)]
    first = int(shown[0].split("\t")[0])
    assert shown == [f"{first + at}\t{line}" for at, line in enumerate(body[first - 2 : first - 2 + len(shown)])]
    assert "32\t    # the walrus is fed at noon" in shown


COMMANDS: tuple[tuple[str, dict[str, Any], list[str]], ...] = (
    ("search_codebase", {"query": "stale lease"}, ["search", "stale lease"]),
    ("search_codebase", {"query": "release(", "literal": True}, ["search", "--literal", "release("]),
    ("find_references", {"symbol": "take_over"}, ["refs", "take_over"]),
    ("call_graph", {"symbol": "release"}, ["callers", "release"]),
    ("call_graph", {"symbol": "Writer", "direction": "implementors"}, ["implementors", "Writer"]),
    ("file_outline", {"path": "src/writer.py"}, ["outline", "src/writer.py"]),
    ("repo_map", {}, ["map"]),
)


@pytest.mark.requirement("AGT.1")
def test_the_command_line_prints_the_same(asked: Local, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    for name, given, command in COMMANDS:
        printed = run(*command, "--plain").stdout
        said = [line for line in told(asked, name, **given).split("\n")[:-1] if not line.startswith("warning: ")]
        assert printed.rstrip("\n").split("\n") == said, command


def test_an_answer_keeps_to_its_budget_and_says_what_shows_the_rest(asked: Local, tree: Path) -> None:
    write(tree, "src/many.py", "from src.lease import release\n" + "release('a lease of mine')\n" * 60)
    text = told(asked, "find_references", symbol="release", limit=500, budget_tokens=150)
    assert len(text.encode()) <= 600
    (said,) = re.findall(r"warning: (\d+) of (\d+) definitions and uses left out: budget_tokens (\d+) shows all", text)
    shown = [line for line in text.split("\n") if line.startswith("  ")]
    assert int(said[0]) + len(shown) == int(said[1])
    whole = told(asked, "find_references", symbol="release", limit=500, budget_tokens=int(said[2]))
    assert "left out" not in whole


def test_a_budget_that_makes_no_sense_is_told(asked: Local) -> None:
    bounds = "is not allowed; give a whole number from 1 to 10000000."
    for budget, message in ((0, bounds), (10**9, bounds), (1, "= 1 is too small for this answer.")):
        for name, given in (("find_references", {"symbol": "release"}), ("search_codebase", {"query": "stale lease"})):
            text = told(asked, name, **given, budget_tokens=budget)
            assert text.startswith('{"status": "invalid_arguments"')
            assert message in text
