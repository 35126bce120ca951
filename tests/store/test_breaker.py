"""A server that gave no answer isn't waited for again at once."""

import os
from pathlib import Path

import pytest

from cairn.base.errors import CancelledError, ProbeFailedError, VectorsLostError
from cairn.store import breaker
from cairn.store.breaker import ask_again, asking
from cairn.store.layout import FOLDERS, Layout, StoreKind

pytestmark = pytest.mark.requirement("ENG.2")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(breaker, "time", found)
    return found


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    for name in FOLDERS:
        (tmp_path / name).mkdir()
    return Layout(str(tmp_path), StoreKind.PRIVATE)


def fail(layout: Layout, error: BaseException | None = None) -> None:
    with asking(layout):
        raise error or ProbeFailedError("The server at x gave no answer: too late.")


def asks(layout: Layout) -> bool:
    """Whether the server would be asked."""
    try:
        with asking(layout):
            return True
    except ProbeFailedError:
        return False


def test_after_a_failure_nobody_asks_for_a_while_and_is_told_why(layout: Layout, clock: Clock) -> None:
    with pytest.raises(ProbeFailedError, match="too late"):
        fail(layout)
    clock.now += 12
    with pytest.raises(ProbeFailedError) as caught, asking(layout):
        pytest.fail("the server was asked")
    assert caught.value.message == (
        "The server at x gave no answer: too late. That was 12 s ago; it is asked again in 18 s, "
        "or at once by an index or a repair."
    )


def test_whoever_asks_says_what_else_there_is_to_do(layout: Layout, clock: Clock) -> None:
    with pytest.raises(ProbeFailedError):
        fail(layout)
    with pytest.raises(ProbeFailedError) as caught, asking(layout, sooner="", hint="Do without."):
        pytest.fail("the server was asked")
    assert caught.value.message.endswith("it is asked again in 30 s.")
    assert caught.value.hint == "Do without."


def test_then_one_asks_while_the_others_go_on_without(layout: Layout, clock: Clock) -> None:
    with pytest.raises(ProbeFailedError):
        fail(layout)
    clock.now += breaker.PAUSE_S
    with asking(layout):
        assert not asks(layout)
    assert asks(layout)
    assert os.listdir(layout.cache) == []


def test_a_server_that_comes_back_without_what_it_held_has_answered(layout: Layout, clock: Clock) -> None:
    with pytest.raises(ProbeFailedError):
        fail(layout)
    clock.now += breaker.PAUSE_S
    with pytest.raises(VectorsLostError):
        fail(layout, VectorsLostError("gone"))
    assert asks(layout)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), CancelledError("enough"), ValueError("ours"), OSError("disk")])
def test_who_is_cancelled_while_he_asks_has_no_answer(layout: Layout, clock: Clock, error: BaseException) -> None:
    with pytest.raises(ProbeFailedError):
        fail(layout)
    clock.now += breaker.PAUSE_S
    with pytest.raises(type(error)):
        fail(layout, error)
    with pytest.raises(ProbeFailedError, match=r"too late\. That was 0 s ago"):
        fail(layout)


def test_who_wants_it_asked_at_once_takes_the_note_back_with_its_answer_alone(layout: Layout, clock: Clock) -> None:
    for _ in range(2):
        with pytest.raises(ProbeFailedError, match=r"no answer: too late\.$"), asking(layout, at_once=True):
            raise ProbeFailedError("The server at x gave no answer: too late.")
        with pytest.raises(ProbeFailedError, match="it is asked again in"):
            breaker.require_answering(layout)
    with asking(layout, at_once=True):
        pass
    breaker.require_answering(layout)
    assert asks(layout)


def test_a_failure_begins_the_pause_anew(layout: Layout, clock: Clock) -> None:
    for _ in range(3):
        with pytest.raises(ProbeFailedError, match=r"no answer: too late\.$"):
            fail(layout)
        assert not asks(layout)
        clock.now += breaker.PAUSE_S


def test_whoever_asks_for_it_has_it_asked_at_once(layout: Layout, clock: Clock) -> None:
    with pytest.raises(ProbeFailedError):
        fail(layout)
    ask_again(layout)
    assert asks(layout)


@pytest.mark.parametrize("error", [VectorsLostError("gone"), ValueError("ours"), OSError("disk")])
def test_other_errors_say_nothing_of_the_server(layout: Layout, error: Exception) -> None:
    with pytest.raises(type(error)):
        fail(layout, error)
    assert asks(layout)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"at": "x", "message": "y"}', '{"at": 1e12, "message": "y"}', '{"at": 1000000, "message": 3}'],
)
def test_what_can_t_be_read_is_no_reason_not_to_ask(layout: Layout, clock: Clock, text: str) -> None:
    Path(layout.cache, "unanswered.json").write_text(text)
    assert asks(layout)


def test_a_store_that_can_t_be_written_to_asks_each_time(layout: Layout) -> None:
    os.rmdir(layout.cache)
    for _ in range(2):
        with pytest.raises(ProbeFailedError, match=r"no answer: too late\.$"):
            fail(layout)
