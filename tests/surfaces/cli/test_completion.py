"""Completion in real shells: commands, options and choices, and names and files of the index."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.codebase.offers import files_offered
from cairn.config.user import cairn_home
from cairn.surfaces.cli import complete
from tests.surfaces.cli.test_standing import bytes_below
from tests.surfaces.cli.test_store import answer
from tests.trees import Repo, cairn, write

Offers = Callable[..., list[str]]
_BASH = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cairn; printf "%s\\n" "${COMPREPLY[@]}"'
# What the widget would be given is printed.
_ZSH = """
compadd() { while [[ $1 != -- ]]; do shift; done; shift; [[ $# -gt 0 ]] && printf '%s\\n' "$@"; true }
_describe() { local name=${@[-1]}; printf '%s\\n' ${${(P)name}%%:*} }
_files() { true }
source "$1"; shift; words=("$@"); CURRENT=$#; _cairn
"""
_FISH = 'source $argv[1]; complete -C (string join " " -- $argv[2..-1]) | string replace -r "\\t.*" ""; true'


@pytest.fixture(params=["bash", "zsh", "fish"])
def offers(request: pytest.FixtureRequest, tmp_path: Path) -> Offers:
    """What a shell offers for a line whose last word is being typed."""
    shell: str = request.param
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    script = write(tmp_path, f"completion.{shell}", cairn("completion", shell).stdout)
    command = write(tmp_path, "bin/cairn", f'#!/bin/sh\nexec "{sys.executable}" -m cairn "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    call = {
        "bash": (program, "--norc", "-c", _BASH, "bash"),
        "zsh": (program, "-f", "-c", _ZSH, "zsh"),
        "fish": (program, "--no-config", "-c", _FISH),
    }[shell]

    def ask(*words: str, folder: Path = tmp_path) -> list[str]:
        done = subprocess.run(
            (*call, str(script), "cairn", *words),
            cwd=folder,
            env=os.environ | {"PATH": f"{command.parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stderr == ""
        return [line for line in done.stdout.splitlines() if line.startswith(words[-1])]

    return ask


@pytest.fixture
def indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("src/harbour/lease.py", "class Lease:\n    def release(self): ...\n    def renew(self): ...\n")
    repo.write("src/harbour/light.py", "def release_all(): ...\n")
    repo.write("gone.py", "def release_nothing(): ...\n")
    repo.commit()
    answer("index", str(repo.path))
    (repo.path / "gone.py").unlink()
    answer("index", str(repo.path))
    return repo


@pytest.mark.sampled
def test_commands_options_and_choices_are_offered(offers: Offers) -> None:
    assert offers("sea") == ["search"]
    assert offers("session", "o") == ["open"]
    assert "--limit" in offers("search", "x", "--l")
    assert offers("search", "x", "--mode", "co") == ["code"]
    assert offers("config", "get", "query.l") == ["query.limit"]
    assert "--project" in offers("config", "set", "--p")
    assert offers("completion", "z") == ["zsh"]


@pytest.mark.sampled
def test_names_of_the_index_are_offered(offers: Offers, indexed: Repo) -> None:
    assert offers("symbol", "rel", folder=indexed.path) == ["release", "release_all"]
    assert offers("refs", "--json", "Lease.re", folder=indexed.path) == ["Lease.release", "Lease.renew"]


@pytest.mark.slow
def test_files_of_the_index_are_offered_from_where_one_stands(offers: Offers, indexed: Repo) -> None:
    assert [name.rstrip("/") for name in offers("outline", "sr", folder=indexed.path)] == ["src"]
    assert offers("outline", "src/harbour/le", folder=indexed.path) == ["src/harbour/lease.py"]
    assert offers("read", "harbour/li", folder=indexed.path / "src") == ["harbour/light.py"]
    assert offers("read", "../harbour/li", folder=indexed.path / "src/harbour") == ["../harbour/light.py"]


def test_files_above_are_offered_as_far_as_the_codebase_goes(indexed: Repo) -> None:
    home, here = cairn_home(), str(indexed.path / "src/harbour")
    assert files_offered(home, here, "../../sr") == ["../../src/"]
    assert files_offered(home, here, "./../harbour/li") == ["./../harbour/light.py"]
    for typed in ("../../../", "harbour/../li", "/", "../../../repo/src/"):
        assert files_offered(home, here, typed) == [], typed


@pytest.mark.slow
def test_nothing_is_written_and_nothing_is_said_of_errors(indexed: Repo, tmp_path: Path) -> None:
    before = bytes_below(cairn_home())
    assert cairn("complete", "names", "rel", cwd=indexed.path).stdout == "release\nrelease_all\n"
    assert bytes_below(cairn_home()) == before
    for words in ((), ("names",), ("nonsense", "x"), ("names", "x"), ("files", "../x")):
        done = cairn("complete", *words, cwd=tmp_path, CAIRN_HOME=str(tmp_path / "none"))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "none").exists()
    write(tmp_path, "broken/registry.db", "nonsense")
    done = cairn("complete", "names", "x", cwd=tmp_path, CAIRN_HOME=str(tmp_path / "broken"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_name_that_would_break_the_list_is_not_offered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("cairn.codebase.offers.files_offered", lambda *_: ["a.py", "b\nc.py"])
    assert complete.main(["files", ""]) == 0
    assert capsys.readouterr().out == "a.py\n"


def test_an_offer_loads_little() -> None:
    """It has to be there before the next key is pressed: neither NumPy nor a codebase is loaded for it."""
    code = (
        "import sys; from cairn.program.start import main; main(['complete', 'names', 'x']); "
        "print([name for name in sys.modules if name in ('numpy', 'argparse', 'cairn.codebase.codebase')])"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_shell_that_is_not_known_is_refused() -> None:
    done = cairn("completion", "tcsh")
    assert done.returncode == 2
    assert "bash" in done.stderr
