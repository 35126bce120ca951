"""Numbers before results, and `cairn open`: as a user meets them, at a terminal and with an editor."""

import json
import os
import stat
from pathlib import Path

import pytest

from cairn.surfaces.cli import editors, lastlist
from cairn.surfaces.cli.moved import line_now
from tests.surfaces.cli.screens import CAIRN, shell, terminal
from tests.trees import Repo, cairn


@pytest.fixture
def tree(repo: Repo) -> Repo:
    """A tree that is indexed."""
    repo.write("src/lease.py", "import os\n\n\ndef take_over(lease):\n    return lease\n\n\ndef free(): ...\n")
    repo.write("src/other.py", "from src.lease import take_over\n\n\ntake_over(1)\n\n\ndef free(): ...\n")
    repo.write("with space.py", "def spaced():\n    return 'spaced lease'\n")
    repo.commit()
    assert cairn("index", cwd=repo.path).returncode == 0
    return repo


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    """An editor with the custom of vi, which writes down what it was told."""
    path = tmp_path / "bin" / "vim"
    path.parent.mkdir()
    path.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >> {tmp_path}/told\necho >> {tmp_path}/told\n')
    path.chmod(0o755)
    return path


def told(editor: Path) -> list[str]:
    """What the editor was told, one line a start."""
    path = editor.parent.parent / "told"
    return path.read_text().splitlines() if path.exists() else []


def at_a_terminal(repo: Repo, line: str, editor: Path | None = None) -> tuple[int, str]:
    """What a line of a shell ends with and shows."""
    environment = {"EDITOR": str(editor)} if editor is not None else {}
    with terminal(*shell(line), cwd=repo.path, rows=200, environment=environment) as screen:
        return screen.end()


@pytest.mark.slow
def test_results_are_numbered_and_opened_by_their_number(tree: Repo, editor: Path) -> None:
    code, shown = at_a_terminal(tree, "cairn refs take_over && cairn open 3", editor)
    assert code == 0
    assert "[1] src/lease.py:4  take_over  defined here" in shown
    assert "[3]      4  proven  call    take_over(1)" in shown
    assert told(editor) == ["+4|src/other.py|"]


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("search take_over -k 1", "[1] src/lease.py:4  take_over"),
        ("search --literal 'spaced lease'", "[1]   2      return 'spaced lease'"),
        ("symbol take_over", "[1] src/lease.py:4  take_over  function"),
        ("callers take_over", "[1] take_over"),
        ("search take_over -k 1 --root . --root src", "/src/lease.py:4  take_over"),
        ("symbol take_over --root . --root src", "/src/lease.py:4  take_over"),
        ("refs take_over --root . --root src", "[1] /"),
        ("outline src/lease.py", "[1]"),
    ],
)
def test_every_list_has_numbers(tree: Repo, editor: Path, question: str, first: str) -> None:
    code, shown = at_a_terminal(tree, f"cairn {question} && cairn open 1", editor)
    assert code == 0, shown
    assert first in shown
    assert "[1]" in shown
    (line,) = told(editor)
    assert line.split("|")[1] in ("src/lease.py", "src/other.py", "with space.py")


@pytest.mark.slow
def test_a_pipe_gets_no_numbers(tree: Repo) -> None:
    assert "[1]" not in cairn("search", "take_over", cwd=tree.path).stdout
    assert "[1]" not in cairn("refs", "take_over", cwd=tree.path).stdout
    assert not (Path(os.environ["CAIRN_HOME"]) / lastlist.FOLDER).exists()


@pytest.mark.slow
def test_the_first_is_opened_at_once(tree: Repo, editor: Path) -> None:
    done = cairn("symbol", "take_over", "--open", cwd=tree.path, VISUAL=str(editor), EDITOR="false")
    assert (done.returncode, done.stderr.count("warning")) == (0, 0)
    assert told(editor) == ["+4|src/lease.py|"]
    done = cairn("symbol", "take_over", "--open", "--json", cwd=tree.path, EDITOR=str(editor))
    assert done.returncode == 2
    assert "--open" in done.stdout


