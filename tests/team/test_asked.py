"""Snapshots that are asked at a remote: the same answers as those of an index, and never another tree's."""

import http.server
import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bench.relay import Relay

from cairn.base.errors import CorruptStoreError, NotIndexedError, RefusedError
from cairn.base.values import replace
from cairn.codebase import ledger, remotely, teamwork
from cairn.codebase.answers import Request
from cairn.codebase.codebase import Codebase
from cairn.codebase.remotely import FOLDER, RemoteCodebase, at_remote
from cairn.search import Filters
from cairn.store import _askedparts, askable
from cairn.store._askedparts import AskedVectors
from cairn.store.blocktable import BlockPlace
from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME
from cairn.team.exchange import nearest_askable
from cairn.team.listing import read_listing
from cairn.team.remote import FolderRemote
from cairn.team.tables import RemoteBlocks, make_tables
from tests.engines.kinds import require
from tests.engines.objectstores import BUCKET, ObjectStore
from tests.surfaces.cli.test_store import run
from tests.surfaces.mcp.local import Local
from tests.team.samples import at_home, clone, committed, done, refused
from tests.trees import Repo, cairn

SOURCES = Path(__file__).resolve().parents[2] / "src" / "cairn" / "store"
REPORT = """Opening fails after a crash
    Traceback (most recent call last):
      File "store/recovery.py", line 12, in find_active
    CorruptStoreError: ACTIVE_SNAPSHOT is missing or damaged, so nothing is compacted.
"""
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("heron_wades", {}),
    ("how do otters dive", {}),
    ("Walrus", {"mode": "symbol"}),
    ("hero", {"mode": "symbol"}),
    ("river lang:python", {}),
    ("river", {"filters": Filters(("markdown",))}),
    ("floe", {"filters": Filters(kinds=("method",))}),
    ("river path:src/", {"per_file": 2}),
    ("nothing of the kind", {}),
    ("heron_wade", {}),
    ("river", {"budget_tokens": 500}),
)
LARGE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("how are tombstones applied to segments", {}),
    ("SnapshotView", {}),
    ("find_active", {"mode": "symbol"}),
    ("lease", {"per_file": 3}),
    ("which rows are nearest to a vector", {"filters": Filters(paths=("store/_*.py",))}),
    ("manifest", {"filters": Filters(kinds=("class",))}),
    (REPORT, {}),
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "remote"
    path.mkdir()
    return path


@pytest.fixture
def machines(tmp_path: Path, folder: Path) -> tuple[Path, Path]:
    """A machine that pushes, and one that asks."""
    made = (tmp_path / "one", tmp_path / "two")
    for home in made:
        with at_home(home):
            done("remote", "add", "team", str(folder))
    return made


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return committed(tmp_path / "repo")


@pytest.fixture
def pushed(machines: tuple[Path, Path], repo: Repo) -> str:
    with at_home(machines[0]):
        commit: str = done("push", "--askable", str(repo.path))["commit"]
    return commit


@pytest.fixture
def other(repo: Repo, tmp_path: Path) -> Repo:
    return clone(repo, tmp_path / "clone")


def said(root: Path, query: str, options: dict[str, Any], remote: str = "") -> dict[str, Any]:
    """All that an answer says but what it rests on."""
    with Codebase(str(root)) as codebase:
        if remote:
            with RemoteCodebase(codebase, remote) as asked:
                answer = asked.search(Request(query, **options))
        else:
            codebase.index()
            answer = codebase.search(Request(query, **options))
    hits = [
        (each.path, each.score, each.symbol, dict(each.contributions), each.row, each.spot, each.others)
        for each in answer.value.items
    ]
    return {
        "hits": hits,
        "units": answer.value.units,
        "notes": [note.document() for note in answer.notes if note.code != "git_missing"],
        "limits": answer.limits_hit,
        "changed": sorted(answer.changed),
    }


def asked(home: Path, root: Path, query: str, *more: str, code: int = 0) -> dict[str, Any]:
    with at_home(home):
        return done("search", "--remote", "team", query, str(root), *more, code=code)


def paths(answer: dict[str, Any]) -> list[str]:
    return [each["path"] for each in answer["results"]]


def tables(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "cairn1" / "tables").rglob("*") if path.is_file())


