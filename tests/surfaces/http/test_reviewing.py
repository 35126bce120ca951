"""What the view of a change asks for: where a branch began, and what differs, without secrets and running nothing."""

from pathlib import Path

import pytest

from tests.surfaces.http.running import Daemon
from tests.trees import Repo, cairn

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n"


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> Repo:
    """A branch with two commits of its own and edits that are not committed."""
    repo = Repo.create(tmp_path_factory.mktemp("branch") / "repo")
    repo.git("branch", "-M", "main")
    repo.write("kept.py", "def kept():\n    return 1\n")
    repo.write("gone.py", "def gone():\n    return 2\n")
    repo.write("old.py", "".join(f"line_{at} = {at}\n" for at in range(20)))
    repo.write("data.bin", b"\0\1\2")
    repo.write("plain.txt", KEY)
    repo.write(".env", "TOKEN=abc\n")
    repo.git("add", "-f", ".env")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feature")
    repo.git("mv", "old.py", "new.py")
    repo.commit()
    (repo.path / "gone.py").unlink()
    repo.write("kept.py", "def kept():\n    return 3\n")
    repo.commit()
    repo.write("data.bin", b"\0\1\3")
    repo.write("plain.txt", "no key any more\n")
    repo.write(".env", "TOKEN=other\n")
    repo.write("fresh.py", "def fresh():\n    return 4\n")
    assert cairn("index", str(repo.path), CAIRN_HOME=str(shared_home)).returncode == 0
    return repo


def test_a_branch_is_held_against_where_it_began(shared: Daemon, branch: Repo) -> None:
    found = shared.get("/v1/base", root=branch.path).document
    assert (found["branch"], found["commit"]) == ("main", branch.git("rev-parse", "main").strip())
    assert found["head"] == branch.git("rev-parse", "HEAD").strip()


@pytest.mark.requirement("PAGE.20")
def test_what_differs_is_named_and_secrets_are_not_shown(shared: Daemon, branch: Repo) -> None:
    listed = shared.get("/v1/diff", root=branch.path).document
    assert {each["path"]: each["status"] for each in listed["files"]} == {
        ".env": "changed",
        "data.bin": "changed",
        "fresh.py": "untracked",
        "gone.py": "deleted",
        "kept.py": "changed",
        "new.py": "renamed",
        "plain.txt": "changed",
    }
    assert not any(each["hunks"] for each in listed["files"])
    names = [each["path"] for each in listed["files"]]
    shown = shared.get("/v1/diff", root=branch.path, file=names, context=0).document
    by_path = {each["path"]: each for each in shown["files"]}
    assert {path: each["hidden"] for path, each in by_path.items() if each["hidden"]} == {
        ".env": "secret",
        "data.bin": "binary",
        "plain.txt": "secret",
    }
    assert by_path["kept.py"]["hunks"] == [
        {"old_start": 2, "new_start": 2, "rows": [["-", "    return 1"], ["+", "    return 3"]]}
    ]
    assert by_path["new.py"]["former"] == "old.py"
    assert (by_path["new.py"]["hunks"], by_path["fresh.py"]["added"], by_path["gone.py"]["removed"]) == ([], 2, 2)
    assert "TOKEN" not in str(shown)
    assert "OPENSSH" not in str(shown)


def test_limits_and_a_range_of_commits(shared: Daemon, branch: Repo) -> None:
    cut = shared.get("/v1/diff", root=branch.path, limit=2).document
    assert (len(cut["files"]), cut["total"]) == (2, 7)
    rows = shared.get("/v1/diff", root=branch.path, file="fresh.py", rows=1).document["files"][0]
    assert (rows["rows"], rows["hunks"][0]["rows"]) == (2, [["+", "def fresh():"]])
    one = shared.get("/v1/diff", root=branch.path, since="HEAD^", until="HEAD").document
    assert [each["path"] for each in one["files"]] == ["gone.py", "kept.py"]
    first = branch.git("rev-list", "--max-parents=0", "HEAD").strip()
    begun = shared.get("/v1/diff", root=branch.path, since=f"{first}^", until=first, file="kept.py").document["files"]
    assert [(each["status"], each["added"]) for each in begun] == [("added", 2)]
    unborn = shared.get("/v1/diff", root=branch.path, since=f"{first}^^")
    assert (unborn.status, unborn.document["error"]["code"]) == (400, "usage")
    wrong = shared.get("/v1/diff", root=branch.path, since="nowhere")
    assert (wrong.status, wrong.document["error"]["code"]) == (400, "usage")


def test_nothing_of_the_repository_runs(shared: Daemon, branch: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    command = f"touch {ran}"
    for name in ("diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "diff.external", "core.fsmonitor"):
        branch.git("config", name, command)
    branch.write(".git/info/attributes", "* diff=evil filter=evil\n")
    shown = shared.get("/v1/diff", root=branch.path, file=["kept.py", "fresh.py"]).document
    assert len(shown["files"]) == 2
    assert not ran.exists()
