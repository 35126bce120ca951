"""Cached reads from end to end: modes, boundaries, branches, and plain content wherever there is doubt."""

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cairn.base.errors import UsageError
from cairn.readcache.answers import ReadAnswer, ReadRequest, ReadSource
from cairn.readcache.cache import ReadCache
from cairn.readcache.log import NewEntry
from cairn.readcache.meta import Mode, range_scope
from cairn.readcache.trust import Kind

TEXT = "".join(f"line {number}\n" for number in range(1, 101))


def source(text: str | bytes = TEXT, path: str = "a.py") -> ReadSource:
    data = text.encode() if isinstance(text, str) else text
    return ReadSource("/root", path, data, hashlib.sha256(data).hexdigest())


@pytest.fixture
def cache(tmp_path: Path) -> ReadCache:
    found = ReadCache(str(tmp_path / "home"))
    found.open_session("s", "linear")
    return found


def ask(cache: ReadCache, text: str = TEXT, lines: tuple[int, int] | None = None, **more: object) -> ReadAnswer:
    start, end = lines or (None, None)
    named = {"session": "s", **more}
    return cache.read(ReadRequest(start, end, **named), source(text))  # type: ignore[arg-type]


@pytest.mark.requirement("RC.1")
def test_the_second_read_says_unchanged_and_an_edit_is_a_diff(cache: ReadCache) -> None:
    first = ask(cache)
    assert (first.mode, first.text) == (Mode.FULL, TEXT)
    assert (ask(cache).mode, ask(cache).text) == (Mode.UNCHANGED, "[readcache: unchanged, 100 lines]")
    edited = TEXT.replace("line 50\n", "line fifty\n")
    diff = ask(cache, edited)
    assert diff.mode is Mode.DIFF
    assert diff.text.startswith("[readcache: 1 line changed of 100]\n--- a/a.py\n+++ b/a.py\n@@ -47,7 +47,7 @@\n")
    assert "-line 50\n+line fifty\n" in diff.text
    assert ask(cache, edited).mode is Mode.UNCHANGED


@pytest.mark.requirement("RC.1")
def test_a_diff_that_is_not_clearly_smaller_is_content(cache: ReadCache) -> None:
    ask(cache)
    other = "".join(f"other {number}\n" for number in range(100))
    answer = ask(cache, other)
    assert (answer.mode, answer.text) == (Mode.BASELINE_FALLBACK, other)
    assert ask(cache, other).mode is Mode.UNCHANGED


@pytest.mark.requirement("RC.3")
def test_base_selection_takes_the_fresher_trust(cache: ReadCache) -> None:
    """Seed 003, 9.3: full trust at H1 is fresher than the range's own at H0."""
    old = TEXT.replace("line 15\n", "line xv\n")
    ask(cache, old, (10, 20))
    ask(cache)
    answer = ask(cache, TEXT, (10, 20))
    assert answer.mode is Mode.UNCHANGED_RANGE
    assert answer.meta is not None
    assert answer.meta.base_hash == source(TEXT).file_hash


def test_lines_say_whether_anything_changed_elsewhere(cache: ReadCache) -> None:
    ask(cache, TEXT, (10, 20))
    assert ask(cache, TEXT, (10, 20)).text == "[readcache: unchanged in lines 10-20 of 100]"
    after = TEXT + "more\n"
    answer = ask(cache, after, (10, 20))
    assert answer.text == "[readcache: unchanged in lines 10-20; changes exist outside this range]"


def test_an_insertion_before_a_range_gives_its_lines_again(cache: ReadCache) -> None:
    ask(cache, TEXT, (10, 20))
    shifted = "first\n" + TEXT
    answer = ask(cache, shifted, (10, 20))
    assert answer.mode is Mode.BASELINE_FALLBACK
    assert answer.text.startswith("line 9\n")


@pytest.mark.requirement("RC.20")
def test_unchanged_means_the_newest_text_of_every_line(cache: ReadCache) -> None:
    """An edit that was seen in some lines and then undone: the file is as it was first given, and not as last."""
    edited = TEXT.replace("line 15\n", "line 99\n")
    ask(cache)
    ask(cache, edited, (14, 18))
    inner = ask(cache, TEXT, (15, 17))
    assert (inner.mode, inner.text) == (Mode.BASELINE_FALLBACK, "line 15\nline 16\nline 17\n")
    ask(cache, edited, (14, 18))
    whole = ask(cache, TEXT)
    assert whole.mode is Mode.DIFF
    assert "-line 99\n+line 15\n" in whole.text
    assert ask(cache, TEXT).mode is Mode.UNCHANGED


