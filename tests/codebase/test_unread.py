"""Answers say which files nobody could read: left out of the index, or not understood by the parser."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cairn.codebase.changing import ChangeInsight
from cairn.codebase.codebase import Codebase
from cairn.workspace import unread
from tests.trees import Repo

OLD = "# caf\xe9\nfrom src.a import dead\n\n\ndead()\n".encode("latin-1")
A = "def dead():\n    pass\n\n\ndef used():\n    pass\n\n\nclass Base:\n    pass\n\n\nused()\n"


@pytest.fixture
def codebase(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("src/a.py", A)
    repo.commit()
    with Codebase(str(repo.path)) as made:
        yield made


def left_out(repo: Repo, codebase: Codebase, path: str, data: bytes) -> None:
    (repo.path / path).parent.mkdir(parents=True, exist_ok=True)
    (repo.path / path).write_bytes(data)
    codebase.index()


def told(answer: Any) -> list[tuple[str, str]]:
    return [
        (each["path"], each["reason"])
        for note in answer.notes
        if note.code == "unread"
        for each in note.fields["files"]
    ]


ASKED: dict[str, Callable[[ChangeInsight, Codebase], Any]] = {
    "references": lambda ask, _: ask.references("dead"),
    "callers": lambda ask, _: ask.calls("dead", "callers"),
    "implementors": lambda ask, _: ask.hierarchy("dead", "down", 9),
    "unused": lambda ask, _: ask.unused(True),
    "impact": lambda ask, code: ask.impact(code.detector.git, None, ["src/a.py"]),
    "tests": lambda ask, code: ask.tests(code.detector.git, None, ["dead"]),
}


@pytest.mark.sampled
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_claim_that_nothing_is_there_names_the_files_that_were_not_read(
    repo: Repo, codebase: Codebase, ask: Callable[[ChangeInsight, Codebase], Any]
) -> None:
    left_out(repo, codebase, "old.py", OLD)
    answer = ask(codebase.insight, codebase)
    assert told(answer) == [("old.py", "encoding")]
    assert "1 file that could not be read whole may hold more: old.py (encoding)" in answer.warnings


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "data", "reason"),
    [
        ("wide.py", "from src.a import dead\n".encode("utf-16"), "encoding"),
        ("odd.py", b"from src.a import dead\n\0", "binary"),
        ("long.py", b"from src.a import dead\n" + b"# more\n" * 800_000, "too_many_chunks"),
        (".env.py", b"SECRET = 1\n", "secret"),
        ("old.py", OLD.replace(b"dead", b"deadline"), ""),
        ("old.go", OLD, ""),
        ("old.txt", OLD, ""),
    ],
)
def test_only_code_of_the_language_that_may_hold_the_name_is_told(
    repo: Repo, codebase: Codebase, path: str, data: bytes, reason: str
) -> None:
    left_out(repo, codebase, path, data)
    answer = codebase.insight.references("dead")
    assert told(answer) == ([(path, reason)] if reason else [])
    assert answer.value.complete is not bool(reason)


@pytest.mark.slow
def test_what_is_used_says_no_less_and_what_nothing_defines_is_no_claim_either(repo: Repo, codebase: Codebase) -> None:
    left_out(repo, codebase, "old.py", OLD + b"used()\ndef away():\n    pass\n")
    ask = codebase.insight
    assert told(ask.references("used")) == told(ask.references("away")) == [("old.py", "encoding")]
    assert told(ask.symbol("away")) == told(ask.calls("away", "callers")) == [("old.py", "encoding")]
    # Whoever is asked for what it calls claims nothing of others, nor does what is found.
    assert not told(ask.calls("dead", "callees"))
    assert not told(ask.symbol("dead"))
    assert not told(ask.references("Base"))
    assert not told(ask.references("src/a.py:3"))


@pytest.mark.slow
def test_a_file_that_can_be_read_again_or_is_gone_is_told_no_more(repo: Repo, codebase: Codebase) -> None:
    left_out(repo, codebase, "old.py", OLD)
    assert codebase.view().manifest.unread == (("old.py", "encoding"),)
    (repo.path / "old.py").unlink()
    # Not synced yet: what is gone uses nothing.
    assert not told(codebase.insight.references("dead"))
    codebase.index()
    assert codebase.view().manifest.unread == ()
    left_out(repo, codebase, "old.py", OLD.decode("latin-1").encode())
    assert [item.path for item in codebase.insight.references("dead").value.items] == ["old.py", "old.py"]


@pytest.mark.slow
def test_an_edit_of_another_file_keeps_what_was_not_read(repo: Repo, codebase: Codebase) -> None:
    left_out(repo, codebase, "old.py", OLD)
    repo.write("src/a.py", A + "used()\n")
    codebase.index()
    assert told(codebase.insight.references("dead")) == [("old.py", "encoding")]


@pytest.mark.slow
def test_more_than_can_be_searched_may_hold_every_name(
    repo: Repo, codebase: Codebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        (repo.path / f"old{number}.py").write_bytes(b"\xe9 = 1\n")
    codebase.index()
    assert not told(codebase.insight.references("dead"))
    monkeypatch.setattr(unread, "_IN_ALL", 10)
    answer = codebase.insight.references("dead")
    # The first is searched, of the second what is left doesn't hold it.
    assert [path for path, _ in told(answer)] == [f"old{number}.py" for number in range(1, 5)]
    assert "old2.py (encoding), old3.py (encoding), ..." in answer.warnings[-1]


@pytest.mark.slow
@pytest.mark.parametrize("is_broken", [True, False])
def test_a_file_that_does_not_parse_may_use_what_nothing_is_known_to_use(
    repo: Repo, codebase: Codebase, is_broken: bool
) -> None:
    # Where a quote is left open, code and texts change places up to the end.
    closed = "" if is_broken else '"""'
    repo.write("src/b.py", f'from src import a\nx = """open{closed}\na.dead()\na.used()\ny = """end"""\n')
    repo.write("src/c.py", "from src.a import used\n\n\ndef g(:\n    used()\n    # dead\n")
    codebase.index()
    ask = codebase.insight
    expected = [("src/b.py", "syntax_error"), ("src/c.py", "syntax_error")] if is_broken else []
    assert told(ask.references("dead")) == told(ask.calls("dead", "callers")) == expected
    # Where something is known, and where the name stands at its definition alone, nothing is claimed.
    assert not told(ask.references("used"))
    assert not told(ask.references("g"))
    names = [item.name for item in ask.unused(True).value.items]
    assert "dead" not in names
    assert "g" in names


@pytest.mark.slow
def test_a_changed_file_that_does_not_parse_is_told(repo: Repo, codebase: Codebase) -> None:
    repo.write("src/a.py", A + "def open(:\n")
    codebase.index()
    assert told(codebase.insight.impact(codebase.detector.git)) == [("src/a.py", "syntax_error")]
    repo.write("src/a.py", A + "def open():\n    pass\n")
    codebase.index()
    assert not told(codebase.insight.impact(codebase.detector.git))
