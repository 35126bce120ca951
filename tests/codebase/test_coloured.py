"""Colours come from a process of their own: one that crashes, hangs or is killed leaves a text plain, and no more."""

import os
import signal
import time
from collections.abc import Iterator

import pytest

from cairn.codebase import coloured
from cairn.codebase.coloured import Colourist, Stretch

CODE = b"def first(): return 1\n"


@pytest.fixture
def colourist() -> Iterator[Colourist]:
    found = Colourist(patience_s=3.0)
    yield found
    found.close()


def stretch(data: bytes = CODE, name: str = "a") -> Stretch:
    return Stretch(f"{name}.py", "python", data, f"hash of {name}")


def test_colours_come_from_another_process_and_are_kept(colourist: Colourist) -> None:
    found = colourist.colours(stretch())
    assert found[:4] == [0, 0, 3, 4]
    process = colourist._process
    assert process is not None
    assert process.pid != os.getpid()
    colourist.close()
    assert colourist.colours(stretch()) is found
    assert colourist._process is None


def test_a_process_that_dies_is_followed_by_another(colourist: Colourist) -> None:
    assert colourist.colours(stretch())
    assert colourist._process is not None
    os.kill(colourist._process.pid, signal.SIGKILL)
    assert colourist.colours(stretch(name="b"))


def test_a_grammar_that_crashes_leaves_the_text_plain(colourist: Colourist, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coloured, "colours_of", lambda *_: os.kill(os.getpid(), signal.SIGSEGV))
    assert colourist.colours(stretch()) == []
    monkeypatch.undo()
    assert colourist.colours(stretch(name="b"))


@pytest.mark.slow
def test_a_grammar_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    colourist = Colourist(patience_s=0.5)
    monkeypatch.setattr(coloured, "colours_of", lambda *_: time.sleep(60))
    assert colourist.colours(stretch()) == []
    assert colourist._process is None
    monkeypatch.undo()
    # What was too much for it is not tried again, and others are not kept from their colours.
    assert colourist.colours(stretch()) == []
    assert colourist.colours(stretch(name="b"))
    colourist.close()


def test_what_has_no_text_or_no_grammar_starts_nothing_or_is_plain(colourist: Colourist) -> None:
    assert colourist.colours(stretch(b"")) == []
    assert colourist._process is None
    assert colourist.colours(Stretch("a.xyz", "other", b"some text\n", "x")) == []
