"""Our commands among a host's hooks: added without moving what is there, and taken out again."""

import json
from pathlib import Path

import pytest

from cairn.surfaces.agents import jsonc
from cairn.surfaces.agents.clients import BY_NAME, SettingsScope, command_of
from cairn.surfaces.agents.edits import EditError
from cairn.surfaces.agents.hooks import has_hooks, with_hooks, without_hooks
from cairn.surfaces.agents.instructions import AGENT_TOOLS, agent_preamble
from cairn.surfaces.agents.plan import plan_install, plan_uninstall
from cairn.surfaces.agents.settings import with_agent, without_agent
from cairn.surfaces.mcp.tools import BY_NAME as TOOLS
from tests.trees import write

pytestmark = pytest.mark.requirement("INST.1")

COMMAND = ("/opt/cairn", "mcp")
CLAUDE = BY_NAME["claude-code"]
MINE = """\
{
    // mine
    "hooks": {
        "PostToolUse": [
            {"matcher": "Write", "hooks": []}
        ]
    }
}
"""
EVENTS = {"SessionStart", "PreCompact", "UserPromptSubmit", "PostToolUse"}


def test_hooks_run_the_program_of_the_server() -> None:
    hooks = json.loads(with_hooks(None, ("/usr/bin/env", "CAIRN_HOME=/a b", "/opt/cairn", "mcp")))["hooks"]
    assert set(hooks) == EVENTS
    (group,) = hooks["PostToolUse"]
    assert group["matcher"] == "Grep|Bash"
    assert group["hooks"][0] == {
        "type": "command",
        "command": "/usr/bin/env 'CAIRN_HOME=/a b' /opt/cairn session nudge",
    }
    assert hooks["PreCompact"][0]["hooks"][0]["command"].endswith("/opt/cairn session hook")


@pytest.mark.parametrize("before", ["", "{}", MINE, '{"hooks": {"PreCompact": [{"hooks": []}]}}', '{\n  "a": 1\n}\n'])
def test_what_is_there_stays_and_a_second_time_changes_nothing(before: str) -> None:
    once = with_hooks(before.encode(), COMMAND)
    assert with_hooks(once, COMMAND) == once
    assert has_hooks(once)
    assert not has_hooks(before.encode())
    for line in before.splitlines():
        assert line.rstrip("{}[]\n ,") in once.decode()
    undone = without_hooks(once, before.encode())
    assert not has_hooks(undone)
    assert (jsonc.parse(undone.decode()) or {}) == (jsonc.parse(before) or {})


def test_hooks_of_another_place_are_replaced() -> None:
    both = with_hooks(with_hooks(None, ("/old/cairn", "mcp")), COMMAND).decode()
    assert "/old/cairn" not in both
    assert both.count("session nudge") == 1


def test_hooks_that_share_a_group_with_the_users_go_alone() -> None:
    data = with_hooks(None, COMMAND)
    document = json.loads(data)
    document["hooks"]["PostToolUse"][0]["hooks"].append({"type": "command", "command": "mine"})
    left = json.loads(without_hooks(json.dumps(document).encode()))
    assert left == {
        "hooks": {"PostToolUse": [{"matcher": "Grep|Bash", "hooks": [{"type": "command", "command": "mine"}]}]}
    }


@pytest.mark.parametrize("wrong", ['{"hooks": []}', '{"hooks": {"PostToolUse": {}}}', "[]"])
def test_hooks_in_another_form_are_refused(wrong: str) -> None:
    with pytest.raises(EditError):
        with_hooks(wrong.encode(), COMMAND)


def test_the_sub_agent_lists_tools_that_there_are_and_goes_as_a_whole() -> None:
    data = with_agent(None)
    assert set(AGENT_TOOLS) <= set(TOOLS)
    assert "mcp__cairn__search_codebase" in agent_preamble("cairn")
    head = data.decode().split("---\n")[1]
    assert [line.partition(": ")[0] for line in head.splitlines()] == ["name", "description", "tools"]
    assert all(": " not in line.partition(": ")[2] for line in head.splitlines())
    assert without_agent(data) is None
    assert without_agent(data + b"mine\n") is not None


def test_a_plan_has_hooks_sessions_and_a_sub_agent_or_none_of_them(tmp_path: Path) -> None:
    write(tmp_path, ".claude/settings.json", MINE)
    scope = SettingsScope(str(tmp_path), {"PATH": ""})
    plan = plan_install(scope, [CLAUDE], COMMAND)
    paths = {change.path.removeprefix(f"{tmp_path}/"): change for change in plan.changes}
    assert set(paths) == {".claude.json", ".claude/CLAUDE.md", ".claude/settings.json", ".claude/agents/cairn.md"}
    entry = json.loads(paths[".claude.json"].after or b"")["mcpServers"]["cairn"]
    assert command_of(entry) == [*COMMAND, "--sessions"]
    plain = plan_install(scope, [CLAUDE], COMMAND, hooks=False)
    assert {change.path.removeprefix(f"{tmp_path}/") for change in plain.changes} == {
        ".claude.json",
        ".claude/CLAUDE.md",
    }
    for change in plan.changes:
        write(Path(change.path).parent, Path(change.path).name, (change.after or b"").decode())
    undo = plan_uninstall(scope, [CLAUDE], (), lambda _: None)
    left = {change.path.removeprefix(f"{tmp_path}/"): change.after for change in undo.changes}
    assert left[".claude/agents/cairn.md"] is None
    assert json.loads((left[".claude/settings.json"] or b"").decode().replace("// mine", "")) == json.loads(
        MINE.replace("// mine", "")
    )
