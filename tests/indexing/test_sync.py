"""One sync: what changed in the tree becomes one snapshot, or nothing does."""

import json
import os
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import BusyError, CairnError, CollisionError, PublishRefusedError, RequiresReindexError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.indexing.sync import sync
from cairn.indexing.writing import sync_under
from cairn.store import SnapshotView, faults
from cairn.store.audit import audit
from cairn.store.gate import OVERDUE_SEGMENTS
from cairn.workspace.reads import FileRead, content_hash, read_stable
from tests.trees import Repo, cairn, write
from tests.workspace.test_reads import append, before_each_read, wait_until_old

pytestmark = pytest.mark.sampled

DEGRADED = SyncOptions(allow_degraded=True)
AT_ONCE = SyncOptions(wait_s=0.0)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Codebase, SnapshotView]]:
    with Codebase(str(path)) as codebase, codebase.view() as view:
        yield codebase, view


def index(
    path: Path, options: SyncOptions | None = None, after_first: Callable[[], object] | None = None
) -> SyncResult:
    """`after_first` happens once the first file was read and before the second is."""
    with Codebase(str(path)) as codebase, pytest.MonkeyPatch.context() as patch:
        if after_first is not None:
            patch.setattr(sys.modules["cairn.indexing.reading"], "read_stable", reading_then(after_first))
        return codebase.index(options or SyncOptions())


def reading_then(action: Callable[[], object]) -> Callable[..., FileRead]:
    """The real read, with something happening in the tree right after the first one."""
    waiting = [action]

    def read(*arguments: Any) -> FileRead:
        found = read_stable(*arguments)
        if waiting:
            waiting.pop()()
        return found

    return read


def hashes_in(path: Path) -> dict[str, str]:
    with opened(path) as (_, view):
        return {file.path_key: file.file_hash for file in view.files()}


def text_of(path: Path, key: str) -> str:
    with opened(path) as (_, view):
        return "".join(row.text for row in view.rows.of(key) if row.kind == "text")


def hashes_of(path: Path, *names: str) -> dict[str, str]:
    return {name: content_hash((path / name).read_bytes()) for name in names}


def assert_sound(path: Path) -> None:
    with opened(path) as (_, view):
        assert audit(view) == []


def staged(path: Path) -> list[str]:
    with Codebase(str(path)) as codebase:
        return os.listdir(codebase.store().layout.staging)


def snapshots(path: Path) -> list[str]:
    with Codebase(str(path)) as codebase:
        return sorted(os.listdir(codebase.store().layout.snapshots))


@pytest.mark.slow
@pytest.mark.requirement("ELIG.2")
@pytest.mark.requirement("CHG.1")
def test_after_every_kind_of_change_the_live_files_are_the_eligible_ones(repo: Repo) -> None:
    repo.write("keep.py", "keep = 1\n")
    repo.write("edit.py", "edit = 1\n")
    repo.write("drop.py", "drop = 1\n")
    repo.write("old/name.py", "moved = 1\n")
    repo.write("photo.png", b"\x89PNG")
    repo.commit()
    first = index(repo.path)
    assert hashes_in(repo.path) == hashes_of(repo.path, "keep.py", "edit.py", "drop.py", "old/name.py")

    repo.write("edit.py", "edit = 2\n")
    repo.write("fresh.py", "fresh = 1\n")
    (repo.path / "drop.py").unlink()
    (repo.path / "old/name.py").rename(repo.path / "renamed.py")
    second = index(repo.path)

    assert (first.indexed, first.deleted, first.published) == (4, 0, True)
    assert (second.indexed, second.deleted, second.published) == (3, 1, True)
    changes = second.detection.changes
    assert (changes.add, changes.modify, changes.delete) == (("fresh.py",), ("edit.py",), ("drop.py",))
    assert changes.rename == (("old/name.py", "renamed.py"),)
    assert hashes_in(repo.path) == hashes_of(repo.path, "keep.py", "edit.py", "fresh.py", "renamed.py")
    assert text_of(repo.path, "edit.py") == "edit = 2\n"
    assert text_of(repo.path, "drop.py") == ""
    assert_sound(repo.path)


