"""The history of a snapshot: made with it, pinned by it, read anew only for what is new, and never in the way."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import GitError
from cairn.base.terms import term_hashes
from cairn.codebase.codebase import Codebase, Request
from cairn.indexing import history as making
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
        assert (says(codebase, "walruse"), len(history(codebase).oids)) == (0, 2)
        tree.git("checkout", "-q", "main")
        codebase.index(SyncOptions())
        assert encode(history(codebase)) == grown
        codebase.index(SyncOptions(reindex=True))
        assert encode(history(codebase)) == grown
        codebase.store().collect(force=True)
        assert encode(history(codebase)) == grown


def test_a_git_that_fails_costs_the_history_alone(tree: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> list[str]:
        raise GitError("git log failed.")

    monkeypatch.setattr(making, "last_commits", fail)
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            assert (view.history, view.manifest.history) == (None, None)
        assert set(added(codebase).values()) == {0.0}
    assert "no history of commits" in cairn("status", str(tree.path)).stdout
    monkeypatch.undo()
    with Codebase(str(tree.path)) as codebase:
        tree.commit("Fed again")
        codebase.index(SyncOptions())
        assert len(history(codebase).oids) == 3


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


def test_a_damaged_history_is_told_and_made_anew(tree: Repo) -> None:
    with Codebase(str(tree.path)) as codebase:
        codebase.index(SyncOptions())
        whole = encode(history(codebase))
        with codebase.view() as view:
            assert view.manifest.history is not None
            place = os.path.join(view.layout.path, view.manifest.history.path)
    with open(place, "r+b") as file:
        file.seek(40)
        file.write(b"\0\1\2\3")
    said = cairn("health", str(tree.path))
    assert said.returncode != 0
    assert "history.bin is damaged" in said.stdout
    assert cairn("repair", str(tree.path)).returncode == 0
    assert cairn("health", str(tree.path)).returncode == 0
    with Codebase(str(tree.path)) as codebase:
        assert encode(history(codebase)) == whole


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
    before, head = (making.history_at(git, each, None, None) for each in ("HEAD~1", "HEAD"))
    grown = making.history_at(git, "HEAD", before, None)
    assert grown is not None
    assert head is not None
    assert encode(grown) == encode(head)
