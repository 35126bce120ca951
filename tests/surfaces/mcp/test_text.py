"""The body of an answer is one compact text: real line numbers, marks where lines are left out, nothing twice."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cairn.questions.registry import QUESTIONS
from cairn.surfaces.mcp.server import listed
from cairn.surfaces.mcp.service import Service, ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.cli.test_store import run
from tests.surfaces.mcp.client import Session, connected, small_tree
from tests.surfaces.mcp.client import text_of as only_text
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
SNAPSHOT = r"[0-9A-Z]{10}"


@pytest.fixture
def asked(local: Local, tree: Path) -> Local:
    index(tree)
    local.see(tree)
    return local


def told(local: Local, name: str, **given: Any) -> str:
    return text_of(BY_NAME[name].call(local.service, ToolCall(local.access), given))


@pytest.mark.slow
@pytest.mark.requirement("AGT.1")
def test_a_client_gets_one_text_and_nothing_twice(tmp_path: Path, home: Path) -> None:
    tree = small_tree(tmp_path / "repo")
    with connected(home, tree) as session:
        session.create(tree)
    with connected(home, tree, options=["--offline"], structured=False) as session:
        assert all(tool.output_schema is None for tool in session.tools().values())
        for name, given in ASKED.items():
            result = session.result(name, given)
            assert (result.structured_content, result.is_error) == (None, False)
            *_, last = only_text(result).split("\n")
            assert re.fullmatch(rf"\[ok, {tree.name}, {SNAPSHOT}\]", last), last
        _refused(session)


def _refused(session: Session) -> None:
    """What is no answer stays the envelope that programs know."""
    assert only_text(session.result("read_file", {"path": "/etc/passwd"})).startswith('{"status": "refused"')
    assert only_text(session.result("find_references", {"symbol": "nobody_is"})).startswith('{"status": "not_found"')


def test_around_unchanged_stand_at_most_120_bytes(asked: Local, tree: Path) -> None:
    path = "src/a/folder/with/a/long/name/and/a/file/with/a/name/that/is/just/as/long/as/names/can/be.py"
    write(tree, path, "value = 1\n" * 30)
    asked.call("session_open", guarantee="linear", name="s")
    assert told(asked, "read_file", path=path, session="s").startswith("value = 1\n")
    for lines, said in (
        ({}, "unchanged, 30 lines"),
        ({"start_line": 1, "end_line": 20}, "unchanged in lines 1-20 of 30"),
    ):
        text = told(asked, "read_file", path=path, session="s", **lines)
        first, rest = text.split("\n", 1)
        assert first == f"[readcache: {said}]"
        assert re.fullmatch(rf"not indexed, entry \d+\n\[ok, {SNAPSHOT}\]", rest), rest
        assert len(rest) <= 120


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
        "2 uses, all proven, complete",
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
        "2 calls between 3 definitions, all proven, complete",
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
    assert "complete" not in text
    assert int(said[0]) + _told(text) == int(said[1]) == 63
    whole = told(asked, "find_references", symbol="release", limit=500, budget_tokens=int(said[2]))
    assert "left out" not in whole
    assert "62 uses, all proven, complete" in whole
    assert _told(whole) == 63


def _told(text: str) -> int:
    """How many definitions and uses the lines of a text tell."""
    heads = (re.match(r"  (\d+(?:, \d+)*) \w+  ", line) for line in text.split("\n"))
    return sum(len(head[1].split(", ")) for head in heads if head is not None)


@pytest.mark.slow
def test_a_budget_that_makes_no_sense_is_told(asked: Local) -> None:
    bounds = "is not allowed; give a whole number from 1 to 10000000."
    for budget, message in ((0, bounds), (10**9, bounds), (1, "= 1 is too small for this answer.")):
        for name, given in (("find_references", {"symbol": "release"}), ("search_codebase", {"query": "stale lease"})):
            text = told(asked, name, **given, budget_tokens=budget)
            assert text.startswith('{"status": "invalid_arguments"')
            assert message in text


def test_a_budget_that_nothing_fits_into_is_refused_before_anything_is_searched(
    asked: Local, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Service, "ready", None)
    text = told(asked, "search_codebase", query="stale lease", budget_tokens=7)
    assert "budget_tokens = 7 is too small" in text


def test_what_is_done_to_an_index_is_told_in_words(asked: Local, tree: Path) -> None:
    (row, end) = told(asked, "list_codebases").split("\n")
    assert re.fullmatch(rf"{tree}  indexed, 9 files in \d+ chunks, snapshot \w{{26}}, updated \S+", row), row
    assert end == "[ok]"
    write(tree, "src/more.py", "def more(): pass\n")
    said, end = told(asked, "manage_index", action="sync").split("\n")
    assert re.fullmatch(rf"sync {tree}: 1 files indexed, 0 deleted, now 10 files in \d+ chunks", said), said
    assert re.fullmatch(rf"\[ok, {tree.name}, {SNAPSHOT}\]", end)
    cleared = told(asked, "manage_index", action="clear").split("\n")
    step = f'manage_index {{"action": "create", "path": "{tree}"}}'
    assert cleared == [f"clear {tree}: the index is gone", f"create: {step}", f"[ok, {tree.name}]"]
    assert told(asked, "list_codebases").split("\n") == ["no codebase is indexed", f"next: {step}", "[ok]"]
    assert told(asked, "manage_index", action="sync").startswith('{"status": "not_indexed"')


@pytest.mark.requirement("AGT.3")
def test_few_tools_are_listed_at_few_tokens() -> None:
    tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed()]
    assert len(tools) <= 10
    assert len(json.dumps(tools)) / 4 <= 2_200
    names = {tool["name"] for tool in tools}
    assert not {name for name in names if name.startswith("session") or name == "read_refresh"}
    assert "session" not in next(tool for tool in tools if tool["name"] == "read_file")["inputSchema"]["properties"]
    more = {tool.name: tool.input_schema["properties"] for tool in listed(sessions=True)}
    assert more.keys() - names == {"session_open", "session_event", "read_refresh"}
    assert {"session", "bypass"} <= more["read_file"].keys()
    # What is not told is taken all the same.
    assert {tool.name for tool in listed(structured=True, sessions=True)} == set(BY_NAME)


def test_the_code_of_a_symbol_is_read_by_its_name(asked: Local) -> None:
    text = told(asked, "read_file", symbol="take_over")
    assert text.split("\n")[:-1] == [
        "src/lease.py",
        "  4-6 function take_over",
        "4\tdef take_over(lease: str) -> str:",
        '5\t    """Take over a stale lease."""',
        "6\t    return release(lease)",
        "1 definition",
    ]
    assert told(asked, "read_file", symbol="nobody").startswith('{"status": "not_found"')
    assert "Give path, or symbol." in told(asked, "read_file")


@pytest.mark.slow
def test_uses_are_asked_for_by_their_role(asked: Local, tree: Path) -> None:
    write(tree, "tests/test_lease.py", "from src.lease import take_over\n\n\ndef test_it():\n    take_over('a')\n")
    assert _uses(told(asked, "find_references", symbol="take_over", role="calls")) == ["writer.py:6", "test_lease.py:5"]
    assert _uses(told(asked, "find_references", symbol="take_over", role="tests")) == [
        "test_lease.py:1",
        "test_lease.py:5",
    ]
    none = told(asked, "find_references", symbol="take_over", role="writes")
    assert "0 uses (writes only)" in none
    assert "warning" not in none
    write(tree, "src/quick.py", "from src.writer import Writer\n\n\nclass Quick(Writer):\n    pass\n")
    below = told(asked, "find_references", symbol="Writer", role="implementors")
    assert below.split("\n")[:3] == ["extends Writer (src/writer.py:4)", "src/quick.py", "  4 Quick"]


@pytest.mark.slow
def test_answers_keep_to_some_files_and_tell_the_shortest_way(asked: Local, tree: Path) -> None:
    write(tree, "tests/test_lease.py", "from src.lease import take_over\n\n\ndef test_it():\n    take_over('a')\n")
    for given in ({"no_tests": True}, {"include": ["src/**"]}, {"exclude": ["tests"]}):
        assert _uses(told(asked, "find_references", symbol="take_over", **given)) == ["writer.py:1", "writer.py:6"]
        callers = told(asked, "call_graph", symbol="take_over", **given)
        assert "1 call between 2 definitions" in callers, callers
    write(tree, "tests/test_writer.py", "from src.writer import Writer\n\n\nclass Fake(Writer):\n    pass\n")
    assert "Fake" in told(asked, "call_graph", symbol="Writer", direction="implementors")
    assert "Fake" not in told(asked, "call_graph", symbol="Writer", direction="implementors", no_tests=True)
    way = told(asked, "call_graph", symbol="Writer.begin", to="release")
    assert way.split("\n")[:-1] == [
        "Writer.begin (src/writer.py:5)",
        "  6 calls take_over (src/lease.py:4)",
        "  6 calls release (src/lease.py:9)",
        "2 calls, the shortest way, all proven",
    ]
    none = told(asked, "call_graph", symbol="release", to="Writer.begin")
    assert "no calls that are known here lead to Writer.begin within 12 steps" in none


def test_a_line_that_holds_a_text_says_what_it_stands_in(asked: Local) -> None:
    text = told(asked, "search_codebase", query="release(", literal=True)
    assert text.split("\n")[1:3] == ["6 in take_over\t    return release(lease)", "9\tdef release(lease: str) -> str:"]


def test_only_the_first_place_is_shown_with_code_unless_a_budget_has_room(asked: Local) -> None:
    def with_code(**given: Any) -> int:
        text = told(asked, "search_codebase", query="stale lease", **given)
        return len(re.findall(r"^ .*\n(?:\.\.\.\n)?\d+\t", text, re.MULTILINE))

    assert (with_code(), with_code(budget_tokens=500), with_code(budget_tokens=600)) == (1, 2, 2)


def _uses(text: str) -> list[str]:
    found, path = [], ""
    for line in text.split("\n"):
        if re.match(r"\w+/", line):
            path = line.rpartition("/")[2]
        elif (hit := re.match(r"  (\d+) (\w+)", line)) and hit[2] != "defined":
            found.append(f"{path}:{hit[1]}")
    return found


@pytest.mark.slow
def test_an_outline_ends_at_a_depth_or_keeps_to_a_line(asked: Local, tree: Path) -> None:
    shallow = told(asked, "file_outline", path="src/writer.py", depth=1)
    assert shallow.split("\n")[:-1] == ["src/writer.py", "  4-9 class Writer", "1 definition"]
    near = told(asked, "file_outline", path="src/writer.py", around=6)
    assert near.split("\n")[1:3] == ["  4-9 class Writer", "    5-6 def begin(self) -> str"]
    methods = "".join(f"    def method_{at}(self):\n        pass\n\n" for at in range(60))
    write(tree, "src/big.py", f"class Big:\n{methods}\ndef last_of_all():\n    pass\n")
    small = told(asked, "file_outline", path="src/big.py", budget_tokens=200)
    assert len(small.encode()) <= 800
    assert "def last_of_all()" in small
    assert re.search(r"definitions left out: budget_tokens \d+ shows", small), small
    imports = told(asked, "file_outline", path="src/writer.py", show="imports")
    assert imports.split("\n")[:2] == ["src/writer.py", "  1 imports src.lease -> src/lease.py"]
