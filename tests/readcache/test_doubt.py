"""Where something was lost, raced, cancelled or begun anew: the answer is the content."""

import os
import sqlite3

import pytest

from cairn.base.errors import UsageError
from cairn.readcache.answers import ReadRequest
from cairn.readcache.branches import branch_of
from cairn.readcache.cache import ReadCache
from cairn.readcache.log import NewEntry, ReadLog
from cairn.readcache.meta import Mode, range_scope
from cairn.readcache.trust import Kind, LogEntry
from tests.readcache.test_cache import TEXT, ask, cache, source

__all__ = ["cache"]


@pytest.mark.requirement("RC.5")
def test_a_log_that_was_deleted_takes_its_memory_along(cache: ReadCache) -> None:
    """Numbers begin anew with a new log: an entry of the same number is another one."""
    for _ in range(3):
        ask(cache)
    os.unlink(cache.log.path)
    other = ReadCache(os.path.dirname(cache.log.path))
    other.open_session("s", "linear")
    for _ in range(3):
        other.event("s", "clear")
    assert ask(cache).mode is Mode.FULL


@pytest.mark.requirement("RC.2")
@pytest.mark.parametrize("late", ["refresh", "resume"])
def test_an_event_that_comes_between_falls_off_no_branch(
    cache: ReadCache, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    ask(cache)
    real = ReadLog.append
    told: list[object] = []

    def raced(
        self: ReadLog, session: str, parent: int | None, drafts: list[NewEntry], **more: bool
    ) -> list[int] | None:
        if not told:
            told.append(real(self, session, parent, [NewEntry(Kind.COMPACTION)]))
        return real(self, session, parent, drafts, **more)

    monkeypatch.setattr(ReadLog, "append", raced)
    if late == "refresh":
        cache.refresh("s", source(path="b.py"), ReadRequest())
    else:
        cache.event("s", "resume")
    assert ask(cache).mode is Mode.FULL


@pytest.mark.requirement("RC.7")
def test_a_gap_holds_on_every_branch(cache: ReadCache) -> None:
    first = ask(cache, sequence=1)
    ask(cache, TEXT + "more\n", sequence=3)
    cache.event("s", "navigate", entry=first.entry, sequence=4)
    assert ask(cache, sequence=5).mode is Mode.FULL
    cache.open_session("t", "tree")
    root = ask(cache, session="t", sequence=1)
    ask(cache, session="t", parent=root.entry, sequence=3)
    assert ask(cache, session="t", parent=root.entry, sequence=4).mode is Mode.FULL


def test_a_drop_holds_on_every_branch(cache: ReadCache) -> None:
    first = ask(cache)
    cache.event("s", "drop", entry=first.entry)
    cache.event("s", "navigate", entry=first.entry)
    assert ask(cache).mode is Mode.FULL


@pytest.mark.parametrize("kind", ["compaction", "drop", "clear"])
def test_an_event_of_a_tree_whose_place_is_not_known_trusts_nothing(cache: ReadCache, kind: str) -> None:
    cache.open_session("t", "tree")
    root = ask(cache, session="t")
    assert "not known" in cache.event("t", kind, entry=root.entry).note
    assert ask(cache, session="t", parent=root.entry).mode is Mode.FULL


@pytest.mark.requirement("RC.4")
def test_a_refresh_means_the_lines_that_a_read_means(cache: ReadCache) -> None:
    ask(cache, lines=(90, 200))
    assert cache.refresh("s", source(), ReadRequest(90, 300)).note == range_scope(90, 100)
    assert ask(cache, lines=(90, 100)).mode is Mode.FULL
    assert cache.refresh("s", source(), ReadRequest(95)).note == range_scope(95, 100)
    for lines in ((30, 10), (0, 3), (101, 102)):
        with pytest.raises(UsageError):
            cache.refresh("s", source(), ReadRequest(*lines))


def test_what_may_not_have_arrived_is_not_trusted(cache: ReadCache) -> None:
    ask(cache)
    cache.distrust("s")
    cache.distrust("unknown")
    assert ask(cache).mode is Mode.FULL


@pytest.mark.requirement("RC.6", "RC.7")
def test_numbers_have_bounds(cache: ReadCache) -> None:
    ask(cache)
    for answer in (ask(cache, sequence=2**70), ask(cache, parent=-1)):
        assert (answer.text, answer.meta) == (TEXT, None)
    with pytest.raises(UsageError):
        cache.event("s", "drop", entry=2**70)


@pytest.mark.requirement("RC.6", "RC.7")
@pytest.mark.parametrize("damage", ["parent = 'text'", "seq = 'text'", "sequence = 'text'"])
def test_junk_in_the_log_is_plain_content(cache: ReadCache, damage: str) -> None:
    ask(cache)
    with sqlite3.connect(cache.log.path) as connection:
        connection.execute(f"UPDATE entries SET {damage}")
    connection.close()
    for _ in range(2):
        answer = ask(ReadCache(os.path.dirname(cache.log.path)), sequence=5)
        assert answer.text == TEXT


def test_many_compactions_that_keep_one_entry_are_replayed(cache: ReadCache) -> None:
    cache.open_session("k", "linear", "first_kept")
    first = ask(cache, session="k")
    drafts = [NewEntry(Kind.COMPACTION, target=first.entry) for _ in range(3_000)]
    assert cache.log.append("k", first.entry, drafts) is not None
    assert ask(cache, session="k").mode is Mode.UNCHANGED


def test_a_branch_that_goes_in_a_circle_is_none() -> None:
    entries = {
        1: LogEntry(1, 2, Kind.READ),
        2: LogEntry(2, 1, Kind.READ),
        3: LogEntry(3, 3, Kind.READ),
        4: LogEntry(4, 9, Kind.READ),
    }
    assert [branch_of(entries, leaf) for leaf in entries] == [None] * 4


def test_a_diff_is_the_base_of_the_next(cache: ReadCache) -> None:
    ask(cache)
    one = TEXT.replace("line 5\n", "line v\n")
    two = one.replace("line 50\n", "line l\n")
    assert [ask(cache, text).mode for text in (one, two)] == [Mode.DIFF, Mode.DIFF]
