"""Any commit is asked like the tree, without a work tree: what a checkout of it would answer, and what goes wrong."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import cairn as python_door
from cairn.base.errors import CorruptStoreError, GitError, RefusedError, UsageError
from cairn.codebase import atcommit
from cairn.codebase.atcommit import at_commit
from cairn.codebase.codebase import Codebase
from cairn.store import former
from cairn.store.inventory import stores_in
from cairn.surfaces.cli.progress import ProgressLine
from tests.surfaces.cli.test_store import run
from tests.team.samples import committed, done, live
from tests.trees import Repo, cairn

FORMER: dict[str, str | bytes] = {
    "src/heron.py": "def heron_wades(river):\n    return river.depth < 1\n",
    "src/otter.py": "from src.heron import heron_wades\n\ndef otter_dives(river):\n    return not heron_wades(river)\n",
    "src/gen/.gitignore": "*.py\n!kept.py\n",
    "src/gen/left.py": "LEFT = 1\n",
    "src/gen/kept.py": "KEPT = 1\n",
    "tools/run": "#!/usr/bin/env python3\nprint('herons')\n",
    "logo": b"\0\1\2",
    "wide.txt": "\xe9".encode("latin-1"),
    ".env": "HERON_KEY=1\n",
    "keys/id.txt": "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n",
    "film.txt": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
    "naïve.md": "# Naïve herons\n",
}
POINTS = ("seed.linked", "seed.placed", "segment.moved", "publish.manifest_written", "publish.pointer_swapped")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("CAIRN_HOME", str(path))
    return path


@pytest.fixture
def repo(tmp_path: Path, home: Path) -> Repo:
    """A repository whose tree has little in common with its commit `v1`."""
    repo = Repo.create(tmp_path / "repo")
    for name, content in FORMER.items():
        repo.write(name, content)
    (repo.path / "link.py").symlink_to("src/heron.py")
    (repo.path / "docs").symlink_to("src")
    (repo.path / "out.py").symlink_to("../outside.py")
    (repo.path / "loop").symlink_to("loop")
    repo.git("add", "-Af")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendored")
    repo.git("commit", "-q", "-m", "one")
    repo.git("tag", "v1")
    repo.git("rm", "-rqf", "--cached", ".")
    for name in ("src", "tools", "keys"):
        shutil.rmtree(repo.path / name)
    for path in [each for each in repo.path.iterdir() if each.name != ".git"]:
        path.unlink()
    repo.write("src/heron.py", "def heron_flies(sky):\n    return sky\n")
    repo.write("src/walrus.py", "class Walrus:\n    pass\n")
    repo.commit()
    return repo


@pytest.fixture
def checkout(repo: Repo, tmp_path: Path) -> Repo:
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "checkout"), "v1")
    # What git-lfs would have put in the pointer's place is a matter of its own.
    (tmp_path / "checkout" / "film.txt").unlink()
    return Repo(tmp_path / "checkout")


def files_at(repo: Repo, revision: str) -> dict[str, str]:
    with Codebase(str(repo.path)) as codebase, at_commit(codebase, revision) as commit:
        return commit.states()


def kept(home: Path) -> list[str]:
    return [path for each in stores_in(str(home / "commits")) for path in stores_in(each)]


@pytest.mark.requirement("TEAM.3")
def test_a_commit_holds_what_a_checkout_of_it_would(repo: Repo, checkout: Repo) -> None:
    done("index", str(repo.path))
    done("index", str(checkout.path))
    assert files_at(repo, "v1") == live(checkout.path)
    with Codebase(str(repo.path)) as codebase, at_commit(codebase, "v1") as commit, commit.view() as ours:
        with Codebase(str(checkout.path)) as other, other.view() as theirs:
            assert ours.aliases == theirs.aliases
            assert ours.manifest.ignore_fingerprint == theirs.manifest.ignore_fingerprint
            ours_skipped, theirs_skipped = dict(ours.manifest.skipped), dict(theirs.manifest.skipped)
        # Git makes an empty folder of a submodule, and no file of its pointer was left.
        assert (ours_skipped.pop("submodule"), ours_skipped.pop("unsupported")) == (1, 1)
        assert ours_skipped == theirs_skipped
    assert live(repo.path).keys() == {"src/heron.py", "src/walrus.py"}


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
@pytest.mark.parametrize(
    "question",
    [
        ("search", "herons that wade"),
        ("search", "--literal", "heron"),
        ("symbol", "otter_dives"),
        ("refs", "heron_wades"),
        ("map",),
        ("read", "src/otter.py"),
    ],
    ids=" ".join,
)
def test_a_commit_answers_like_a_checkout_of_it(question: tuple[str, ...], repo: Repo, checkout: Repo) -> None:
    def answered(tree: Repo, *more: str) -> dict[str, object]:
        arguments = (question[0], str(tree.path / question[1])) if question[0] == "read" else question
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tree.path)
            found = done(*arguments, *more)
        return {name: found[name] for name in found if name not in _OWN}

    done("index", str(repo.path))
    done("index", str(checkout.path))
    assert answered(repo, "--at", "v1") == answered(checkout)


_OWN = {
    *("request_id", "root", "store_id", "snapshot_id", "git", "freshness", "timings_ms", "query_fingerprint"),
    *("path", "ids", "definitions", "readcache"),
}


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_the_answer_names_its_commit(repo: Repo) -> None:
    commit = repo.git("rev-parse", "v1").strip()
    done("index", str(repo.path))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.path)
        found = done("symbol", "otter_dives", "--at", "v1")
        shown = run("symbol", "otter_dives", "--at", "v1")
        now = run("symbol", "otter_dives", "--json")
    assert found["git"] == {"head": commit, "dirty": False, "untracked_included": False}
    assert found["freshness"] == {"synced": False, "checked": "commit", "moved": False, "commit": commit}
    assert f"of commit {commit[:12]}" in shown.stdout + shown.stderr
    assert now.returncode == 1
    with python_door.open(str(repo.path), sync=False) as workspace:
        assert workspace.ask("symbol", name="otter_dives", at="v1").answer.value.total == 1


@pytest.mark.requirement("TEAM.3")
@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("nothing", "There is no revision 'nothing' here."),
        ("--all", "There is no revision '--all' here."),
        ("^v1", "There is no revision '^v1' here."),
        ("v1:src/heron.py", "There is no revision 'v1:src/heron.py' here."),
        ("v1^{tree}", "There is no revision 'v1^{tree}' here."),
    ],
)
def test_what_names_no_commit_is_told(revision: str, said: str, repo: Repo) -> None:
    with Codebase(str(repo.path)) as codebase, pytest.raises(UsageError) as told, at_commit(codebase, revision):
        pass
    assert told.value.message == said


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_a_prefix_of_several_commits_is_told_as_that(repo: Repo) -> None:
    repo.git("update-ref", "refs/heads/0", "v1")
    tree = repo.git("rev-parse", "v1^{tree}").strip()
    seen: set[str] = set()
    for number in range(5_000):
        made = repo.git("commit-tree", tree, "-m", str(number)).strip()[:4]
        if made in seen:
            break
        seen.add(made)
    with (
        Codebase(str(repo.path)) as codebase,
        pytest.raises(UsageError, match="Several commits begin"),
        at_commit(codebase, made),
    ):
        pass


def test_without_git_there_is_no_commit(tmp_path: Path, home: Path) -> None:
    (tmp_path / "plain").mkdir()
    with (
        Codebase(str(tmp_path / "plain")) as codebase,
        pytest.raises(UsageError, match="is no git repository"),
        at_commit(codebase, "HEAD"),
    ):
        pass


@pytest.mark.requirement("TEAM.3")
def test_what_cairnignore_says_now_counts(repo: Repo) -> None:
    assert "src/otter.py" in files_at(repo, "v1")
    repo.write(".cairnignore", "otter.py\n!.env\n")
    now = files_at(repo, "v1")
    assert "src/otter.py" not in now
    assert ".env" in now


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_secrets_of_a_commit_are_given_to_nobody(repo: Repo) -> None:
    done("index", str(repo.path))
    with Codebase(str(repo.path)) as codebase, at_commit(codebase, "v1") as commit:
        for name in (".env", "keys/id.txt"):
            with pytest.raises(RefusedError, match="is a secret"):
                commit.source(str(repo.path / name))


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_how_far_the_index_of_a_commit_is_can_be_seen(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    done("index")
    shown: list[str] = []
    monkeypatch.setattr(ProgressLine, "show", lambda _, text, **__: shown.append(text))
    for _ in range(2):
        assert run("symbol", "otter_dives", "--at", "v1").returncode == 0
    steps = [text.split()[0] for text in shown]
    # Only once: then it is there.
    assert [step for step, former in zip(steps, ["", *steps], strict=False) if step != former] == [
        "looking",
        "indexing",
        "publishing",
    ]


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_with_vectors_elsewhere_no_commit_is_asked(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    done("index")
    monkeypatch.setattr(atcommit, "lies_outside", lambda *_: "at an address")
    said = run("symbol", "otter_dives", "--at", "v1")
    assert said.returncode == 5
    assert "those of this index lie elsewhere" in said.stderr


@pytest.mark.requirement("TEAM.3")
def test_a_file_that_a_commit_lacks_is_told_as_of_the_tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    done("index")
    commit = repo.git("rev-parse", "v1").strip()
    for path, near in (("src/walrus.py", "Name a file"), ("heron.py", "Did you mean src/heron.py?")):
        said = run("read", path, "--at", "v1")
        assert said.returncode == 3
        assert f"There is no file {path} in commit {commit[:12]}." in said.stderr
        assert near in said.stderr


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_nothing_of_the_repository_is_run(repo: Repo, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for name in ("filter.bad.smudge", "filter.bad.clean", "filter.bad.process", "diff.bad.textconv", "core.fsmonitor"):
        repo.git("config", name, f"touch {mark} #")
    (repo.path / ".git" / "info" / "attributes").write_text("* filter=bad diff=bad\n")
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        path = repo.path / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {mark}\n")
        path.chmod(0o755)
    assert "src/otter.py" in files_at(repo, "v1")
    assert not mark.exists()


@pytest.mark.requirement("TEAM.3")
def test_what_was_replaced_is_read_as_it_is(repo: Repo) -> None:
    blob = repo.git("rev-parse", "v1:src/otter.py").strip()
    repo.write("other", "OTHER = 1\n")
    repo.git("replace", blob, repo.git("hash-object", "-w", "other").strip())
    with Codebase(str(repo.path)) as codebase, at_commit(codebase, "v1") as commit:
        assert commit.source("src/otter.py").source.data.decode() == FORMER["src/otter.py"]


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_a_commit_whose_objects_are_not_here_is_told_as_that(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.path}", str(tmp_path / "partial"))
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(tmp_path / "shallow"))
    for name, error in (("partial", "is not whole here"), ("shallow", "There is no revision")):
        with (
            Codebase(str(tmp_path / name)) as codebase,
            pytest.raises((GitError, UsageError), match=error) as raised,
            at_commit(codebase, "HEAD~1"),
        ):
            pass
    # What mends it is told where it is the clone that is short, and nowhere else.
    assert "git fetch --unshallow" in str(raised.value.hint)
    with Codebase(str(repo.path)) as codebase, pytest.raises(UsageError) as raised, at_commit(codebase, "nowhere"):
        pass
    assert "shallow" not in str(raised.value.hint)


@pytest.mark.requirement("TEAM.3")
def test_only_what_is_not_there_is_indexed(repo: Repo, home: Path) -> None:
    for name in ("a", "b", "c", "d", "e", "f"):
        repo.write(f"{name}.py", f"def {name}():\n    return 1\n")
    repo.commit()
    repo.write("a.py", "def other():\n    return 2\n")
    repo.commit()
    done("index", str(repo.path))
    with Codebase(str(repo.path)) as codebase, at_commit(codebase, "HEAD~1") as commit, commit.view() as view:
        assert [ref.files for ref in view.manifest.segments] == [8, 1]
        with codebase.view() as own:
            shared = {ref.segment_id for ref in own.manifest.segments} & {
                ref.segment_id for ref in view.manifest.segments
            }
            assert len(shared) == 1
        place = Path(view.layout.segment(shared.pop()))
    assert all(path.stat().st_nlink == 2 for path in place.rglob("*") if path.is_file())
    assert files_at(repo, "HEAD") == live(repo.path)


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_what_is_kept_of_commits_keeps_to_its_budget(repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done("index", str(repo.path))
    first = files_at(repo, "v1")
    assert len(kept(home)) == 1
    monkeypatch.setenv(former.BUDGET, "0")
    assert files_at(repo, "HEAD") == live(repo.path)
    assert len(kept(home)) == 1
    assert files_at(repo, "v1") == first
    assert run("clear", str(repo.path), "--yes").returncode == 0
    assert kept(home) == []


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_what_is_damaged_of_a_commit_is_made_anew(repo: Repo, home: Path) -> None:
    done("index", str(repo.path))
    right = files_at(repo, "v1")
    for path in Path(kept(home)[0]).rglob("rows.sqlite"):
        path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(CorruptStoreError) as told:
        files_at(repo, "v1")
    assert told.value.hint == "Ask again: what is kept of a commit is made anew."
    done("index", str(repo.path), "--reindex")
    assert files_at(repo, "v1") == right


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_damaged_knowledge_of_blobs_is_none(repo: Repo, home: Path) -> None:
    right = files_at(repo, "v1")
    (known,) = (home / "commits").glob("*/blobs")
    digest, _, data = known.read_bytes().partition(b"\n")
    facts = json.loads(data)
    exchanged = dict(zip(facts, [*facts.values()][::-1], strict=True))
    for damaged in (digest + b"\n" + json.dumps(exchanged).encode(), b"", b"{}"):
        known.write_bytes(damaged)
        shutil.rmtree(kept(home)[0])
        assert files_at(repo, "v1") == right


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
@pytest.mark.parametrize("point", POINTS)
def test_an_asker_that_is_killed_leaves_nothing_wrong(point: str, repo: Repo, home: Path) -> None:
    repo.write("src/ibis.py", "IBIS = 1\n")
    repo.commit()
    repo.write("src/egret.py", "EGRET = 1\n")
    repo.commit()
    done("index", str(repo.path))
    died = cairn("symbol", "Walrus", "--at", "HEAD~1", "--offline", cwd=repo.path, CAIRN_CRASH_AT=point)
    assert died.returncode == -signal.SIGKILL
    assert files_at(repo, "HEAD~1").keys() == {"src/heron.py", "src/walrus.py", "src/ibis.py"}
    assert live(repo.path).keys() == {"src/heron.py", "src/walrus.py", "src/ibis.py", "src/egret.py"}


@pytest.mark.slow
@pytest.mark.requirement("TEAM.3")
def test_several_ask_for_the_same_commit_at_once(repo: Repo, home: Path) -> None:
    done("index", str(repo.path))
    command = (sys.executable, "-m", "cairn", "symbol", "otter_dives", "--at", "v1", "--offline", "--plain")
    asked = [subprocess.Popen(command, cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    said = [each.communicate(timeout=120) for each in asked]
    assert [each.returncode for each in asked] == [0] * 4, said
    assert len({out for out, _ in said}) == 1
    assert len(kept(home)) == 1


@pytest.fixture
def renamed(tmp_path: Path, home: Path) -> Repo:
    """A link today where a file was, and a file where a folder was."""
    repo = committed(
        tmp_path / "links", {"lib/a.py": "def lib_a():\n    pass\n", "src/a.py": "def src_a():\n    pass\n"}
    )
    shutil.rmtree(repo.path / "lib")
    os.symlink("src", repo.path / "lib")
    repo.commit()
    return repo


@pytest.mark.requirement("TEAM.3")
def test_links_of_today_have_no_say_in_a_commit(renamed: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(renamed.path)
    done("index")
    assert "lib_a" in run("read", "lib/a.py", "--at", "HEAD~1").stdout
    assert "src_a" in run("read", "lib/a.py").stdout
