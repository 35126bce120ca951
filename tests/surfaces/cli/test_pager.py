"""What is longer than the screen goes through a pager: at a terminal only, and leaving it early is no error."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.base import keypress
from tests.surfaces.cli.screens import CAIRN, terminal
from tests.surfaces.http.running import serving
from tests.trees import Repo, cairn

ROWS = 12


@pytest.fixture
def tree(repo: Repo) -> Repo:
    """A tree with many lines that hold a word."""
    repo.write("many.py", "".join(f"walrus_{number} = {number}\n" for number in range(100)))
    repo.write("few.py", "seal = 1\n")
    repo.commit()
    assert cairn("index", cwd=repo.path).returncode == 0
    return repo


@pytest.fixture
def pager(tmp_path: Path) -> Path:
    """A pager that writes down that it was used, and shows all."""
    path = tmp_path / "pager"
    path.write_text(f"#!/bin/sh\necho used >> {tmp_path}/used\nexec cat\n")
    path.chmod(0o755)
    return path


def shown(tree: Repo, *words: str, **environment: str) -> tuple[int, str]:
    """What a command ends with and shows on a screen of a few lines."""
    with terminal(*CAIRN, *words, cwd=tree.path, rows=ROWS, environment=environment) as screen:
        return screen.end()


MANY = ("search", "--literal", "walrus")


@pytest.mark.slow
def test_what_is_longer_than_the_screen_is_paged(tree: Repo, pager: Path) -> None:
    used = pager.with_name("used")
    code, text = shown(tree, *MANY, PAGER=str(pager))
    assert (code, used.read_text()) == (0, "used\n")
    assert "walrus_99" in text
    assert "100 lines" in text
    used.unlink()
    # Cairn's own variable comes first.
    assert shown(tree, *MANY, PAGER="false", CAIRN_PAGER=str(pager))[0] == 0
    used.unlink()
    # A line that is wider than the screen takes several of its rows.
    assert shown(tree, "search", "--literal", "seal", PAGER=str(pager), COLUMNS="6")[0] == 0
    assert used.exists()


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("words", "variables"),
    [
        (("search", "--literal", "seal"), {}),
        ((*MANY, "--no-pager"), {}),
        ((*MANY, "--open"), {"EDITOR": "true"}),
        (MANY, {"CAIRN_PAGER": ""}),
        (MANY, {"CAIRN_PAGER": "cat"}),
        (MANY, {"TERM": "dumb"}),
        (MANY, {"CAIRN_PAGER": "/no/such/pager"}),
    ],
)
def test_without_need_or_wish_there_is_none(
    tree: Repo, pager: Path, words: tuple[str, ...], variables: dict[str, str]
) -> None:
    code, text = shown(tree, *words, **({"PAGER": str(pager)} | variables))
    assert code == 0
    assert "snapshot" in text
    assert not pager.with_name("used").exists()


@pytest.mark.slow
def test_a_pipe_has_no_pager(tree: Repo, pager: Path) -> None:
    done = cairn(*MANY, cwd=tree.path, PAGER=str(pager))
    assert len(done.stdout.splitlines()) == 100
    assert not pager.with_name("used").exists()


@pytest.mark.slow
def test_a_pager_that_is_left_early_is_no_error(tree: Repo) -> None:
    code, text = shown(tree, *MANY, "--limit", "1000", PAGER="head -n 1")
    assert code == 0
    assert text == "many.py\n"


@pytest.mark.slow
def test_errors_beside_a_long_answer_are_not_lost(tree: Repo, pager: Path) -> None:
    code, text = shown(tree, "read", "many.py", "no/such.py", PAGER=str(pager))
    assert code == 3
    assert "walrus_99" in text
    assert "There is no file no/such.py" in text


@pytest.mark.slow
def test_the_daemons_answers_are_paged_too(tree: Repo, pager: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    with serving():
        code, text = shown(tree, *MANY, PAGER=str(pager))
        assert (code, pager.with_name("used").read_text()) == (0, "used\n")
        assert "walrus_99" in text
        # Another pager is no other setting: `status` says so if it were.
        assert "through the daemon" in cairn("status", cwd=tree.path, CAIRN_PAGER="more").stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("less") is None, reason="no less here")
def test_less_is_left_by_a_key(tree: Repo) -> None:
    with terminal(*CAIRN, *MANY, cwd=tree.path, rows=ROWS) as screen:
        screen.see("walrus_5")
        screen.press("q")
        code, text = screen.end()
    assert code == 0
    assert "Traceback" not in text
    assert "walrus_99" not in text


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["true", "head -n 1"])
def test_a_reader_that_has_seen_enough_is_no_error(tree: Repo, reader: str) -> None:
    command = f"{sys.executable} -m cairn {' '.join(MANY)} | {reader} > /dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(("bash", "-c", command), cwd=tree.path, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


@pytest.mark.slow
def test_times_count_from_the_key_press() -> None:
    """What Python takes to start, and whatever stands before Cairn, is waited for too."""
    code = (
        "import time; start = time.monotonic()\nwhile time.monotonic() < start + 0.3: pass\n"
        "from cairn.base import keypress; keypress.pressed(); print(keypress.elapsed_ms())"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert 300 <= float(done.stdout) < 60_000


def test_a_clock_of_another_kind_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keypress, "now", lambda: 1.0)
    keypress.pressed()
    assert keypress.moment() == 1.0
    assert keypress.elapsed_ms() == 0
    assert keypress.elapsed_ms(since=2.0) == 0


@pytest.mark.slow
def test_footers_tell_what_the_user_waited_for(tree: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever does the work: what the process took, from outside, is hardly more than what the footer says."""
    monkeypatch.delenv("XDG_CONFIG_HOME")
    with serving():
        for way in ((), ("--offline",)):
            done = subprocess.run(
                ("bash", "-c", f"TIMEFORMAT=%R; time {' '.join((*CAIRN, 'search', 'walrus', *way))}"),
                cwd=tree.path, capture_output=True, text=True, check=True,
            )  # fmt: skip
            footer, waited = done.stderr.splitlines()[-2:]
            told = float(footer.rpartition(" · ")[2].removesuffix(" ms"))
            # The clock of processes ticks every 10 ms; ending isn't told.
            assert 0.3 * float(waited) * 1000 < told < float(waited) * 1000 + 20
