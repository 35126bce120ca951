"""Git as it is met in the field: busy, slow, hostile or gone."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from cairn.base.errors import (
    BusyError,
    DeadlineError,
    GitBusyError,
    GitError,
    RootNotFoundError,
    RootRefusedError,
)
from cairn.workspace import git as git_module
from cairn.workspace.changes import ChangeSet
from cairn.workspace.deltas import Basis
from cairn.workspace.detector import Baseline, ChangeDetector, Detection
from cairn.workspace.git import ATTEMPTS, Git, GitState, Worktree, top_level
from cairn.workspace.root import find_root
from tests.trees import Repo, write

_IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
}
LOCKED = "fatal: Unable to create '/somewhere/.git/index.lock': File exists."


def detect(path: Path, baseline: Baseline | None = None) -> Detection:
    with ChangeDetector(find_root(str(path))) as detector:
        return detector.detect(baseline)


@pytest.fixture
def fake_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a script before the real git; in it $REAL is the real one and $CALLS a file to write to."""
    monkeypatch.setattr(git_module, "FIRST_PAUSE_S", 0.001)
    real = shutil.which("git")

    def install(body: str) -> Path:
        calls = tmp_path / "calls"
        calls.write_text("")
        script = write(tmp_path, "bin/git", f"#!/bin/sh\nREAL='{real}'\nCALLS='{calls}'\n{body}\n")
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
        return calls

    return install


def failing(times: int, message: str = LOCKED) -> str:
    return f"""
echo call >>"$CALLS"
if [ "$(wc -l <"$CALLS")" -le {times} ]; then
    echo "{message}" >&2
    exit 128
fi
exec "$REAL" "$@"
"""


def files_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (path.stat().st_mtime_ns, path.stat().st_size, data)
    return found


@pytest.mark.requirement("CHG.3")
@pytest.mark.parametrize(
    "message",
    [
        LOCKED,
        "error: cannot lock ref 'HEAD': is at 1 but expected 2",
        "Another git process seems to be running in this repository",
        "fatal: Unable to create '/somewhere/.git/packed-refs.lock': File exists.",
    ],
)
def test_a_passing_lock_is_waited_for_and_the_answer_is_right(
    repo: Repo, fake_git: Callable[[str], Path], message: str
) -> None:
    repo.write("a.py")
    head = repo.commit()
    baseline = Baseline(detect(repo.path).scan.hashes(), head)
    repo.write("a.py", "changed\n")
    calls = fake_git(failing(ATTEMPTS - 1, message))

    detection = detect(repo.path, baseline)

    assert detection.git == GitState(head, True, True)
    assert detection.changes == ChangeSet(modify=("a.py",))
    assert len(calls.read_text().splitlines()) > ATTEMPTS


@pytest.mark.requirement("CHG.3")
def test_a_lock_in_the_midst_of_a_detection_is_waited_for_too(repo: Repo, fake_git: Callable[[str], Path]) -> None:
    repo.write("a.py")
    head = repo.commit()
    fake_git(f"""
case "$*" in
*status*|*ls-files*)
    echo "$*" >>"$CALLS"
    if [ "$(grep -cxF -- "$*" "$CALLS")" -le 2 ]; then
        echo "{LOCKED}" >&2
        exit 128
    fi;;
esac
exec "$REAL" "$@"
""")

    assert detect(repo.path).git == GitState(head, False, True)


@pytest.mark.requirement("CHG.3")
def test_a_lock_that_stays_is_a_busy_error_after_a_bounded_number_of_attempts(
    repo: Repo, fake_git: Callable[[str], Path]
) -> None:
    repo.write("a.py")
    repo.commit()
    with ChangeDetector(find_root(str(repo.path))) as detector:
        calls = fake_git(failing(10**6))
        with pytest.raises(GitBusyError) as caught:
            detector.detect()

    assert len(calls.read_text().splitlines()) == ATTEMPTS
    assert caught.value.retryable
    assert caught.value.retry_after_ms
    assert caught.value.code == "git_busy"
    assert "index.lock" in caught.value.message
    assert "index.lock" in caught.value.hint


