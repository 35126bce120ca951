"""The history of a snapshot: made with it, pinned by it, read anew only for what is new, and never in the way."""

import importlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import CorruptStoreError, GitError
from cairn.base.terms import term_hashes
from cairn.codebase.codebase import Codebase, Request
from cairn.codebase.teamwork import shared
from cairn.indexing import history as making
from cairn.indexing import writing
from cairn.indexing.options import SyncOptions
from cairn.store import History
from cairn.store.history import encode
from cairn.workspace.git import Git
from cairn.workspace.touched import TouchingCommit, touching
from tests.trees import Repo, cairn

TEXT = "def run(x):\n    return x\n"


@pytest.fixture
def tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    for name in ("one.py", "two.py", "gone.py"):
        repo.write(name, TEXT)
    repo.commit("begin")
    repo.write("one.py", TEXT + "\n")
    repo.write("gone.py", TEXT + "\n")
    repo.commit("Walruses are fed at noon")
    return repo


def history(codebase: Codebase) -> History:
    with codebase.view() as view:
        assert view.history is not None
        return view.history


def added(codebase: Codebase, query: str = "where do walruses run") -> dict[str, float]:
    """What the history added to the score of each file that answers."""
    found = codebase.search(Request(query))
    return {item.path: item.contributions.get("history", 0.0) for item in found.items}


def says(codebase: Codebase, word: str) -> int:
    """How many commits have a word."""
    own = history(codebase).frequencies(np.frombuffer(term_hashes([word]), dtype="<u8"))
    return int(np.count_nonzero(own))


def same_as_fresh(codebase: Codebase, commits: int) -> None:
    """What syncs have made is what an index from nothing has, byte for byte; and no other snapshot is needed."""
    assert not codebase.index(SyncOptions(walks=True)).published
    synced = encode(history(codebase))
    codebase.index(SyncOptions(reindex=True))
    assert (encode(history(codebase)), len(history(codebase).oids)) == (synced, commits)


def history_file(codebase: Codebase) -> Path:
    with codebase.view() as view:
        assert view.manifest.history is not None
        return Path(view.layout.path, view.manifest.history.path)


def broken(place: Path, how: str) -> None:
    if how == "gone":
        place.unlink()
    else:
        data = bytearray(place.read_bytes())
        data[40] ^= 1
        place.write_bytes(data)


@pytest.mark.requirement("RANK.20")
def test_files_that_a_commit_like_the_query_touched_come_first(tree: Repo) -> None:
    tree.git("rm", "-q", "gone.py")
    tree.commit("gone")
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        told = added(codebase)
    assert told["one.py"] > 0
    assert told["two.py"] < told["one.py"]
    assert "gone.py" not in told


