"""What answers weighed: counted whatever happens to the count, and never at the cost of an answer."""

import os
import stat
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cairn.base.tally import Tally, tallied, tell_answer, tell_text
from cairn.codebase import ledger
from cairn.codebase.bodies import Answer, AskedCodebase, Found
from cairn.codebase.gains import gains_of
from cairn.config.user import LEDGER_DAYS, cairn_home

ROOTS = ("/one", "/two")


def manifest(root: str) -> Any:
    return SimpleNamespace(canonical_root=root)


def told(root: Path, *paths: str, text: str = "") -> Tally:
    return Tally([("refs", Answer(None, manifest(str(root)), cited=paths))], [text])


def counted(days: int = 1) -> list[ledger.Entry]:
    return ledger.entries(cairn_home(), days)[0]


def test_an_answer_counts_the_files_that_it_names_once_and_whole(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x" * 300)
    (tmp_path / "b.py").write_text("x" * 500)
    (tmp_path / "left_out.py").write_text("x" * 7000)
    ledger.record(cairn_home(), told(tmp_path, "a.py", "b.py", "left_out.py", text="a.py\n1\na.py\nb.py\n"), "mcp")
    (entry,) = counted()
    assert (entry.root, entry.question, entry.door) == (str(tmp_path), "refs", "mcp")
    assert (entry.bytes, entry.files, entry.whole_bytes) == (17, 2, 800)


def test_a_further_page_weighs_no_file_again(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x" * 300)
    page = told(tmp_path, "a.py", text="a.py\n")
    page.goes_on = True
    ledger.record(cairn_home(), page, "mcp")
    (entry,) = counted()
    assert (entry.bytes, entry.files, entry.whole_bytes) == (5, 1, 0)


def test_one_file_is_meant_without_being_named_and_one_that_is_gone_weighs_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x" * 300)
    ledger.record(cairn_home(), told(tmp_path, "a.py", text="[readcache: unchanged]"), "cli")
    ledger.record(cairn_home(), told(tmp_path, "gone.py"), "cli")
    assert [entry.whole_bytes for entry in counted()] == [300, 0]


def test_an_answer_of_several_codebases_is_counted_for_each() -> None:
    items = tuple(SimpleNamespace(path=path) for path in ("a.py", "b.py", "c.py"))
    sources = tuple(AskedCodebase(root) for root in (ROOTS[0], ROOTS[1], ROOTS[1]))
    found = Answer(Found(items, "", sources=sources), codebases=(sources[0], sources[1]))
    ledger.record(cairn_home(), Tally([("search", found)], ["a.py b.py c.py"]), "http")
    assert [(entry.root, entry.files) for entry in counted()] == [(ROOTS[0], 1), (ROOTS[1], 2)]
    assert sum(entry.bytes for entry in counted()) == 13  # shares are rounded down


def test_reports_are_no_questions_about_code() -> None:
    ledger.record(cairn_home(), Tally([("stores", Answer([]))], ["no stores"]), "cli")
    assert counted() == []


def test_what_is_kept_is_private_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(cairn_home())
    ledger.record(str(home), told(tmp_path, "a.py"), "cli")
    (file,) = (home / ledger.FOLDER).iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    monkeypatch.setattr(ledger, "MOST_BYTES", file.stat().st_size)
    ledger.record(str(home), told(tmp_path, "a.py"), "cli")
    assert len(counted()) == 1
    assert "already" in ledger.fault(str(home))
    old = file.with_name(time.strftime("%Y-%m-%d.jsonl", time.gmtime(time.time() - (LEDGER_DAYS + 2) * 86_400)))
    file.rename(old)
    ledger.record(str(home), told(tmp_path, "a.py"), "cli")
    assert not old.exists()


def test_lines_that_can_not_be_read_are_left_out_and_counted(tmp_path: Path) -> None:
    ledger.record(cairn_home(), told(tmp_path, "a.py"), "cli")
    (file,) = Path(cairn_home(), ledger.FOLDER).iterdir()
    whole = file.read_bytes()
    for line in (b"{}", b"\xff\n[1, 2", b'["r", "q", "d", 1, 2, true]', b"[" * 100_000, whole[:20]):
        file.write_bytes(whole + line + b"\n" + whole)
        found, unreadable = ledger.entries(cairn_home(), 1)
        assert (len(found), unreadable >= 1) == (2, True)


def test_days_are_those_that_were_asked_for(tmp_path: Path) -> None:
    ledger.record(cairn_home(), told(tmp_path, "a.py"), "cli")
    later = time.time() + 3 * 86_400
    assert ledger.entries(cairn_home(), 3, later)[0] == []
    assert len(ledger.entries(cairn_home(), 4, later)[0]) == 1


def test_nothing_that_keeps_it_from_counting_fails_an_answer_and_doctor_is_told(tmp_path: Path) -> None:
    home = cairn_home()
    os.makedirs(home, exist_ok=True)
    assert ledger.fault(home) == ""
    folder = Path(home, ledger.FOLDER)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    ledger.record(home, told(tmp_path, "a.py"), "cli")
    assert ledger.fault(home) != ""
    assert ledger.entries(home, 1) == ([], 0)


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    config = Path(cairn_home(), "config.toml")
    config.parent.mkdir(exist_ok=True)
    config.write_text("[gain]\nrecord = false\n")
    ledger.record(cairn_home(), told(tmp_path, "a.py"), "cli")
    assert not ledger.is_on(cairn_home())
    assert counted() == []
    config.write_text("[gain]\nrecord = 3\n")
    ledger.record(cairn_home(), told(tmp_path, "a.py"), "cli")
    assert counted() == []


def test_later_is_soon(tmp_path: Path) -> None:
    for _ in range(20):
        ledger.record_later(cairn_home(), told(tmp_path, "a.py"), "mcp", lambda: "text")
    ledger.finish()
    assert [entry.bytes for entry in counted()] == [4] * 20


def test_without_a_listener_nothing_is_gathered() -> None:
    tell_answer("refs", None)
    tell_text("words")
    with tallied() as tally:
        tell_text("more")
    assert (tally.answers, tally.texts) == ([], ["more"])


def test_sums_are_by_codebase_kind_and_day() -> None:
    found = gains_of(
        [
            ledger.Entry("2026-11-17", "/b", "refs", "mcp", 10, 1, 100),
            ledger.Entry("2026-11-18", "/b", "search", "cli", 20, 2, 200),
            ledger.Entry("2026-11-18", "/a", "refs", "mcp", 1, 1, 5),
        ],
        7,
        recording=True,
        unreadable=0,
    )
    assert [each.root for each in found.codebases] == ["/b", "/a"]
    assert (found.total.questions, found.total.bytes_delivered, found.total.whole_files_bytes) == (3, 31, 305)
    assert {name: sums.questions for name, sums in found.codebases[0].kinds.items()} == {"refs": 1, "search": 1}
    assert list(found.codebases[0].days) == ["2026-11-17", "2026-11-18"]
