"""Paths as users mean them: what restricts an answer, what is printed, and what nothing found looks like."""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from cairn.surfaces.cli.arguments import words_and_paths
from cairn.surfaces.cli.through import is_for_a_daemon
from tests.surfaces.cli.test_code import on_terminal, plain
from tests.surfaces.cli.test_store import run
from tests.surfaces.http.running import serving
from tests.trees import Repo, cairn, write

CORE = '"""The core."""\n\n\ndef prompt(text):\n    return ask(text)\n\n\ndef ask(text):\n    return text\n'
MORE = "from src.core import prompt\n\n\ndef parse_config():\n    prompt('config')\n\n\ndef _idle():\n    pass\n"
TEST = "from src.core import prompt\n\n\ndef test_prompt():\n    assert prompt('a') == 'a'\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, str]:
    folder = tmp_path_factory.mktemp("paths").resolve()
    repo = Repo.create(folder / "repo")
    repo.write("src/core.py", CORE)
    repo.write("src/deep/more.py", MORE)
    repo.write("src/idle.py", "def _other():\n    pass\n")
    repo.write("tests/test_core.py", TEST)
    repo.commit()
    home = str(folder / ".cairn")
    assert run("index", str(repo.path), CAIRN_HOME=home, CAIRN_EMBED_PROVIDER="hashing").returncode == 0
    return repo, home


