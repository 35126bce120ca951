"""Hints from the real file system, and what comes when there are none."""

import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cairn.config.project import IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.scan import Scanner
from cairn.workspace.watch import RECONCILE_S, Hint, HintReason, relevant, watch
from tests.trees import Repo, write

PATIENCE_S = 10.0


@pytest.fixture(autouse=True)
def quick_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hint comes when the watcher first reports, which is half a second without events."""
    monkeypatch.setattr(sys.modules[watch.__module__], "_LOOK_UP_MS", 50)


class Stream:
    """The hints of one watch, taken in by a thread."""

    def __init__(
        self, root: Path, pruned: Callable[[], frozenset[str]] = frozenset, reconcile_s: float = RECONCILE_S
    ) -> None:
        self.stop = threading.Event()
        self.hints: queue.SimpleQueue[Hint | None] = queue.SimpleQueue()
        self.seen: list[Hint] = []
        self.thread = threading.Thread(target=self._run, args=(root, pruned, reconcile_s))
        self.thread.start()

    def _run(self, root: Path, pruned: Callable[[], frozenset[str]], reconcile_s: float) -> None:
        try:
            for hint in watch(str(root), self.stop, pruned=pruned, debounce_ms=20, reconcile_s=reconcile_s):
                self.hints.put(hint)
        finally:
            self.hints.put(None)

    def until(self, wanted: Callable[[Hint], bool]) -> Hint:
        end = time.monotonic() + PATIENCE_S
        while True:
            hint = self.hints.get(timeout=max(0.01, end - time.monotonic()))
            assert hint is not None, f"the stream ended after {self.seen}"
            self.seen.append(hint)
            if wanted(hint):
                return hint

    def until_path(self, path: str) -> set[str]:
        """All paths hinted at so far, once `path` is among them: events come in order."""
        self.until(lambda hint: path in hint.paths)
        return {path for hint in self.seen for path in hint.paths}

    def until_alive(self, root: Path) -> None:
        """Save files until one of them is hinted at by its path."""
        end = time.monotonic() + PATIENCE_S
        for number in itertools.count():
            assert time.monotonic() < end, f"no file is noticed any more after {self.seen}"
            write(root, f"alive{number}.py")
            with suppress(queue.Empty):
                hint = self.hints.get(timeout=0.5)
                assert hint is not None, f"the stream ended after {self.seen}"
                self.seen.append(hint)
                if hint.reason is HintReason.EVENTS:
                    return

    def end(self) -> None:
        self.stop.set()
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive(), "the stream didn't end"


@contextmanager
def watching(
    root: Path, pruned: Callable[[], frozenset[str]] = frozenset, reconcile_s: float = RECONCILE_S
) -> Iterator[Stream]:
    stream = Stream(root, pruned, reconcile_s)
    try:
        first = stream.until(lambda _: True)
        assert first == Hint(HintReason.START)
        yield stream
    finally:
        stream.end()


@pytest.mark.requirement("CHG.6")
def test_the_reconciliation_cadence_is_five_minutes_by_default() -> None:
    assert RECONCILE_S == 300


@pytest.mark.requirement("CHG.1")
def test_the_stream_starts_with_a_hint_to_look_at_everything(folder: Path) -> None:
    write(folder, "a.py")
    with watching(folder) as stream:
        assert stream.seen == [Hint(HintReason.START)]


@pytest.mark.requirement("CHG.1")
def test_a_saved_file_is_hinted_at_by_its_path(folder: Path) -> None:
    write(folder, "deep/a.py")
    with watching(folder) as stream:
        write(folder, "deep/a.py", "changed\n")
        hint = stream.until(lambda hint: hint.reason is HintReason.EVENTS)

    assert "deep/a.py" in hint.paths


@pytest.mark.requirement("CHG.1")
@pytest.mark.parametrize("name", ["new.py", "new folder/é\n'\".py", "-dash"])
def test_new_files_are_hinted_at_also_in_new_folders(folder: Path, name: str) -> None:
    with watching(folder) as stream:
        write(folder, name)
        stream.until(lambda hint: any(name == path or name.startswith(path + "/") for path in hint.paths))


@pytest.mark.requirement("CHG.1")
def test_a_deleted_and_a_refile_meant_are_hinted_at(folder: Path) -> None:
    write(folder, "gone.py")
    write(folder, "old.py")
    with watching(folder) as stream:
        (folder / "gone.py").unlink()
        (folder / "old.py").rename(folder / "new.py")
        write(folder, "fence.py")
        assert {"gone.py", "old.py", "new.py"} <= stream.until_path("fence.py")


@pytest.mark.requirement("CHG.1")
def test_an_ignore_file_and_the_settings_are_hinted_at(folder: Path) -> None:
    with watching(folder) as stream:
        write(folder, ".gitignore", "*.log\n")
        write(folder, ".cairn.toml", "")
        write(folder, "fence.py")
        assert {".gitignore", ".cairn.toml"} <= stream.until_path("fence.py")


@pytest.mark.requirement("CHG.1")
def test_git_internals_and_pruned_folders_give_no_hint(repo: Repo) -> None:
    repo.write(".gitignore", "build/\n")
    repo.write("build/deep/a.o.txt")
    repo.write("building/b.py")
    repo.commit()
    Repo.create(repo.path / "inner").write("i.py")
    with Beneath(str(repo.path)) as tree:
        scanner = Scanner(tree, IndexSettings())
        scanner.scan()
        with watching(repo.path, scanner.pruned_folders) as stream:
            repo.write(".git/objects/noise", "x")
            repo.write(".git/index.lock", "x")
            repo.write("inner/.git/HEAD", "ref: refs/heads/other\n")
            repo.write("build/a.py")
            repo.write("build/deep/a.o.txt", "changed\n")
            repo.write("building/b.py", "changed\n")
            assert stream.until_path("building/b.py") == {"building/b.py"}


@pytest.mark.requirement("CHG.1")
def test_pruned_folders_are_asked_for_anew_each_time(folder: Path) -> None:
    write(folder, "build/a.py")
    pruned = {"build"}
    with watching(folder, lambda: frozenset(pruned)) as stream:
        write(folder, "build/a.py", "one\n")
        write(folder, "fence.py")
        assert stream.until_path("fence.py") == {"fence.py"}
        pruned.clear()
        write(folder, "build/a.py", "two\n")
        stream.until_path("build/a.py")


@pytest.mark.requirement("CHG.1")
@pytest.mark.requirement("CHG.5")
def test_a_branch_switch_and_a_commit_without_a_file_change_are_hinted_at(repo: Repo) -> None:
    repo.write("a.py")
    repo.commit()
    with watching(repo.path) as stream:
        repo.git("checkout", "-q", "-b", "side")
        stream.until_path(".git/HEAD")
        repo.commit("nothing but a commit")
        seen = stream.until_path(".git/logs/HEAD")

    assert seen <= {".git/HEAD", ".git/logs/HEAD"}


@pytest.mark.slow
@pytest.mark.requirement("CHG.6")
def test_a_reconciliation_is_due_though_only_irrelevant_events_come(repo: Repo) -> None:
    repo.write(".git/noise/file", "x")
    with watching(repo.path, reconcile_s=0.2) as stream:
        done = threading.Event()

        def make_noise() -> None:
            while not done.is_set():
                repo.write(".git/noise/file", "x")

        noise = threading.Thread(target=make_noise)
        noise.start()
        try:
            for _ in range(2):
                assert stream.until(lambda _: True) == Hint(HintReason.RECONCILE)
        finally:
            done.set()
            noise.join()


@pytest.mark.slow
@pytest.mark.requirement("CHG.6")
def test_reconciliations_come_again_and_again_when_nothing_happens(folder: Path) -> None:
    with watching(folder, reconcile_s=0.1) as stream:
        for _ in range(2):
            assert stream.until(lambda _: True) == Hint(HintReason.RECONCILE)


def test_stop_ends_the_stream(folder: Path) -> None:
    stream = Stream(folder)
    stream.until(lambda hint: hint.reason is HintReason.START)
    stream.end()

    assert stream.hints.get(timeout=PATIENCE_S) is None


def test_a_stop_set_before_the_start_gives_no_hints(folder: Path) -> None:
    stop = threading.Event()
    stop.set()

    assert list(watch(str(folder), stop)) == []


BAD_NAME = os.fsdecode(b"bad\xff.py")


@contextmanager
def pulling(root: Path) -> Iterator[Iterator[Hint]]:
    """The hints of one watch, each taken only when it is asked for."""
    stop = threading.Event()
    limit = threading.Timer(PATIENCE_S, stop.set)
    limit.start()
    try:
        yield watch(str(root), stop, debounce_ms=20)
    finally:
        stop.set()
        limit.cancel()
        limit.join()


def covers(hint: Hint | None, path: str) -> bool:
    """Whether a look at what the hint names would see the path."""
    return hint is not None and (path in hint.paths or not hint.paths)


@pytest.mark.requirement("CHG.1")
def test_nothing_is_missed_between_the_first_hint_and_the_next(folder: Path) -> None:
    with pulling(folder) as hints:
        assert next(hints) == Hint(HintReason.START)
        write(folder, "between.py")
        assert covers(next(hints, None), "between.py")


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_a_name_that_is_not_utf8_does_not_end_the_watch(folder: Path) -> None:
    with watching(folder) as stream:
        write(folder, BAD_NAME)
        write(folder, "before.py")
        stream.until(lambda hint: covers(hint, "before.py"))
        stream.until_alive(folder)

    assert HintReason.UNWATCHED not in {hint.reason for hint in stream.seen}


@pytest.mark.requirement("CHG.1")
def test_nothing_is_missed_when_a_name_that_is_not_utf8_has_broken_the_watch(folder: Path) -> None:
    with pulling(folder) as hints:
        assert next(hints) == Hint(HintReason.START)
        write(folder, BAD_NAME)
        assert covers(next(hints, None), "anything")
        write(folder, "between.py")
        assert covers(next(hints, None), "between.py")


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_a_file_with_a_bad_name_that_is_written_all_the_time_does_not_end_the_watch(folder: Path) -> None:
    done = threading.Event()

    def keep_writing() -> None:
        while not done.is_set():
            write(folder, BAD_NAME)

    writer = threading.Thread(target=keep_writing)
    with watching(folder) as stream:
        writer.start()
        try:
            for _ in range(3):
                stream.until(lambda hint: covers(hint, "anything"))
        finally:
            done.set()
            writer.join()
        write(folder, "after.py")
        stream.until(lambda hint: covers(hint, "after.py"))
        stream.until_alive(folder)


@pytest.mark.requirement("PATH.3")
def test_what_lies_behind_a_link_out_of_the_root_is_not_watched(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside, "secret.txt")
    (folder / "link").symlink_to(outside)
    with watching(folder) as stream:
        write(outside, "secret.txt", "changed\n")
        write(folder, "fence.py")
        assert stream.until_path("fence.py") == {"fence.py"}


def test_a_folder_moved_into_the_tree_is_watched(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, "elsewhere/a.py")
    with watching(folder) as stream:
        shutil.move(tmp_path / "elsewhere", folder / "moved")
        stream.until_path("moved")
        write(folder, "moved/a.py", "changed\n")
        stream.until_path("moved/a.py")


_EXHAUSTED = """
import ctypes, json, resource, sys, threading
import watchfiles
from cairn.workspace.watch import watch