@pytest.mark.requirement("ELIG.2")
def test_a_change_of_ignore_rules_alone_adds_and_removes_files_in_the_same_store(repo: Repo) -> None:
    repo.write(".gitignore", "made/\n")
    repo.write("src.py", "x = 1\n")
    repo.write("made/out.py", "y = 1\n")
    repo.write("notes.txt", "words\n")
    repo.commit()
    before = index(repo.path)
    repo.write(".gitignore", "*.txt\n")
    after = index(repo.path)

    assert set(hashes_in(repo.path)) == {".gitignore", "src.py", "made/out.py"}
    assert after.manifest.store_id == before.manifest.store_id
    assert after.manifest.config_fingerprint == before.manifest.config_fingerprint
    assert after.manifest.ignore_fingerprint != before.manifest.ignore_fingerprint
    assert after.manifest.parent_snapshot_id == before.manifest.snapshot_id


@pytest.mark.requirement("ELIG.2")
def test_a_rule_that_changes_no_file_is_published_all_the_same(repo: Repo) -> None:
    repo.write("src.py", "x = 1\n")
    repo.write(".cairnignore", "nothing-like-this\n")
    repo.commit()
    before = index(repo.path)
    repo.write(".cairnignore", "nor-like-this\n")
    after = index(repo.path)

    assert after.published
    assert after.manifest.ignore_fingerprint != before.manifest.ignore_fingerprint


def test_an_index_setting_makes_another_store_and_leaves_the_first_alone(repo: Repo) -> None:
    repo.write("src.py", "x = 1\n")
    repo.write("vendor/lib.py", "y = 1\n")
    repo.commit()
    before = index(repo.path)
    repo.write(".cairn.toml", '[index]\nexclude = ["vendor/"]\n')
    with pytest.raises(RequiresReindexError):
        index(repo.path)
    after = index(repo.path, SyncOptions(reindex=True))

    assert after.manifest.store_id != before.manifest.store_id
    assert set(hashes_in(repo.path)) == {".cairn.toml", "src.py"}
    (repo.path / ".cairn.toml").unlink()
    with Codebase(str(repo.path)) as codebase, codebase.open_view() as view:
        assert {file.path_key for file in view.files()} == {"src.py", "vendor/lib.py"}


@pytest.mark.slow
def test_an_open_codebase_never_puts_a_tree_under_other_settings_into_its_store(repo: Repo) -> None:
    repo.write("src.py", "x = 1\n")
    repo.write("vendor/lib.py", "y = 1\n")
    repo.commit()
    with Codebase(str(repo.path)) as codebase:
        before = codebase.index(SyncOptions())
        repo.write(".cairn.toml", '[index]\nexclude = ["vendor/"]\n')
        with pytest.raises(RequiresReindexError):
            codebase.index(SyncOptions())
        after = codebase.index(SyncOptions(reindex=True))

    assert after.manifest.config_fingerprint != before.manifest.config_fingerprint
    assert after.manifest.store_id != before.manifest.store_id


def test_nothing_changed_publishes_nothing(repo: Repo) -> None:
    repo.write("a.py")
    repo.commit()
    first = index(repo.path)
    os.utime(repo.path / "a.py", ns=(1, 1))
    second = index(repo.path)

    assert not second.published
    assert second.manifest == first.manifest
    assert (second.indexed, second.deleted, second.embedded) == (0, 0, 0)
    assert snapshots(repo.path) == [first.manifest.snapshot_id]
    assert staged(repo.path) == []


def test_a_new_head_alone_is_published(repo: Repo) -> None:
    repo.write("a.py")
    head = repo.commit()
    first = index(repo.path)
    moved = repo.commit("nothing in it")
    second = index(repo.path)

    assert (first.manifest.git.head_sha, second.manifest.git.head_sha) == (head, moved)
    assert (second.published, second.indexed, second.embedded) == (True, 0, 0)


@pytest.mark.slow
def test_becoming_dirty_and_clean_again_is_published(repo: Repo) -> None:
    repo.write("a.py", "a = 1\n")
    repo.commit()
    assert not index(repo.path).manifest.git.dirty
    repo.write("a.py", "a = 2\n")
    assert index(repo.path).manifest.git.dirty
    repo.write("a.py", "a = 1\n")
    result = index(repo.path)

    assert (result.published, result.manifest.git.dirty) == (True, False)