@pytest.mark.requirement("RC.20")
def test_lines_of_several_versions_are_one_text(cache: ReadCache) -> None:
    edited = TEXT.replace("line 15\n", "line 99\n")
    ask(cache)
    ask(cache, edited, (14, 18))
    assert ask(cache, edited, (10, 20)).text == "[readcache: unchanged in lines 10-20 of 100]"
    assert ask(cache, edited + "more\n", (10, 20)).text.endswith("changes exist outside this range]")
    assert ask(cache, edited).text == "[readcache: unchanged, 100 lines]"
    longer = edited + "".join(f"line {number}\n" for number in range(101, 201))
    assert ask(cache, longer, (150, 160)).mode is Mode.BASELINE_FALLBACK
    # Nobody has lines 101 to 149, so there is no old side for a diff.
    assert ask(cache, longer).mode is Mode.BASELINE_FALLBACK


@pytest.mark.requirement("RC.20")
def test_a_part_of_a_line_is_newer_than_the_line_before_it(cache: ReadCache) -> None:
    edited = TEXT.replace("line 15\n", "line fifteen\n")
    ask(cache)
    part = ask(cache, edited, (15, 15), max_bytes=7)
    assert (part.text, part.meta) == ("line fi", None)
    assert part.entry is not None
    assert ask(cache, TEXT, (15, 15)).text == "line 15\n"


@pytest.mark.requirement("RC.20")
def test_a_diff_whose_base_was_dropped_leaves_nothing_to_build_on(cache: ReadCache) -> None:
    ask(cache)
    middle = ask(cache, TEXT.replace("line 50\n", "line l\n"), bypass=True)
    assert ask(cache, TEXT.replace("line 5\n", "line v\n")).mode is Mode.DIFF
    cache.event("s", "drop", entry=middle.entry)
    assert ask(cache, TEXT, (5, 5)).text == "line 5\n"


@pytest.mark.requirement("RC.2")
@pytest.mark.parametrize("boundary", ["strict", "first_kept"])
def test_the_critical_regression_after_a_compaction(cache: ReadCache, boundary: str) -> None:
    """Seed 003, 9.2: the first kept entry is the `unchanged` one, which establishes nothing."""
    cache.open_session("b", "linear", boundary)
    assert ask(cache, session="b").mode is Mode.FULL
    kept = ask(cache, session="b")
    assert kept.mode is Mode.UNCHANGED
    cache.event("b", "compaction", entry=kept.entry)
    assert ask(cache, session="b").mode is Mode.FULL


@pytest.mark.requirement("RC.2")
def test_a_kept_anchor_is_trusted_by_the_boundary_that_keeps(cache: ReadCache) -> None:
    cache.open_session("b", "linear", "first_kept")
    kept = ask(cache, session="b")
    cache.event("b", "compaction", entry=kept.entry)
    assert ask(cache, session="b").mode is Mode.UNCHANGED


@pytest.mark.requirement("RC.8")
def test_a_truncated_read_never_anchors_what_was_not_delivered(cache: ReadCache) -> None:
    first = ask(cache, max_bytes=70)
    assert first.truncated
    assert first.text == "".join(f"line {number}\n" for number in range(1, first.end_line + 1))
    assert first.meta is not None
    assert first.meta.scope_key == range_scope(1, first.end_line)
    assert ask(cache).mode is Mode.FULL
    again = ReadCache(os.path.dirname(cache.log.path))
    again.open_session("t", "linear")
    ask(again, max_bytes=70, session="t")
    assert ask(again, lines=(1, first.end_line), session="t").mode is Mode.UNCHANGED_RANGE
    assert ask(again, lines=(first.end_line, first.end_line + 1), session="t").mode is Mode.FULL