@pytest.mark.slow
def test_files_and_names_are_opened_too(tree: Repo, editor: Path) -> None:
    for what, line in (
        ("src/lease.py", "src/lease.py|"),
        ("src/lease.py:2", "+2|src/lease.py|"),
        ("src/lease.py:2:7:", "+2|src/lease.py|"),
        ("take_over", "+4|src/lease.py|"),
        ("with space.py:1", "+1|with space.py|"),
    ):
        done = cairn("open", what, cwd=tree.path, EDITOR=str(editor))
        assert done.returncode == 0, done
        assert told(editor)[-1] == line
    done = cairn("open", "nothing_has_this_name", cwd=tree.path, EDITOR=str(editor))
    assert done.returncode == 2
    assert "nothing is called that here" in done.stderr
    assert "cairn search nothing_has_this_name" in done.stderr
    assert "Did you mean take_over?" in cairn("open", "take_ovr", cwd=tree.path, EDITOR=str(editor)).stderr


@pytest.mark.slow
def test_a_name_of_several_things_lists_them(tree: Repo, editor: Path) -> None:
    done = cairn("open", "free", cwd=tree.path, EDITOR=str(editor))
    assert done.returncode == 5
    assert done.stdout.splitlines() == ["src/lease.py:8  function", "src/other.py:7  function"]
    assert told(editor) == []
    shown = cairn("open", "free", cwd=tree.path / "src", EDITOR=str(editor)).stdout.splitlines()
    assert [line.split(":")[0] for line in shown] == ["lease.py", "other.py"]
    (tree.path / "docs").mkdir()
    shown = cairn("open", "free", cwd=tree.path / "docs", EDITOR=str(editor)).stdout.splitlines()
    assert [line.split(":")[0] for line in shown] == ["../src/lease.py", "../src/other.py"]
    # Without a terminal it is the newest list of the tree.
    assert cairn("open", "2", cwd=tree.path / "src", EDITOR=str(editor)).returncode == 0
    assert told(editor) == ["+7|other.py|"]
    assert "has 2 places, and no number 0" in cairn("open", "0", cwd=tree.path, EDITOR=str(editor)).stderr


@pytest.mark.slow
def test_a_line_that_has_moved_is_followed(tree: Repo, editor: Path) -> None:
    moved = "sed -i '1i # one\\n# two' src/lease.py"
    code, shown = at_a_terminal(tree, f"cairn symbol take_over && {moved} && cairn open 1", editor)
    assert code == 0
    assert "line 4 is line 6 now" in shown
    assert told(editor) == ["+6|src/lease.py|"]
    gone = "echo 'x = 1' > src/lease.py"
    code, shown = at_a_terminal(tree, f"cairn symbol take_over && {gone} && cairn open", editor)
    assert "no longer in it" in shown
    assert told(editor)[1:] == ["+6|src/lease.py|"]
    code, shown = at_a_terminal(tree, "cairn symbol spaced && rm 'with space.py' && cairn open", editor)
    assert code == 2
    assert "can't be read any more" in shown


@pytest.mark.slow
def test_a_terminal_has_its_own_list_for_its_owner_alone(tree: Repo, editor: Path) -> None:
    code, shown = at_a_terminal(tree, "cairn open 1", editor)
    assert code == 2
    assert "No list was shown" in shown
    at_a_terminal(tree, "cairn symbol take_over")
    (kept,) = (Path(os.environ["CAIRN_HOME"]) / lastlist.FOLDER).iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert kept.stat().st_size < 1_000
    code, shown = at_a_terminal(tree, "cairn symbol spaced && cairn open 9", editor)
    assert "has 1 place, and no number 9" in shown


def test_what_is_kept_of_closed_terminals_is_little(tmp_path: Path) -> None:
    for number in range(40):
        folder = tmp_path / lastlist.FOLDER
        folder.mkdir(exist_ok=True)
        (folder / f"old-{number}.json").write_text("{}")
    lastlist.keep(str(tmp_path), {"root": "/x", "places": [("a.py", 1, "x")]})
    assert len(list((tmp_path / lastlist.FOLDER).iterdir())) == 32
    found = lastlist.last(str(tmp_path), "/x")
    assert found == {"root": "/x", "places": [["a.py", 1, "x"]]}


def test_another_session_gets_the_list_of_its_own_codebase_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lastlist.keep(str(tmp_path), {"root": "/x", "places": []})
    another = os.getsid(0) + 1
    monkeypatch.setattr(os, "getsid", lambda _: another)
    assert lastlist.last(str(tmp_path), "/x/beneath")
    assert lastlist.last(str(tmp_path), "/xy") is None