@pytest.mark.usefixtures("pushed")
@pytest.mark.sampled
@pytest.mark.parametrize(("query", "options"), QUESTIONS)
def test_the_answer_is_that_of_an_index(
    query: str, options: dict[str, Any], machines: tuple[Path, Path], repo: Repo, other: Repo
) -> None:
    with at_home(machines[0]):
        here = said(repo.path, query, options)
    with at_home(machines[1]):
        there = said(other.path, query, options, "team")
        assert not (machines[1] / "data").exists()
    assert there == here
    assert there["hits"] or query == "nothing of the kind"


@pytest.mark.slow
def test_the_answer_is_that_of_an_index_of_many_segments(
    machines: tuple[Path, Path], tmp_path: Path, repo: Repo
) -> None:
    """Enough rows for an index of Tantivy's, and files that were replaced and removed since."""
    shutil.copytree(SOURCES, repo.path / "store", ignore=shutil.ignore_patterns("__pycache__"))
    repo.commit()
    with at_home(machines[0]):
        done("index", str(repo.path))
    repo.write("store/view.py", (repo.path / "store/view.py").read_text().replace("SnapshotView", "PinnedView"))
    (repo.path / "store/gc.py").unlink()
    repo.commit()
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
        here = [said(repo.path, *each) for each in LARGE]
    other = clone(repo, tmp_path / "clone")
    assert len(tables(tmp_path / "remote")) > 1
    with at_home(machines[1]):
        assert [said(other.path, *each, "team") for each in LARGE] == here
        shutil.rmtree(machines[1] / FOLDER)
        # The words and names of all segments, then what its candidates import, then what they hold.
        assert 1 <= max(looks_for(other.path, "lease", "SnapshotView", "manifest of a segment")[1:]) <= 3
    assert all(each["hits"] for each in here)


def looks_for(root: Path, *queries: str) -> list[int]:
    """How often each question waits for the remote, whatever it asks for then."""
    looks = []
    with pytest.MonkeyPatch.context() as patch, Codebase(str(root)) as codebase:
        read, waited = RemoteBlocks.read, []

        def noted(blocks: RemoteBlocks, wanted: Sequence[tuple[str, BlockPlace]]) -> list[bytes]:
            before = blocks.travelled.requests
            came = read(blocks, wanted)
            waited.extend([True] if blocks.travelled.requests > before else [])
            return came

        patch.setattr(RemoteBlocks, "read", noted)
        with RemoteCodebase(codebase, "team") as asked:
            for query in queries:
                waited.clear()
                asked.search(Request(query))
                looks.append(len(waited))
    return looks


def with_telling_commits(repo: Repo) -> None:
    """Files that are alike but for what the messages of their commits say."""
    for number, bird in enumerate(("gannet", "plover", "dunlin", "curlew")):
        repo.write(f"src/part_{number}.py", f"def river_{number}(shore):\n    return shore + {number}\n")
        repo.commit(f"The {bird} counts what the river brings")


def past_at(folder: Path) -> list[Path]:
    """Where the histories of commits lie at a remote."""
    found = []
    for listing in (folder / "cairn1" / "snapshots").rglob("*"):
        if listing.is_file():
            past = read_listing(listing.read_bytes()[64:], "it").manifest.history
            assert past is not None
            found.append(folder / "cairn1" / "parts" / past.digest.sha256[:2] / past.digest.sha256)
    return found


