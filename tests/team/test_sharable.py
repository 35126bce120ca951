"""What of an index travels: what git has, and nothing that only a work tree has ever shown."""

from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from tests.team.samples import FILES, at_home, clone, committed, done, live, refused
from tests.trees import Repo


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("CAIRN_HOME", str(path))
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    return path


@pytest.mark.slow
def test_what_git_does_not_have_is_not_exported(tmp_path: Path, home: Path) -> None:
    repo = committed(tmp_path / "repo")
    target = str(tmp_path / "index.cairn")
    repo.write("notes.py", "MINE = 1\n")
    assert "notes.py: not in git" in refused("export", target, str(repo.path)).stderr
    repo.git("add", "notes.py")
    repo.git("commit", "-q", "-m", "notes")
    repo.write("src/heron.py", "TOKEN = 'typed by mistake'\n")
    assert "not committed" in refused("export", target, str(repo.path)).stderr
    assert done("export", target, str(repo.path), "--uncommitted")["commit"] is not None
    repo.git("checkout", "-q", ".")
    assert b"typed by mistake" in _texts(repo)
    done("export", target, str(repo.path))
    # The segment held on to what was typed.
    assert b"typed by mistake" not in _texts(repo)
    done("import", target, str(repo.path))
    assert b"typed by mistake" not in _texts(repo)


def _texts(repo: Repo) -> bytes:
    """All that the segments of a store hold, shown or not."""
    with Codebase(str(repo.path)) as codebase, codebase.view() as view:
        shown = [text for _, _, text in view.upkeep.shown(set(live(repo.path)))]
        return b"".join([*shown, *(text for _, text in view.upkeep.hidden())])


def test_a_name_that_no_terminal_shows_is_in_git_all_the_same(tmp_path: Path, home: Path) -> None:
    repo = committed(tmp_path / "repo", {"a\nb.py": "A = 1\n", "c.py": "C = 1\n"})
    done("export", str(tmp_path / "index.cairn"), str(repo.path))
    repo.write("d\ne.py", "D = 1\n")
    assert "e.py: not in git" in refused("export", str(tmp_path / "index.cairn"), str(repo.path)).stderr


@pytest.mark.requirement("TEAM.1")
@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_was_told_to_overlook_is_not_exported(mark: str, tmp_path: Path, home: Path) -> None:
    repo = committed(tmp_path / "repo")
    target = tmp_path / "index.cairn"
    repo.git("update-index", mark, "src/heron.py")
    repo.write("src/heron.py", "TOKEN = 'typed for this machine alone'\n")
    assert repo.git("status", "--porcelain") == ""
    said = refused("export", str(target), str(repo.path)).stderr
    assert "src/heron.py: with a text that is not committed" in said
    assert "git ls-files -v" in said
    assert not target.exists()
    (tmp_path / "remote").mkdir()
    done("remote", "add", "team", str(tmp_path / "remote"))
    assert "src/heron.py" in refused("push", str(repo.path)).stderr
    assert list((tmp_path / "remote").iterdir()) == []
    repo.write("src/heron.py", FILES["src/heron.py"])
    done("export", str(target), str(repo.path))
    assert b"this machine alone" not in _texts(repo)


def test_what_git_makes_of_a_text_itself_is_the_commits(tmp_path: Path, home: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write(".gitattributes", "*.ps1 text eol=crlf\n*.py ident\n*.txt text working-tree-encoding=UTF-16LE\n")
    repo.write("run.ps1", "a\r\nb\r\n")
    repo.write("a.py", "# $Id$\nA = 1\n")
    repo.write("a.txt", "herons\n".encode("utf-16-le"))
    repo.commit()
    repo.git("rm", "-rq", "--cached", ".")
    repo.git("reset", "-q", "--hard")
    assert "$Id: " in (repo.path / "a.py").read_text()
    done("export", str(tmp_path / "index.cairn"), str(repo.path))


def test_what_a_filter_made_of_a_commit_is_not_exported(tmp_path: Path, home: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.git("config", "filter.own.smudge", "sed s/herons/otters/")
    repo.git("config", "filter.own.clean", "sed s/otters/herons/")
    repo.write(".gitattributes", "*.py filter=own\n")
    repo.write("a.py", "herons = 1\n")
    repo.commit()
    (repo.path / "a.py").unlink()
    repo.git("checkout", "-q", ".")
    assert (repo.path / "a.py").read_text() == "otters = 1\n"
    target = str(tmp_path / "index.cairn")
    assert "a.py: with a text that is not committed" in refused("export", target, str(repo.path)).stderr
    repo.git("config", "--unset", "filter.own.smudge")
    (repo.path / "a.py").unlink()
    repo.git("checkout", "-q", ".")
    done("export", target, str(repo.path))


def test_a_submodule_is_what_its_commit_has(tmp_path: Path, home: Path) -> None:
    inner = committed(tmp_path / "inner", {"c.py": "C = 1\n"})
    repo = committed(tmp_path / "repo", {"a.py": "A = 1\n", ".cairn.toml": "[index]\nsubmodules = true\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    repo.commit()
    target = str(tmp_path / "index.cairn")
    done("export", target, str(repo.path))
    assert "sub/c.py" in live(repo.path)
    Repo(repo.path / "sub").git("update-index", "--skip-worktree", "c.py")
    repo.write("sub/c.py", "C = 'typed for this machine alone'\n")
    assert "sub/c.py: with a text that is not committed" in refused("export", target, str(repo.path)).stderr


@pytest.mark.slow
def test_what_was_pulled_is_shared_again(tmp_path: Path, home: Path) -> None:
    """Ends of lines are the checkout's own, and a branch may be somebody else's: no segment with it travels on."""
    repo = committed(tmp_path / "repo", {**FILES, ".gitattributes": "*.ps1 text eol=crlf\n", "run.ps1": "a\r\n" * 400})
    with at_home(tmp_path / "first"):
        repo.git("checkout", "-qb", "mine")
        repo.write("src/heron.py", "TRIED = 'on a branch'\n")
        repo.commit()
        done("index", str(repo.path))
        repo.git("checkout", "-q", "-")
        done("export", str(tmp_path / "index.cairn"), str(repo.path))
        assert b"on a branch" in _texts(repo)
    repo.write("run.ps1", "b\r\n" * 400)
    repo.commit()
    other = clone(repo, tmp_path / "clone")
    done("import", str(tmp_path / "index.cairn"), str(other.path))
    done("export", str(tmp_path / "again.cairn"), str(other.path))
    # All of that is in git here, so nothing had to be made anew.
    assert b"a\r\n" in _texts(other)
    assert b"on a branch" in _texts(other)
    other.git("branch", "-qrD", "origin/mine")
    other.git("reflog", "expire", "--expire=all", "--all")
    other.git("gc", "-q", "--prune=now")
    done("export", str(tmp_path / "again.cairn"), str(other.path))
    assert b"on a branch" not in _texts(other)
