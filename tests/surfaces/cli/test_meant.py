"""What was probably meant: commands, options, names and files that are mistyped."""

import json

import pytest

from cairn.program.command import HOMES
from cairn.surfaces.cli.parser import OFTEN_MEANT
from tests.surfaces.cli.test_store import answer
from tests.trees import Repo, cairn


@pytest.mark.parametrize(
    ("typed", "cause", "meant"),
    [
        (("serach", "x"), "There is no command 'serach'.", "`cairn search`"),
        (("rg", "x"), "There is no command 'rg'.", "`cairn grep`"),
        (("session", "opne"), "session has no command 'opne'.", "`cairn session open`"),
        (("search", "x", "--limt=3"), "search has no option --limt.", "`--limit`"),
        (("outline", "a.py", "--jsn"), "outline has no option --jsn.", "`--json`"),
        (("move", "--undo"), "move has no option --undo.", "`cairn rename --undo`"),
        (("--versio",), "There is no option --versio.", "`--version`"),
    ],
)
def test_the_nearest_command_or_option_is_named(typed: tuple[str, ...], cause: str, meant: str) -> None:
    done = cairn(*typed)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first == f"cairn: {cause}"
    assert f"Did you mean {meant}? Run `" in second


@pytest.mark.slow
def test_what_is_like_nothing_gets_no_guess() -> None:
    done = cairn("qqqq")
    assert done.returncode == 2
    assert "Did you mean" not in done.stderr
    assert len(done.stderr) < 150


def test_words_of_other_tools_lead_to_commands_that_there_are() -> None:
    commands = {name for _, some in HOMES for _, names in some for name in names.split()}
    assert {meant.split()[0] for meant in OFTEN_MEANT.values()} <= commands
    assert not OFTEN_MEANT.keys() & commands


@pytest.fixture
def indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("src/click/core.py", "class Context:\n    def prompt(self): ...\n\n\ndef prompt_all(): ...\n")
    repo.write("src/click/termui.py", "def prompt():\n    return 2\n")
    repo.commit()
    answer("index", str(repo.path))
    return repo


@pytest.mark.slow
@pytest.mark.parametrize("command", ["symbol", "refs", "callers", "callees", "hierarchy", "implementors", "overrides"])
def test_the_nearest_names_of_the_index_are_named(command: str, indexed: Repo) -> None:
    done = cairn(command, "promt", cwd=indexed.path)
    assert "nothing is called promt here; did you mean prompt?" in done.stdout
    assert "warning" not in done.stderr


@pytest.mark.slow
def test_a_search_for_a_mistyped_name_says_what_is_nearest(indexed: Repo) -> None:
    done = cairn("search", "promt_al", cwd=indexed.path)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "nothing is called promt_al here; did you mean prompt_all?"
    assert "did you mean" not in done.stderr
    said = json.loads(cairn("search", "promt_al", "--json", cwd=indexed.path).stdout)
    assert [each["names"] for each in said["notices"] if each["code"] == "names_like"] == [["prompt_all"]]
    for words in (("zzzqqqxxyy",), ("promt_al", "tonight"), ("promt", "alll")):
        assert "did you mean" not in cairn("search", *words, cwd=indexed.path).stdout


@pytest.mark.slow
def test_a_member_is_named_with_its_owner(indexed: Repo) -> None:
    assert "did you mean Context.prompt?" in cairn("symbol", "Contxt.promt", cwd=indexed.path).stdout


@pytest.mark.slow
def test_programs_get_the_nearest_names_as_a_note(indexed: Repo) -> None:
    said = json.loads(cairn("refs", "promt", "--json", cwd=indexed.path).stdout)
    assert said["warnings"] == ["nothing is called promt here; did you mean prompt?"]
    assert said["complete"]


@pytest.mark.slow
def test_a_name_whose_file_is_gone_is_not_named(indexed: Repo) -> None:
    (indexed.path / "src/click/core.py").unlink()
    text = cairn("symbol", "prompt_al", "--no-sync", cwd=indexed.path).stdout
    assert "prompt_all" not in text


@pytest.mark.parametrize("command", ["outline", "imports", "read"])
@pytest.mark.slow
def test_the_nearest_file_is_named(command: str, indexed: Repo) -> None:
    for wrong in ("src/clik/core.py", "core.py", "src/click/cores.py"):
        done = cairn(command, wrong, cwd=indexed.path)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == f"cairn: There is no file {wrong}.\n  Did you mean src/click/core.py?\n"
