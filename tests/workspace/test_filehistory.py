"""The commits of a file, through renames, a page at a time; nothing that a repository names is run for them."""

from pathlib import Path

from cairn.workspace.filehistory import history_of
from cairn.workspace.git import Git
from tests.trees import Repo


def test_the_history_of_a_file_is_told_page_by_page(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    for number in range(5):
        repo.write("a/old.py", "x = 1\n" * 20 + f"y = {number}\n")
        repo.commit(f"change {number}")
    repo.git("mv", "a/old.py", "a/new.py")
    repo.commit("moved")
    repo.write("other.py", "")
    repo.commit("something else")
    found = history_of(Git(str(repo.path / "a")), "new.py", 4, 0, 100)
    assert [each.subject for each in found.commits] == ["moved", "change 4", "change 3", "change 2"]
    assert [each.path for each in found.commits] == ["new.py", "old.py", "old.py", "old.py"]
    assert (found.commits[0].change, found.commits[0].author) == ("renamed", "A")
    assert (found.more, found.looked_back) == (True, None)
    repo.write("a/new.py", "")
    repo.commit("later")
    rest = history_of(Git(str(repo.path)), "a/new.py", 4, 4, 100, found.head)
    assert [each.subject for each in rest.commits] == ["change 1", "change 0"]
    assert not rest.more
    near = history_of(Git(str(repo.path)), "a/new.py", 4, 0, 2)
    assert ([each.subject for each in near.commits], near.looked_back) == (["later"], 2)


def test_no_program_that_a_repository_names_is_run_for_its_history(tmp_path: Path) -> None:
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("first")
    signed = tmp_path / "ran"
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "gpg.program", f"touch {signed};")
    repo.git("config", "diff.external", f"touch {signed};")
    assert len(history_of(Git(str(repo.path)), "a.py", 4, 0, 100).commits) == 1
    assert not signed.exists()
