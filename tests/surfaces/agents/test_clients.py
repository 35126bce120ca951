"""The table of clients, and our entry in each one's settings."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from cairn.surfaces.agents import settings
from cairn.surfaces.agents.clients import BY_NAME, CLIENTS, AgentClient, ClientFile, SettingsScope, command_of, entry
from cairn.surfaces.agents.command import running_command
from cairn.surfaces.agents.edits import EditError
from cairn.surfaces.agents.plan import plan_install
from tests.conformance import ROOT
from tests.test_docs import table
from tests.trees import write

pytestmark = pytest.mark.requirement("INST.1")

COMMAND = ("/opt/cairn", "mcp")
each_client = pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)


def scope_in(path: Path, project: Path | None = None) -> SettingsScope:
    return SettingsScope(str(path), {"PATH": str(path / "bin")}, str(project) if project is not None else None)


def test_the_page_of_agents_has_the_same_table() -> None:
    rows = table((ROOT / "docs" / "agents.md").read_text(encoding="utf-8"), "client")

    def told(place: ClientFile | None) -> str:
        return place.made.replace("$config", "~/.config").replace("$codex", "~/.codex") if place is not None else ""

    assert [row[:7] for row in rows] == [
        [
            client.name,
            told(client.user_config),
            told(client.project_config),
            ".".join(client.entry_keys) if client.toml else client.keys[0],
            str(client.shape),
            told(client.user_notes),
            told(client.project_notes),
        ]
        for client in CLIENTS
    ]
    assert all("](https://" in row[7] for row in rows)


def test_the_names_are_different() -> None:
    assert len(BY_NAME) == len(CLIENTS)


@each_client
def test_the_entry_starts_the_command(client: AgentClient) -> None:
    data = settings.with_entry(client, None, COMMAND)
    parsed = tomllib.loads(data.decode()) if client.toml else json.loads(data)
    for key in client.entry_keys:
        parsed = parsed[key]
    assert parsed == entry(client, COMMAND)
    assert command_of(parsed) == list(COMMAND)


@each_client
def test_a_second_time_changes_nothing_and_another_command_only_the_command(client: AgentClient) -> None:
    once = settings.with_entry(client, None, COMMAND)
    assert settings.with_entry(client, once, COMMAND) == once
    moved = settings.with_entry(client, once, ("/new/cairn", "mcp"))
    assert settings.with_entry(client, moved, COMMAND).split() == once.split()


@each_client
def test_what_a_user_added_to_the_entry_stays(client: AgentClient) -> None:
    once = settings.with_entry(client, None, COMMAND)
    added = b"startup_timeout_sec = 40\n" if client.toml else b'"mine": 1, "command"'
    own = once + added if client.toml else once.replace(b'"command"', added)
    assert settings.with_entry(client, own, COMMAND) == own
    found = settings.entry_in(client, settings.with_entry(client, own, ("/new/cairn", "mcp")))
    assert found["startup_timeout_sec" if client.toml else "mine"]
    assert command_of(found) == ["/new/cairn", "mcp"]


@each_client
def test_taking_the_entry_out_leaves_no_trace_of_it(client: AgentClient) -> None:
    data = settings.with_entry(client, None, COMMAND)
    left = settings.without_entry(client, data, b"")
    assert left.strip() in (b"", b"{}")


def test_an_entry_that_starts_the_command_is_not_laid_out_anew() -> None:
    data = b'{"mcpServers": {"cairn": {"args": [\n"mcp" // serve\n], "command": "/opt/cairn"}}}'
    assert settings.with_entry(BY_NAME["cursor"], data, COMMAND) == data


def test_an_entry_that_is_no_table_is_refused() -> None:
    with pytest.raises(EditError, match="not a table of settings"):
        settings.with_entry(BY_NAME["cursor"], b'{"mcpServers": {"cairn": 3}}', COMMAND)


@pytest.mark.parametrize("data", [b"\xff\xfe{\0}\0", b'{"a": "\xe9"}'])
def test_a_file_that_is_not_utf8_is_refused(data: bytes) -> None:
    with pytest.raises(EditError, match="not UTF-8"):
        settings.with_entry(BY_NAME["cursor"], data, COMMAND)


def test_a_byte_order_mark_and_line_ends_stay() -> None:
    data = b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n'
    after = settings.with_entry(BY_NAME["cursor"], data, COMMAND)
    assert after.startswith(b"\xef\xbb\xbf{\r\n")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert settings.without_entry(BY_NAME["cursor"], after, data) == data


@each_client
def test_a_client_is_found_by_its_folder(client: AgentClient, tmp_path: Path) -> None:
    scope = scope_in(tmp_path, tmp_path / "project")
    assert not scope.finds(client)
    os.makedirs(scope.path(client.signs[0]))
    assert scope.finds(client)


def test_a_client_is_found_by_its_program(tmp_path: Path) -> None:
    write(tmp_path, "bin/codex").chmod(0o755)
    assert scope_in(tmp_path).finds(BY_NAME["codex"])


def test_zed_is_told_in_the_file_that_it_reads_and_none_is_hidden(tmp_path: Path) -> None:
    scope = scope_in(tmp_path / "home", tmp_path)
    assert scope.notes(BY_NAME["zed"]) == str(tmp_path / "AGENTS.md")
    write(tmp_path, "AGENT.md")
    (tmp_path / ".clinerules").mkdir()
    assert scope.notes(BY_NAME["zed"]) == str(tmp_path / "AGENT.md")


def test_a_file_that_several_clients_read_is_changed_once(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", "# Ours\n")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    chosen = [BY_NAME[name] for name in ("claude-code", "codex", "opencode", "amp")]
    plan = plan_install(scope_in(tmp_path / "home", tmp_path), chosen, COMMAND)
    (told,) = [change for change in plan.changes if change.target.endswith("AGENTS.md")]
    assert told.clients == ("claude-code", "codex", "opencode", "amp")
    assert (told.after or b"").count(b"cairn:begin") == 1


def test_the_running_program_is_named_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = write(tmp_path, "bin/cairn", "#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert running_command(["bin/cairn"], "/nowhere/python") == (str(program), "mcp")
    monkeypatch.setenv("PATH", str(program.parent))
    assert running_command(["cairn"], "/nowhere/python") == (str(program), "mcp")
    assert running_command(["/x/__main__.py"], str(program.parent / "python")) == (str(program), "mcp")
    assert running_command(["/x/__main__.py"], "/nowhere/python") == ("/nowhere/python", "-m", "cairn", "mcp")


def test_a_home_that_is_set_is_part_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "own"))
    first, *rest = running_command(["/x/__main__.py"], "/nowhere/python")
    assert os.path.basename(first) == "env"
    assert rest == [f"CAIRN_HOME={tmp_path / 'own'}", "/nowhere/python", "-m", "cairn", "mcp"]
    done = subprocess.run((first, rest[0], "sh", "-c", "echo $CAIRN_HOME"), env={}, capture_output=True, check=True)
    assert done.stdout.decode().strip() == str(tmp_path / "own")
