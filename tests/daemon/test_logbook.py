"""The log: a line for what happens, and no flood for what keeps happening."""

import asyncio
import logging

import pytest

from cairn.daemon import logbook
from cairn.daemon.desk import as_cairn_error
from cairn.daemon.logbook import LibraryLogHandler, Repeats, loop_failed


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logbook, "_REPEATS", Repeats())


def test_what_keeps_happening_is_told_once_a_while_with_how_often() -> None:
    repeats = Repeats(every_s=60)
    assert repeats.due("a", 0) == 0
    assert [repeats.due("a", at) for at in (1, 2, 59)] == [None, None, None]
    assert repeats.due("b", 3) == 0
    assert repeats.due("a", 61) == 3
    assert repeats.due("a", 62) is None
    for number in range(1_000):
        repeats.due(str(number), 62)
    assert len(repeats._logged) <= 256


def test_what_a_library_logs_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.Logger("library")
    logger.addHandler(LibraryLogHandler(logging.WARNING))
    for _ in range(50):
        try:
            raise ValueError("odd\nthing")
        except ValueError:
            logger.exception("It %s.", "failed")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].endswith("It failed.: ValueError: odd\\nthing")


def test_descriptors_that_run_out_while_somebody_is_accepted_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(loop_failed)
    for _ in range(50):
        loop.call_exception_handler(
            {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many open files")}
        )
    loop.close()
    (line,) = capsys.readouterr().err.splitlines()
    assert "Too many open files" in line


def test_a_defect_is_told_with_its_place_and_not_a_hundred_times(capsys: pytest.CaptureFixture[str]) -> None:
    def failed() -> None:
        raise ZeroDivisionError("a defect")

    for _ in range(100):
        with pytest.raises(ZeroDivisionError) as caught:
            failed()
        assert as_cairn_error(caught.value).code == "internal"
    assert capsys.readouterr().err.count("Traceback") == 1


def test_descriptors_that_ran_out_are_no_fault_of_who_asked() -> None:
    found = as_cairn_error(OSError(24, "Too many open files"))
    assert (found.code, found.retryable) == ("out_of_resources", True)
    assert found.retry_after_ms
    assert as_cairn_error(OSError(28, "No space left on device")).code == "disk_full"
