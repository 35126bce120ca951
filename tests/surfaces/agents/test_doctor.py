"""What doctor looks at, each with a machine on which it is wrong."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from cairn.base import durable
from cairn.config.user import cairn_home
from cairn.surfaces.agents import machine, storage
from cairn.surfaces.agents.checks import CheckLevel
from cairn.surfaces.agents.clients import BY_NAME, SettingsScope
from cairn.surfaces.agents.remotes import check_remotes
from cairn.surfaces.agents.settings import with_entry
from cairn.surfaces.agents.wiring import check_agents
from tests.trees import Repo, cairn, write

pytestmark = pytest.mark.requirement("INST.1")

ROOM = {"max_user_watches": 500_000, "max_user_instances": 128}


def test_an_old_python_fails_and_this_one_is_fine() -> None:
    assert machine.check_python((3, 10, 4)).level is CheckLevel.FAILED
    assert machine.check_python().level is CheckLevel.OK


def test_a_missing_package_is_named() -> None:
    found = machine.check_packages(("numpy", "no-such-package-here"))
    assert found.level is CheckLevel.FAILED
    assert "no-such-package-here" in found.message
    assert "numpy 2" in machine.check_packages(("numpy",)).message


@pytest.mark.slow
def test_grammars_load_in_their_pinned_versions() -> None:
    assert machine.check_grammars().level is CheckLevel.OK
    unknown = machine.check_grammars({"klingon": "tree-sitter-klingon==1.0"})
    assert unknown.level is CheckLevel.FAILED
    assert "tree-sitter-klingon==1.0" in unknown.action


def test_the_bundled_model_embeds_a_word_and_a_damaged_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "embeds a word" in machine.check_model(str(tmp_path), {}).message
    monkeypatch.setattr("cairn.embed.static.MODEL_PATH", str(write(tmp_path, "model.npz", b"damaged")))
    found = machine.check_model(str(tmp_path), {})
    assert found.level is CheckLevel.FAILED
    assert "damaged" in found.message


def test_a_model_that_is_set_up_wrong_is_told(tmp_path: Path) -> None:
    found = machine.check_model(str(tmp_path), {"CAIRN_EMBED_PROVIDER": "oracle"})
    assert found.level is CheckLevel.FAILED
    assert found.action


def test_git_is_looked_for(tmp_path: Path) -> None:
    assert machine.check_git().level is CheckLevel.OK
    assert machine.check_git(str(tmp_path)).level is CheckLevel.WARNING


@pytest.mark.requirement("SEC.4")
def test_the_git_of_an_untrusted_tree_is_not_run(tmp_path: Path) -> None:
    trap = tmp_path / "bin" / "git"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    assert machine.check_git(f"{trap.parent}:{os.environ['PATH']}", (str(tmp_path),)).level is CheckLevel.OK
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("needed", "limits", "level"),
    [
        (100, ROOM, CheckLevel.OK),
        (100, {**ROOM, "max_user_watches": 4096}, CheckLevel.WARNING),
        (600_000, ROOM, CheckLevel.WARNING),
        (100, {**ROOM, "max_user_instances": 4}, CheckLevel.WARNING),
        (100, {}, CheckLevel.WARNING),
    ],
)
def test_the_limits_of_the_watcher_are_held_against_the_need(
    needed: int, limits: dict[str, int], level: CheckLevel
) -> None:
    assert machine.check_watching(needed, limits).level is level


def test_a_sound_file_system_is_told_and_left_as_it_was(tmp_path: Path) -> None:
    home = tmp_path / "home"
    found = storage.check_file_system(str(home))
    assert found.level is CheckLevel.OK, found
    assert not home.exists()
    home.mkdir(0o700)
    assert storage.check_file_system(str(home)).level is CheckLevel.OK
    assert list(home.iterdir()) == []


def test_a_home_that_others_can_look_into_or_that_is_full_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert "chmod 700" in storage.check_file_system(str(tmp_path)).action
    tmp_path.chmod(0o700)
    assert storage.check_file_system(str(tmp_path), free=1000).level is CheckLevel.FAILED
    assert storage.check_file_system(str(tmp_path), free=200 * 1024 * 1024).level is CheckLevel.WARNING


def test_a_home_that_is_a_file_fails(tmp_path: Path) -> None:
    assert storage.check_file_system(str(write(tmp_path, "home"))).level is CheckLevel.FAILED


def test_a_file_system_without_exclusive_creation_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "write_new_file", lambda path, data, mode: Path(path).write_bytes(data))
    found = storage.check_file_system(str(tmp_path))
    assert found.level is CheckLevel.FAILED
    assert "O_EXCL" in found.message


@pytest.mark.slow
def test_the_lease_of_a_dead_writer_and_a_root_that_is_gone_are_told(repo: Repo, private_home: Path) -> None:
    repo.write("a.py")
    assert cairn("index", str(repo.path)).returncode == 0
    home = str(private_home / ".cairn")
    assert storage.check_locks(home).level is CheckLevel.OK
    assert storage.check_stores(home, time.time()).level is CheckLevel.OK
    assert storage.folders_at_most(home) == 1
    assert storage.check_stores(home, time.time() + 31 * 86_400).level is CheckLevel.WARNING

    (lease,) = Path(home).glob("data/*/locks/writer_lease.json")
    gone = subprocess.Popen(("true",))
    gone.wait()
    document = {**json.loads(lease.read_bytes()), "released": False, "pid": gone.pid, "process_started": "1"}
    lease.write_text(json.dumps(document))
    found = storage.check_locks(home)
    assert found.level is CheckLevel.WARNING
    assert str(repo.path) in found.message
    repo.path.rename(repo.path.parent / "moved")
    assert "root is gone" in storage.check_stores(home, time.time()).message


def test_what_clients_start_is_held_against_this_cairn(tmp_path: Path) -> None:
    program = write(tmp_path, "bin/cairn")
    program.chmod(0o755)
    command = (str(program), "mcp")
    scope = SettingsScope(str(tmp_path), {"PATH": ""})
    (none,) = check_agents([scope], command)
    assert (none.code, none.level) == ("agents", CheckLevel.WARNING)

    def wire(name: str, *words: str) -> bytes:
        path = scope.config(BY_NAME[name])
        assert path is not None
        data = with_entry(BY_NAME[name], None, words)
        write(tmp_path, os.path.relpath(path, tmp_path), data)
        return data

    wire("cursor", *command)
    wire("codex", str(tmp_path / "gone"), "mcp")
    wire("gemini-cli", "/bin/sh", "mcp")
    off = wire("opencode", *command)
    write(tmp_path, ".config/opencode/opencode.json", off.replace(b"true", b"false"))
    write(tmp_path, ".qwen/settings.json", "{")
    levels = {
        check.code.removeprefix("agent "): (check.level, check.message) for check in check_agents([scope], command)
    }
    assert {name: level for name, (level, _) in levels.items()} == {
        "cursor": CheckLevel.OK,
        "codex": CheckLevel.FAILED,
        "gemini-cli": CheckLevel.WARNING,
        "opencode": CheckLevel.WARNING,
        "qwen-code": CheckLevel.WARNING,
    }
    assert "another Cairn" in levels["gemini-cli"][1]
    assert "switched off" in levels["opencode"][1]


def test_each_remote_is_asked_and_told_of(tmp_path: Path) -> None:
    config = Path(cairn_home()) / "config.toml"
    there = tmp_path / "there"
    there.mkdir()
    assert [*check_remotes()] == []
    config.parent.mkdir(mode=0o700, exist_ok=True, parents=True)
    config.write_text(f'[team]\nremotes = ["one={there}", "two={tmp_path}/gone"]\n')
    one, two = check_remotes()
    assert (one.level, one.message) == (CheckLevel.OK, f"one at {there} answers")
    assert (two.level, "two: The remote" in two.message) == (CheckLevel.WARNING, True)
    config.write_text("[team]\nremotes = 5\n")
    assert [each.level for each in check_remotes()] == [CheckLevel.FAILED]
