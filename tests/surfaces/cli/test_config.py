"""`cairn config` as a user meets it: what counts and why, and changes that are whole or not at all."""

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.trees import Repo, cairn, write

MINE = '# mine\n[embed]\nprovider = "hashing"  # quick\n'


@pytest.fixture
def mine(private_home: Path) -> Path:
    """The user's own file."""
    return write(private_home / ".cairn", "config.toml", MINE)


def settings(folder: Path, **environment: str) -> dict[str, dict[str, Any]]:
    done = cairn("config", "--json", cwd=folder, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return {each["key"]: each for each in json.loads(done.stdout)["settings"]}


def editor(folder: Path, *contents: str) -> str:
    """An editor that writes one content after the other."""
    for number, content in enumerate(contents):
        write(folder, f"drafts/{number}", content)
    script = write(
        folder,
        "editor",
        f'#!/bin/sh\ncd "{folder}/drafts" && first=$(ls | head -1) && cp "$first" "$1" && '
        '{ [ $(ls | wc -l) = 1 ] || rm "$first"; }\n',
    )
    script.chmod(0o755)
    return str(script)


@pytest.mark.slow
def test_every_value_comes_with_its_source(repo: Repo, mine: Path) -> None:
    repo.write(".cairn.toml", "[query]\nlimit = 7\n")
    found = settings(repo.path, CAIRN_ENGINE="flat", CAIRN_SEMANTIC_WORKERS="3")
    assert (found["query.limit"]["value"], found["query.limit"]["source"]) == (7, "project")
    assert (found["embed.provider"]["value"], found["embed.provider"]["source"]) == ("hashing", "user")
    assert (found["index.engine"]["value"], found["index.engine"]["source"]) == ("flat", "environment")
    assert (found["semantic.workers"]["value"], found["semantic.workers"]["source"]) == (3, "environment")
    assert found["query.mode"]["source"] == "default"
    text = cairn("config", cwd=repo.path).stdout
    assert f"yours: {mine}" in text
    assert "limit = 7" in text
    assert "from the codebase's file" in text
    assert "yours alone: no codebase can set it" in text


def test_one_value_stands_alone_on_standard_output(repo: Repo) -> None:
    done = cairn("config", "get", "query.limit", cwd=repo.path)
    assert (done.returncode, done.stdout) == (0, "10\n")
    assert "the default; how many results" in done.stderr
    assert "--limit" in done.stderr
    of_section = cairn("config", "get", "query", cwd=repo.path).stdout.splitlines()
    assert of_section == ["query.limit = 10", 'query.mode = "auto"', "query.signals_off = []"]


@pytest.mark.slow
def test_a_value_is_set_for_oneself_and_comments_stay(repo: Repo, mine: Path) -> None:
    done = cairn("config", "set", "gain.record", "false", cwd=repo.path)
    assert done.returncode == 0, done.stderr
    assert mine.read_text() == f"{MINE}\n[gain]\nrecord = false\n"
    assert cairn("config", "unset", "record", cwd=repo.path).returncode == 0
    assert mine.read_text() == f"{MINE}\n[gain]\n"
    again = cairn("config", "unset", "record", cwd=repo.path)
    assert (again.returncode, again.stdout) == (2, "")


@pytest.mark.slow
def test_a_value_is_set_for_the_codebase(repo: Repo) -> None:
    (repo.path / "src").mkdir()
    done = cairn("config", "set", "index.exclude", "vendor/", "*.min.js", "--project", cwd=repo.path / "src")
    assert done.returncode == 0, done.stderr
    assert (repo.path / ".cairn.toml").read_text() == '[index]\nexclude = ["vendor/", "*.min.js"]\n'
    assert "cairn index --reindex" in done.stdout
    assert settings(repo.path)["index.exclude"]["value"] == ["vendor/", "*.min.js"]


@pytest.mark.slow
def test_what_belongs_together_is_set_at_once(repo: Repo, private_home: Path) -> None:
    alone = cairn("config", "set", "embed.provider", "http", cwd=repo.path)
    assert alone.returncode == 2
    assert "needs url" in alone.stderr
    assert not (private_home / ".cairn" / "config.toml").exists()
    pairs = ("embed.provider=http", "embed.url=http://127.0.0.1:1/v1", "embed.model=m=2", "embed.dimension=8")
    done = cairn("config", "set", *pairs, cwd=repo.path)
    assert done.returncode == 0, done.stderr
    assert settings(repo.path)["embed.dimension"]["value"] == 8
    assert settings(repo.path)["embed.model"]["value"] == "m=2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "cause"),
    [
        (("set", "query.limit", "900", "--project"), "a whole number from 1 to 200"),
        (("set", "query.limit", "many", "--project"), "a whole number from 1 to 200"),
        (("set", "query.limit", "5"), "is a setting of a codebase"),
        (("set", "embed.url", "http://x", "--project"), "a repository must not decide what Cairn contacts"),
        (("set", "semantic.trusted_roots", "/x", "--project"), "a repository must not decide"),
        (("set", "gain.record", "perhaps"), "must be true or false"),
        (("set", "milvus.uri", "nonsense"), "is no address"),
        (("set", "index.engine", "sqlite"), "give one of"),
        (("set", "query.limt", "5"), "Perhaps query.limit is meant"),
        (("set", "query.limit"), "needs a value"),
        (("get", "uri"), "several settings"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(
    typed: tuple[str, ...], cause: str, repo: Repo, mine: Path
) -> None:
    done = cairn("config", *typed, cwd=repo.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert cause in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert mine.read_text() == MINE
    assert not (repo.path / ".cairn.toml").exists()


def test_a_file_that_is_a_link_of_a_repository_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    target = write(repo.path, "elsewhere.toml", "")
    (repo.path / ".cairn.toml").symlink_to(target)
    done = cairn("config", "set", "query.limit", "5", "--project", cwd=repo.path)
    assert done.returncode == 5
    assert target.read_text() == ""


def test_secrets_and_strangers_in_the_environment(repo: Repo) -> None:
    done = cairn("config", cwd=repo.path, CAIRN_EMBED_KEY="hush", CAIRN_EMBED_PROVIDR="http")
    assert "hush" not in done.stdout
    assert "nothing reads it; perhaps CAIRN_EMBED_PROVIDER is meant" in done.stdout


@pytest.mark.slow
def test_an_edit_is_kept_when_it_is_right(repo: Repo, mine: Path, tmp_path: Path) -> None:
    done = cairn("config", "edit", cwd=repo.path, EDITOR=editor(tmp_path, "[gain]\nrecord = false\n"), VISUAL="")
    assert done.returncode == 0, done.stderr
    assert mine.read_text() == "[gain]\nrecord = false\n"


@pytest.mark.slow
def test_a_broken_edit_is_refused_and_what_was_written_is_kept_aside(repo: Repo, mine: Path, tmp_path: Path) -> None:
    done = cairn("config", "edit", cwd=repo.path, EDITOR=editor(tmp_path, "[gain]\nrecrod = 1\n"), VISUAL="")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Nothing was written" in done.stderr
    assert mine.read_text() == MINE
    kept = Path(done.stderr.rpartition("kept in ")[2].strip().rstrip("."))
    assert kept.read_text() == "[gain]\nrecrod = 1\n"
    kept.unlink()


@pytest.mark.slow
def test_an_editor_that_fails_changes_nothing(repo: Repo, mine: Path) -> None:
    assert cairn("config", "edit", cwd=repo.path, EDITOR="false", VISUAL="").returncode == 12
    assert cairn("config", "edit", cwd=repo.path, EDITOR="no-such-editor", VISUAL="").returncode == 5
    assert mine.read_text() == MINE


@pytest.mark.slow
def test_without_a_terminal_no_editor_is_guessed(repo: Repo, mine: Path) -> None:
    for words, other in ((("config", "edit"), "cairn config set"), (("open", "README.md"), "cairn open --print")):
        repo.write("README.md", "x\n")
        done = cairn(*words, cwd=repo.path, EDITOR="", VISUAL="")
        assert done.returncode == 2
        assert "There is no terminal" in done.stderr
        assert other in done.stderr
    assert mine.read_text() == MINE


@pytest.mark.slow
def test_on_a_terminal_a_broken_edit_is_opened_again(repo: Repo, mine: Path, tmp_path: Path) -> None:
    script = editor(tmp_path, "[gain\n", "[gain]\nrecord = false\n")
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        (sys.executable, "-m", "cairn", "config", "edit"),
        cwd=repo.path,
        env=os.environ | {"EDITOR": script, "VISUAL": ""},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    while b"Edit it again?" not in said:
        assert select.select([ours], [], [], 60)[0], said
        said += os.read(ours, 1000)
    os.write(ours, b"y\n")
    assert child.wait(60) == 0
    os.close(ours)
    assert b"not valid TOML" in said
    assert mine.read_text() == "[gain]\nrecord = false\n"


@pytest.mark.slow
def test_a_file_that_is_no_toml_is_told_and_no_defect(repo: Repo, private_home: Path) -> None:
    write(private_home / ".cairn", "config.toml", "a = [\n")
    for words in ((), ("get", "query.limit")):
        done = cairn("config", *words, cwd=repo.path)
        assert done.returncode == 2
        assert "config.toml" in done.stderr
        assert "not valid TOML" in done.stderr
        assert "defect" not in done.stderr
