"""Objects, diffs, savings and hooks."""

import os
from pathlib import Path

import pytest
from bench.context import patched
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import UsageError
from cairn.readcache.answers import ReadRequest
from cairn.readcache.cache import ReadCache
from cairn.readcache.hooks import answered_by
from cairn.readcache.lines import MAX_LINES, split, useful_diff
from cairn.readcache.log import savings_of
from cairn.readcache.meta import Mode
from cairn.readcache.objects import Objects
from tests.readcache.test_cache import TEXT, ask, source

LINE = st.sampled_from(
    ["a\n", "b\n", "c\n", "@@ -1 +1 @@\n", "--- x\n", "\\ No newline at end of file\n", "\r\n", "é\n"]
)
LINES = st.lists(LINE, max_size=40)


@pytest.mark.slow
@given(LINES, LINES, st.booleans(), st.booleans())
def test_a_useful_diff_leads_from_the_old_text_to_the_new(
    old: list[str], new: list[str], cut_old: bool, cut_new: bool
) -> None:
    pad = [f"{number}\n" for number in range(60)]
    before, after = "".join([*pad, *old]), "".join([*pad, *new])
    before, after = before[: len(before) - cut_old], after[: len(after) - cut_new]
    diff = useful_diff("a.py", split(before), split(after))
    if before == after:
        assert diff is None
    if diff is not None:
        assert patched(split(before), diff.text) == split(after)
        assert len(diff.text.encode()) < 0.9 * max(len(before.encode()), len(after.encode()))


def test_too_much_is_not_compared() -> None:
    many = ["x\n"] * (MAX_LINES + 1)
    assert useful_diff("a", many, [*many, "y\n"]) is None
    assert useful_diff("a", ["x" * 3_000_000 + "\n"], ["y\n"]) is None
    left = [f"l{number}\n" for number in range(3_000)]
    right = [f"r{number}\n" for number in range(3_000)]
    assert useful_diff("a", left, right) is None


@given(st.text(alphabet="ab\n\r\x0b\x85", max_size=40))
def test_lines_end_at_newlines_alone(text: str) -> None:
    lines = split(text)
    assert "".join(lines) == text
    assert all("\n" not in line[:-1] for line in lines)


@pytest.mark.requirement("RC.8")
def test_objects_are_private_and_hashed_again(tmp_path: Path) -> None:
    objects = Objects(str(tmp_path))
    name = objects.put(b"content")
    (path,) = [Path(folder) / each for folder, _, names in os.walk(objects.folder) for each in names]
    assert path.stat().st_mode & 0o777 == 0o600
    assert objects.get(name) == b"content"
    path.write_bytes(b"else")
    assert objects.get(name) is None
    assert not path.exists()
    assert objects.get("../../etc/passwd") is None
    assert objects.get("0" * 64) is None


def test_objects_are_bounded_by_size_and_age(tmp_path: Path) -> None:
    now = [1_000_000.0]
    objects = Objects(str(tmp_path), max_bytes=1_000, max_age_s=100.0, clock=lambda: now[0])
    names = []
    for number in range(12):
        now[0] += 1
        names.append(objects.put(bytes([number]) * 100))
    objects.prune()
    there = [objects.get(name) is not None for name in names]
    assert there == [False] * 3 + [True] * 9
    now[0] += 200
    assert objects.prune() == 9
    assert objects.get(names[-1]) is None


def test_an_object_that_can_t_be_kept_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("in the way")
    objects = Objects(str(tmp_path))
    assert objects.get(objects.put(b"x")) is None


@pytest.mark.requirement("RC.9")
def test_savings_are_counted_by_mode_and_only_where_trust_held(tmp_path: Path) -> None:
    cache = ReadCache(str(tmp_path))
    cache.open_session("s", "linear")
    for _ in range(3):
        ask(cache)
    ask(cache, TEXT, (10, 20))
    found = savings_of(cache.log, "/root")
    assert found.modes == {"full": 1, "unchanged": 2, "unchanged_range": 1}
    told = ask(cache).text
    lines = "".join(f"line {number}\n" for number in range(10, 21))
    expected = 2 * (len(TEXT) - len(told)) + len(lines) - len("[readcache: unchanged in lines 10-20 of 100]")
    assert found.bytes_saved == expected
    assert found.tokens_saved == expected // 4
    assert savings_of(cache.log, "/other").modes == {}

    import sqlite3

    with sqlite3.connect(cache.log.path) as connection:
        connection.execute("DELETE FROM entries WHERE seq = 1")
    connection.close()
    # Without the anchor nothing that was built on it counts.
    assert savings_of(cache.log, "/root").bytes_saved == 0


@pytest.mark.requirement("RC.9")
def test_savings_follow_branches(tmp_path: Path) -> None:
    cache = ReadCache(str(tmp_path))
    cache.open_session("t", "tree")
    root = cache.read(ReadRequest(session="t"), source())
    for _ in range(2):
        cache.read(ReadRequest(session="t", parent=root.entry), source())
    assert savings_of(cache.log, "/root").modes == {"full": 1, "unchanged": 2}


@pytest.mark.parametrize("event", ["PreCompact", "UserPromptSubmit"])
def test_a_hook_takes_trust_away_without_the_model(tmp_path: Path, event: str) -> None:
    cache = ReadCache(str(tmp_path))
    said = answered_by(cache, '{"session_id": "c-1", "hook_event_name": "SessionStart", "source": "startup"}')
    assert "session=c-1" in said
    assert [ask(cache, session="c-1").mode for _ in range(2)] == [Mode.FULL, Mode.UNCHANGED]
    assert answered_by(cache, f'{{"session_id": "c-1", "hook_event_name": "{event}"}}') == ""
    assert ask(cache, session="c-1").mode is Mode.FULL


@pytest.mark.parametrize("start", ["compact", "clear", "resume", "startup", "of a newer version"])
def test_every_start_but_the_first_forgets(tmp_path: Path, start: str) -> None:
    cache = ReadCache(str(tmp_path))
    hook = f'{{"session_id": "c-1", "hook_event_name": "SessionStart", "source": "{start}"}}'
    answered_by(cache, hook)
    ask(cache, session="c-1")
    answered_by(cache, hook)
    assert ask(cache, session="c-1").mode is Mode.FULL


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"session_id": 3, "hook_event_name": "x"}', "[" * 10_000])
def test_a_hook_s_input_that_is_none_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError):
        answered_by(ReadCache(str(tmp_path)), text)