@pytest.mark.requirement("CHG.3")
def test_a_failure_that_will_not_pass_is_told_at_once(repo: Repo, fake_git: Callable[[str], Path]) -> None:
    calls = fake_git(failing(10**6, "fatal: bad config line 1 in file .git/config"))
    with pytest.raises(GitError, match="bad config line 1"):
        find_root(str(repo.path))

    assert calls.read_text().splitlines() == ["call"]


@pytest.mark.requirement("CHG.3")
def test_a_lock_file_left_in_place_stops_no_detection(repo: Repo) -> None:
    repo.write("a.py")
    head = repo.commit()
    repo.write("a.py", "changed\n")
    write(repo.path, ".git/index.lock", "")
    write(repo.path, ".git/HEAD.lock", "")

    assert detect(repo.path).git == GitState(head, True, True)


@pytest.mark.requirement("CHG.3")
def test_a_detection_writes_nothing_into_dot_git(repo: Repo) -> None:
    repo.write("a.py")
    repo.write("b.py")
    old = repo.commit()
    repo.write("b.py", "two\n")
    repo.commit()
    # A stale stat in the index: a plain `git status` would write the index anew.
    os.utime(repo.path / "a.py", (1, 1))
    before = files_of(repo.path / ".git")

    detection = detect(repo.path, Baseline({"a.py": ""}, old))
    after = files_of(repo.path / ".git")
    repo.git("status")

    assert detection.basis is Basis.DIFF
    assert after == before
    assert files_of(repo.path / ".git") != before


def trap(folder: Path, answer: str = "exit 1") -> tuple[str, Path]:
    """A command that a repository may name, and the file that tells that it ran."""
    sprung = folder / "sprung"
    script = write(folder, "trap.sh", f"#!/bin/sh\ntouch '{sprung}'\n{answer}\n")
    script.chmod(0o755)
    return str(script), sprung


def test_a_file_system_monitor_of_the_repository_is_never_run(repo: Repo, tmp_path: Path) -> None:
    command, sprung = trap(tmp_path)
    repo.write("a.py")
    old = repo.commit()
    repo.write("a.py", "two\n")
    repo.commit()
    repo.git("config", "core.fsmonitor", command)

    detect(repo.path, Baseline({"a.py": ""}, old))

    assert not sprung.exists()
    repo.git("status")
    assert sprung.exists()


def test_a_content_filter_of_the_repository_is_never_run(repo: Repo, tmp_path: Path) -> None:
    command, sprung = trap(tmp_path, "cat")
    repo.write(".gitattributes", "*.py filter=trap\n")
    repo.write("a.py", "one\n")
    repo.commit()
    repo.git("config", "filter.trap.clean", command)
    repo.write("a.py", "two\n")

    detection = detect(repo.path)

    assert not sprung.exists()
    assert detection.git is not None
    assert detection.git.dirty
    repo.git("status")
    assert sprung.exists()


def test_a_long_running_filter_of_the_repository_is_never_run(repo: Repo, tmp_path: Path) -> None:
    command, sprung = trap(tmp_path)
    repo.write(".gitattributes", "*.py filter=trap\n")
    repo.write("a.py", "one\n")
    repo.commit()
    repo.git("config", "filter.trap.process", command)
    repo.git("config", "filter.trap.required", "true")
    repo.write("a.py", "two\n")

    detection = detect(repo.path)

    assert not sprung.exists()
    assert detection.git is not None
    assert detection.git.dirty


@pytest.mark.slow
@pytest.mark.requirement("CHG.6")
@pytest.mark.parametrize("setting", ["filter.trap.clean", "filter.trap.process", "core.fsmonitor"])
def test_no_command_of_an_enabled_submodule_is_run(repo: Repo, tmp_path: Path, setting: str) -> None:
    command, sprung = trap(tmp_path, "cat")
    library = Repo.create(tmp_path / "library")
    library.write(".gitattributes", "*.py filter=trap\n")
    library.write("lib.py", "one\n")
    library.commit()
    repo.write(".cairn.toml", "[index]\nsubmodules = true\n")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "vendored")
    repo.commit()
    Repo(repo.path / "vendored").git("config", setting, command)
    repo.write("vendored/lib.py", "two\n")

    detection = detect(repo.path)

    assert not sprung.exists()
    assert detection.git is not None
    assert detection.git.dirty


