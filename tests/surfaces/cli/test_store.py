"""The commands that look after a store: answers, exit codes and what they leave alone."""

import io
import json
import os
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.program.start import main
from cairn.store.layout import Layout
from tests.surfaces.cli.test_main import assert_one_sentence_and_a_hint, error_of
from tests.trees import Repo

COMMANDS = ("status", "health", "audit", "repair", "compact", "gc", "stores", "upgrade-store", "clear")
OF_A_STORE = tuple(command for command in COMMANDS if command not in ("stores", "clear"))
QUICK_GC = {"CAIRN_RETAIN_SNAPSHOTS": "1", "CAIRN_RETAIN_AGE_MS": "0"}


@dataclass(frozen=True, slots=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def run(*arguments: str, **environment: str) -> Done:
    """The command line in this process: a start of Python for every look would take minutes."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


def layout_of(path: Path) -> Layout:
    with Codebase(str(path)) as codebase:
        return codebase.store().layout


def answer(*arguments: str, code: int = 0, environment: dict[str, str] | None = None) -> dict[str, Any]:
    done = run(*arguments, "--json", **(environment or {}))
    assert (done.returncode, done.stderr) == (code, ""), done.stdout
    assert done.stdout.count("\n") == 1
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["schema_version"] in (1, 2), "what commands did, and answers"
    return document


def say(*arguments: str, code: int = 0, environment: dict[str, str] | None = None) -> str:
    done = run(*arguments, **(environment or {}))
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout


def index(repo: Repo) -> dict[str, Any]:
    return answer("index", str(repo.path))


def flip_a_byte(path: str) -> None:
    with open(path, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("src/alpha.py", "alpha = 1\n")
    repo.write("src/beta.py", "beta = 2\n")
    repo.write("picture.png", b"\x89PNG")
    repo.commit()
    index(repo)
    return repo


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    text = say(command, "--help")
    assert f"Example: cairn {command}" in text
    assert "--json" in text


@pytest.mark.bare_home
@pytest.mark.parametrize("command", OF_A_STORE)
def test_what_is_not_indexed_exits_3_with_the_command_to_run(repo: Repo, private_home: Path, command: str) -> None:
    repo.write("a.py")
    spoken = run(command, str(repo.path))
    assert (spoken.returncode, spoken.stdout) == (3, "")
    assert_one_sentence_and_a_hint(spoken.stderr)
    assert "cairn index" in spoken.stderr
    written = run(command, str(repo.path), "--json")
    assert (written.returncode, written.stderr) == (3, "")
    assert error_of(written.stdout)["code"] == "not_indexed"
    assert not (private_home / ".cairn").exists()


def test_status_tells_the_snapshot(indexed: Repo) -> None:
    document = answer("status", str(indexed.path))
    assert document["root"] == str(indexed.path)
    assert document["counts"] == {
        "files": 2,
        "chunks": 4,
        "segments": 1,
        "tombstones": 0,
        "by_lines": 0,
        "commits": 1,
    }
    assert document["skipped"] == {"media": 1} or sum(document["skipped"].values()) == 1
    assert document["git"]["head"] == indexed.git("rev-parse", "HEAD").strip()
    assert (document["degraded"], document["writing"], document["recovered"]) == (False, False, "")
    text = say("status", str(indexed.path))
    assert document["snapshot_id"] in text
    assert "2 files, 4 chunks, 1 segment" in text
    assert "history of 1 commit\n" in text


@pytest.mark.slow
def test_status_counts_what_is_new_changed_or_gone_since(repo: Repo) -> None:
    for name in ("a.py", "b.py", "moved.py"):
        repo.write(name, f"value = '{name}'\n")
    answer("index", str(repo.path))
    assert answer("status", str(repo.path))["tree"] == {"new": 0, "changed": 0, "deleted": 0}
    assert "the tree is as indexed" in say("status", str(repo.path))
    repo.write("new.py", "value = 0\n")
    repo.write("a.py", "value = 'changed'\n")
    (repo.path / "b.py").unlink()
    (repo.path / "moved.py").rename(repo.path / "there.py")
    before = answer("status", str(repo.path))
    assert before["tree"] == {"new": 2, "changed": 1, "deleted": 2}
    assert "since then: 2 new, 1 changed, 2 deleted" in say("status", str(repo.path))
    # Looking publishes nothing.
    assert answer("status", str(repo.path))["snapshot_id"] == before["snapshot_id"]


def test_status_says_when_somebody_writes(indexed: Repo) -> None:
    with Codebase(str(indexed.path)) as codebase, codebase.store().writer():
        assert answer("status", str(indexed.path))["writing"] is True
        assert "another process is writing" in say("status", str(indexed.path))


@pytest.mark.requirement("STO.6")
def test_status_says_when_the_pointer_had_to_be_done_without(indexed: Repo) -> None:
    before = answer("status", str(indexed.path))["snapshot_id"]
    os.unlink(layout_of(indexed.path).pointer)
    document = answer("status", str(indexed.path), code=14)
    assert document["snapshot_id"] == before
    assert "ACTIVE_SNAPSHOT is missing" in document["recovered"]
    assert "cairn repair" in say("status", str(indexed.path), code=14)


def test_a_healthy_store_is_told_as_such(indexed: Repo) -> None:
    document = answer("health", str(indexed.path))
    assert document["healthy"] is True
    codes = {check["code"] for check in document["checks"]}
    assert {
        "manifest_present",
        "artifact_integrity",
        "counts",
        "row_schema",
        "compaction_policy",
        "permissions",
    } <= codes
    assert {check["level"] for check in document["checks"]} == {"ok"}
    assert re.search(r"^ok +artifact_integrity: ", say("health", str(indexed.path)), re.MULTILINE)


@pytest.mark.requirement("IDX.MUST.006")
@pytest.mark.parametrize("name", ["rows.sqlite", "vectors.npy", "terms.bin"])
def test_a_damaged_artifact_exits_14_and_is_named(indexed: Repo, name: str) -> None:
    layout = layout_of(indexed.path)
    (segment,) = os.listdir(layout.segments)
    flip_a_byte(os.path.join(layout.segment(segment), name))

    document = answer("health", str(indexed.path), code=14)
    assert document["healthy"] is False
    (broken,) = [check for check in document["checks"] if check["level"] == "error"]
    assert (broken["code"], broken["action"]) == ("artifact_integrity", "Run `cairn repair`.")
    assert segment in broken["message"]
    for arguments in (("status",), ("audit",), ("search", "--no-sync", "alpha"), ("index",)):
        done = run(*arguments, str(indexed.path), "--json")
        assert done.returncode == 14, arguments
        assert error_of(done.stdout)["code"] == "store_corrupt"
        assert segment in error_of(done.stdout)["message"]


@pytest.mark.slow
@pytest.mark.requirement("REPAIR.1")
def test_repair_mends_a_damaged_segment_and_says_what_it_did(indexed: Repo) -> None:
    layout = layout_of(indexed.path)
    (segment,) = os.listdir(layout.segments)
    flip_a_byte(os.path.join(layout.segment(segment), "vectors.npy"))

    document = answer("repair", str(indexed.path))
    assert document["affected"] == ["src/alpha.py", "src/beta.py"]
    assert document["reindex_required"] is False
    assert document["damage"]
    assert document["actions"]
    assert answer("health", str(indexed.path))["healthy"]
    assert answer("audit", str(indexed.path))["drift"] == []
    found = answer("search", "--no-sync", "beta", str(indexed.path))["results"]
    assert found[0]["path"] == "src/beta.py"


@pytest.mark.requirement("REPAIR.1")
def test_repair_of_a_whole_store_does_nothing(indexed: Repo) -> None:
    before = answer("status", str(indexed.path))
    document = answer("repair", str(indexed.path))
    assert (document["damage"], document["actions"], document["reindex_required"]) == ([], [], False)
    assert say("repair", str(indexed.path)) == "nothing is damaged\n"
    assert answer("status", str(indexed.path)) | {"request_id": before["request_id"]} == before


@pytest.mark.slow
@pytest.mark.requirement("REPAIR.1")
def test_repair_that_needs_a_reindex_exits_4_and_a_reindex_mends_it(indexed: Repo) -> None:
    layout = layout_of(indexed.path)
    for segment in os.listdir(layout.segments):
        shutil.rmtree(layout.segment(segment))
    for snapshot in os.listdir(layout.snapshots):
        flip_a_byte(layout.manifest(snapshot))
    document = answer("repair", str(indexed.path), code=4)
    assert document["reindex_required"] is True
    assert "cairn index --reindex" in say("repair", str(indexed.path), code=4)
    answer("index", "--reindex", str(indexed.path))
    assert answer("health", str(indexed.path))["healthy"]


@pytest.mark.requirement("AUDIT.1")
def test_an_audit_of_a_sound_store_finds_no_drift(indexed: Repo) -> None:
    document = answer("audit", str(indexed.path))
    assert document["drift"] == []
    assert document["snapshot_id"] in say("audit", str(indexed.path))


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("compact", "--force"), ("gc",), ("upgrade-store",), ("clear",)], ids=" ".join)
def test_a_live_writer_makes_the_others_exit_10_with_a_time_to_come_back(
    indexed: Repo, arguments: tuple[str, ...]
) -> None:
    indexed.write("src/beta.py", "beta = 3\n")
    index(indexed)
    with Codebase(str(indexed.path)) as codebase, codebase.store().writer():
        done = run(*arguments, str(indexed.path), "--json")
        spoken = run(*arguments, str(indexed.path))
    error = error_of(done.stdout)

    assert (done.returncode, done.stderr) == (10, "")
    assert error["code"] == "busy"
    assert error["retryable"] is True
    assert error["retry_after_ms"] > 0
    assert str(os.getpid()) in error["message"]
    assert spoken.returncode == 10
    assert_one_sentence_and_a_hint(spoken.stderr)
    assert answer("status", str(indexed.path))["counts"]["files"] == 2


@pytest.mark.requirement("IDX.MUST.005")
@pytest.mark.parametrize("arguments", [("gc", "--force"), ("clear",)], ids=" ".join)
def test_a_reader_keeps_its_files(indexed: Repo, arguments: tuple[str, ...]) -> None:
    with Codebase(str(indexed.path)) as codebase, codebase.view() as view:
        done = run(*arguments, str(indexed.path), "--json")
        assert (done.returncode, error_of(done.stdout)["code"]) == (10, "busy")
        assert view.rows.of("src/alpha.py")[0].text == "alpha = 1\n"
    assert run(*arguments, str(indexed.path)).returncode == 0


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.007")
def test_compact_merges_what_there_is_and_then_has_nothing_to_do(indexed: Repo) -> None:
    indexed.write("src/beta.py", "beta = 3\n")
    index(indexed)
    assert answer("compact", str(indexed.path))["compacted"] is False
    document = answer("compact", "--force", str(indexed.path))
    assert (document["compacted"], document["segments"]) == (True, 1)
    status = answer("status", str(indexed.path))
    assert status["snapshot_id"] == document["snapshot_id"]
    assert (status["cause"], status["counts"]["tombstones"], status["counts"]["files"]) == ("compact", 0, 2)
    assert answer("compact", "--force", str(indexed.path))["compacted"] is False
    assert say("compact", str(indexed.path)) == "not due\n"


@pytest.mark.slow
@pytest.mark.requirement("GC.1")
def test_gc_keeps_what_is_young_and_removes_the_rest(indexed: Repo) -> None:
    for number in range(3):
        indexed.write("src/beta.py", f"beta = {number + 10}\n")
        index(indexed)
    answer("compact", "--force", str(indexed.path))
    document = answer("gc", str(indexed.path))
    assert (document["snapshots"], document["segments"]) == ([], [])
    removed = answer("gc", str(indexed.path), environment=QUICK_GC)
    assert len(removed["snapshots"]) == 4
    assert len(removed["segments"]) == 4
    assert "removed 0 snapshots, 0 segments" in say("gc", str(indexed.path), environment=QUICK_GC)
    assert answer("health", str(indexed.path))["healthy"]


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
def test_stores_lists_every_store(indexed: Repo, private_home: Path) -> None:
    (store,) = answer("stores")["stores"]
    status = answer("status", str(indexed.path))
    assert store["store_id"] == status["store_id"]
    assert store["canonical_root"] == str(indexed.path)
    assert store["active_snapshot_id"] == status["snapshot_id"]
    assert len(store["config_fingerprint"]) == 64
    assert store["size_bytes"] > 1000
    assert store["created_at"].endswith("Z")
    assert store["last_used_at"].endswith("Z")
    assert str(indexed.path) in say("stores")
    indexed.write(".cairn.toml", "[index]\nchunk_bytes = 500\n")
    answer("index", "--reindex", str(indexed.path))
    assert len(answer("stores")["stores"]) == 2


def test_without_any_store_the_list_is_empty() -> None:
    assert answer("stores")["stores"] == []
    assert say("stores") == "no stores\n"


@pytest.mark.slow
@pytest.mark.requirement("GC.3")
def test_gc_of_stores_removes_only_long_unused_ones_and_the_current_one_only_when_forced(
    indexed: Repo, tmp_path: Path
) -> None:
    other = Repo.create(tmp_path / "other")
    other.write("a.py")
    index(other)
    kept = answer("gc", "--stores", str(indexed.path))
    assert kept["removed"] == []
    for repo in (indexed, other):
        age(layout_of(repo.path).path)
    removed = answer("gc", "--stores", str(indexed.path))
    assert len(removed["removed"]) == 1
    assert answer("status", str(indexed.path))["counts"]["files"] == 2
    assert run("status", str(other.path)).returncode == 3
    age(layout_of(indexed.path).path)
    assert len(answer("gc", "--stores", "--force", str(indexed.path))["removed"]) == 1
    assert answer("stores")["stores"] == []


def age(store: str) -> None:
    """Let everything in a store look as if it was last used 31 days ago."""
    for folder, _, names in os.walk(store, topdown=False):
        for name in (*names, "."):
            path = os.path.join(folder, name)
            old = os.stat(path).st_mtime - 31 * 86_400
            os.utime(path, (old, old))


@pytest.mark.requirement("EVO.2")
def test_a_store_of_today_needs_no_upgrade(indexed: Repo) -> None:
    before = answer("status", str(indexed.path))["snapshot_id"]
    assert before in answer("upgrade-store", str(indexed.path))["message"]
    assert before in say("upgrade-store", str(indexed.path))


@pytest.mark.requirement("EVO.1")
def test_a_manifest_of_a_newer_version_exits_13(indexed: Repo) -> None:
    layout = layout_of(indexed.path)
    (snapshot,) = os.listdir(layout.snapshots)
    text = Path(layout.manifest(snapshot)).read_text()
    Path(layout.manifest(snapshot)).write_text(text.replace('"schema_version": 2', '"schema_version": 99', 1))
    for arguments in (("status",), ("upgrade-store",), ("repair",), ("search", "--no-sync", "alpha"), ("index",)):
        done = run(*arguments, str(indexed.path), "--json")
        assert (done.returncode, error_of(done.stdout)["code"]) == (13, "incompatible"), arguments
        assert "99" in error_of(done.stdout)["message"]


@pytest.mark.slow
def test_clear_removes_the_index_and_a_second_time_exits_3(indexed: Repo, private_home: Path) -> None:
    assert answer("clear", str(indexed.path))["removed"] is True
    assert run("status", str(indexed.path)).returncode == 3
    assert answer("stores")["stores"] == []
    assert answer("clear", str(indexed.path), code=3)["removed"] is False
    assert os.listdir(private_home / ".cairn" / "data") == []
    assert not [name for name in os.listdir(private_home / ".cairn") if "trash" in name]
    assert index(indexed)["counts"]["files"] == 2


@pytest.mark.slow
def test_index_answers_with_what_it_did(repo: Repo) -> None:
    repo.write("a.py", "a = 1\n")
    first = index(repo)
    assert (first["published"], first["indexed"], first["deleted"], first["embedded"]) == (True, 1, 0, 2)
    assert first["counts"] == {"files": 1, "chunks": 2}
    assert (first["degraded"], first["errors"]) == (False, [])
    again = index(repo)
    assert (again["published"], again["snapshot_id"]) == (False, first["snapshot_id"])
    assert say("index", str(repo.path)).startswith("up to date: 1 file, 2 chunks in snapshot ")
    repo.write("b.py", "b = 1\n")
    (repo.path / "a.py").unlink()
    assert say("index", str(repo.path)).startswith("indexed 1 file, removed 1: 1 file, 2 chunks in snapshot ")


@pytest.mark.parametrize("command", ["status", "health", "audit"])
def test_a_look_changes_nothing_but_the_cache(indexed: Repo, command: str) -> None:
    layout = layout_of(indexed.path)
    say(command, str(indexed.path))
    before = everything_but_the_cache(layout.path)
    say(command, str(indexed.path))
    assert everything_but_the_cache(layout.path) == before


def everything_but_the_cache(store: str) -> dict[str, bytes]:
    return {
        os.path.join(folder, name): Path(folder, name).read_bytes()
        for folder, _, names in os.walk(store)
        for name in names
        if os.path.relpath(folder, store).split("/")[0] != "cache"
    }