def test_sessions_without_a_number_have_lists_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getsid", lambda _: 0)
    lastlist.keep(str(tmp_path), {"root": "/x", "places": []})
    assert lastlist.last(str(tmp_path), "/xy") is not None
    another = os.getppid() + 1
    monkeypatch.setattr(os, "getppid", lambda: another)
    assert lastlist.last(str(tmp_path), "/xy") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"root": 1, "places": []}', '{"root": "/", "places": [[1, 2, 3]]}'])
def test_a_damaged_list_is_none(tmp_path: Path, text: str) -> None:
    lastlist.keep(str(tmp_path), {"root": "/x", "places": []})
    (kept,) = (tmp_path / lastlist.FOLDER).iterdir()
    kept.write_text(text)
    assert lastlist.last(str(tmp_path), "/elsewhere") is None


@pytest.mark.slow
def test_a_place_is_told_instead_of_opened(tree: Repo) -> None:
    done = cairn("open", "take_over", "--print", cwd=tree.path)
    assert (done.returncode, done.stdout) == (0, "src/lease.py:4\n")
    done = cairn("open", "take_over", "--json", cwd=tree.path)
    assert json.loads(done.stdout) == {"path": str(tree.path / "src/lease.py"), "line": 4, "note": None}


@pytest.mark.slow
def test_an_editor_that_fails_is_told(tree: Repo) -> None:
    for editor, code, said in (
        ("false", 5, "The editor false ended with 1"),
        ("/no/such/editor", 2, "can't be started"),
        ("vi 'unclosed", 2, "EDITOR can't be read"),
    ):
        done = cairn("open", "take_over", cwd=tree.path, EDITOR=editor, VISUAL="")
        assert done.returncode == code, done
        assert said in done.stderr
    done = cairn("open", "take_over", cwd=tree.path, EDITOR="true", VISUAL="")
    assert done.returncode == 0
    assert "it is line 4" in done.stderr


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["vi"], ["vi", "+7", "a.py"]),
        (["/usr/bin/nvim", "-p"], ["/usr/bin/nvim", "-p", "+7", "a.py"]),
        (["vim.basic"], ["vim.basic", "+7", "a.py"]),
        (["emacsclient", "-t"], ["emacsclient", "-t", "+7", "a.py"]),
        (["nano"], ["nano", "+7", "a.py"]),
        (["kak"], ["kak", "+7", "a.py"]),
        (["sensible-editor"], ["sensible-editor", "+7", "a.py"]),
        (["hx"], ["hx", "a.py:7"]),
        (["subl", "-w"], ["subl", "-w", "a.py:7"]),
        (["code", "--wait"], ["code", "--wait", "--goto", "a.py:7"]),
        (["idea.sh"], ["idea.sh", "--line", "7", "a.py"]),
        (["pycharm64"], ["pycharm64", "--line", "7", "a.py"]),
        (["ed-of-mine"], ["ed-of-mine", "a.py"]),
    ],
)
def test_editors_are_told_the_line_by_their_custom(words: list[str], wanted: list[str]) -> None:
    assert editors.command(words, "a.py", 7) == wanted
    assert editors.command(words, "a.py", None) == [*words, "a.py"]


def test_a_file_is_never_taken_for_an_option() -> None:
    assert editors.command(["vi"], "-x.py", 1) == ["vi", "+1", "./-x.py"]


def test_a_link_has_the_custom_of_what_it_leads_to(tmp_path: Path, editor: Path) -> None:
    link = tmp_path / "editor"
    link.symlink_to(editor)
    assert editors.command([str(link)], "a.py", 3) == [str(link), "+3", "a.py"]


def test_the_nearest_line_that_holds_the_text_is_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x\ny\nx\nz\nx\n")
    assert line_now(str(path), 4, "z") == 4
    assert line_now(str(path), 1, "z") == 4
    assert line_now(str(path), 4, "x") == 3
    assert line_now(str(path), 4, "w") is None
    assert line_now(str(path), 4, "") == 4


@pytest.mark.slow
def test_a_screen_has_the_terminal_of_a_login(tree: Repo) -> None:
    with terminal(*CAIRN, "--version", cwd=tree.path) as screen:
        assert screen.end()[0] == 0