@pytest.fixture
def hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def tree(made: tuple[Repo, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A codebase, with the user standing at its root."""
    repo, home = made
    monkeypatch.setenv("CAIRN_HOME", home)
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(repo.path)
    return repo.path


def paths_in(value: Any) -> set[str]:
    """All paths that a document tells."""
    if isinstance(value, list):
        return set().union(*map(paths_in, value))
    if not isinstance(value, dict):
        return set()
    own = {value["path"]} if isinstance(value.get("path"), str) else set()
    return own.union(*map(paths_in, value.values()))


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json").stdout)


@pytest.mark.requirement("CLI.20")
@pytest.mark.parametrize(
    "command",
    [
        ("search", "prompt"),
        ("search", "--literal", "prompt"),
        ("search", "--regex", "pro+mpt", "-l"),
        ("search", "--related", "src/core.py:4"),
        ("grep", "prompt"),
        ("symbol", "test_prompt"),
        ("map",),
    ],
    ids=" ".join,
)
def test_a_path_restricts_the_answer_to_it(tree: Path, command: tuple[str, ...]) -> None:
    for path in ("tests", "tests/", "./tests/test_core.py", str(tree / "tests")):
        found = document(*command, path)
        told = [name for name in paths_in(found) if name != "tests"]
        assert told, path
        assert all(name.startswith("tests/") for name in told), path
        assert found["within"] == ["tests/test_core.py" if path.endswith(".py") else "tests"]


@pytest.mark.requirement("CLI.20")
def test_uses_and_callers_are_those_in_the_path(tree: Path) -> None:
    assert {use["path"] for use in document("refs", "prompt", "src/deep")["results"]} == {"src/deep/more.py"}
    assert {use["path"] for use in document("refs", "prompt", "src/deep", "tests")["results"]} == {
        "src/deep/more.py",
        "tests/test_core.py",
    }
    assert "parse_config" not in run("callers", "prompt", "tests").stdout
    assert "test_prompt" in run("callers", "prompt", "tests").stdout


@pytest.mark.requirement("CLI.20")
def test_what_nothing_uses_is_told_of_the_path_alone(tree: Path) -> None:
    assert {row["name"] for row in document("unused")["results"]} == {"_idle", "_other"}
    assert {row["name"] for row in document("unused", "src/deep")["results"]} == {"_idle"}


@pytest.mark.requirement("CLI.20")
def test_the_root_itself_restricts_nothing(tree: Path) -> None:
    assert "within" not in document("search", "prompt", ".")
    assert len(paths_in(document("search", "--literal", "prompt", "tests", ".")["results"])) == 3


@pytest.mark.requirement("CLI.20")
def test_printed_paths_open_from_where_one_stands(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = (
        ("search", "--literal", "prompt"),
        ("grep", "prompt", ".."),
        ("refs", "prompt", "--plain"),
        ("unused", "--plain"),
    )
    monkeypatch.chdir(tree / "src")
    for command in commands:
        lines = run(*command).stdout.splitlines()
        names = {line.split(":")[0] for line in lines if ".py" in line.split(":")[0]}
        assert names, command
        assert all((tree / "src" / name).is_file() for name in names), command
    assert "../tests/test_core.py:5:" in run("search", "--literal", "prompt").stdout
    assert "tests/test_core.py:5:" in run("search", "--literal", "prompt", "--from-root").stdout.splitlines()[-1]
    for command in (("symbol", "prompt"), ("outline", "core.py"), ("callers", "ask"), ("search", "prompt")):
        assert "core.py" in run(*command).stdout
        assert "src/core.py" not in run(*command).stdout, command
        assert "src/core.py" in run(*command, "--from-root").stdout, command
    monkeypatch.chdir(tree.parent)
    assert run("symbol", "prompt", "repo").stdout.startswith("repo/src/core.py:4  ")
    monkeypatch.chdir(tmp_path)
    assert run("symbol", "prompt", str(tree)).stdout.startswith(f"{tree}/src/core.py:4  ")


@pytest.mark.requirement("CLI.20")
def test_json_has_both_paths(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree / "tests")
    rows = document("search", "--literal", "def prompt")["results"]
    assert [(row["path"], row["from_here"]) for row in rows] == [("src/core.py", "../src/core.py")]


@pytest.mark.requirement("CLI.20")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("search", "--literal", "def prompt"), 0),
        (("search", "--literal", "def prompt", "tests"), 1),
        (("search", "--literal", "def prompt", "tests", "-l"), 1),
        (("search", "--regex", "def pr.mpts"), 1),
        (("grep", "-q", "prompt"), 0),
        (("grep", "-q", "zzzqqq"), 1),
        (("symbol", "prompt"), 0),
        (("symbol", "prompts"), 1),
        (("refs", "zzzqqq"), 1),
        (("callers", "ask"), 0),
        (("callers", "test_prompt"), 1),
        (("implementors", "prompt"), 1),
        (("search", "zzzqqqxxyy_nothing"), 1),
        (("search", "prompt"), 0),
        (("map",), 0),
        (("cycles",), 0),
        (("search", "prompt", "no/where"), 2),
        (("symbol", "prompt", "nowhere"), 2),
    ],
    ids=str,
)
def test_exit_codes_are_those_of_grep(tree: Path, command: tuple[str, ...], code: int) -> None:
    done = run(*command)
    assert done.returncode == code
    assert "-q" not in command or done.stdout == ""
    if "-q" not in command:
        assert run(*command, "--json").returncode == code


@pytest.mark.slow
@pytest.mark.requirement("CLI.20")
def test_a_path_that_the_index_leaves_out_says_why(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write(".gitignore", "build/\n")
    repo.write("core.py", CORE)
    repo.write("build/made.py", CORE)
    repo.write(".env", "prompt=1\n")
    repo.write("data.txt", b"prompt\0")
    repo.write("latin.txt", b"prompt \xe9\n")
    left_out = {
        "build": ".gitignore:1: build/",
        "build/made.py": ".gitignore:1: build/",
        ".env": "secret",
        "data.txt": "binary",
        "latin.txt": "not UTF-8",
    }
    for path, why in left_out.items():
        for command, code in ((("grep", "prompt"), 1), (("symbol", "prompt"), 1), (("map",), 0)):
            done = run(*command, path)
            assert done.returncode == code, (command, path)
            assert f"nothing of {path} is in the index ({why})" in done.stderr, command
    # A folder that is indexed has nothing to explain.
    assert "is in the index" not in run("grep", "nothing_has_this", "core.py").stderr


@pytest.mark.requirement("CLI.20")
@pytest.mark.parametrize(
    ("path", "meant"),
    [("scr", "src"), ("tets/", "tests"), ("src/depe/more.py", "src/deep/more.py"), ("srx/nothing", "src")],
)
def test_a_mistyped_path_is_told_with_the_one_that_was_meant(tree: Path, path: str, meant: str) -> None:
    for lead in ("", "./", f"{tree}/"):
        done = run("grep", "prompt", lead + path)
        assert done.returncode == 2
        assert f"Did you mean '{lead}{meant}'?" in done.stderr, lead
    assert "Did you mean" not in run("grep", "prompt", "quite/another").stderr


def test_a_link_stands_for_what_it_leads_to(tree: Path) -> None:
    (tree / "lnk").symlink_to("src/deep")
    try:
        assert document("grep", "prompt", "lnk")["within"] == ["src/deep"]
        assert run("grep", "-l", "prompt", "lnk").stdout == "src/deep/more.py\n"
    finally:
        (tree / "lnk").unlink()


@pytest.mark.slow
def test_below_a_codebase_without_git_it_is_that_codebase(
    folder: Path, monkeypatch: pytest.MonkeyPatch, hashing: None
) -> None:
    for path, text in (
        ("src/core.py", CORE),
        ("src/deep/more.py", MORE),
        ("tests/test_core.py", TEST),
        ("srcs.py", ""),
    ):
        write(folder, path, text)
    assert run("index", str(folder)).returncode == 0
    monkeypatch.chdir(folder / "src" / "deep")
    for command in (("search", "prompt"), ("refs", "prompt"), ("status",), ("unused",), ("tests", "../core.py")):
        assert document(*command)["root"] == str(folder), command
    assert str(folder) in run().stdout
    assert "0 files" not in run("status").stdout
    assert document("impact", "../../src")["changed_files"] == ["src/core.py", "src/deep/more.py"]
    # Only who says so has one of its own in there, or git.
    monkeypatch.chdir(Repo.create(folder / "own").path)
    assert run("refs", "prompt").returncode == 3
    monkeypatch.chdir(folder / "src" / "deep")
    assert run("index", ".").returncode == 0
    assert document("refs", "prompt")["root"] == str(folder / "src" / "deep")


def test_changes_are_asked_about_by_folder(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, files in (
        ("src/deep", ["src/deep/more.py"]),
        ("src", ["src/core.py", "src/deep/more.py", "src/idle.py"]),
    ):
        assert document("impact", folder)["changed_files"] == files
    own = dict.fromkeys(("request_id", "timings_ms"), ANY)
    assert document("tests", "src/deep", "src/core.py") == document("tests", "src/deep/more.py", "src/core.py") | own
    monkeypatch.chdir(tree / "src")
    assert run("tests", "--plain", ".").stdout == "../tests/test_core.py\n"
    done = run("impact", "..", "/")
    assert (done.returncode, "lies outside" in done.stderr) == (2, True)


def test_a_folder_that_takes_long_to_index_is_named_once_in_a_pipe(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, hashing: None
) -> None:
    repo.write("core.py", CORE)
    monkeypatch.setattr("cairn.surfaces.cli.progress._PATIENCE_S", 0.0)
    word = f"indexing {repo.path}, which has no index yet"
    assert run("grep", "prompt", str(repo.path)).stderr.count(word) == 1
    assert word not in run("grep", "prompt", str(repo.path)).stderr
    monkeypatch.setattr("cairn.surfaces.cli.progress._PATIENCE_S", 60.0)
    shutil.rmtree(os.environ["CAIRN_HOME"])
    assert word not in run("search", "prompt", str(repo.path)).stderr


def test_a_name_that_is_defined_elsewhere_is_said_to_be(tree: Path) -> None:
    done = run("symbol", "prompt", "tests")
    assert done.returncode == 1
    assert done.stdout == "nothing there is called prompt; elsewhere there is 1 definition\n"


@pytest.mark.requirement("CLI.20")
def test_what_is_only_near_in_meaning_is_said_to_be(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The embedder of tests knows no meaning: every text is as near as any other.
    monkeypatch.setattr("cairn.search.ranking.LEAST_LIKENESS", -1.0)
    done = run("search", "zzzqqqxxyy_nothing")
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        1,
        "nothing in the tree has these words; nearest in meaning:",
    )
    assert run("search", "zzzqqq", "tests").stdout.startswith("nothing in tests has these words; nearest in meaning:")
    told = document("search", "zzzqqq")
    assert [note["code"] for note in told["notices"]] == ["nearest_in_meaning"]
    assert told["warnings"] == ["nothing in the tree has these words; shown is what is nearest in meaning"]
    for words in ("prompt", "zzzqqq prompt", "Parse_Config"):
        assert document("search", words)["notices"] == [], words


@pytest.mark.requirement("RANK.20")
def test_a_question_that_nothing_fits_well_is_said_to_be(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "how is the config of zebras, quaggas and giraffes kept"
    # For a model that nobody has measured, no likeness means anything.
    assert document("search", asked)["notices"] == []
    monkeypatch.setattr("cairn.embed.static.IDENTITY", "hashing-1")
    monkeypatch.setattr("cairn.embed.elsewhere.least_fit", lambda vector: 0.36)
    told = document("search", asked)
    assert [note["code"] for note in told["notices"]] == ["nothing_fits"]
    assert told["warnings"] == ["nothing in the tree fits this well: what is shown may be no answer"]
    done = run("search", asked)
    assert done.returncode == 0
    assert "fits this well" in done.stdout + done.stderr
    assert document("search", "--root", ".", "--root", "src", asked)["notices"][-1]["code"] == "nothing_fits"
    for mode, where in (("code", "the code of the tree"), ("docs", "the documents of the tree")):
        for warning in document("search", "--mode", mode, asked)["warnings"]:
            assert warning.startswith(f"nothing in {where} "), warning
    for words in ("parse config", "parse_config", "zzzqqq prompt"):
        assert document("search", words)["notices"] == [], words


def piped(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))


def test_a_query_may_stand_in_standard_input(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Prompts are lost\n\nI called `parse_config` and it asks for nothing,\n-m or not:\nprompt('config') \ufffd"
    piped(monkeypatch, text.replace("\ufffd", "\0").encode().replace(b"\0", b"\xff"))
    heard = document("search", "-")
    assert heard["results"][0]["symbol"] == "parse_config"
    assert heard["results"] == document("search", text)["results"]
    piped(monkeypatch, b"\xef\xbb\xbfparse config\n")
    assert document("search", "-", "src")["results"] == document("search", "parse config", "src")["results"]
    # A text is looked for as it stands, and options end where they always do.
    assert document("search", "--literal", "-")["results"] == []
    behind = json.loads(run("search", "--json", "--", "-m parse config").stdout)
    assert behind["results"] == document("search", "m parse config")["results"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "Standard input is empty."),
        (b" \n", "Standard input is empty."),
        (b"x" * 50_001, "QUERY has more than 50,000 characters."),
        ("\u20ac".encode() * 50_001, "QUERY has more than 50,000 characters."),
        (b"a\0b", "QUERY holds a NUL character."),
    ],
)
def test_a_query_from_standard_input_is_bounded(
    tree: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, message: str
) -> None:
    piped(monkeypatch, text)
    done = run("search", "-")
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"cairn: {message}")


def test_what_stands_in_standard_input_is_read_where_it_is() -> None:
    assert is_for_a_daemon(["search", "a"])
    assert not is_for_a_daemon(["search", "-"])
    assert not is_for_a_daemon(["search", "--json", "--", "-", "src"])


@pytest.mark.requirement("CLI.20")
def test_words_without_quotes_are_one_query(tree: Path) -> None:
    several, one = document("search", "parse", "config"), document("search", "parse config")
    assert several["results"] == one["results"]
    assert "within" not in several
    assert document("search", "parse", "config", "src/deep")["within"] == ["src/deep"]
    done = run("search", "parse", "src/nowhere")
    assert done.returncode == 2
    assert "'src/nowhere' doesn't exist" in done.stderr


@pytest.mark.parametrize(
    ("words", "query", "paths"),
    [
        ("parse config", "parse config", ""),
        ("parse config src", "parse config", "src"),
        ("src", "src", ""),
        ("src src", "src", "src"),
        ("src parse", "src parse", ""),
        ("parse src tests", "parse", "src tests"),
        ("parse src config", "parse src config", ""),
        ("parse no/where", "parse", "no/where"),
        ("and/or", "and/or", ""),
    ],
)
def test_the_last_arguments_that_exist_or_hold_a_slash_are_paths(words: str, query: str, paths: str) -> None:
    found = words_and_paths(words.split(), {"src", "tests"}.__contains__)
    assert found == (query.split(), paths.split())


def test_paths_of_two_codebases_are_refused(tree: Path, repo: Repo) -> None:
    repo.write("a.py", "prompt = 1\n")
    for paths in (("src", str(repo.path)), (".", str(repo.path)), (str(repo.path), "."), (".", "..")):
        done = run("search", "prompt", *paths)
        assert done.returncode == 2, paths
        assert "lies outside of the codebase" in done.stderr, paths
    # The first of them was not indexed for nothing.
    assert run("symbol", "prompt", str(repo.path)).returncode == 3


def test_a_folder_of_a_tracked_tree_without_git_is_a_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, private_home: Path
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    (tmp_path / "plain/src").mkdir(parents=True)
    (tmp_path / "plain/src/a.py").write_text("prompt = 1\n")
    (tmp_path / "plain/b.py").write_text("prompt = 2\n")
    monkeypatch.chdir(tmp_path / "plain")
    assert run("index").returncode == 0
    found = document("search", "--literal", "prompt", "src")
    assert (found["root"], paths_in(found["results"])) == (str(tmp_path / "plain"), {"src/a.py"})


@pytest.mark.slow
def test_colours_come_as_they_are_asked_for(tree: Path) -> None:
    assert "\x1b" not in run("grep", "prompt").stdout
    assert "\x1b[1;31mprompt\x1b[0m" in run("grep", "--color", "always", "prompt").stdout
    assert "\x1b[1;36m" in run("symbol", "prompt", "--color=always").stdout
    assert any("\x1b" in line for line in on_terminal("grep", "prompt"))
    assert not any("\x1b" in line for line in on_terminal("grep", "prompt", "--color", "never"))
    assert "src/core.py" in map(plain, on_terminal("grep", "prompt"))


@pytest.mark.slow
def test_a_daemon_restricts_alike(made: tuple[Repo, str], tmp_path: Path) -> None:
    repo, home = made
    places = {"CAIRN_HOME": home, "CAIRN_EMBED_PROVIDER": "hashing"}
    with serving("--no-watch", home=Path(home)):
        for command in (
            ("search", "--literal", "prompt", "../tests"),
            ("grep", "-c", "prompt"),
            ("grep", "zzzqqq"),
            ("symbol", "prompt", "deep"),
            ("refs", "prompt", "deep", "--plain"),
        ):
            through = cairn(*command, cwd=repo.path / "src", **places)
            offline = cairn(*command, "--offline", cwd=repo.path / "src", **places)
            assert (through.returncode, through.stdout) == (offline.returncode, offline.stdout), command


@pytest.mark.slow
def test_what_is_printed_is_opened_by_a_shell(tree: Path) -> None:
    done = cairn("grep", "-l", "prompt", ".", cwd=tree / "src", CAIRN_HOME=os.environ["CAIRN_HOME"])
    names = done.stdout.split()
    assert subprocess.run(("cat", *names), cwd=tree / "src", capture_output=True, check=True).stdout
