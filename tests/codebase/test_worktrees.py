"""Work trees of one repository: a new one starts from what another has indexed, and shares nothing else."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase, Request
from cairn.indexing.options import SyncOptions
from cairn.store import faults
from cairn.store.audit import audit
from cairn.store.health import Level, check_store
from cairn.store.log import LOG_FILE
from cairn.store.recovery import read_manifest, read_pointer
from tests.store.test_seed import flip_a_byte
from tests.surfaces.cli.test_store import answer, layout_of, run, say
from tests.trees import Repo, cairn, write

FILES = {
    ".gitignore": "*.log\n",
    "docs/guide.md": "# Guide\n\nHow herons and otters meet at the river.\n",
    "src/heron.py": "def heron_wades(river):\n    return river.depth < 1\n",
    "src/otter.py": "from src.heron import heron_wades\n\ndef otter_dives(river):\n    return not heron_wades(river)\n",
    "src/walrus.py": "class Walrus:\n    def haul_out(self, floe):\n        return floe\n",
    "src/ibis.py": "IBIS = 'white'\n",
}
QUERIES = ("heron_wades", "otter dives", "how herons meet", "Walrus", "egret", "IBIS", "floe")
SEED_POINTS = [point for point in faults.POINTS if point.startswith("seed.")]
PUBLISH_POINTS = [point for point in faults.POINTS if point.split(".")[0] in ("publish", "segment")]
# Whole, passed by the gate, and only without its pointer: what recovery finds, and what the next index makes anew.
WITHOUT_POINTER = {"publish.manifest_written", "publish.pointer_staged", "publish.lease_checked"}
AFTER_SWAP = {"publish.pointer_swapped", "publish.state_written", "publish.staging_removed"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model to load."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def main(repo: Repo) -> Repo:
    """An indexed repository with one commit."""
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    assert answer("index", str(repo.path))["started_from"] is None
    return repo


def add_tree(repo: Repo, name: str = "side") -> Repo:
    path = repo.path.parent / name
    repo.git("worktree", "add", "-q", "-b", name, str(path))
    return Repo(path.resolve())


@pytest.fixture
def side(main: Repo) -> Repo:
    """A new work tree, not indexed."""
    return add_tree(main)


def live(root: Path) -> dict[str, str]:
    with Codebase(str(root)) as codebase, codebase.view() as view:
        assert view.recovered == ""
        assert audit(view) == []
        return {file.path_key: file.file_hash for file in view.files()}


def answers(root: Path) -> list[object]:
    """What searches and lookups say, down to the last digit of the scores."""
    found: list[object] = []
    with Codebase(str(root)) as codebase:
        for query in QUERIES:
            results = codebase.search(Request(query, 50)).items
            found.append([(item.row.path_key, item.row.row_id, item.score, item.contributions) for item in results])
            found.append(codebase.insight.symbol(query).items)
            found.append(codebase.insight.references(query).items)
        found.append([codebase.insight.outline(path).items for path in sorted(live(root))])
    return found


def assert_sound(root: Path) -> None:
    assert [check for check in check_store(layout_of(root)) if check.level is not Level.OK] == []


def assert_like_a_full_index(root: Path) -> None:
    """Hold a seeded store against one that is built from nothing."""
    assert_sound(root)
    seeded = (live(root), answers(root))
    done = answer("index", "--reindex", str(root))
    assert done["started_from"] is None
    assert (live(root), answers(root)) == seeded


def _nothing(_: Repo) -> None:
    pass


def _edits(tree: Repo) -> None:
    tree.write("src/heron.py", "def egret_wades(river):\n    return True\n")
    tree.write("src/new.py", "EGRET = 1\n")
    (tree.path / "src/walrus.py").unlink()
    (tree.path / "src/ibis.py").rename(tree.path / "src/egret.py")


def _another_commit(tree: Repo) -> None:
    _edits(tree)
    tree.commit()


def _other_ignore_rules(tree: Repo) -> None:
    tree.write(".gitignore", "docs/\n")
    tree.write(".cairnignore", "otter.py\n")


def _other_kinds(tree: Repo) -> None:
    tree.write("src/heron.py", b"\0\0binary")
    (tree.path / "src/otter.py").unlink()
    (tree.path / "src/otter.py").symlink_to("walrus.py")


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
@pytest.mark.parametrize("change", [_nothing, _edits, _another_commit, _other_ignore_rules, _other_kinds])
def test_a_seeded_index_is_like_a_full_one(side: Repo, change: Callable[[Repo], None]) -> None:
    change(side)
    assert answer("index", str(side.path))["started_from"] is not None
    assert_like_a_full_index(side.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_only_what_differs_is_indexed_and_the_user_is_told(main: Repo, side: Repo) -> None:
    _edits(side)
    source = answer("status", str(main.path))
    done = answer("index", str(side.path))
    assert done["started_from"] == {
        "root": str(main.path),
        "store_id": source["store_id"],
        "snapshot_id": source["snapshot_id"],
    }
    assert (done["indexed"], done["deleted"], done["published"]) == (3, 1, True)
    assert done["warnings"] == []
    status = answer("status", str(side.path))
    assert (status["store_id"] != source["store_id"], status["snapshot_id"]) == (True, done["snapshot_id"])
    assert "by seed" in say("status", str(side.path))
    log = Path(layout_of(side.path).logs, LOG_FILE).read_text().splitlines()
    (line,) = [found for found in map(json.loads, log) if found["action"] == "seed"]
    assert (line["from_store"], line["indexed"], line["deleted"]) == (source["store_id"], 3, 1)
    assert answer("index", str(side.path)) == done | {
        "published": False,
        "indexed": 0,
        "deleted": 0,
        "embedded": 0,
        "started_from": None,
    }


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_the_report_names_the_sibling_its_snapshot_and_how_many_files_differ(main: Repo, side: Repo) -> None:
    side.write("src/heron.py", "EGRET = 1\n")
    first, second = say("index", str(side.path)).splitlines()
    snapshot_id = answer("status", str(main.path))["snapshot_id"]
    assert first == f"started from the index of {main.path} (snapshot {snapshot_id}): 1 file differs"
    assert second.startswith("indexed 1 file, removed 0: 6 files")
    third = add_tree(main, "third")
    assert say("index", str(third.path)).splitlines()[0].endswith(": 0 files differ")


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_search_in_a_new_work_tree_starts_from_the_sibling_too(main: Repo, side: Repo) -> None:
    found = answer("search", "heron_wades", str(side.path))
    assert found["results"][0]["path"] == "src/heron.py"
    assert answer("status", str(side.path))["cause"] == "seed"


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_nothing_that_only_the_sibling_has_is_ever_shown(main: Repo) -> None:
    main.write("src/secret_egret.py", "EGRET = 'untracked'\n")
    main.write(".git/info/exclude", "egret_notes.py\n")
    main.write("egret_notes.py", "EGRET = 'kept out of git by the exclude file'\n")
    main.write("src/heron.py", "EGRET = 'not committed'\n")
    assert answer("index", str(main.path))["indexed"] == 3
    side = add_tree(main)
    assert answer("index", str(side.path))["started_from"] is not None
    assert set(live(side.path)) == set(FILES)
    for query in ("EGRET", "untracked", "egret_notes", "not committed"):
        results = answer("search", "--no-sync", query, str(side.path), code=1)["results"]
        assert not [result for result in results if "egret" in (result["path"] + result["text"]).lower()]
    assert_like_a_full_index(side.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_the_main_work_tree_starts_from_a_linked_one(repo: Repo) -> None:
    for name, text in FILES.items():
        repo.write(name, text)
    repo.commit()
    side = add_tree(repo)
    assert answer("index", str(side.path))["started_from"] is None
    assert answer("index", str(repo.path))["started_from"]["root"] == str(side.path)
    assert_like_a_full_index(repo.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_sibling_whose_folder_is_gone_is_still_a_source(main: Repo, side: Repo) -> None:
    side.write("src/new.py", "EGRET = 1\n")
    side.commit()
    assert answer("index", str(side.path))["published"] is True
    assert answer("clear", str(main.path))["removed"] is True
    shutil.rmtree(side.path)
    third = main.path.parent / "third"
    main.git("worktree", "add", "-q", "--detach", str(third), "side")
    assert answer("index", str(third))["started_from"]["root"] == str(side.path)
    assert_like_a_full_index(third)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
@pytest.mark.parametrize("gone", ["main", "side"])
def test_clearing_one_store_harms_the_other_in_no_way(main: Repo, side: Repo, gone: str) -> None:
    side.write("src/heron.py", "EGRET = 1\n")
    answer("index", str(side.path))
    cleared, left = (main, side) if gone == "main" else (side, main)
    before = (live(left.path), answers(left.path))
    assert answer("clear", str(cleared.path))["removed"] is True
    assert (live(left.path), answers(left.path)) == before
    assert_sound(left.path)
    left.write("src/late.py", "LATE = 1\n")
    assert answer("index", str(left.path))["indexed"] == 1
    assert answer("index", str(cleared.path))["started_from"]["root"] == str(left.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_removing_a_work_tree_leaves_the_other_index_whole(main: Repo, side: Repo) -> None:
    answer("index", str(side.path))
    before = answers(main.path)
    main.git("worktree", "remove", "--force", str(side.path))
    assert answers(main.path) == before
    assert_sound(main.path)
    assert answer("index", str(main.path))["published"] is False


@pytest.mark.requirement("WT.1")
def test_a_reindex_starts_from_nothing(side: Repo) -> None:
    done = answer("index", "--reindex", str(side.path))
    assert (done["started_from"], done["indexed"]) == (None, len(FILES))


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_other_index_settings_start_from_nothing(side: Repo) -> None:
    side.write(".cairn.toml", "[index]\nchunk_bytes = 700\n")
    done = answer("index", str(side.path))
    assert (done["started_from"], done["indexed"], done["warnings"]) == (None, len(FILES) + 1, [])


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_clone_is_another_repository(main: Repo) -> None:
    main.git("clone", "-q", str(main.path), str(main.path.parent / "clone"))
    done = answer("index", str(main.path.parent / "clone"))
    assert (done["started_from"], done["indexed"]) == (None, len(FILES))


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_shared_store_neither_gives_nor_takes(main: Repo, side: Repo) -> None:
    shared = str(main.path.parent / "shared")
    done = answer("index", "--shared-store", shared, str(side.path))
    assert (done["started_from"], done["indexed"]) == (None, len(FILES))


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_damaged_sibling_costs_a_full_index_and_a_word(main: Repo, side: Repo) -> None:
    (segment,) = Path(layout_of(main.path).segments).iterdir()
    flip_a_byte(segment / "vectors.npy")
    done = answer("index", str(side.path))
    assert (done["started_from"], done["indexed"]) == (None, len(FILES))
    (warning,) = done["warnings"]
    assert str(main.path) in warning
    assert "is damaged" in warning
    assert_sound(side.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_snapshot_that_nothing_can_be_built_on_costs_a_full_index_and_a_word(
    main: Repo, side: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cairn.store.seed.Seed._place_segment", refuse)
    done = answer("index", str(side.path))
    assert (done["started_from"], done["indexed"]) == (None, len(FILES))
    (warning,) = done["warnings"]
    assert "No space left on device" in warning
    assert os.listdir(layout_of(side.path).staging) == []
    assert_sound(side.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_sibling_with_little_in_common_is_not_built_on(main: Repo, side: Repo) -> None:
    for name in FILES:
        if name != "src/ibis.py":
            (side.path / name).unlink()
    side.write("src/new.py", "EGRET = 1\n")
    done = answer("index", str(side.path))
    assert (done["started_from"], done["indexed"]) == (None, 2)
    (warning,) = done["warnings"]
    assert str(main.path) in warning
    manifest = read_manifest(layout_of(side.path), done["snapshot_id"])
    assert (len(manifest.segments), manifest.tombstones) == (1, ())


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_git_that_knows_no_list_of_work_trees_costs_a_full_index_and_a_word(
    main: Repo, side: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.which("git")
    refusal = 'case " $* " in *" worktree "*) echo "error: unknown switch z" >&2; exit 129;; esac'
    script = f'#!/bin/sh\n{refusal}\nexec {real} "$@"\n'
    wrapper = write(tmp_path / "bin", "git", script)
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    done = answer("index", str(side.path))
    assert (done["started_from"], done["indexed"]) == (None, len(FILES))
    (warning,) = done["warnings"]
    assert "unknown switch" in warning


@pytest.mark.requirement("WT.1")
def test_a_file_that_can_not_be_indexed_is_refused_in_a_seeded_index_as_in_any(
    side: Repo,
) -> None:
    side.write("src/Heron.py", "COLLIDES = 1\n")
    done = run("index", "--json", str(side.path))
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (5, "path_collision")
    layout = layout_of(side.path)
    assert [os.listdir(folder) for folder in (layout.segments, layout.snapshots, layout.staging)] == [[], [], []]
    assert run("status", str(side.path)).returncode == 3


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_sibling_in_the_middle_of_a_publish_gives_its_last_good_snapshot(main: Repo, side: Repo) -> None:
    active = answer("status", str(main.path))["snapshot_id"]
    main.write("src/heron.py", "EGRET = 'on its way'\n")
    writer = subprocess.Popen(
        (sys.executable, "-m", "cairn", "index", str(main.path)),
        env=os.environ | {"CAIRN_STOP_AT": "publish.pointer_staged"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        _, status = os.waitpid(writer.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        done = answer("index", str(side.path))
        assert done["started_from"]["snapshot_id"] == active
    finally:
        writer.send_signal(signal.SIGCONT)
        writer.communicate(timeout=60)
    assert writer.returncode == 0
    assert_like_a_full_index(side.path)
    assert_sound(main.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_new_work_trees_may_start_at_the_same_time(main: Repo) -> None:
    trees = [add_tree(main, f"tree{number}") for number in range(4)]
    for number, tree in enumerate(trees):
        tree.write(f"src/own{number}.py", f"OWN = {number}\n")
    running = [
        subprocess.Popen((sys.executable, "-m", "cairn", "index", "--json", str(tree.path)), stdout=subprocess.PIPE)
        for tree in trees
    ]
    documents = [json.loads(process.communicate(timeout=120)[0]) for process in running]
    for number, (tree, document) in enumerate(zip(trees, documents, strict=True)):
        assert document["started_from"] is not None
        assert set(live(tree.path)) == {*FILES, f"src/own{number}.py"}
        assert_sound(tree.path)
    assert_sound(main.path)


def die_at(point: str, root: Path) -> None:
    done = cairn("index", str(root), CAIRN_CRASH_AT=point)
    assert done.returncode == -signal.SIGKILL, f"{point} was not reached: {done.stdout}{done.stderr}"


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
@pytest.mark.requirement("STO.5")
@pytest.mark.parametrize("point", [*SEED_POINTS, *PUBLISH_POINTS])
def test_a_start_that_dies_leaves_no_index_or_a_whole_one(
    main: Repo, side: Repo, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edits(side)
    sibling = (live(main.path), answers(main.path))
    die_at(point, side.path)
    status = run("status", "--json", str(side.path))
    expected = 0 if point in AFTER_SWAP else 14 if point in WITHOUT_POINTER else 3
    assert status.returncode == expected, status.stdout
    assert (live(main.path), answers(main.path)) == sibling
    assert_sound(main.path)
    done = answer("index", str(side.path))
    assert done["published"] is (point not in AFTER_SWAP)
    assert_sound(side.path)
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")
    answer("gc", "--force", str(side.path))
    layout = layout_of(side.path)
    manifest = read_manifest(layout, read_pointer(layout) or "")
    assert os.listdir(layout.staging) == []
    assert sorted(os.listdir(layout.segments)) == sorted(ref.segment_id for ref in manifest.segments)
    refs = (*manifest.tombstones, *manifest.file_index)
    assert sorted(os.listdir(layout.snapshots)) == sorted(
        {manifest.snapshot_id, *(ref.path.split("/")[1] for ref in refs)}
    )
    assert_like_a_full_index(side.path)


@pytest.mark.slow
@pytest.mark.requirement("WT.1")
def test_a_kept_codebase_starts_a_new_store_from_the_sibling(main: Repo, side: Repo) -> None:
    with Codebase(str(side.path)) as codebase:
        first = codebase.index(SyncOptions())
        assert first.origin is not None
        assert first.origin.canonical_root == str(main.path)
        assert codebase.clear()
        again = codebase.index(SyncOptions())
        assert again.origin is not None
        assert again.indexed == 0
        assert codebase.index(SyncOptions()).origin is None