@pytest.mark.requirement("RC.8")
def test_a_line_that_is_larger_than_the_room_anchors_nothing(cache: ReadCache) -> None:
    answer = ask(cache, "x" * 100 + "\n", max_bytes=10)
    assert (answer.text, answer.truncated, answer.meta) == ("x" * 10, True, None)
    assert ask(cache, "x" * 100 + "\n").mode is Mode.FULL


@pytest.mark.requirement("RC.7")
def test_who_names_no_session_always_gets_content(cache: ReadCache) -> None:
    for _ in range(2):
        answer = ask(cache, session=None)
        assert (answer.mode, answer.text, answer.meta, answer.entry) == (Mode.FULL, TEXT, None, None)
    cache.open_session("none", "none")
    for session in ("none", "unknown"):
        assert [ask(cache, session=session).mode for _ in range(2)] == [Mode.FULL, Mode.FULL]


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b"])
def test_what_is_no_text_is_said_and_never_trusted(cache: ReadCache, data: bytes) -> None:
    answer = cache.read(ReadRequest(session="s"), source(data))
    assert answer.meta is None
    assert "no text" in answer.text


@pytest.mark.parametrize("lines", [(0, 5), (5, 4), (101, 102), (-3, 2)])
def test_lines_that_are_not_there_are_an_error_that_says_which_are(cache: ReadCache, lines: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="100 lines") as caught:
        ask(cache, lines=lines)
    assert "1 to 100" in caught.value.hint
    assert cache.log.entries("s") == []


def test_what_is_no_longer_than_the_word_that_it_is_unchanged_is_given_itself(cache: ReadCache) -> None:
    told = "[readcache: unchanged, 1 line]"
    for text in ("", "x\n", "x" * (len(told) - 1) + "\n"):
        cache.open_session("s", "linear")
        assert [(ask(cache, text).mode, ask(cache, text).text) for _ in range(2)] == [(Mode.FULL, text)] * 2
    longer = "x" * len(told) + "\n"
    cache.open_session("s", "linear")
    assert (ask(cache, longer).text, ask(cache, longer).text) == (longer, told)
    assert ask(cache, TEXT).mode is Mode.BASELINE_FALLBACK
    assert ask(cache, TEXT, (10, 11)).mode is Mode.FULL
    assert ask(cache, TEXT, (10, 11)).text == "".join(TEXT.splitlines(keepends=True)[9:11])
    assert ask(cache, TEXT).mode is Mode.UNCHANGED


@pytest.mark.requirement("RC.4")
def test_a_refresh_gives_the_content_once(cache: ReadCache) -> None:
    ask(cache)
    assert cache.refresh("s", source(), ReadRequest(10, 20)).note == range_scope(10, 20)
    assert ask(cache, lines=(10, 20)).mode is Mode.FULL
    assert ask(cache, lines=(10, 20)).mode is Mode.UNCHANGED_RANGE
    assert ask(cache).mode is Mode.UNCHANGED
    cache.refresh("s", source(), ReadRequest())
    assert ask(cache).mode is Mode.FULL


def test_bypass_gives_content_and_anchors_it(cache: ReadCache) -> None:
    ask(cache)
    assert ask(cache, bypass=True).mode is Mode.FULL
    assert ask(cache).mode is Mode.UNCHANGED


@pytest.mark.requirement("RC.5")
def test_trust_survives_a_restart_and_no_other_session_sees_it(cache: ReadCache, tmp_path: Path) -> None:
    ask(cache)
    again = ReadCache(str(tmp_path / "home"))
    assert ask(again).mode is Mode.UNCHANGED
    again.open_session("other", "linear")
    assert ask(again, session="other").mode is Mode.FULL


@pytest.mark.requirement("RC.5")
def test_a_fork_begins_with_nothing_and_takes_nothing_back(cache: ReadCache) -> None:
    ask(cache)
    told = cache.event("s", "fork", new_session="fork")
    assert told.session == "fork"
    edited = TEXT.replace("line 5\n", "line v\n")
    assert ask(cache, edited, session="fork").mode is Mode.FULL
    assert ask(cache).mode is Mode.UNCHANGED