def test_commits_count_as_they_do_in_an_index(
    machines: tuple[Path, Path], repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_telling_commits(repo)
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
    other = clone(repo, tmp_path / "clone")
    questions = ("river gannet", "what the plover counts", "shore dunlin", "river curlew brings")
    with at_home(machines[0]):
        here = [said(repo.path, query, {}) for query in questions]
    assert all(any("history" in hit[3] for hit in each["hits"]) for each in here)
    with at_home(machines[1]):
        assert [said(other.path, query, {}, "team") for query in questions] == here

        def never(*_: object) -> None:
            pytest.fail("the history was fetched again")

        monkeypatch.setattr(remotely, "fetch_history", never)
        assert [said(other.path, query, {}, "team") for query in questions] == here


def test_a_history_that_is_lost_is_told_and_mended_by_a_push(
    machines: tuple[Path, Path], repo: Repo, tmp_path: Path, folder: Path
) -> None:
    with_telling_commits(repo)
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
        right = said(repo.path, "river gannet", {})
    other = clone(repo, tmp_path / "clone")
    (past,) = past_at(folder)
    whole = past.read_bytes()
    for data in (None, whole[: len(whole) // 2], whole[:-9] + bytes(9)):
        past.unlink(missing_ok=True)
        if data is not None:
            past.write_bytes(data)
        with at_home(machines[1]):
            told = run("search", "--remote", "team", "river gannet", str(other.path))
            answer = said(other.path, "river gannet", {}, "team")
        assert told.returncode == 0
        assert "commits don't count" in told.stderr
        assert "cairn push --askable --again" in told.stderr
        assert "repair" not in told.stderr
        assert [note["code"] for note in answer["notes"]] == ["history_lost"]
        assert answer["hits"]
    with at_home(machines[0]):
        done("push", "--askable", "--again", str(repo.path))
    with at_home(machines[1]):
        assert said(other.path, "river gannet", {}, "team") == right
        # What has rotted here is fetched once more.
        (kept,) = (machines[1] / FOLDER).rglob("history.bin")
        kept.write_bytes(kept.read_bytes()[:-1] + b"!")
        assert said(other.path, "river gannet", {}, "team") == right


@pytest.mark.usefixtures("pushed")
def test_what_differs_in_the_tree_is_laid_over_the_snapshot(machines: tuple[Path, Path], other: Repo) -> None:
    other.write("src/heron.py", "def heron_flies(sky):\n    return sky\n")
    other.write("src/egret.py", "def egret_wades(river):\n    return river\n")
    (other.path / "src/walrus.py").unlink()
    (other.path / "src/ibis.py").rename(other.path / "src/bird.py")
    questions = ("heron_flies", "heron_wades", "egret_wades", "Walrus", "IBIS", "river")
    with at_home(machines[1]):
        there = [said(other.path, query, {}, "team") for query in questions]
        assert [said(other.path, query, {}) for query in questions] == there
    found = [[hit[0] for hit in each["hits"]] for each in there]
    assert found[0][0] == "src/heron.py"
    assert found[2][0] == "src/egret.py"
    assert "src/walrus.py" not in found[3]
    assert found[4][0] == "src/bird.py"
    answer = asked(machines[1], other.path, "heron_flies")
    assert (answer["freshness"]["laid_over"], answer["freshness"]["checked"]) == (5, "tree")


def test_the_answer_names_the_snapshot_the_remote_and_the_commit(
    machines: tuple[Path, Path], pushed: str, repo: Repo, other: Repo
) -> None:
    other.write("src/egret.py", "EGRET = 1\n")
    other.commit()
    answer = asked(machines[1], other.path, "heron_wades")
    with at_home(machines[0]):
        active = done("search", "--no-sync", "heron_wades", str(repo.path))
    assert answer["snapshot_id"] == active["snapshot_id"]
    assert answer.keys() == active.keys()
    fresh = answer["freshness"]
    assert (fresh["remote"], fresh["remote_commit"], fresh["synced"], fresh["laid_over"]) == ("team", pushed, False, 1)
    with at_home(machines[1]):
        told = run("search", "--remote", "team", "heron_wades", str(other.path))
    assert f"commit {pushed[:12]} asked at team, 1 changed file of the tree over it" in told.stderr


@pytest.mark.usefixtures("pushed")
def test_an_answer_is_told_of_the_folder_that_was_asked(
    machines: tuple[Path, Path], repo: Repo, other: Repo, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for root in (other.path, empty):
        answer = asked(machines[1], root, "heron_wades")
        assert answer["root"] == str(root)
        with at_home(machines[1]):
            told = run("search", "--remote", "team", "heron_wades", str(root))
        assert str(repo.path) not in json.dumps(answer) + told.stdout + told.stderr
    counted, _ = ledger.entries(str(machines[1]), 1)
    assert {entry.root for entry in counted} == {str(other.path), str(empty)}


@pytest.mark.usefixtures("pushed")
@pytest.mark.parametrize("has_tree", [True, False])
def test_one_listing_answers_a_question(
    has_tree: bool, machines: tuple[Path, Path], other: Repo, pushed: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a remote dies after the answer, and whatever is pushed meanwhile."""
    looked, super_search = [], Codebase.search
    root = other.path if has_tree else folder.with_name("empty")
    root.mkdir(exist_ok=True)

    def noted(*given: Any) -> Any:
        looked.append(given)
        return nearest_askable(*given)

    def dying(*given: Any, **named: Any) -> Any:
        answer = super_search(*given, **named)
        folder.rename(folder.with_name("gone"))
        return answer

    monkeypatch.setattr(remotely, "_LOOK_AGAIN_S", -1.0)
    monkeypatch.setattr(remotely, "nearest_askable", noted)
    answer = asked(machines[1], root, "heron_wades")
    assert len(looked) == 1
    monkeypatch.setattr(Codebase, "search", dying)
    again = asked(machines[1], root, "heron_wades")
    assert len(looked) == 2
    assert paths(again) == paths(answer)
    assert again["freshness"]["remote_commit"] == pushed


@pytest.mark.usefixtures("pushed")
def test_a_folder_without_a_commit_is_answered_from_what_was_pushed_last(
    machines: tuple[Path, Path], tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    answer = asked(machines[1], empty, "heron_wades")
    assert paths(answer)[0] == "src/heron.py"
    assert answer["freshness"]["checked"] == "remote"


@pytest.mark.slow
def test_a_snapshot_that_was_pushed_in_part_is_none(machines: tuple[Path, Path], repo: Repo, other: Repo) -> None:
    for point in ("tables.sent", "push.part"):
        died = cairn("push", "--askable", str(repo.path), CAIRN_HOME=str(machines[0]), CAIRN_CRASH_AT=point)
        assert died.returncode == -signal.SIGKILL
        with at_home(machines[1]):
            assert refused("search", "--remote", "team", "heron", str(other.path)).returncode == 3
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
    assert paths(asked(machines[1], other.path, "heron_wades"))[0] == "src/heron.py"


def test_a_snapshot_that_was_pushed_to_be_pulled_is_not_asked(
    machines: tuple[Path, Path], repo: Repo, other: Repo
) -> None:
    with at_home(machines[0]):
        done("push", str(repo.path))
    with at_home(machines[1]):
        assert "asked" in refused("search", "--remote", "team", "heron", str(other.path)).stderr
    with at_home(machines[0]):
        assert done("push", "--askable", str(repo.path))["travelled_bytes"] > 0
        assert done("push", "--askable", str(repo.path))["travelled_bytes"] == 0
        # Whoever only pushes takes nothing away.
        assert done("push", str(repo.path))["travelled_bytes"] == 0
    assert paths(asked(machines[1], other.path, "heron_wades"))[0] == "src/heron.py"


def another(repo: Repo, name: str) -> None:
    repo.write(f"src/{name}.py", f"def {name}_wades(river):\n    return river\n")
    repo.commit()


@pytest.mark.usefixtures("pushed")
def test_tables_that_a_remote_has_lost_are_made_again(
    machines: tuple[Path, Path], repo: Repo, other: Repo, folder: Path
) -> None:
    for name in ("stork", "crane"):
        for table in tables(folder):
            table.unlink()
        with at_home(machines[1]):
            shutil.rmtree(machines[1] / FOLDER, ignore_errors=True)
            assert "lost a table" in refused("search", "--remote", "team", "heron", str(other.path)).stderr
        another(repo, name)
        with at_home(machines[0]):
            done("push", "--askable", str(repo.path))
        other.git("pull", "-q")
        assert paths(asked(machines[1], other.path, f"{name}_wades"))[0] == f"src/{name}.py"
        assert "src/heron.py" in paths(asked(machines[1], other.path, "heron_wades"))
    (lost, *_) = tables(folder)
    lost.unlink()
    with at_home(machines[0]):
        # The commit is there, but not all of its tables.
        done("push", "--askable", str(repo.path))
    assert lost in tables(folder)


@pytest.mark.usefixtures("pushed")
def test_a_listing_that_is_damaged_is_nothing_to_start_from(
    machines: tuple[Path, Path], repo: Repo, other: Repo, folder: Path, pushed: str
) -> None:
    (listing,) = (folder / "cairn1/snapshots").rglob(pushed)
    listing.write_bytes(listing.read_bytes()[:-2])
    another(repo, "stork")
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
    other.git("pull", "-q")
    assert paths(asked(machines[1], other.path, "stork_wades"))[0] == "src/stork.py"


@pytest.mark.parametrize("is_later", [True, False])
def test_tables_of_another_version_are_made_again(
    is_later: bool,
    machines: tuple[Path, Path],
    repo: Repo,
    other: Repo,
    folder: Path,
    pushed: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    former, newer = tables(folder), askable.VERSION + 1
    for module in (askable, _askedparts):
        monkeypatch.setattr(module, "VERSION", newer)
    with at_home(machines[1]):
        assert "is of version" in refused("search", "--remote", "team", "heron", str(other.path)).stderr
    if is_later:
        another(repo, "stork")
        other.git("pull", "-q")
    with at_home(machines[0]):
        commit = done("push", "--askable", str(repo.path))["commit"]
        assert (commit != pushed) is is_later
        assert done("push", "--askable", str(repo.path))["travelled_bytes"] == 0
    assert len(set(tables(folder)) - set(former)) == 1 + is_later
    assert paths(asked(machines[1], other.path, "heron_wades"))[0] == "src/heron.py"


@pytest.mark.usefixtures("pushed")
def test_a_table_is_taken_over_for_the_very_segment_alone(
    machines: tuple[Path, Path], repo: Repo, folder: Path, tmp_path: Path
) -> None:
    with at_home(machines[0]), Codebase(str(repo.path)) as codebase:
        former = teamwork._former(codebase, teamwork.remote_named("team"), None)
        assert former is not None
        with codebase.view() as view:
            (ref,) = former.manifest.segments
            for number, (digest, made) in enumerate(
                ((ref.digest, 0), (replace(ref.digest, sha256="0" * 64), 1), (replace(ref.digest, size_bytes=1), 1))
            ):
                place = tmp_path / str(number)
                place.mkdir()
                of_another = replace(former, manifest=replace(former.manifest, segments=(replace(ref, digest=digest),)))
                found, files = make_tables(view, former, of_another, str(place), lambda _: True)
                assert (len(found), len(files)) == (1, made)
            assert make_tables(view, former, former, str(place / ".."), lambda _: False)[1]


@pytest.mark.usefixtures("pushed")
@pytest.mark.slow
def test_no_byte_of_a_table_is_believed(machines: tuple[Path, Path], other: Repo, folder: Path) -> None:
    """Wherever a table is damaged, an answer is the right one, says what it lacks, or isn't given."""
    (table,) = tables(folder)
    whole = table.read_bytes()
    with at_home(machines[1]):
        right = said(other.path, "heron_wades", {}, "team")["hits"]
        refusals = warnings = 0
        for at in range(0, len(whole), len(whole) // 16):
            table.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            shutil.rmtree(machines[1] / FOLDER)
            try:
                answer = said(other.path, "heron_wades", {}, "team")
            except CorruptStoreError as error:
                refusals += str(folder) in error.message
                continue
            if answer["notes"]:
                assert [note["code"] for note in answer["notes"]] == ["vectors_unavailable"]
                warnings += 1
            else:
                assert answer["hits"] == right
        assert refusals
    table.write_bytes(whole[: len(whole) // 2])
    shutil.rmtree(machines[1] / FOLDER)
    with at_home(machines[1]):
        refused("search", "--remote", "team", "heron", str(other.path))
    table.unlink()
    with at_home(machines[1]):
        assert "lost a table" in refused("search", "--remote", "team", "heron", str(other.path)).stderr


@pytest.mark.usefixtures("pushed")
def test_lost_vectors_leave_the_words(
    machines: tuple[Path, Path], other: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: AskedVectors) -> None:
        raise CorruptStoreError("They are gone.")

    monkeypatch.setattr(AskedVectors, "_read", gone)
    with at_home(machines[1]):
        answer = said(other.path, "heron_wades", {}, "team")
    assert [note["code"] for note in answer["notes"]] == ["vectors_unavailable"]
    assert answer["hits"][0][0] == "src/heron.py"


@pytest.mark.usefixtures("pushed")
@pytest.mark.slow
def test_what_is_here_of_a_snapshot_may_be_lost(machines: tuple[Path, Path], other: Repo) -> None:
    right = paths(asked(machines[1], other.path, "heron_wades"))
    (place,) = (machines[1] / FOLDER).iterdir()
    for path in sorted(path for path in place.rglob("*") if path.is_file() and "locks" not in path.parts):
        data = path.read_bytes()
        path.write_bytes(data[:-1] + b"\x00" if data else b"x")
        assert paths(asked(machines[1], other.path, "heron_wades")) == right
    for path in sorted(path for path in place.rglob("*") if path.is_file() and "locks" not in path.parts):
        path.unlink(missing_ok=True)
        assert paths(asked(machines[1], other.path, "heron_wades")) == right


@pytest.mark.usefixtures("pushed")
def test_a_second_question_asks_for_little(machines: tuple[Path, Path], other: Repo) -> None:
    with at_home(machines[1]), Codebase(str(other.path)) as codebase:
        with RemoteCodebase(codebase, "team") as remote:
            remote.search(Request("heron_wades"))
            assert 0 < remote._blocks.travelled.requests <= 8
        with RemoteCodebase(codebase, "team") as remote:
            remote.search(Request("heron_wades"))
            assert remote._blocks.travelled.requests == 0


@pytest.mark.slow
def test_a_later_push_sends_no_table_again(machines: tuple[Path, Path], repo: Repo, folder: Path) -> None:
    for number in range(300):
        repo.write(f"many/{number}.py", f"def made_{number}():\n    return {number}\n" * 3)
    repo.commit()
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
        first = set(tables(folder))
        repo.write("src/egret.py", "EGRET = 1\n")
        repo.commit()
        done("push", "--askable", str(repo.path))
    assert first < set(tables(folder))


def test_a_collection_keeps_the_tables_that_a_snapshot_needs(
    machines: tuple[Path, Path], pushed: str, repo: Repo, other: Repo, folder: Path
) -> None:
    before = set(tables(folder))
    repo.write("src/egret.py", "EGRET = 1\n")
    repo.commit()
    with at_home(machines[0]):
        done("index", "--reindex", str(repo.path))
        done("push", "--askable", str(repo.path))
        for path in folder.rglob("*"):
            os.utime(path, (1, 1))
        os.utime(next(folder.glob(f"cairn1/snapshots/*/{repo.git('rev-parse', 'HEAD').strip()}")), (2, 2))
        done("remote", "gc", "--keep", "1")
    left = set(tables(folder))
    assert left
    assert not left & before
    other.git("pull", "-q")
    answer = asked(machines[1], other.path, "EGRET")
    assert paths(answer)[0] == "src/egret.py"
    assert answer["freshness"]["remote_commit"] != pushed


@pytest.mark.usefixtures("pushed")
def test_only_a_remote_of_the_user_is_asked(machines: tuple[Path, Path], other: Repo, tmp_path: Path) -> None:
    other.write(".cairn.toml", f'[team]\nremotes = ["theirs={tmp_path}/remote"]\n')
    with at_home(machines[1]):
        assert "belongs in config.toml" in refused("search", "--remote", "theirs", "heron", str(other.path)).stderr
    with at_home(tmp_path / "nobody"):
        refused("search", "--remote", "team", "heron", str(other.path))


@pytest.mark.usefixtures("pushed")
def test_a_key_refuses_what_is_not_signed(
    machines: tuple[Path, Path], repo: Repo, other: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_TEAM_KEY", "a key of the whole team")
    with at_home(machines[1]):
        assert "not signed" in refused("search", "--remote", "team", "heron", str(other.path)).stderr
    with at_home(machines[0]):
        done("push", "--askable", "--again", str(repo.path))
    assert paths(asked(machines[1], other.path, "heron_wades"))[0] == "src/heron.py"


@pytest.mark.usefixtures("pushed")
def test_nothing_but_searches_is_answered(machines: tuple[Path, Path], other: Repo) -> None:
    with at_home(machines[1]):
        for more in (("--literal", "heron"), ("--at", "HEAD", "heron"), ("--related", "src/heron.py:1")):
            assert run("search", "--remote", "team", *more, str(other.path)).returncode == 2
        with Codebase(str(other.path)) as codebase, RemoteCodebase(codebase, "team") as remote:
            with pytest.raises(RefusedError):
                remote.index()
            with remote.view() as view, pytest.raises(RefusedError):
                [*view.facts.all_symbols()]
            with pytest.raises(NotIndexedError):
                remote.view("01M7T5GEYAFEHD5NRGTQ6RE5GK")


@pytest.mark.usefixtures("pushed")
def test_other_settings_are_another_index(machines: tuple[Path, Path], other: Repo) -> None:
    other.write(".cairn.toml", "[index]\nchunk_bytes = 700\n")
    with at_home(machines[1]):
        assert refused("search", "--remote", "team", "heron", str(other.path)).returncode == 3


@pytest.mark.usefixtures("pushed")
def test_one_codebase_is_asked_at_a_remote(machines: tuple[Path, Path], repo: Repo, other: Repo) -> None:
    with at_home(machines[1]):
        roots = ("--root", str(repo.path), "--root", str(other.path))
        assert run("search", "--remote", "team", "heron", *roots).returncode == 2


class Whole(http.server.SimpleHTTPRequestHandler):
    """A web server that gives files as a whole."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Ranges(Whole):
    """One that gives parts of files, as most do."""

    def do_GET(self) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if asked is None or not path.is_file():
            super().do_GET()
            return
        data = path.read_bytes()[int(asked[1]) : int(asked[2]) + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.mark.slow
@pytest.mark.usefixtures("pushed")
@pytest.mark.parametrize("kind", [Ranges, Whole])
def test_a_web_server_is_asked_for_parts_of_files(
    kind: type[Whole], machines: tuple[Path, Path], other: Repo, folder: Path
) -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(kind, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            with at_home(machines[1]):
                done("remote", "add", "team", f"http://127.0.0.1:{server.server_port}")
            if kind is Ranges:
                assert paths(asked(machines[1], other.path, "heron_wades"))[0] == "src/heron.py"
            else:
                with at_home(machines[1]):
                    assert "no part of a file" in refused("search", "--remote", "team", "x", str(other.path)).stderr
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.usefixtures("pushed")
def test_an_agent_asks_without_an_index(machines: tuple[Path, Path], other: Repo, pushed: str) -> None:
    with at_home(machines[1]):
        tools = Local(other.path)
        other.write("src/egret.py", "def egret_wades(river):\n    return river\n")
        try:
            answer = tools.call("search_codebase", path=str(other.path), query="egret_wades", remote="team")
            again = tools.call("search_codebase", path=str(other.path), query="river", remote="team", limit=1)
            more = tools.call(
                "search_codebase",
                path=str(other.path),
                query="river",
                remote="team",
                limit=1,
                continuation=again["continuation"],
            )
            given = {"path": str(other.path), "query": "heron", "remote": "team"}
            text = text_of(BY_NAME["search_codebase"].call(tools.service, ToolCall(tools.access), given))
            without = tools.call("search_codebase", path=str(other.path), query="heron")
        finally:
            tools.close()
        assert not (machines[1] / "data").exists()
    assert paths(answer)[0] == "src/egret.py"
    assert answer["freshness"] == {"decision": "of_remote", "commit": pushed, "remote": "team"}
    assert paths(more) != paths(again)
    assert f"of commit {pushed[:12]} at team" in text
    assert without["status"] == "not_indexed"


@pytest.mark.usefixtures("pushed")
def test_a_process_that_asks_again_sees_what_changed(machines: tuple[Path, Path], repo: Repo, other: Repo) -> None:
    def best(query: str) -> str:
        with at_remote(codebase, "team") as remote:
            return remote.search(Request(query)).value.items[0].path

    with at_home(machines[1]), Codebase(str(other.path)) as codebase:
        assert best("heron_wades") == "src/heron.py"
        other.write("src/egret.py", "def egret_wades(river):\n    return river\n")
        assert best("egret_wades") == "src/egret.py"
        other.write("src/egret.py", "def ibis_wades(river):\n    return river\n")
        assert best("ibis_wades") == "src/egret.py"
        (other.path / "src/egret.py").unlink()
        assert best("ibis_wades") == "src/ibis.py"
        first = codebase.elsewhere["team"]
        assert isinstance(first, RemoteCodebase)
        assert first.laid_over == 0
        repo.write("src/stork.py", "STORK = 1\n")
        repo.commit()
        with at_home(machines[0]):
            commit = done("push", "--askable", str(repo.path))["commit"]
        other.git("pull", "-q")
        assert best("STORK") == "src/stork.py"
        assert first.look().commit == commit
        other.write(".cairn.toml", "[index]\nchunk_bytes = 700\n")
        with pytest.raises(NotIndexedError):
            best("STORK")


def test_many_rows_are_told_by_codes(
    machines: tuple[Path, Path], repo: Repo, other: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (askable, _askedparts):
        monkeypatch.setattr(module, "CODED_ROWS", 3)
    with at_home(machines[0]):
        done("push", "--askable", str(repo.path))
        here = said(repo.path, "how do otters dive", {})
    with at_home(machines[1]):
        there = said(other.path, "how do otters dive", {}, "team")
        assert not [*(machines[1] / FOLDER).rglob("vectors-*")]
    assert [hit[0] for hit in there["hits"]] == [hit[0] for hit in here["hits"]]
    assert there["notes"] == here["notes"]


@pytest.mark.usefixtures("pushed")
def test_what_every_question_reads_finds_room_however_much_it_is(
    machines: tuple[Path, Path], other: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remotely, "KEPT_BYTES", 0)
    for room, is_kept in ((1 << 20, True), (0, False)):
        monkeypatch.setattr(remotely, "bytes_to_hold", lambda _, room=room: room)
        with at_home(machines[1]):
            shutil.rmtree(machines[1] / FOLDER, ignore_errors=True)
            looks_for(other.path, "heron")
            assert (looks_for(other.path, "heron") == [0]) is is_kept


@pytest.mark.slow
def test_a_bucket_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repo: Repo, other: Repo) -> None:
    require("bucket")
    bucket = ObjectStore()
    for name, value in bucket.environment().items():
        monkeypatch.setenv(name, value)
    homes = (tmp_path / "one", tmp_path / "two")
    try:
        for home in homes:
            with at_home(home):
                done("remote", "add", "team", f"s3://{BUCKET}/cairn")
        with at_home(homes[0]):
            done("push", "--askable", str(repo.path))
        assert paths(asked(homes[1], other.path, "heron_wades"))[0] == "src/heron.py"
        assert bucket.lose("cairn1/tables") > 0
        shutil.rmtree(homes[1] / FOLDER)
        with at_home(homes[1]):
            assert "lost a table" in refused("search", "--remote", "team", "heron", str(other.path)).stderr
        bucket.let_in_nobody()
        with at_home(homes[1]):
            assert "credentials" in refused("search", "--remote", "team", "heron", str(other.path)).stderr
    finally:
        bucket.kill()
    with at_home(homes[1]):
        assert refused("search", "--remote", "team", "heron", str(other.path)).returncode != 0


@pytest.mark.slow
@pytest.mark.parametrize("loses_each", [3, 1])
def test_a_store_that_is_far_and_loses_questions_is_asked_again_and_not_for_ever(
    loses_each: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repo: Repo, other: Repo
) -> None:
    require("bucket")
    bucket = ObjectStore()
    try:
        with Relay(int(bucket.uri.rpartition(":")[2]), turn_s=0.02, loses_each=loses_each) as relay:
            for name, value in ({**bucket.environment(), "AWS_ENDPOINT": relay.uri}).items():
                monkeypatch.setenv(name, value)
            homes = (tmp_path / "one", tmp_path / "two")
            for home in homes:
                with at_home(home):
                    done("remote", "add", "team", f"s3://{BUCKET}/cairn")
            with at_home(homes[0]), monkeypatch.context() as near:
                near.setenv("AWS_ENDPOINT", bucket.uri)
                done("push", "--askable", str(repo.path))
            if loses_each > 1:
                for query in ("heron_wades", "how do otters dive", "Walrus"):
                    assert asked(homes[1], other.path, query)["results"]
                assert relay.lost
                return
            with at_home(homes[1]):
                assert "can't be asked" in refused("search", "--remote", "team", "heron", str(other.path)).stderr
                before = relay.questions
                told = refused("search", "--remote", "team", "heron", str(other.path))
            assert "it is asked again in" in told.stderr
            assert relay.questions == before
    finally:
        bucket.kill()


@pytest.mark.usefixtures("pushed")
def test_a_remote_that_is_away_is_told_in_its_own_words(machines: tuple[Path, Path], other: Repo, folder: Path) -> None:
    folder.rename(folder.with_name("away"))
    with at_home(machines[1]):
        refused("search", "--remote", "team", "heron", str(other.path))
        told = refused("search", "--remote", "team", "heron", str(other.path)).stderr
    assert "it is asked again in" in told
    assert "leave the remote out" in told
    assert not re.search("repair|reindex|clear|by an index", told)


@pytest.mark.usefixtures("pushed")
def test_a_remote_that_says_nothing_keeps_no_question_waiting_for_a_minute(
    machines: tuple[Path, Path], other: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where each of its answers comes just in time."""
    names, read, ends = FolderRemote.names, FolderRemote.read, threading.Event()

    def slowly(remote: FolderRemote, prefix: str) -> dict[str, float]:
        ends.wait(1.0)
        return names(remote, prefix)

    def hanging(remote: FolderRemote, name: str) -> Iterator[bytes]:
        ends.wait(20.0)
        yield from read(remote, name)

    with at_home(machines[1]):
        done("search", "--remote", "team", "heron", str(other.path))
        done("config", "set", "team.timeout_s", "0.5")
        monkeypatch.setattr(FolderRemote, "names", slowly)
        monkeypatch.setattr(FolderRemote, "read", hanging)
        started = time.monotonic()
        told = refused("search", "--remote", "team", "heron", str(other.path))
        ends.set()
    assert "longer than 1.5 s" in told.stderr
    assert time.monotonic() - started < 4


@pytest.mark.usefixtures("pushed")
@pytest.mark.parametrize("what", ["snapshots", "tables"])
def test_damage_there_is_told_with_what_mends_it(
    what: str, machines: tuple[Path, Path], repo: Repo, other: Repo, folder: Path
) -> None:
    for path in (folder / "cairn1" / what).rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-40] + bytes(40))
    with at_home(machines[1]):
        told = refused("search", "--remote", "team", "heron", str(other.path)).stderr
    assert "cairn push --askable --again" in told
    with at_home(machines[0]):
        done("push", "--askable", "--again", str(repo.path))
    assert asked(machines[1], other.path, "heron_wades")["results"]