def test_only_new_commits_are_read_and_the_rest_is_taken_over(tree: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def counted(git: Git, oids: Sequence[str]) -> Iterator[TouchingCommit]:
        asked.append(list(oids))
        return touching(git, oids)

    monkeypatch.setattr(making, "touching", counted)
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        tree.write("two.py", TEXT + "# walrus\n")
        codebase.index(SyncOptions())
        assert [len(oids) for oids in asked] == [2]
        with codebase.view() as view:
            kept = view.manifest.history
        assert kept is not None
        assert view.snapshot_id not in kept.path
        head = tree.commit("A walrus has two names")
        codebase.index(SyncOptions())
        assert asked[1:] == [[head]]
        grown = encode(history(codebase))
        tree.git("checkout", "-q", "-b", "other", "HEAD~2")
        tree.write("two.py", "y = 3\n")
        other = tree.commit("elsewhere")
        codebase.index(SyncOptions())
        assert asked[2:] == [[other]]
        assert (says(codebase, "walrus"), len(history(codebase).oids)) == (0, 2)
        tree.git("checkout", "-q", "main")
        codebase.index(SyncOptions())
        assert encode(history(codebase)) == grown
        codebase.index(SyncOptions(reindex=True))
        assert encode(history(codebase)) == grown
        codebase.store().collect(force=True)
        assert encode(history(codebase)) == grown


def test_a_git_that_fails_costs_the_history_alone(tree: Repo) -> None:
    def fail(*_: object) -> list[str]:
        raise GitError("git log failed.")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(making, "last_commits", fail)
        with Codebase(str(tree.path)) as codebase:
            codebase.index(SyncOptions())
            with codebase.view() as view:
                assert (view.history, view.manifest.history) == (None, None)
            assert set(added(codebase).values()) == {0.0}
        assert "no history of commits" in cairn("status", str(tree.path)).stdout
        with Codebase(str(tree.path)) as codebase:
            # It is told, and no reason to make one snapshot after the other.
            assert [note.code for note in codebase.index(SyncOptions(reindex=True)).notes] == ["history_unread"]
            assert not codebase.index(SyncOptions()).published
    with Codebase(str(tree.path)) as codebase:
        # Whoever indexes on purpose wants it asked again.
        codebase.index(SyncOptions(tells=True))
        assert len(history(codebase).oids) == 2


def test_what_git_did_not_tell_is_asked_for_with_the_next_snapshot(tree: Repo) -> None:
    def cut(git: Git, oids: Sequence[str]) -> Iterator[TouchingCommit]:
        yield from touching(git, oids[:1])
        raise GitError("git took too long.")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(making, "touching", cut)
        with Codebase(str(tree.path)) as codebase:
            assert [note.code for note in codebase.index(SyncOptions()).notes] == ["history_unread"]
            assert len(history(codebase).oids) == 1
    with Codebase(str(tree.path)) as codebase:
        tree.write("two.py", "z = 2\n")
        assert codebase.index(SyncOptions()).notes == ()
        same_as_fresh(codebase, 2)


def test_without_its_signal_none_is_kept(tree: Repo) -> None:
    tree.write(".cairn.toml", '[query]\nsignals_off = ["history"]\n')
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            assert view.history is None


def test_without_git_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text(TEXT)
    with Codebase(str(tmp_path / "plain")) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            assert view.history is None
        assert added(codebase, "run")


@pytest.mark.parametrize("edits", [True, False])
def test_an_index_from_before_there_was_history_gets_it(tree: Repo, edits: bool) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(writing, "history_asked", lambda *_: "")
        with Codebase(str(tree.path)) as codebase:
            codebase.index(SyncOptions())
            with codebase.view() as view:
                assert (view.history, view.manifest.history_of) == (None, "")
    if edits:
        tree.write("two.py", "z = 2\n")
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        same_as_fresh(codebase, 2)


def test_a_signal_that_is_off_and_on_again_has_its_history(tree: Repo) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        tree.write(".cairn.toml", '[query]\nsignals_off = ["history"]\n')
        codebase.index(SyncOptions())
        with codebase.view() as view:
            assert view.history is None
        (tree.path / ".cairn.toml").unlink()
        codebase.index(SyncOptions())
        same_as_fresh(codebase, 2)


def test_a_clone_that_is_deepened_has_the_whole_history(tree: Repo, tmp_path: Path) -> None:
    tree.write("two.py", "z = 2\n")
    tree.commit("Seals swim")
    clone = Repo(tmp_path / "clone")
    subprocess.run(("git", "clone", "-q", "--depth=2", f"file://{tree.path}", str(clone.path)), check=True)
    with Codebase(str(clone.path)) as codebase:
        codebase.index(SyncOptions())
        # Git says of the last commit of a shallow clone that it touched every file.
        assert (says(codebase, "seal"), says(codebase, "walrus")) == (1, 0)
        clone.write("one.py", "y = 1\n")
        clone.commit("Otters float")
        codebase.index(SyncOptions())
        same_as_fresh(codebase, 2)
        clone.git("fetch", "-q", "--unshallow")
        codebase.index(SyncOptions())
        assert [says(codebase, word) for word in ("otter", "seal", "walrus", "begin")] == [1, 1, 1, 1]
        same_as_fresh(codebase, 4)
        clone.git("fetch", "-q", "--depth=1")
        codebase.index(SyncOptions())
        same_as_fresh(codebase, 1)


def test_an_amended_head_and_merges_leave_what_a_fresh_index_has(tree: Repo) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        tree.git("commit", "-q", "--amend", "-m", "Seals swim")
        codebase.index(SyncOptions())
        assert (says(codebase, "seal"), says(codebase, "walrus")) == (1, 0)
        same_as_fresh(codebase, 2)
        tree.git("checkout", "-q", "-b", "side", "HEAD~1")
        tree.write("side.py")
        tree.commit("Otters float")
        tree.git("checkout", "-q", "main")
        tree.write("two.py", "z = 2\n")
        tree.commit("ahead")
        codebase.index(SyncOptions())
        tree.git("merge", "-q", "--no-ff", "-m", "Merged otters", "side")
        codebase.index(SyncOptions())
        assert (says(codebase, "otter"), says(codebase, "merged")) == (1, 0)
        same_as_fresh(codebase, 4)


def test_a_long_text_does_without(tree: Repo) -> None:
    text = "Walruses are fed at noon and run\n\n" + "The walruses of one are fed where two of them run.\n" * 40
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        assert added(codebase)["one.py"] > 0
        with pytest.MonkeyPatch.context() as patched:
            # Its weight is none, so that nothing of it needs to be read.
            patched.setattr(importlib.import_module("cairn.search.find"), "by_commits", pytest.fail)
            told = added(codebase, text)
    assert told
    assert set(told.values()) == {0.0}


@pytest.mark.parametrize("how", ["changed", "gone"])
def test_a_damaged_history_keeps_no_answer_back_and_is_told(tree: Repo, how: str) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        whole = encode(history(codebase))
        broken(history_file(codebase), how)
    told = cairn("search", "where do walruses run", "--no-sync", cwd=tree.path)
    assert told.returncode == 0
    assert "one.py" in told.stdout + told.stderr
    assert "their history can't be used" in told.stdout + told.stderr
    for question in ("health", "audit"):
        said = cairn(question, str(tree.path))
        assert said.returncode != 0
        assert "history.bin is" in said.stdout
    with Codebase(str(tree.path)) as codebase, pytest.raises(CorruptStoreError), shared(codebase, uncommitted=True):
        pass
    said = cairn("repair", str(tree.path))
    assert (said.returncode, said.stdout.splitlines()[1:]) == (0, ["read the history of commits anew"])
    for question in ("health", "audit"):
        assert cairn(question, str(tree.path)).returncode == 0
    with Codebase(str(tree.path)) as codebase:
        assert encode(history(codebase)) == whole


@pytest.mark.parametrize("how", ["changed", "gone"])
def test_a_sync_reads_a_damaged_history_anew_and_says_so(tree: Repo, how: str) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        place = history_file(codebase)
        assert not codebase.index(SyncOptions()).published
        broken(place, how)
        made = codebase.index(SyncOptions())
        assert [note.code for note in made.notes] == ["history_mended"]
        assert history_file(codebase) != place
        same_as_fresh(codebase, 2)


def test_a_damaged_history_keeps_no_work_tree_from_building_on_the_rest(tree: Repo, tmp_path: Path) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        broken(history_file(codebase), "changed")
    beside = tmp_path / "beside"
    tree.git("worktree", "add", "-q", str(beside))
    with Codebase(str(beside)) as codebase:
        made = codebase.index(SyncOptions())
        assert made.origin is not None
        assert [note.code for note in made.notes] == ["history_mended"]
        same_as_fresh(codebase, 2)


def test_a_store_that_lost_its_pointer_and_its_history_is_mended(tree: Repo) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        broken(history_file(codebase), "changed")
        (Path(codebase.store().layout.path) / "ACTIVE_SNAPSHOT").unlink()
        assert added(codebase)
    assert "read the history of commits anew" in cairn("repair", str(tree.path)).stdout
    with Codebase(str(tree.path)) as codebase:
        same_as_fresh(codebase, 2)


def test_a_history_that_counts_otherwise_is_damage(tree: Repo) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(writing, "encode", lambda found: encode(found) + b"\0")
        with Codebase(str(tree.path)) as codebase:
            codebase.index(SyncOptions())
    assert "is not a history" in cairn("audit", str(tree.path)).stdout
    assert "read the history of commits anew" in cairn("repair", str(tree.path)).stdout
    with Codebase(str(tree.path)) as codebase:
        same_as_fresh(codebase, 2)


def test_a_work_tree_and_a_commit_have_their_own(tree: Repo, tmp_path: Path) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        whole = encode(history(codebase))
    beside = tmp_path / "beside"
    subprocess.run(("git", "-C", str(tree.path), "worktree", "add", "-q", str(beside)), check=True)
    with Codebase(str(beside)) as codebase:
        codebase.index(SyncOptions())
        assert encode(history(codebase)) == whole
    told = cairn("search", "where do walruses run", "--at", "HEAD", "--explain", cwd=tree.path).stdout
    assert "history" in told
    told = cairn("search", "where do walruses run", "--at", "HEAD~1", "--explain", cwd=tree.path).stdout
    assert "one.py" in told
    assert "history" not in told


def test_messages_leave_no_text_behind(tree: Repo) -> None:
    tree.write("two.py", "z = 1\n")
    tree.commit("The token is hunter2-swordfish")
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        assert says(codebase, "swordfish") == 1
        store = codebase.store().layout.path
    for folder, _, names in os.walk(store):
        for name in names:
            assert b"swordfish" not in Path(folder, name).read_bytes()


def test_what_one_commit_adds_is_what_all_at_once_give(tree: Repo) -> None:
    git = Git(str(tree.path))
    (before, _), (head, _) = (making.history_at(git, each, None, None) for each in ("HEAD~1", "HEAD"))
    grown, unread = making.history_at(git, "HEAD", before, None)
    assert unread == ""
    assert grown is not None
    assert head is not None
    assert encode(grown) == encode(head)