@pytest.mark.requirement("RC.5")
def test_branches_of_a_tree_know_only_their_own(cache: ReadCache) -> None:
    cache.open_session("t", "tree")
    root = ask(cache, session="t")
    edited = TEXT.replace("line 5\n", "line v\n")
    left = ask(cache, edited, session="t", parent=root.entry)
    assert left.mode is Mode.DIFF
    assert ask(cache, edited, session="t", parent=left.entry).mode is Mode.UNCHANGED
    right = ask(cache, session="t", parent=root.entry)
    assert right.mode is Mode.UNCHANGED
    assert ask(cache, edited, session="t", parent=right.entry).mode is Mode.DIFF


@pytest.mark.requirement("RC.7")
@pytest.mark.parametrize("parent", [None, 99, -1, 0])
def test_an_unknown_parent_gives_content(cache: ReadCache, parent: int | None) -> None:
    cache.open_session("t", "tree")
    ask(cache, session="t")
    assert ask(cache, session="t", parent=parent).mode is Mode.FULL


@pytest.mark.requirement("RC.7")
def test_a_gap_in_the_client_s_count_gives_content(cache: ReadCache) -> None:
    assert ask(cache, sequence=1).mode is Mode.FULL
    assert ask(cache, sequence=2).mode is Mode.UNCHANGED
    assert ask(cache, sequence=4).mode is Mode.FULL
    assert ask(cache, sequence=5).mode is Mode.UNCHANGED
    assert ask(cache, sequence=5).mode is Mode.FULL


@pytest.mark.requirement("RC.7")
def test_a_navigation_with_a_gap_trusts_nothing(cache: ReadCache) -> None:
    first = ask(cache, sequence=1)
    cache.event("s", "navigate", entry=first.entry, sequence=3)
    assert ask(cache, sequence=4).mode is Mode.FULL


@pytest.mark.parametrize("kind", ["navigate", "drop", "resume"])
def test_an_event_that_points_at_nothing_known_trusts_nothing(cache: ReadCache, kind: str) -> None:
    ask(cache)
    assert "not known" in cache.event("s", kind, entry=77).note
    assert ask(cache).mode is Mode.FULL


def test_navigating_back_forgets_what_came_later(cache: ReadCache) -> None:
    first = ask(cache)
    edited = TEXT.replace("line 5\n", "line v\n")
    ask(cache, edited)
    cache.event("s", "navigate", entry=first.entry)
    answer = ask(cache, edited)
    assert answer.mode is Mode.DIFF
    assert answer.meta is not None
    assert answer.meta.base_hash == source(TEXT).file_hash


def test_a_resume_keeps_what_was_there(cache: ReadCache) -> None:
    ask(cache)
    cache.event("s", "resume")
    assert ask(cache).mode is Mode.UNCHANGED


def test_a_dropped_answer_is_no_base(cache: ReadCache) -> None:
    first = ask(cache)
    cache.event("s", "drop", entry=first.entry)
    assert ask(cache).mode is Mode.FULL


@pytest.mark.requirement("RC.8")
def test_a_missing_object_gives_content(cache: ReadCache) -> None:
    ask(cache)
    for folder, _, names in os.walk(cache.objects.folder):
        for name in names:
            os.unlink(os.path.join(folder, name))
    assert ask(cache, TEXT + "more\n").mode is Mode.BASELINE_FALLBACK


@pytest.mark.requirement("RC.8")
def test_a_damaged_object_is_never_built_on(cache: ReadCache) -> None:
    ask(cache)
    (path,) = [os.path.join(folder, name) for folder, _, names in os.walk(cache.objects.folder) for name in names]
    Path(path).write_text(TEXT.replace("line 1\n", "line !\n"))
    answer = ask(cache, TEXT + "more\n")
    assert (answer.mode, answer.text) == (Mode.BASELINE_FALLBACK, TEXT + "more\n")


@pytest.mark.requirement("RC.7")
@pytest.mark.parametrize("damage", ["garbage", "folder", "version"])
def test_a_log_that_can_t_be_used_gives_plain_content(cache: ReadCache, damage: str) -> None:
    ask(cache)
    path = Path(cache.log.path)
    if damage == "version":
        import sqlite3

        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version=9")
            connection.execute("UPDATE cairn_format SET version = 9")
        connection.close()
    else:
        path.unlink()
        path.mkdir() if damage == "folder" else path.write_bytes(b"no database" * 100)
    for _ in range(2):
        answer = ask(cache)
        assert (answer.mode, answer.text, answer.meta) == (Mode.FULL, TEXT, None)