def test_a_new_skip_is_published(repo: Repo) -> None:
    repo.write("a.py")
    repo.commit()
    index(repo.path)
    repo.write("picture.png", b"\x89PNG")
    result = index(repo.path)

    assert result.published
    assert sum(result.manifest.skipped.values()) == 1
    assert set(hashes_in(repo.path)) == {"a.py"}


@pytest.mark.slow
@pytest.mark.requirement("ROW.2")
def test_a_rename_keeps_every_chunk_id_and_embeds_nothing(repo: Repo) -> None:
    text = "".join(f"def function_{number}(): return {number}\n" for number in range(200))
    repo.write("before.py", text)
    repo.commit()
    index(repo.path)
    with opened(repo.path) as (_, view):
        rows, vectors = view.rows.of("before.py"), view.vectors.of("before.py")
    repo.git("mv", "before.py", "after.py")
    repo.commit()
    result = index(repo.path)
    with opened(repo.path) as (_, view):
        moved, moved_vectors = view.rows.of("after.py"), view.vectors.of("after.py")
        assert view.rows.of("before.py") == []
        assert view.rows.file("before.py") is None

    assert len(rows) > 1
    assert result.embedded == 0
    assert [row.chunk_id for row in moved] == [row.chunk_id for row in rows]
    assert not {row.row_id for row in moved} & {row.row_id for row in rows}
    assert vectors is not None
    assert moved_vectors is not None
    # A vector leans towards the path it stands at; the part that costs is what the chunk says.
    assert moved_vectors.shape == vectors.shape
    assert float((moved_vectors * vectors).sum(axis=1).min()) > 0.7
    assert_sound(repo.path)


@pytest.mark.slow
@pytest.mark.requirement("ROW.2")
def test_a_file_that_is_renamed_and_edited_between_scan_and_read_is_embedded_anew(repo: Repo) -> None:
    repo.write("b_before.py", "before = 1\n")
    repo.commit()
    index(repo.path)
    (repo.path / "b_before.py").rename(repo.path / "z_after.py")
    repo.write("a.py", "first = 1\n")
    result = index(repo.path, after_first=(lambda: repo.write("z_after.py", "other = 2\n")))

    assert result.detection.changes.rename == (("b_before.py", "z_after.py"),)
    # Each has its text and its anchor.
    assert result.embedded == 4
    assert text_of(repo.path, "z_after.py") == "other = 2\n"
    assert hashes_in(repo.path) == hashes_of(repo.path, "a.py", "z_after.py")


