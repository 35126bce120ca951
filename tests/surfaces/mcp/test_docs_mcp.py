"""docs/mcp.md under test: every tool, argument and status is there, and every example is what the server says."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from cairn.codebase import indexers
from cairn.config.user import cairn_home
from cairn.lifecycle.freshness import Decision
from cairn.lifecycle.gates import NonOkReason
from cairn.lifecycle.processes import Jobs
from cairn.lifecycle.states import State
from cairn.readcache.cache import ReadCache
from cairn.surfaces.mcp import server
from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME, TOOLS
from tests.surfaces.mcp.client import small_tree
from tests.surfaces.mcp.local import Local, index
from tests.surfaces.mcp.states import being_indexed, other_settings
from tests.test_docs import code_blocks, page, section, table
from tests.trees import write

ROOT = "/home/ana/leases"
FINE = ("ok", "ok_syntactic")
RENAMES = {"ok_syntactic", "blocked", "needs_decision"}
STATUSES = {"ok", "not_found", "ambiguous", "not_indexed", "not_ready", "requires_reindex", *RENAMES, *server._ERRORS}
VARIES = {"snapshotId", "lastUpdated", "continuation", "score", "planId", "plan_id"}


def examples() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(request, answer) in the order of the page; an answer that is one text has it as its body."""
    blocks = code_blocks(page("mcp.md"), "(?:json|text)")
    requests = [json.loads(block) for block in blocks[::2]]
    answers = [
        json.loads(block) if block.startswith("{") else {"status": _status(block), "body": block.removesuffix("\n")}
        for block in blocks[1::2]
    ]
    assert all(set(request) == {"name", "arguments"} for request in requests)
    assert all("status" in answer for answer in answers)
    return list(zip(requests, answers, strict=True))


def _status(text: str) -> str:
    """What a text says at its end."""
    found = re.search(r"^\[(\w+)[^\n]*\]\n?\Z", text, re.MULTILINE)
    return found[1] if found else "ok"


def test_every_tool_is_on_the_page() -> None:
    assert [row[0] for row in table(page("mcp.md"), "tool")] == list(BY_NAME)
    assert re.findall(r"^### (\w+)$", page("mcp.md"), re.MULTILINE) == list(BY_NAME)
    assert {request["name"] for request, answer in examples() if answer["status"] in FINE} == set(BY_NAME)


@pytest.mark.parametrize("name", BY_NAME)
def test_every_argument_is_on_the_page_with_its_default(name: str) -> None:
    text = page("mcp.md").partition(f"\n### {name}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    told = {row[0]: row[1] for row in table(text, "argument")}
    assert list(told) == [argument.name for argument in BY_NAME[name].arguments]
    for argument in BY_NAME[name].arguments:
        if argument.required:
            assert told[argument.name] == "(required)"
        elif argument.default is not None:
            assert told[argument.name] == json.dumps(argument.default).strip('"')
    for argument in BY_NAME[name].arguments:
        assert all(f"`{choice}`" in text for choice in argument.choices)


def test_every_status_reason_state_and_decision_is_on_the_page() -> None:
    text = page("mcp.md")
    assert {row[0] for row in table(text, "status")} == STATUSES
    told = {name for row in table(text, "decision") for name in row[0].split(", ")}
    assert told == {decision.value for decision in Decision}
    for name in (*NonOkReason, *State, "debug", *server._ERRORS):
        assert f"`{name}`" in text
    assert "`debug`" in section(text, "## The tools")


def test_every_status_that_the_code_gives_is_one_of_the_page() -> None:
    folder = Path(server.__file__).parent
    given = set()
    for path in (*folder.glob("*.py"), folder.parents[1] / "lifecycle/envelopes.py"):
        text = path.read_text(encoding="utf-8")
        given |= set(re.findall(r'"status": "(\w+)"|\["status"\] = "(\w+)"|_head\(\s*"(\w+)"', text))
    assert {name for names in given for name in names if name} <= STATUSES


def shows(shown: Any, real: Any) -> bool:
    """Whether an example is a part of what is really said: fewer keys, fewer items, shorter maps."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(
            key in real and (key in VARIES or shows(value, real[key])) for key, value in shown.items()
        )
    if isinstance(shown, list):
        return isinstance(real, list) and all(map(shows, shown, real)) and len(shown) <= len(real)
    if isinstance(shown, str) and shown.startswith("languages:"):
        return isinstance(real, str) and real.startswith(shown)
    return bool(shown == real)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(examples())))
def test_every_example_is_what_the_server_says(
    number: int, local: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, answer = examples()[number]
    tool = BY_NAME[request["name"]]
    allowed = jsonschema.Draft202012Validator(tool.schema).is_valid(request["arguments"])
    assert allowed is (answer["status"] != "invalid_arguments")
    tree = small_tree(tmp_path / "leases")
    if tool.name == "rename_symbol":
        write(tree, "pyproject.toml", '[project]\nname = "leases"\n')
        write(
            tree,
            "src/count.py",
            "def count(leases):\n    total = 0\n    for _ in leases:\n        total += 1\n    return total\n",
        )
        write(tree, "src/desk.py", "def report(desk):\n    return desk.count()\n")
    local.see(tree)
    monkeypatch.setattr(Jobs, "start", lambda *_, **__: True)
    monkeypatch.setattr(indexers, "find_tool", lambda *_: None)  # whatever is installed here
    arguments = json.loads(json.dumps(request["arguments"]).replace(ROOT, str(tree)))
    status, home = answer["status"], Path(cairn_home()).parent
    if status != "not_indexed" and not re.search("no codebase is|is being indexed in", answer.get("body", "")):
        index(tree)
    if "session" in arguments:
        ReadCache(cairn_home()).open_session(arguments["session"], "linear")
    if status == "not_ready":
        with being_indexed(home, tree):
            real = local.call(tool.name, **arguments)
            answer["indexing"]["lastUpdated"] = real["indexing"]["lastUpdated"]
    elif status == "requires_reindex":
        with other_settings(tree):
            real = local.call(tool.name, **arguments)
    else:
        real = local.call(tool.name, **arguments)
    real = json.loads(json.dumps(real).replace(str(tree), ROOT))
    if "body" in answer:
        told = text_of(BY_NAME[tool.name].call(local.service, ToolCall(local.access), arguments))
        assert _same(told.replace(str(tree), ROOT)) == _same(answer["body"])
    else:
        assert shows(answer, real), real


def _same(text: str) -> str:
    """A text without what is another one each time."""
    same = re.sub(r"continuation [\w-]+", "continuation", text)
    same = re.sub(r"01[0-9A-Z]{24}|(?<=updated )[\w:.-]+", "one of many", same)
    return re.sub(r"(\[\w+, leases), \w{10}", r"\1, snapshot", same)


def test_the_instructions_name_what_to_do_about_each_gate() -> None:
    for reason in ("not_indexed", "not_ready", "requires_reindex"):
        assert f"status={reason}" in server.INSTRUCTIONS
    said = server.INSTRUCTIONS + server.SESSIONS
    assert all(tool.name in said for tool in TOOLS if tool.name != "list_codebases")
    assert not any(tool.name in server.INSTRUCTIONS for tool in TOOLS if tool.for_sessions)