def test_missing_objects_are_never_fetched(repo: Repo, tmp_path: Path) -> None:
    command, sprung = trap(tmp_path)
    repo.write("a.py", "one\n")
    old = repo.commit()
    tree = repo.git("rev-parse", "HEAD^{tree}").strip()
    repo.write("a.py", "two\n")
    repo.commit()
    (repo.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://nowhere.invalid/repository",
        "core.sshCommand": command,
    }.items():
        repo.git("config", name, value)

    detection = detect(repo.path, Baseline({"a.py": "other"}, old))

    assert not sprung.exists()
    assert detection.changes == ChangeSet(modify=("a.py",))


def test_messages_are_understood_whatever_the_users_language(
    folder: Path, fake_git: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py")
    for name, value in {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de", "LC_MESSAGES": "de"}.items():
        monkeypatch.setenv(name, value)
    # Translations may not be installed here, so the script stands for a git that has them.
    fake_git("""
if [ "$LC_ALL" != C ]; then
    echo "Schwerwiegend: Kein Git-Repository" >&2
    exit 128
fi
exec "$REAL" "$@"
""")

    root = find_root(str(folder))

    assert (root.path, root.in_git) == (str(folder), False)
    assert detect(folder).git is None


def test_the_variables_of_another_repository_are_not_followed(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py")
    head = repo.commit()
    other = Repo.create(tmp_path / "other")
    other.write("b.py", "another\n")
    other.commit("another")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))

    assert find_root(str(repo.path)).path == str(repo.path)
    assert detect(repo.path).git == GitState(head, False, True)


def test_tracing_switched_on_by_the_user_confuses_nothing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("a.py")
    monkeypatch.setenv("GIT_TRACE", "1")
    monkeypatch.setenv("GIT_TRACE2", "1")

    assert detect(repo.path).git == GitState(None, True, True)


@pytest.mark.slow
@pytest.mark.requirement("CHG.3")
def test_a_git_that_gives_no_answer_is_stopped(
    repo: Repo, fake_git: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_module, "TIMEOUT_S", 0.3)
    calls = fake_git('echo "$$" >>"$CALLS"\nexec sleep 600')
    with pytest.raises(DeadlineError) as caught:
        find_root(str(repo.path))

    assert caught.value.code == "timeout"
    assert caught.value.retryable
    for pid in calls.read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


@pytest.mark.slow
@pytest.mark.requirement("CHG.3")
def test_a_git_that_hangs_during_a_detection_is_stopped(
    repo: Repo, fake_git: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("a.py")
    repo.commit()
    root = find_root(str(repo.path))
    monkeypatch.setattr(git_module, "TIMEOUT_S", 0.5)
    fake_git('case "$*" in *status*) exec sleep 600;; esac\nexec "$REAL" "$@"')
    with ChangeDetector(root) as detector, pytest.raises(DeadlineError):
        detector.detect()


@pytest.mark.requirement("GIT.1")
def test_without_git_on_the_machine_a_repository_is_a_plain_tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("deep/a.py")
    repo.commit()
    monkeypatch.setenv("PATH", "")

    root = find_root(str(repo.path / "deep"))

    assert (root.path, root.in_git) == (str(repo.path), False)
    detection = detect(repo.path / "deep")
    assert detection.git is not None
    assert (detection.git.head, detection.git.dirty) == (None, None)
    assert [entry.key for entry in detection.scan.files] == ["deep/a.py"]


def test_a_git_that_cannot_be_started_is_an_error_with_a_hint(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = Git(str(repo.path))
    broken = write(tmp_path, "bin/git", "#!/nowhere/interpreter\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(broken.parent))
    with pytest.raises(GitError) as caught:
        git.head()

    assert caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a repository to another user")
@pytest.mark.parametrize("where", ["", "deep"], ids=["top", "subfolder"])
def test_a_repository_of_another_user_is_refused_with_the_command_that_trusts_it(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    repo.write("deep/a.py")
    repo.commit()
    for path in (repo.path, *repo.path.rglob("*")):
        os.lchown(path, 65534, 65534)
    with pytest.raises(RootRefusedError) as caught:
        find_root(str(repo.path / where))

    command = caught.value.hint.partition("git config ")[2]
    assert "safe.directory" in command
    subprocess.run(f"git config {command}", shell=True, check=True)
    assert find_root(str(repo.path / where)).path == str(repo.path)


def test_a_bare_repository_and_the_inside_of_dot_git_are_refused(repo: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run(("git", "init", "-q", "--bare", str(bare)), check=True)
    for path in (bare, repo.path / ".git"):
        with pytest.raises(RootRefusedError) as caught:
            find_root(str(path))
        assert "worktree" in caught.value.hint


@pytest.mark.requirement("CHG.2")
def test_a_top_level_with_an_odd_name_is_found(tmp_path: Path) -> None:
    odd = Repo.create(tmp_path / "a 'b' \"c\"\n-é")
    odd.write("deep/a.py")

    assert top_level(str(odd.path / "deep")) == str(odd.path)


@pytest.mark.requirement("CHG.4")
def test_heads_that_are_equal_need_no_git_and_unknown_ones_are_never_equal(tmp_path: Path) -> None:
    git = Git(str(tmp_path / "nowhere"))

    assert git.committed_delta("1" * 40, "1" * 40).basis is Basis.SAME_HEAD
    assert git.committed_delta(None, None).basis is Basis.FULL_SCAN
    assert git.committed_delta(None, "1" * 40).basis is Basis.FULL_SCAN
    assert git.committed_delta("1" * 40, None).basis is Basis.FULL_SCAN


@pytest.mark.requirement("CHG.3")
def test_a_real_git_at_work_beside_a_detection_disturbs_neither(repo: Repo) -> None:
    for number in range(20):
        repo.write(f"f{number}.py", f"{number}\n")
    repo.commit()
    script = "for n in 1 2 3 4 5 6 7 8; do echo round $n >f1.py; git commit -q -a -m $n; done"
    with subprocess.Popen(("sh", "-ec", script), cwd=repo.path, env=os.environ | _IDENTITY) as busy:
        end = time.monotonic() + 30
        while busy.poll() is None and time.monotonic() < end:
            with suppress(BusyError):
                assert len(detect(repo.path).scan.files) == 20
        assert busy.wait(timeout=30) == 0

    assert detect(repo.path).git == GitState(repo.git("rev-parse", "HEAD").strip(), False, True)


@pytest.mark.requirement("WT.1")
def test_the_work_trees_of_a_repository_are_told_whatever_their_names_are(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit()
    odd = tmp_path.resolve() / "odd\nname é \udcff"
    repo.git("worktree", "add", "-q", "-b", "odd", str(odd))
    second = Repo(odd).commit()
    gone = tmp_path.resolve() / "gone"
    repo.git("worktree", "add", "-q", "-b", "gone", str(gone))
    shutil.rmtree(gone)
    expected = {Worktree(str(repo.path), first), Worktree(str(odd), second), Worktree(str(gone), first)}
    assert set(Git(str(repo.path)).worktrees()) == set(Git(str(odd)).worktrees()) == expected


@pytest.mark.requirement("WT.1")
def test_a_bare_repository_is_no_work_tree_and_an_unborn_branch_has_no_head(repo: Repo, tmp_path: Path) -> None:
    assert Git(str(repo.path)).worktrees() == (Worktree(str(repo.path), None),)
    head = repo.commit()
    bare = tmp_path.resolve() / "bare"
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare))
    tree = tmp_path.resolve() / "tree"
    subprocess.run(("git", "worktree", "add", "-q", str(tree)), cwd=bare, check=True, capture_output=True)
    assert Git(str(tree)).worktrees() == (Worktree(str(tree), head),)


def test_a_folder_that_is_gone_is_told_as_that_and_not_as_a_failure_of_git(repo: Repo) -> None:
    git = Git(str(repo.path))
    shutil.rmtree(repo.path)
    with pytest.raises(RootNotFoundError, match="is not there any more"):
        top_level(str(repo.path))
    with pytest.raises(RootNotFoundError, match="is not there any more"):
        git.head()