# Out of descriptors, inotify_init fails as it does at its own limit (EMFILE), and no other program
# on this machine goes short.
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
libc = ctypes.CDLL(None)
while libc.inotify_init() >= 0:
    pass
stop = threading.Event()
seen = []
for hint in watch(sys.argv[1], stop, reconcile_s=0.05):
    seen.append([hint.reason, list(hint.paths), bool(hint.detail)])
    if len(seen) == 4:
        stop.set()
print(json.dumps(seen))
"""


@pytest.mark.slow
@pytest.mark.requirement("CHG.6")
def test_without_inotify_the_reconciliation_is_all_there_is(folder: Path) -> None:
    done = subprocess.run(
        (sys.executable, "-c", _EXHAUSTED, str(folder)), capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [
        ["unwatched", [], True],
        ["reconcile", [], False],
        ["reconcile", [], False],
        ["reconcile", [], False],
    ]


@pytest.mark.requirement("CHG.1")
def test_relevant_paths_are_relative_ordered_and_told_once() -> None:
    found = relevant(
        "/root",
        ["/root/b.py", "/root/a.py", "/root/b.py", "/root", "/rooted/c.py", "/elsewhere/d.py", "/root/é/e.py"],
        frozenset(),
    )

    assert found == ("a.py", "b.py", "é/e.py")


@pytest.mark.requirement("CHG.1")
@pytest.mark.parametrize(
    ("path", "counts"),
    [
        (".git/HEAD", True),
        (".git/logs/HEAD", True),
        (".git", False),
        (".git/index", False),
        (".git/refs/heads/main", False),
        ("inner/.git/HEAD", False),
        (".github/a.yml", True),
        (".gitignore", True),
        ("a/.gitignore", True),
        ("build/a.py", False),
        ("build/deep/a.py", False),
        ("builder/a.py", True),
        ("src/build/a.py", True),
        ("src/gen/a.py", False),
        ("src/generated.py", True),
    ],
)
def test_a_path_counts_unless_it_lies_in_git_or_in_a_pruned_folder(path: str, counts: bool) -> None:
    assert bool(relevant("/root", [f"/root/{path}"], frozenset({"build", "src/gen"}))) is counts


@pytest.mark.requirement("CHG.1")
def test_a_pruned_folder_that_itself_comes_or_goes_counts() -> None:
    """A file may have taken its place, which the folder's rule doesn't hold for."""
    assert relevant("/root", ["/root/build"], frozenset({"build"})) == ("build",)
