"""`cairn pick` at a real terminal: type, see places and files, choose, open, leave."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.surfaces.cli.finder import Finder, PickList
from cairn.surfaces.cli.preview import preview
from tests.surfaces.cli.screens import CAIRN, Screen, terminal
from tests.surfaces.http.running import serving
from tests.trees import Repo, cairn


@pytest.fixture
def tree(repo: Repo) -> Repo:
    """A tree that is indexed."""
    repo.write("src/lease.py", "import os\n\n\ndef take_over(lease):\n    return lease  # a tired walrus\n")
    repo.write("docs/notes.md", "# Notes\n\nThe epoch of a lease.\n")
    repo.commit()
    assert cairn("index", cwd=repo.path).returncode == 0
    return repo


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    """An editor with the custom of vi, which says what it was told."""
    path = tmp_path / "vim"
    path.write_text('#!/bin/sh\necho "EDITOR $*"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def screen(tree: Repo, editor: Path) -> Iterator[Screen]:
    pytest.importorskip("prompt_toolkit")
    environment = {"EDITOR": str(editor)}
    with terminal(*CAIRN, "pick", cwd=tree.path, rows=30, columns=80, environment=environment) as found:
        found.see("Esc leaves")
        yield found


@pytest.mark.slow
def test_what_is_typed_is_found_looked_into_and_opened(screen: Screen) -> None:
    screen.press("take_over")
    screen.see("src/lease.py:4")
    # The file itself.
    screen.see("tired walrus")
    screen.press("\r")
    code, text = screen.end()
    assert code == 0
    assert "EDITOR +4 src/lease.py" in text


@pytest.mark.slow
def test_a_key_switches_what_is_sought(screen: Screen) -> None:
    screen.press("\x14")
    screen.press("tired")
    screen.see("src/lease.py:5")
    screen.press("\r")
    code, text = screen.end()
    assert (code, "EDITOR +5 src/lease.py" in text) == (0, True)


@pytest.mark.sampled
@pytest.mark.parametrize("key", ["\x1b", "\x03"])
def test_who_leaves_opens_nothing(screen: Screen, key: str) -> None:
    screen.press(key)
    code, text = screen.end()
    assert code == 1
    assert "cairn:" not in text
    assert "EDITOR" not in text
    assert "Traceback" not in text


def test_it_needs_a_terminal(tree: Repo) -> None:
    done = cairn("pick", "lease", cwd=tree.path)
    assert done.returncode == 2
    assert "needs a terminal" in done.stderr


@pytest.mark.slow
def test_without_its_library_it_says_how_to_get_it(tree: Repo) -> None:
    code = (
        "import sys; sys.modules['prompt_toolkit'] = None\n"
        "from cairn.program.start import main; sys.exit(main(['pick']))"
    )
    with terminal(sys.executable, "-c", code, cwd=tree.path) as screen:
        ended, text = screen.end()
    assert ended == 2
    assert "pip install 'cairn-index[pick]'" in text


@pytest.mark.slow
def test_other_commands_load_nothing_of_it(tree: Repo) -> None:
    code = (
        "import sys; from cairn.program.start import main; main(['search', 'lease'])\n"
        "sys.exit(any(name.split('.')[0] in ('prompt_toolkit', 'pygments') for name in sys.modules))"
    )
    assert subprocess.run((sys.executable, "-c", code), cwd=tree.path, capture_output=True, check=False).returncode == 0


def _paths(found: PickList) -> list[tuple[str, int]]:
    return [(place.path, place.line) for place in found.places]


def test_one_open_codebase_answers_all(tree: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.path)
    finder, wanted, given_up = Finder(), threading.Event(), threading.Event()
    given_up.set()
    try:
        assert finder.ask(" ", "meaning", wanted) == PickList()
        assert _paths(finder.ask("take_over", "names", wanted))[0] == ("src/lease.py", 4)
        assert _paths(finder.ask("epoch of", "lines", wanted)) == [("docs/notes.md", 3)]
        assert finder.ask("epoch", "meaning", given_up).places == ()
        assert _paths(finder.ask("epoch", "meaning", wanted))[0][0] == "docs/notes.md"
    finally:
        finder.close()


@pytest.mark.slow
def test_the_daemon_answers_where_one_listens(tree: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.path)
    monkeypatch.delenv("XDG_CONFIG_HOME")
    with serving():
        finder = Finder()
        assert _paths(finder.ask("epoch of", "lines", threading.Event())) == [("docs/notes.md", 3)]
        assert _paths(finder.ask("take_over", "names", threading.Event()))[0] == ("src/lease.py", 4)
        assert finder._codebase is None


def test_a_file_is_shown_around_the_line_and_in_colours(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("".join(f"def f{number}(): ...\n" for number in range(100)) + "x = '\x1b[31m'\n")
    shown = preview(str(path), 50, 9)
    text = "".join(part for _, part in shown)
    assert len(text.splitlines()) == 9
    assert "   50  def f49" in text
    assert {part for kind, part in shown if "keyword" in kind} == {"def"}
    assert any("meant" in kind and "f49" in part for kind, part in shown)
    assert "\x1b" not in "".join(part for _, part in preview(str(path), 101, 9))
    assert "can't be read" in preview(str(tmp_path / "none"), 1, 9)[1][1]