@pytest.mark.slow
@pytest.mark.requirement("PUB.1")
@pytest.mark.requirement("READ.1")
def test_a_file_that_never_holds_still_blocks_a_strict_publish_by_name(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("calm.py", "calm = 1\n")
    repo.write("hot.py", "hot = 1\n")
    repo.commit()
    good = index(repo.path).manifest
    repo.write("calm.py", "calm = 2\n")
    repo.write("hot.py", "hot = 2\n")
    with monkeypatch.context() as busy:
        before_each_read(busy, lambda path: append(path) if path.name == "hot.py" else None)
        with pytest.raises(PublishRefusedError, match=r"hot\.py") as caught:
            index(repo.path)

    assert "accept a degraded snapshot" in caught.value.hint
    assert snapshots(repo.path) == [good.snapshot_id]
    assert staged(repo.path) == []
    assert text_of(repo.path, "calm.py") == "calm = 1\n"
    assert index(repo.path).published
    assert text_of(repo.path, "calm.py") == "calm = 2\n"


@pytest.mark.slow
@pytest.mark.requirement("STO.8")
@pytest.mark.requirement("READ.1")
def test_a_degraded_publish_names_the_file_and_keeps_its_last_good_rows(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("calm.py", "calm = 1\n")
    repo.write("hot.py", "hot = 1\n")
    repo.commit()
    index(repo.path)
    repo.write("calm.py", "calm = 2\n")
    repo.write("hot.py", "hot = 2\n")
    with monkeypatch.context() as busy:
        before_each_read(busy, lambda path: append(path) if path.name == "hot.py" else None)
        result = index(repo.path, DEGRADED)

    assert result.manifest.degraded
    assert [(error.code, error.path_key) for error in result.manifest.errors] == [("file_unstable", "hot.py")]
    assert "hot.py" in result.manifest.errors[0].message
    assert text_of(repo.path, "calm.py") == "calm = 2\n"
    assert text_of(repo.path, "hot.py") == "hot = 1\n"
    assert_sound(repo.path)
    healed = index(repo.path)
    assert (healed.published, healed.manifest.degraded, healed.manifest.errors) == (True, False, ())
    assert hashes_in(repo.path) == hashes_of(repo.path, "calm.py", "hot.py")


@pytest.mark.slow
@pytest.mark.requirement("STO.8")
def test_a_file_that_could_not_be_read_is_not_taken_for_renamed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("hot.py", "hot = 1\n")
    repo.commit()
    index(repo.path)
    repo.write("copy.py", "hot = 1\n")
    repo.write("hot.py", "hot = 2\n")
    with monkeypatch.context() as busy:
        before_each_read(busy, lambda path: append(path) if path.name == "hot.py" else None)
        index(repo.path, DEGRADED)

    assert text_of(repo.path, "hot.py") == "hot = 1\n"
    assert text_of(repo.path, "copy.py") == "hot = 1\n"


@pytest.mark.slow
@pytest.mark.requirement("STO.8")
def test_the_error_of_a_file_names_its_key_whatever_form_its_name_has(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = unicodedata.normalize("NFD", "heiß-é.py")
    key = unicodedata.normalize("NFC", raw)
    repo.write(raw, "hot = 1\n")
    repo.commit()
    index(repo.path)
    repo.write(raw, "hot = 2\n")
    with monkeypatch.context() as busy:
        before_each_read(busy, lambda path: append(path) if path.name == raw else None)
        result = index(repo.path, DEGRADED)

    assert [error.path_key for error in result.manifest.errors] == [key]
    assert text_of(repo.path, key) == "hot = 1\n"


@pytest.mark.slow
@pytest.mark.requirement("PUB.1")
def test_a_file_that_starts_to_move_after_the_scan_blocks_a_strict_publish_and_not_a_degraded_one(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py", "a = 1\n")
    repo.write("b.py", "b = 1\n")
    repo.commit()
    index(repo.path)
    repo.write("a.py", "a = 2\n")
    repo.write("b.py", "b = 2\n")

    with monkeypatch.context() as busy:
        unrest = partial(before_each_read, busy, lambda path: append(path) if path.name == "b.py" else None)
        with pytest.raises(PublishRefusedError, match=r"b\.py"):
            index(repo.path, after_first=(unrest))
    assert text_of(repo.path, "a.py") == "a = 1\n"
    with monkeypatch.context() as busy:
        unrest = partial(before_each_read, busy, lambda path: append(path) if path.name == "b.py" else None)
        result = index(repo.path, DEGRADED, unrest)

    assert [(error.code, error.path_key) for error in result.manifest.errors] == [("file_unstable", "b.py")]
    assert text_of(repo.path, "a.py") == "a = 2\n"
    assert text_of(repo.path, "b.py") == "b = 1\n"
    assert_sound(repo.path)


@pytest.mark.slow
@pytest.mark.requirement("PUB.1")
def test_soft_skips_are_counted_and_block_nothing(repo: Repo) -> None:
    repo.write("a.py")
    repo.write("blob.bin.txt", b"a\0b")
    repo.write("latin.txt", "ä".encode("latin-1"))
    repo.commit()
    first = index(repo.path).manifest
    again = index(repo.path, SyncOptions(reindex=True)).manifest

    assert first.errors == ()
    assert first.skipped == {"binary": 1, "encoding": 1}
    assert again.skipped == first.skipped


@pytest.mark.slow
@pytest.mark.requirement("READ.2")
@pytest.mark.parametrize("known", [False, True], ids=["new", "indexed before"])
def test_a_file_that_vanishes_between_scan_and_read_is_a_delete(repo: Repo, known: bool) -> None:
    repo.write("a.py", "a = 1\n")
    if known:
        repo.write("b.py", "b = 0\n")
        index(repo.path)
    repo.write("a.py", "a = 2\n")
    repo.write("b.py", "b = 1\n")
    result = index(repo.path, after_first=((repo.path / "b.py").unlink))

    assert result.published
    assert result.manifest.errors == ()
    assert hashes_in(repo.path) == hashes_of(repo.path, "a.py")
    assert_sound(repo.path)


def becomes_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def becomes_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("a.py")


def becomes_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.slow
@pytest.mark.requirement("READ.2")
@pytest.mark.parametrize("known", [False, True], ids=["new", "indexed before"])
@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_bytes(b"now\0binary"),
        lambda path: path.write_bytes("ä".encode("latin-1")),
        lambda path: path.write_bytes(b"x" * 3_000_001),
        becomes_a_folder,
        becomes_a_pipe,
        becomes_a_link,
    ],
    ids=["binary", "not UTF-8", "too large", "folder", "pipe", "link"],
)
def test_a_file_that_stops_to_count_between_scan_and_read_leaves_the_index(
    repo: Repo, change: Callable[[Path], object], known: bool
) -> None:
    repo.write("a.py", "a = 1\n")
    if known:
        repo.write("b.py", "b = 0\n")
        index(repo.path)
    repo.write("a.py", "a = 2\n")
    repo.write("b.py", "b = 1\n")
    result = index(repo.path, after_first=(lambda: change(repo.path / "b.py")))

    assert result.published
    assert result.manifest.errors == ()
    assert hashes_in(repo.path) == hashes_of(repo.path, "a.py")
    assert_sound(repo.path)


@pytest.mark.requirement("READ.2")
def test_a_file_whose_folder_becomes_a_file_between_scan_and_read_is_a_delete(repo: Repo) -> None:
    repo.write("a.py", "a = 1\n")
    inner = repo.write("folder/b.py", "b = 1\n")

    def replace_folder() -> None:
        inner.unlink()
        inner.parent.rmdir()
        write(repo.path, "folder", "now a file\n")

    result = index(repo.path, after_first=(replace_folder))

    assert result.manifest.errors == ()
    assert hashes_in(repo.path) == hashes_of(repo.path, "a.py")


def test_what_is_edited_between_scan_and_read_is_taken_as_it_is_read(repo: Repo) -> None:
    repo.write("a.py", "a = 1\n")
    repo.write("b.py", "b = 1\n")
    result = index(repo.path, after_first=(lambda: repo.write("b.py", "b = 2\n")))

    assert result.published
    assert hashes_in(repo.path) == hashes_of(repo.path, "a.py", "b.py")
    assert text_of(repo.path, "b.py") == "b = 2\n"
    assert not index(repo.path).published


@pytest.mark.slow
@pytest.mark.requirement("PATH.4")
def test_names_that_differ_only_in_case_refuse_the_publish(repo: Repo) -> None:
    repo.write("Readme.py", "x = 1\n")
    index(repo.path)
    good = snapshots(repo.path)
    repo.write("README.py", "x = 2\n")
    with pytest.raises(CollisionError, match=r"README\.py.*Readme\.py"):
        index(repo.path)
    with pytest.raises(CollisionError):
        index(repo.path, DEGRADED)

    assert snapshots(repo.path) == good
    repo.write(".cairn.toml", '[index]\ncase_collisions = "allow"\n')
    index(repo.path, SyncOptions(reindex=True))
    assert {"README.py", "Readme.py"} <= set(hashes_in(repo.path))


def test_a_second_writer_is_told_to_come_back(repo: Repo) -> None:
    repo.write("a.py")
    index(repo.path)
    repo.write("a.py", "a = 2\n")
    with Codebase(str(repo.path)) as codebase, codebase.store().writer():
        with pytest.raises(BusyError) as caught:
            codebase.index(AT_ONCE)
        assert caught.value.retryable
        assert caught.value.retry_after_ms

    assert index(repo.path, AT_ONCE).published


@pytest.mark.slow
def test_of_two_syncs_at_once_one_waits_and_both_end_well(repo: Repo) -> None:
    for number in range(5):
        repo.write(f"{number}.py", f"value = {number}\n")
    index(repo.path)
    repo.write("0.py", "value = 10\n")
    results: list[SyncResult] = []
    threads: list[threading.Thread] = []

    def start_another() -> None:
        other = threading.Thread(target=lambda: results.append(index(repo.path)))
        threads.append(other)
        other.start()

    first = index(repo.path, after_first=(start_another))
    for thread in threads:
        thread.join(30)

    assert first.published
    assert [result.published for result in results] == [False]
    assert results[0].manifest == first.manifest
    assert hashes_in(repo.path) == hashes_of(repo.path, *(f"{number}.py" for number in range(5)))


@pytest.mark.slow
def test_processes_that_sync_at_once_all_end_well(repo: Repo) -> None:
    for number in range(20):
        repo.write(f"{number}.py", f"value = {number}\n")
    command = (sys.executable, "-m", "cairn", "index", "--json", str(repo.path))
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    ended = [(*process.communicate(timeout=60), process.returncode) for process in running]

    assert [(err, code) for _, err, code in ended] == [("", 0)] * 3
    assert sorted(json.loads(out)["published"] for out, _, _ in ended) == [False, False, True]
    assert hashes_in(repo.path) == hashes_of(repo.path, *(f"{number}.py" for number in range(20)))
    assert_sound(repo.path)


@pytest.mark.slow
def test_an_interrupt_in_the_middle_leaves_the_last_snapshot_and_no_garbage(repo: Repo) -> None:
    repo.write("a.py", "a = 1\n")
    repo.write("b.py", "b = 1\n")
    good = index(repo.path).manifest
    repo.write("a.py", "a = 2\n")
    repo.write("b.py", "b = 2\n")

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index(repo.path, after_first=(interrupt))

    assert snapshots(repo.path) == [good.snapshot_id]
    assert text_of(repo.path, "a.py") == "a = 1\n"
    assert index(repo.path, AT_ONCE).indexed == 2
    assert staged(repo.path) == []
    with Codebase(str(repo.path)) as codebase:
        plan = codebase.collect(force=True)
        assert (plan.segments, plan.staging) == ((), ())


@pytest.mark.slow
def test_an_interrupt_right_after_the_swap_harms_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py", "a = 1\n")
    index(repo.path)
    repo.write("a.py", "a = 2\n")

    def interrupt(point: str) -> None:
        # Only the named point can place a signal between the swap and the return from it.
        if point == "publish.pointer_swapped":
            raise KeyboardInterrupt

    with monkeypatch.context() as signalled:
        signalled.setattr(faults, "reach", interrupt)
        with pytest.raises((KeyboardInterrupt, CairnError)):
            index(repo.path)

    with opened(repo.path) as (_, view):
        assert view.recovered == ""
    assert index(repo.path, AT_ONCE).manifest.counts.files_live == 1
    assert text_of(repo.path, "a.py") == "a = 2\n"
    assert_sound(repo.path)


@pytest.mark.slow
def test_a_publish_stands_though_the_compaction_after_it_finds_another_writer(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        repo.write(f"{number}.py", f"value = {number}\n")
        index(repo.path)
    repo.write("5.py", "value = 5\n")
    with Codebase(str(repo.path)) as codebase:
        store = codebase.store()
        reach = faults.reach
        held = []

        def take_the_lease(point: str) -> None:
            # A writer in another process gets the lease at this moment only by luck.
            reach(point)
            if point == "compact.built":
                other = store.writer()
                other.__enter__()
                held.append(other)

        with monkeypatch.context() as crowded:
            crowded.setattr(faults, "reach", take_the_lease)
            result = codebase.index(SyncOptions())
        for other in held:
            other.__exit__(None, None, None)

    assert held, "no compaction was due: the test proves nothing"
    assert result.published
    assert len(hashes_in(repo.path)) == 6


@pytest.mark.slow
def test_a_reindex_builds_everything_anew_and_drops_the_old_segments(repo: Repo) -> None:
    repo.write("a.py", "a = 1\n")
    index(repo.path)
    repo.write("b.py", "b = 1\n")
    before = index(repo.path).manifest
    (repo.path / "a.py").unlink()
    result = index(repo.path, SyncOptions(reindex=True))
    after = result.manifest

    assert (result.indexed, result.embedded, after.cause) == (1, 0, "reindex")
    assert not {ref.segment_id for ref in after.segments} & {ref.segment_id for ref in before.segments}
    assert (len(after.segments), after.tombstones) == (1, ())
    assert after.snapshot_id > before.snapshot_id
    assert after.lease_epoch > before.lease_epoch
    assert hashes_in(repo.path) == hashes_of(repo.path, "b.py")
    assert_sound(repo.path)


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_verify_reads_every_file_whatever_its_stamps_say(repo: Repo) -> None:
    path = repo.write("a.py", "a = 1\n")
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())
        wait_until_old(path)
        codebase.index(SyncOptions())
        assert codebase.index(SyncOptions(walks=True)).detection.scan.hashed == 0
        checked = codebase.index(SyncOptions(verify=True))

    assert checked.detection.scan.hashed == 1
    assert not checked.published


def test_an_empty_tree_has_an_empty_snapshot(repo: Repo) -> None:
    result = index(repo.path)

    assert (result.published, result.manifest.counts.files_live) == (True, 0)
    assert hashes_in(repo.path) == {}
    assert not index(repo.path).published
    assert_sound(repo.path)


@pytest.mark.slow
def test_empty_files_are_live_with_nothing_but_an_anchor(repo: Repo) -> None:
    repo.write("empty.py", "")
    repo.write("other.py", "x = 1\n")
    result = index(repo.path)

    assert hashes_in(repo.path) == hashes_of(repo.path, "empty.py", "other.py")
    assert (result.manifest.counts.files_live, result.manifest.counts.chunks_live) == (2, 3)
    repo.write("empty.py", "y = 1\n")
    index(repo.path)
    repo.write("empty.py", "")
    index(repo.path)
    assert text_of(repo.path, "empty.py") == ""
    (repo.path / "empty.py").unlink()
    index(repo.path)
    assert set(hashes_in(repo.path)) == {"other.py"}
    assert_sound(repo.path)


@pytest.mark.slow
def test_a_file_that_comes_back_shows_its_new_content_alone(repo: Repo) -> None:
    for text in ("one = 1\n", None, "two = 2\n", None, "one = 1\n"):
        if text is None:
            (repo.path / "a.py").unlink()
        else:
            repo.write("a.py", text)
        index(repo.path)
        assert text_of(repo.path, "a.py") == (text or "")
        assert_sound(repo.path)


@pytest.mark.slow
def test_a_tree_without_git_is_indexed_too(folder: Path) -> None:
    write(folder, "a.py", "a = 1\n")
    first = index(folder)
    write(folder, "b.py", "b = 1\n")
    index(folder)

    assert first.manifest.git.head_sha is None
    assert hashes_in(folder) == hashes_of(folder, "a.py", "b.py")
    assert not index(folder).published


@pytest.mark.slow
def test_a_root_that_is_not_utf8_can_be_indexed(tmp_path: Path) -> None:
    root = os.path.join(os.fsencode(tmp_path), b"r\xff")
    os.mkdir(root)
    write(Path(os.fsdecode(root)), "a.py", "alpha = 1\n")
    done = cairn("index", "--json", root)
    found = cairn("search", "--no-sync", "--json", "alpha", root)

    assert (done.returncode, done.stderr) == (0, "")
    assert [item["path"] for item in json.loads(found.stdout)["results"]] == ["a.py"]


@pytest.mark.slow
def test_names_with_strange_characters_survive(repo: Repo) -> None:
    names = ["a b.py", 'quo"te.py', "new\nline.py", "tab\t.py", "ümlaut/日本.py", "back\\slash.py", "\u2028.py"]
    for number, name in enumerate(names):
        repo.write(name, f"value = {number}\n")
    repo.commit()
    index(repo.path)
    repo.write(names[0], "value = 100\n")
    for name in names[1:3]:
        (repo.path / name).unlink()
    index(repo.path)

    left = [names[0], *names[3:]]
    assert hashes_in(repo.path) == hashes_of(repo.path, *left)
    assert_sound(repo.path)


@pytest.mark.slow
@pytest.mark.parametrize("look_first", [True, False])
def test_syncs_whose_compaction_is_always_lost_make_room_for_themselves(repo: Repo, look_first: bool) -> None:
    """Two busy writers can keep every merge beside them from being published; the bound of segments still holds."""
    with Codebase(str(repo.path)) as codebase:
        codebase.index(SyncOptions())
        held = len(hashes_in(repo.path))
        for number in range(OVERDUE_SEGMENTS + 2):
            repo.write(f"f{number}.py", f"number = {number}\n")
            if look_first:
                sync(codebase.store(), codebase.detector, lambda: codebase.embedder)
            else:
                with codebase.store().writer() as lease:
                    sync_under(lease, codebase.store(), codebase.detector, codebase.embedder, SyncOptions())
        with codebase.view() as view:
            assert len(view.manifest.segments) < OVERDUE_SEGMENTS
            assert len(list(view.files())) == held + OVERDUE_SEGMENTS + 2
    assert_sound(repo.path)
