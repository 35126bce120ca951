"""`cairn install`, `cairn uninstall` and `cairn doctor` as a user meets them."""

import json
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cairn.program.start import main
from cairn.surfaces.agents import apply, backup, files
from cairn.surfaces.agents.clients import CLIENTS
from tests.trees import Repo, cairn, write

pytestmark = pytest.mark.requirement("INST.1")

CURSOR = '// mine\n{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}, // keep\n\t},\n\t"z": 1\n}\n'


@pytest.fixture
def home(private_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which Cursor and Codex have been used, and no program of a client is on the path."""
    write(private_home, ".cursor/mcp.json", CURSOR).chmod(0o640)
    write(private_home, ".codex/config.toml", 'model = "x"\n')
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("CODEX_HOME", raising=False)
    return private_home


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every path beneath a folder with its mode and bytes, but for what Cairn keeps itself."""
    return {
        str(path.relative_to(folder)): (
            stat.S_IMODE(path.lstat().st_mode),
            os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
        if ".cairn" not in path.parts
    }


def told(*arguments: str, code: int = 0) -> Any:
    done = cairn(*arguments, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.bare_home
def test_the_diff_is_shown_and_without_a_word_nothing_is_written(home: Path) -> None:
    before = snapshot(home)
    done = cairn("install")
    assert done.returncode == 5
    assert "found: Codex, Cursor" in done.stdout
    assert f"+++ {home}/.cursor/mcp.json" in done.stdout
    assert '+\t\t"cairn": {' in done.stdout
    assert "--yes" in done.stderr
    assert "--dry-run" in done.stderr
    assert snapshot(home) == before
    assert not (home / ".cairn").exists()


@pytest.mark.slow
def test_a_dry_run_writes_nothing_and_succeeds(home: Path) -> None:
    before = snapshot(home)
    done = cairn("install", "--dry-run")
    assert done.returncode == 0
    assert "[mcp_servers.cairn]" in done.stdout
    assert snapshot(home) == before


@pytest.mark.slow
def test_install_is_idempotent_and_uninstall_restores_every_byte_and_mode(home: Path) -> None:
    before = snapshot(home)
    first = told("install", "--yes")
    assert first["written"]
    assert [change["action"] for change in first["changes"]] == ["update", "create", "update"]
    wired = snapshot(home)
    assert wired[".cursor/mcp.json"][0] == 0o640
    assert b"// keep" in wired[".cursor/mcp.json"][1]
    kept = sorted(os.listdir(home / ".cairn" / "backups"))

    second = told("install", "--yes")
    assert not second["written"]
    assert second["changes"] == []
    assert "already wired up" in cairn("install").stdout
    assert sorted(os.listdir(home / ".cairn" / "backups")) == kept
    assert snapshot(home) == wired

    assert told("uninstall", "--yes")["written"]
    assert snapshot(home) == before
    assert "nothing to undo" in cairn("uninstall").stdout
    assert snapshot(home) == before


@pytest.mark.slow
def test_every_client_is_wired_up_in_a_project_and_undone_with_the_folders_that_were_made(
    repo: Repo, private_home: Path
) -> None:
    before = snapshot(repo.path), snapshot(private_home)
    names = [client.name for client in CLIENTS]
    done = told("install", *names, "--project", str(repo.path), "--yes")
    assert {name for change in done["changes"] for name in change["clients"]} == set(names)
    assert (repo.path / ".cursor/rules/cairn.mdc").read_text().startswith("---\n")
    assert not told("install", *names, "--project", str(repo.path), "--yes")["written"]
    told("uninstall", "--project", str(repo.path), "--yes")
    assert (snapshot(repo.path), snapshot(private_home)) == before


@pytest.mark.slow
def test_what_the_user_wrote_since_stays(home: Path) -> None:
    told("install", "--yes")
    config, toml, block = home / ".cursor/mcp.json", home / ".codex/config.toml", home / ".codex/AGENTS.md"
    config.write_text(config.read_text().replace('"z": 1', '"z": 2'))
    toml.write_text("# new\n" + toml.read_text())
    block.write_text(block.read_text() + "\nMine.\n")
    told("uninstall", "--yes")
    assert config.read_text() == CURSOR.replace('"z": 1', '"z": 2')
    assert toml.read_text() == '# new\nmodel = "x"\n'
    assert block.read_text() == "\nMine.\n"
    assert not told("uninstall", "--yes")["written"]


@pytest.mark.slow
def test_an_entry_of_the_user_s_own_comes_back(home: Path) -> None:
    path = home / ".cursor/mcp.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    own = '{"mcpServers": {"cairn": {"command": "/opt/mine/cairn", "args": ["mcp", "--root", "/x"]}}}\n'
    path.write_text(own)
    assert cairn("install", "cursor", "--user", "--yes").returncode == 0
    assert path.read_text() != own
    assert cairn("uninstall", "cursor", "--user", "--yes").returncode == 0
    assert path.read_text() == own


@pytest.mark.slow
def test_several_runs_are_undone_one_after_the_other(home: Path, tmp_path: Path) -> None:
    """A changed command is a second change of the same files."""
    before = snapshot(home)
    told("install", "--yes")
    for number in (1, 2):
        program = write(tmp_path, f"{number}/cairn", f'#!/bin/sh\nexec {sys.executable} -m cairn "$@"\n')
        program.chmod(0o755)
        code = f"import sys; sys.argv[0] = {str(program)!r}; from cairn.program.start import main; sys.exit(main())"
        done = subprocess.run((sys.executable, "-c", code, "install", "--yes"), capture_output=True, check=True)
        assert b"wrote 2 files" in done.stdout
        assert str(program) in (home / ".cursor/mcp.json").read_text()
    told("uninstall", "--yes")
    assert snapshot(home) == before


@pytest.mark.slow
def test_one_client_can_be_undone_and_what_others_read_stays(repo: Repo, private_home: Path) -> None:
    told("install", "codex", "opencode", "--project", str(repo.path), "--yes")
    told("uninstall", "opencode", "--project", str(repo.path), "--yes")
    assert not (repo.path / "opencode.json").exists()
    assert (repo.path / "AGENTS.md").exists()
    assert (private_home / ".codex/config.toml").exists()
    told("uninstall", "codex", "--project", str(repo.path), "--yes")
    assert not (repo.path / "AGENTS.md").exists()
    assert not (private_home / ".codex").exists()


@pytest.mark.slow
def test_settings_for_all_projects_stay_when_a_project_is_undone(repo: Repo, home: Path) -> None:
    told("install", "codex", "--yes")
    told("install", "codex", "--project", str(repo.path), "--yes")
    done = told("uninstall", "--project", str(repo.path), "--yes")
    assert [change["path"] for change in done["changes"]] == [str(repo.path / "AGENTS.md")]
    assert "for all projects" in done["skipped"][0]["reason"]
    assert "cairn" in (home / ".codex/config.toml").read_text()


@pytest.mark.slow
def test_a_file_that_cannot_be_parsed_stops_all_of_it(home: Path) -> None:
    write(home, ".gemini/settings.json", '{"a": }\n')
    before = snapshot(home)
    error = told("install", "--yes", code=5)["error"]
    assert (
        ".gemini/settings.json can't be edited: it is not valid JSON: a value was expected (line 1" in error["message"]
    )
    assert "Nothing was changed" in error["hint"]
    assert snapshot(home) == before
    # What we never wrote into can't keep others from being undone.
    assert not told("uninstall", "--yes")["written"]


@pytest.mark.slow
def test_no_instructions_means_the_entry_alone(home: Path) -> None:
    told("install", "codex", "--no-instructions", "--yes")
    assert not (home / ".codex/AGENTS.md").exists()


@pytest.mark.slow
def test_a_linked_file_is_written_through_to_its_target(home: Path, tmp_path: Path) -> None:
    target = write(tmp_path, "dotfiles/mcp.json", CURSOR)
    (home / ".cursor/mcp.json").unlink()
    (home / ".cursor/mcp.json").symlink_to(target)
    told("install", "cursor", "--yes")
    assert (home / ".cursor/mcp.json").is_symlink()
    assert '"cairn"' in target.read_text()
    told("uninstall", "--yes")
    assert (home / ".cursor/mcp.json").is_symlink()
    assert target.read_text() == CURSOR


@pytest.mark.slow
def test_a_link_in_a_project_that_leads_out_of_it_is_refused(repo: Repo, private_home: Path) -> None:
    profile = write(private_home, ".profile", "export A=1\n")
    (repo.path / "CLAUDE.md").symlink_to(profile)
    error = told("install", "claude-code", "--project", str(repo.path), "--yes", code=5)["error"]
    assert "leads out of the project" in error["message"]
    assert profile.read_text() == "export A=1\n"
    assert not (repo.path / ".mcp.json").exists()


def test_a_read_only_file_is_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = os.access
    # Root may write anything, so the system's answer is given here.
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and real(path, mode))
    assert main(["install", "--yes"]) == 5
    assert "is read-only" in capsys.readouterr().err
    assert not (home / ".codex/AGENTS.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("stuck", [False, True])
def test_a_write_that_fails_half_way_takes_back_what_was_written(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stuck: bool
) -> None:
    before, written = snapshot(home), list[str]()

    def fails(target: str, data: bytes, mode: int) -> list[str]:
        if target.endswith("mcp.json") or (stuck and target in written):
            raise OSError(28, "No space left on device", target)
        written.append(target)
        return files.write(target, data, mode)

    monkeypatch.setattr(apply, "write", fails)
    assert main(["install", "--yes"]) == (10 if stuck else 15)
    error = capsys.readouterr().err
    assert ("No space left" if stuck else "disk is full") in error
    monkeypatch.undo()
    if stuck:
        assert ".codex/config.toml" in error
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("CAIRN_HOME", str(home / ".cairn"))
        told("uninstall", "--yes")
    else:
        assert backup.read(str(home / ".cairn")) == []
    assert snapshot(home) == before


@pytest.mark.slow
@pytest.mark.parametrize("reached", [0, 1, 2])
def test_a_run_that_is_killed_half_way_is_undone_by_uninstall(home: Path, reached: int) -> None:
    before = snapshot(home)
    code = (
        "import os, signal, sys\n"
        "from cairn.surfaces.agents import apply\n"
        "from cairn.program.start import main\n"
        "real, written = apply.write, []\n"
        "def killed(target, data, mode):\n"
        f"    if len(written) == {reached}:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    written.append(real(target, data, mode))\n"
        "apply.write = killed\n"
        "main(['install', '--yes'])\n"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, check=False)
    assert done.returncode == -9
    assert (snapshot(home) == before) is (reached == 0)
    told("uninstall", "--yes")
    assert snapshot(home) == before
    assert backup.read(str(home / ".cairn")) == []


@pytest.mark.slow
def test_two_at_once_are_kept_apart(home: Path) -> None:
    with backup.exclusive(str(home / ".cairn")):
        assert told("install", "--yes", code=10)["error"]["code"] == "busy"
    assert told("install", "--yes")["written"]


def test_a_file_that_changed_since_the_plan_was_made_is_not_written(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def edited(_options: object, *_rest: object) -> bool:
        (home / ".cursor/mcp.json").write_text("{}")
        return True

    monkeypatch.setattr("cairn.program.wiring._agreed", edited)
    assert main(["install", "--yes"]) == 10
    assert "changed while the plan" in capsys.readouterr().err
    assert (home / ".cursor/mcp.json").read_text() == "{}"
    assert not (home / ".codex/AGENTS.md").exists()


@pytest.mark.slow
def test_entries_without_a_record_are_taken_out_by_what_they_start(home: Path) -> None:
    told("install", "--yes")
    (home / ".cairn/backups").rename(home / ".cairn/moved")
    write(home, ".qwen/settings.json", '{"mcpServers": {"cairn": {"command": "rock-counter"}}}')
    told("uninstall", "--yes")
    assert (home / ".cursor/mcp.json").read_text() == CURSOR
    assert "rock-counter" in (home / ".qwen/settings.json").read_text()


@pytest.mark.slow
def test_a_damaged_backup_is_refused(home: Path) -> None:
    told("install", "cursor", "--yes")
    (kept,) = (home / ".cairn/backups").glob("*/*.before")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    kept.write_text("{}")
    assert "missing or damaged" in told("uninstall", "--yes", code=5)["error"]["message"]


@pytest.mark.slow
def test_an_unknown_client_and_one_without_settings_of_the_user_are_told(home: Path) -> None:
    assert "Known are: claude-code" in told("install", "emacs", code=2)["error"]["hint"]
    assert "--project PATH" in told("install", "roo-code", code=2)["error"]["message"]


def test_where_no_client_is_found_the_names_are_told(private_home: Path) -> None:
    done = cairn("install", PATH="/usr/bin:/bin")
    assert done.returncode == 2
    assert "claude-code" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "code"), [(b"y\n", 0), (b"\n", 12), (b"no\n", 12)])
def test_on_a_terminal_the_user_is_asked(home: Path, answer: bytes, code: int) -> None:
    ours, theirs = pty.openpty()
    before = snapshot(home)
    process = subprocess.Popen(
        (sys.executable, "-m", "cairn", "install", "cursor"), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    spoken = b""
    while b"[y/N]" not in spoken:
        spoken += os.read(ours, 4096)
    os.write(ours, answer)
    try:
        while chunk := os.read(ours, 4096):
            spoken += chunk
    except OSError:
        pass  # the other end of a terminal closes with an error
    assert process.wait(60) == code, spoken
    assert (snapshot(home) == before) is (code != 0)
    os.close(ours)


@pytest.mark.slow
def test_the_command_line_starts_without_any_of_it() -> None:
    code = (
        "import sys; from cairn.program.command import groups_with; from cairn.surfaces.cli.parser import parser_of; "
        "parser_of(groups_with('')); "
        "sys.exit(any(name.startswith(('cairn.surfaces.agents', 'cairn.program.wiring', 'mcp')) "
        "for name in sys.modules))"
    )
    assert subprocess.run((sys.executable, "-c", code), check=False).returncode == 0


@pytest.mark.slow
def test_doctor_tells_every_check_with_its_level_and_fails_when_one_fails(home: Path, repo: Repo) -> None:
    told("install", "cursor", "--yes")
    write(repo.path, ".cursor/mcp.json", '{"mcpServers": {"cairn": {"command": "/gone/cairn", "args": ["mcp"]}}}')
    done = cairn("doctor", str(repo.path), "--json")
    document = json.loads(done.stdout)
    checks = {(check["code"], check["level"]): check for check in document["checks"]}
    codes = [check["code"] for check in document["checks"]]
    for code in "python packages grammars model git storage locks stores inotify mcp".split():
        assert code in codes
    assert ("agent cursor", "ok") in checks
    broken = checks["agent cursor", "failed"]
    assert "/gone/cairn, which is not there" in broken["message"]
    assert f"cairn install cursor --project {repo.path}" in broken["action"]
    assert done.returncode == 5
    assert not document["healthy"]
    lines = cairn("doctor", str(repo.path)).stdout.splitlines()
    assert all(line.startswith(("ok       ", "warning  ", "failed   ")) for line in lines)
    assert not list((home / ".cairn").glob("doctor-*"))
