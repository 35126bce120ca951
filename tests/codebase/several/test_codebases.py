"""Several codebases under one question: one order, each by its name, and one's trouble is its own."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import (
    CancelledError,
    ConfigError,
    CorruptStoreError,
    NotIndexedError,
    RootNotFoundError,
    UsageError,
)
from cairn.base.notes import Note
from cairn.codebase.answers import Request
from cairn.codebase.bodies import Answer, Found
from cairn.codebase.codebase import Codebase
from cairn.codebase.several import Codebases, bring_up_to_date, known_roots
from cairn.codebase.several.codebases import _find
from cairn.indexing.options import SyncOptions
from cairn.search import Filters, parse_query
from cairn.store.lease import WriterLease
from tests.notes import said, sentences
from tests.trees import Repo, write


@pytest.fixture
def first(tmp_path: Path) -> Repo:
    repo = Repo.create(tmp_path / "first")
    repo.write("src/lease.py", "def take_over(lease):\n    return lease.epoch\n")
    repo.write("src/same.py", "def same():\n    return 'a lease'\n")
    repo.commit()
    return repo


@pytest.fixture
def second(tmp_path: Path) -> Repo:
    repo = Repo.create(tmp_path / "second")
    repo.write("lib/renew.py", "def renew(lease):\n    return lease\n\n\ndef Take_Over():\n    return 0\n")
    repo.write("src/same.py", "def same():\n    return 'a lease'\n")
    repo.commit()
    return repo


def ask(paths: Sequence[Path | str], request: Request | str, *, sync: bool = True) -> Answer[Found[Any]]:
    with Codebases(str(path) for path in paths) as codebases:
        if sync:
            codebases.sync(bring_up_to_date)
        return codebases.search(Request(request) if isinstance(request, str) else request)


def told(answer: Answer[Found[Any]]) -> list[tuple[str, str, float]]:
    return [
        (os.path.basename(source.root), item.row.path_key, item.score)
        for item, source in zip(answer.items, answer.value.sources, strict=True)
    ]


def snapshot_of(root: Path) -> str:
    with Codebase(str(root)) as codebase, codebase.view() as view:
        return view.snapshot_id


def damage(root: Path) -> None:
    with Codebase(str(root)) as codebase:
        layout = codebase.store().layout
    for segment in Path(layout.path, "segments").iterdir():
        with open(segment / "rows.sqlite", "r+b") as file:
            file.write(b"no database")
    shutil.rmtree(layout.cache)


@pytest.mark.requirement("MULTI.1")
def test_every_result_names_its_codebase_and_snapshot(first: Repo, second: Repo) -> None:
    answer = ask([first.path, second.path], "lease")
    assert {(root, path) for root, path, _ in told(answer)} == {
        ("first", "src/lease.py"),
        ("first", "src/same.py"),
        ("second", "lib/renew.py"),
        ("second", "src/same.py"),
    }
    for source in answer.value.sources:
        assert source in answer.codebases
        assert source.manifest is not None
        assert source.manifest.snapshot_id == snapshot_of(Path(source.root))
    assert [item.root for item in answer.codebases] == [str(first.path), str(second.path)]
    assert said(answer) == ()
    assert all(item.freshness == {"synced": True, "checked": "tree", "moved": False} for item in answer.codebases)


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_the_order_of_the_roots_the_day_and_the_segments_make_no_difference(first: Repo, second: Repo) -> None:
    for query in ("lease", "how is a lease taken over", "same", "take_over"):
        answers = [told(ask(paths, query)) for paths in ([first.path, second.path], [second.path, first.path])]
        assert answers[0] == answers[1]
        assert answers[0]
    before = told(ask([first.path, second.path], "a lease epoch"))
    second.write("new.txt", "unrelated\n")
    ask([second.path], "lease")
    (second.path / "new.txt").unlink()
    with Codebase(str(second.path)) as codebase:
        codebase.reindex_incremental()
        assert codebase.compact(force=True) is not None
    assert told(ask([first.path, second.path], "a lease epoch", sync=False)) == before


@pytest.mark.requirement("MULTI.1")
def test_equal_answers_stand_by_root(first: Repo, second: Repo) -> None:
    found = [item for item in told(ask([second.path, first.path], "same")) if item[1] == "src/same.py"]
    assert [root for root, _, _ in found] == ["first", "second"]
    assert found[0][2] == found[1][2]


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_a_codebase_counts_once_however_it_is_named(first: Repo, second: Repo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(first.path)
    paths: list[Path | str] = [first.path, first.path / "src", tmp_path / "link" / "src", f"{first.path}/", second.path]
    answer = ask(paths, "lease")
    assert [item.root for item in answer.codebases] == [str(first.path), str(second.path)]
    assert len(told(answer)) == len(set(told(answer)))
    assert told(answer) == told(ask([first.path, second.path], "lease"))


@pytest.mark.requirement("MULTI.1")
def test_one_that_is_not_there_is_a_warning(first: Repo, tmp_path: Path) -> None:
    answer = ask([tmp_path / "absent", first.path], "lease")
    assert {root for root, _, _ in told(answer)} == {"first"}
    missing, there = answer.codebases
    assert (missing.root, missing.manifest) == (str(tmp_path / "absent"), None)
    assert isinstance(missing.error, RootNotFoundError)
    assert there.error is None
    (warning,) = said(answer)
    assert str(tmp_path / "absent") in warning
    assert "doesn't exist" in warning


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_one_that_is_damaged_misconfigured_or_not_indexed_is_a_warning(first: Repo, second: Repo) -> None:
    assert len(told(ask([first.path, second.path], "lease"))) == 4
    damage(second.path)
    answer = ask([first.path, second.path], "lease", sync=False)
    assert {root for root, _, _ in told(answer)} == {"first"}
    assert isinstance(answer.codebases[1].error, CorruptStoreError)
    first.write(".cairn.toml", "[index]\nbogus = 1\n")
    with pytest.raises(ConfigError):
        ask([first.path, second.path], "lease")
    third = Repo.create(first.path.parent / "third")
    third.write("a.py", "lease = 1\n")
    answer = ask([first.path, third.path], "lease")
    assert told(answer)[0][:2] == ("third", "a.py")
    assert isinstance(answer.codebases[0].error, ConfigError)
    (first.path / ".cairn.toml").unlink()
    fourth = Repo.create(first.path.parent / "fourth")
    answer = ask([first.path, fourth.path], "lease", sync=False)
    assert isinstance(answer.codebases[1].error, NotIndexedError)
    assert {root for root, _, _ in told(answer)} == {"first"}


@pytest.mark.requirement("MULTI.1")
def test_one_that_fails_in_the_middle_is_left_to_a_warning(first: Repo, second: Repo, private_home: Path) -> None:
    ask([first.path, second.path], "lease")
    with (
        Codebase(str(first.path)) as one,
        Codebase(str(second.path)) as two,
        one.view() as healthy,
        two.view() as failing,
    ):
        segments = private_home / ".cairn" / "data" / failing.manifest.store_id / "segments"
        for segment in segments.iterdir():
            shutil.rmtree(segment)
        views = {"first": healthy, "second": failing}
        failures: dict[str, Exception] = {}
        nows = {"first": one.now(), "second": two.now()}
        found = _find(views, failures, Request("lease"), parse_query("lease"), None, None, nows)  # type: ignore[arg-type]
    assert {root for root, _ in found.results} == {"first"}
    assert (list(views), list(failures)) == (["first"], ["second"])


@pytest.mark.requirement("MULTI.1")
def test_when_none_answers_the_error_of_the_first_does(first: Repo, second: Repo, tmp_path: Path) -> None:
    with pytest.raises(NotIndexedError):
        ask([second.path, first.path], "lease", sync=False)
    with pytest.raises(RootNotFoundError, match="aaa"):
        ask([second.path, tmp_path / "aaa"], "lease", sync=False)
    with pytest.raises(UsageError):
        ask([], "lease")


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_a_sync_that_fails_is_told_until_one_succeeds(first: Repo, second: Repo) -> None:
    ask([first.path, second.path], "lease")

    def bring(codebase: Codebase) -> tuple[bool, list[Note]]:
        if codebase.root.path == str(second.path):
            raise OSError(28, "No space left on device")
        return bring_up_to_date(codebase)

    second.write("src/zoo.py", "lease = 'zoo'\n")
    with Codebases([str(first.path), str(second.path)]) as codebases:
        codebases.sync(bring)
        failed = codebases.search(Request("lease"))
        assert "disk is full" in str(failed.codebases[1].error)
        # Trouble that has passed is forgotten.
        codebases.sync(bring_up_to_date)
        assert ("second", "src/zoo.py") in {item[:2] for item in told(codebases.search(Request("lease")))}


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_where_a_writer_is_at_work_the_last_snapshot_answers(first: Repo, second: Repo) -> None:
    ask([first.path, second.path], "lease")
    second.write("src/zoo.py", "lease = 'zoo'\n")
    with Codebase(str(second.path)) as codebase:
        lease = WriterLease.acquire(codebase.store().layout)
    try:
        answer = ask([first.path, second.path], "lease")
    finally:
        lease.release()
    assert {root for root, _, _ in told(answer)} == {"first", "second"}
    assert "src/zoo.py" not in {path for _, path, _ in told(answer)}
    assert [item.freshness["synced"] for item in answer.codebases] == [True, False]
    (warning,) = said(answer)
    assert warning.startswith(f"{second.path}: not synced")


def test_an_interrupt_ends_all_of_it(first: Repo, second: Repo) -> None:
    seen = []

    def bring(codebase: Codebase) -> tuple[bool, list[Note]]:
        seen.append(codebase.root.path)
        raise CancelledError("The command was interrupted.")

    with Codebases([str(first.path), str(second.path)]) as codebases, pytest.raises(CancelledError):
        codebases.sync(bring)
    assert seen == [str(first.path)]


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_what_changed_or_went_since_is_told_of_its_own_codebase(first: Repo, second: Repo) -> None:
    ask([first.path, second.path], "lease")
    first.write("src/same.py", "def same():\n    return 'another lease'\n")
    (second.path / "src/same.py").unlink()
    answer = ask([first.path, second.path], "same lease", sync=False)
    assert [item.changed for item in answer.codebases] == [{"src/same.py"}, frozenset()]
    assert ("second", "src/same.py") not in {item[:2] for item in told(answer)}
    assert ("first", "src/same.py") in {item[:2] for item in told(answer)}
    assert all(item.freshness["moved"] for item in answer.codebases)
    assert [warning.partition(": ")[0] for warning in said(answer)] == [str(first.path), str(second.path)]


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_settings_of_the_index_may_differ_and_those_of_the_answer_do_not_count(first: Repo, second: Repo) -> None:
    second.write(".cairn.toml", "[index]\nchunk_bytes = 300\n\n[query]\nlimit = 1\n")
    answer = ask([first.path, second.path], "lease")
    assert len(answer.items) >= 4
    one, two = (item.manifest for item in answer.codebases)
    assert one is not None
    assert two is not None
    assert one.config_fingerprint != two.config_fingerprint
    (warning,) = said(answer)
    assert warning.startswith(f"{second.path}: ")
    assert "[query]" in warning


@pytest.mark.slow
def test_filters_hold_for_every_codebase(first: Repo, second: Repo) -> None:
    paths = [first.path, second.path]
    assert {item[:2] for item in told(ask(paths, "lease path:src/"))} == {
        ("first", "src/lease.py"),
        ("first", "src/same.py"),
        ("second", "src/same.py"),
    }
    given = Request("lease", filters=Filters(paths=("lib",)))
    assert {item[:2] for item in told(ask(paths, given))} == {("second", "lib/renew.py")}
    for pattern in (str(first.path), "../first", "", "/"):
        with pytest.raises(UsageError):
            ask(paths, Request("lease", filters=Filters(paths=(pattern,))))


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_forms_name_their_codebase(first: Repo, second: Repo) -> None:
    answer = ask([first.path, second.path], Request("lease", budget_tokens=1_000))
    assert [(unit.root, unit.path) for unit in answer.value.units] == [
        (source.root, item.row.path_key) for item, source in zip(answer.items, answer.value.sources, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_a_symbol_is_looked_up_in_all_of_them(first: Repo, second: Repo, tmp_path: Path) -> None:
    paths = [str(second.path), str(tmp_path / "absent"), str(first.path)]
    with Codebases(paths) as codebases:
        codebases.sync(bring_up_to_date)
        found = codebases.symbol("take_over")
        # Exact case first, whatever the root; other spellings are other names.
        assert [(os.path.basename(item.root), item.path, item.definition.symbol.name) for item in found.items] == [
            ("first", "src/lease.py", "take_over"),
        ]
        assert (found.value.total, found.value.otherwise) == (1, {"Take_Over": 1})
        other = codebases.symbol("Take_Over")
        assert [os.path.basename(item.root) for item in other.items] == ["second"]
        assert (other.value.total, other.value.otherwise) == (1, {"take_over": 1})
        both = codebases.symbol("same")
        assert [os.path.basename(item.root) for item in both.items] == ["first", "second"]
        assert [item.snapshot_id for item in both.items] == [snapshot_of(first.path), snapshot_of(second.path)]
        assert all(item.id for item in both.items)
        cut = codebases.symbol("same", limit=1)
        assert (len(cut.items), cut.value.total, cut.limits_hit) == (1, 2, ("places",))
        assert [item.root for item in found.codebases if item.error] == [str(tmp_path / "absent")]
        assert "did not answer" in said(found)[-1]
        second.write("src/same.py", "def renew():\n    pass\n")
        changed = codebases.symbol("same")
        assert [item.changed_since for item in changed.items] == [False, True]
    with Codebases([str(tmp_path / "absent")]) as codebases, pytest.raises(RootNotFoundError):
        codebases.symbol("take_over")


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_all_are_those_with_a_store_whose_roots_are_there(first: Repo, second: Repo, folder: Path) -> None:
    with pytest.raises(NotIndexedError):
        known_roots()
    write(folder, "a.py", "lease = 1\n")
    ask([first.path, second.path, folder], "lease")
    first.write(".cairn.toml", "[index]\nchunk_bytes = 300\n")
    with Codebase(str(first.path)) as codebase:
        codebase.index(SyncOptions(reindex=True))
    roots, warnings = known_roots()
    assert (roots, warnings) == (sorted(map(str, (first.path, second.path, folder))), [])
    shutil.rmtree(folder)
    roots, warnings = known_roots()
    assert roots == [str(first.path), str(second.path)]
    assert [*sentences(warnings)] == [f"{folder} is left out: the folder is gone"]


@pytest.mark.slow
def test_a_closed_one_is_closed(first: Repo) -> None:
    codebases = Codebases([str(first.path)])
    codebases.sync(bring_up_to_date)
    codebases.close()
    with pytest.raises(UsageError, match="closed"):
        codebases.search(Request("lease"))