@pytest.mark.requirement("RC.6")
def test_foreign_entries_are_ignored_or_forget(cache: ReadCache) -> None:
    ask(cache)
    import sqlite3

    with sqlite3.connect(cache.log.path) as connection:
        connection.execute("UPDATE entries SET mode = 'telepathy'")
    connection.close()
    fresh = ReadCache(os.path.dirname(cache.log.path))
    assert ask(fresh).mode is Mode.FULL
    with sqlite3.connect(cache.log.path) as connection:
        connection.execute("UPDATE entries SET kind = 'of_a_newer_version' WHERE seq = 2")
    connection.close()
    assert ask(ReadCache(os.path.dirname(cache.log.path))).mode is Mode.FULL


def test_what_others_told_meanwhile_is_heeded(cache: ReadCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compaction that is reported between the look at the log and the answer: the answer is content."""
    ask(cache)
    real = cache._answer
    told: list[object] = []

    def late(*arguments: object) -> ReadAnswer:
        answer = real(*arguments)  # type: ignore[arg-type]
        if not told:
            told.append(cache.event("s", "compaction"))
        return answer

    monkeypatch.setattr(cache, "_answer", late)
    assert ask(cache).mode is Mode.FULL


def test_parallel_reads_of_one_session_are_each_right(cache: ReadCache) -> None:
    answers: list[ReadAnswer] = []
    gate = threading.Barrier(6)

    def work() -> None:
        gate.wait(30)
        answers.append(ask(cache))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == 6
    assert any(answer.mode is Mode.FULL for answer in answers)
    numbers = [entry.seq for entry in cache.log.entries("s")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert ask(cache).mode is Mode.UNCHANGED


_CHILD = """
import hashlib, sys
from cairn.readcache.answers import ReadRequest, ReadSource
from cairn.readcache.cache import ReadCache
data = sys.argv[2].encode()
cache = ReadCache(sys.argv[1])
for number in range(20):
    path = f"{sys.argv[3]}-{number}.py"
    cache.read(ReadRequest(session="s"), ReadSource("/root", path, data, hashlib.sha256(data).hexdigest()))
"""


@pytest.mark.slow
@pytest.mark.requirement("RC.5")
def test_many_processes_append_to_one_session(cache: ReadCache) -> None:
    """The same content from all: parallel writes of one object are one object."""
    home = os.path.dirname(cache.log.path)
    children = [subprocess.Popen((sys.executable, "-c", _CHILD, home, TEXT, str(number))) for number in range(3)]
    assert [child.wait(120) for child in children] == [0, 0, 0]
    entries = cache.log.entries("s")
    assert [entry.seq for entry in entries] == list(range(1, 61))
    assert {entry.parent for entry in entries} == {None, *range(1, 60)}
    names = [name for _, _, found in os.walk(cache.objects.folder) for name in found]
    assert len(names) == 1


def test_a_second_opening_of_a_session_begins_with_nothing(cache: ReadCache) -> None:
    ask(cache)
    cache.open_session("s", "linear")
    assert ask(cache).mode is Mode.FULL
    assert ask(cache).mode is Mode.UNCHANGED
    with pytest.raises(UsageError, match="linear"):
        cache.open_session("s", "tree")
    for name in ("", "a b", "x" * 129, "../x"):
        with pytest.raises(UsageError):
            cache.open_session(name, "linear")
    for arguments in (("q", "perhaps"), ("q", "linear", "soft")):
        with pytest.raises(UsageError, match="There is no"):
            cache.open_session(*arguments)
    with pytest.raises(UsageError):
        cache.event("s", "nonsense")
    with pytest.raises(UsageError):
        cache.event("unknown", "clear")


def test_old_sessions_are_forgotten_when_a_new_one_begins(tmp_path: Path) -> None:
    from cairn.readcache.log import KEPT_S, ReadLog, Session

    now = [1000.0]
    log = ReadLog(str(tmp_path), clock=lambda: now[0])
    log.open_session(Session("old", "linear", "strict"))
    log.append("old", None, [NewEntry(Kind.CLEAR)])
    now[0] += KEPT_S + 1
    log.open_session(Session("new", "linear", "strict"))
    assert log.session("old") is None
    assert log.entries("old") == []
    assert log.session("new") is not None
