import os
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import ExitCode, GitError, RootNotFoundError, RootRefusedError, UsageError
from cairn.config.project import Artifacts, Config, config_fingerprint
from cairn.config.user import cairn_home
from cairn.workspace.detector import ChangeDetector, Detection
from cairn.workspace.root import Root, find_root, store_id
from tests.trees import Repo, cairn, write

ARTIFACTS = Artifacts(
    model="m", dimension=8, engine="flat", grammars={}, chunker_version="1", schema_versions={"manifest": 1}
)
ONE, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def detect(root: Root) -> Detection:
    with ChangeDetector(root) as detector:
        return detector.detect()


def store_of(root: Root, config: Config) -> str:
    return store_id(root.path, config_fingerprint(config, ARTIFACTS))


def refused(path: Path | str) -> RootRefusedError:
    with pytest.raises(RootRefusedError) as caught:
        find_root(str(path))
    assert (caught.value.code, caught.value.exit_code) == ("root_refused", ExitCode.REFUSED)
    assert caught.value.hint
    return caught.value


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("below", ["", "src", "src/deep/er"])
def test_a_repository_is_one_root_wherever_one_stands_in_it(repo: Repo, below: str) -> None:
    repo.write("src/deep/er/a.py")
    place = repo.path / below

    assert find_root(str(place)) == Root(str(repo.path), str(place), in_git=True)


@pytest.mark.requirement("ROOT.1")
def test_a_folder_outside_of_git_is_its_own_root(folder: Path) -> None:
    write(folder, "d/a.py")

    assert find_root(str(folder)) == Root(str(folder), str(folder), in_git=False)
    assert find_root(str(folder / "d")) == Root(str(folder / "d"), str(folder / "d"), in_git=False)


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("tail", ["/", "//", "/.", "/./", "/d/..", "/d/../"])
def test_a_root_has_one_spelling(repo: Repo, folder: Path, tail: str) -> None:
    repo.write("d/a.py")
    write(folder, "d/a.py")

    assert find_root(str(repo.path) + tail).path == str(repo.path)
    assert find_root(str(folder) + tail).path == str(folder)


@pytest.mark.requirement("ROOT.1")
def test_a_relative_path_is_taken_from_the_working_folder(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("d/e/a.py")
    monkeypatch.chdir(repo.path / "d")

    assert find_root(".") == Root(str(repo.path), str(repo.path / "d"), in_git=True)
    assert find_root("e").requested == str(repo.path / "d/e")
    assert find_root("..").requested == str(repo.path)


@pytest.mark.requirement("ROOT.1")
def test_a_linked_path_leads_to_the_real_root(repo: Repo, folder: Path, tmp_path: Path) -> None:
    repo.write("src/a.py")
    for name, target in (("link", repo.path), ("inside", repo.path / "src"), ("again", "link"), ("plain-link", folder)):
        (tmp_path / name).symlink_to(target)

    assert find_root(str(tmp_path / "link")) == Root(str(repo.path), str(repo.path), in_git=True)
    assert find_root(str(tmp_path / "again") + "/").path == str(repo.path)
    assert find_root(str(tmp_path / "inside")) == Root(str(repo.path), str(repo.path / "src"), in_git=True)
    assert find_root(str(tmp_path / "plain-link")) == Root(str(folder), str(folder), in_git=False)


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize(
    "name", ["two words", "new\nline", "line end\n", "é", "caf\udce9", "-dash", "quote'\"", "$HOME"]
)
def test_any_folder_name_can_be_a_root(tmp_path: Path, name: str) -> None:
    repo = Repo.create(tmp_path / name)
    (repo.path / "d").mkdir()

    assert find_root(str(repo.path / "d")).path == str(tmp_path.resolve() / name)


@pytest.mark.requirement("ROOT.1")
@pytest.mark.requirement("ROOT.2")
def test_a_worktree_is_a_root_of_its_own_with_a_store_of_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.write("src/a.py")
    repo.commit()
    repo.git("worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    repo.git("worktree", "add", "-q", str(repo.path / "inner"), "-b", "inner")
    places = [repo.path, tmp_path.resolve() / "second", repo.path / "inner"]
    roots = [find_root(str(place / "src")) for place in places]

    assert [root.path for root in roots] == [str(place) for place in places]
    assert all(root.in_git for root in roots)
    assert len({store_id(root.path, ONE) for root in roots}) == 3


@pytest.mark.requirement("ROOT.1")
def test_the_nearest_repository_is_the_root(repo: Repo) -> None:
    nested = Repo.create(repo.path / "vendor/nested")
    nested.write("d/a.py")

    assert find_root(str(nested.path / "d")).path == str(nested.path)
    assert find_root(str(nested.path.parent)).path == str(repo.path)


@pytest.mark.requirement("ROOT.1")
def test_an_unborn_branch_or_a_detached_head_changes_nothing(repo: Repo) -> None:
    assert find_root(str(repo.path)).path == str(repo.path)
    repo.write("a.py")
    repo.git("checkout", "-q", repo.commit())

    assert find_root(str(repo.path)).path == str(repo.path)


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"])
def test_variables_of_another_repository_have_no_effect(
    repo: Repo, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    other = Repo.create(tmp_path / "other")
    repo.write("d/a.py")
    monkeypatch.setenv(name, str(other.path if name == "GIT_WORK_TREE" else other.path / ".git"))

    assert find_root(str(repo.path / "d")).path == str(repo.path)
    assert find_root(str(folder)) == Root(str(folder), str(folder), in_git=False)


@pytest.mark.requirement("ROOT.1")
def test_a_hook_of_another_repository_sees_the_right_root(repo: Repo, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "other")
    other.write("only-here.py")

    done = cairn(
        "index", "--dry-run", "--json", str(other.path), GIT_DIR=str(repo.path / ".git"), GIT_WORK_TREE=str(repo.path)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f'"{other.path}"' in done.stdout
    assert f'"{repo.path}"' not in done.stdout


@pytest.mark.requirement("ROOT.1")
@pytest.mark.usefixtures("without_git")
def test_without_git_on_the_machine_a_repository_is_found_by_its_dot_git(tmp_path: Path, folder: Path) -> None:
    root = tmp_path.resolve() / "repo"
    write(root, ".git/HEAD", "ref: refs/heads/main\n")
    write(root, "src/d/a.py")
    worktree = tmp_path.resolve() / "second"
    write(worktree, ".git", f"gitdir: {root}/.git/worktrees/second\n")
    write(worktree, "src/a.py")

    assert find_root(str(root / "src/d")) == Root(str(root), str(root / "src/d"), in_git=False)
    assert find_root(str(worktree / "src")).path == str(worktree)
    assert find_root(str(folder)) == Root(str(folder), str(folder), in_git=False)
    assert [entry.key for entry in detect(find_root(str(root))).scan.files] == ["src/d/a.py"]


@pytest.mark.requirement("ROOT.1")
def test_the_root_is_the_same_with_and_without_git(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write("src/a.py")
    with_git = find_root(str(repo.path / "src"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))

    assert find_root(str(repo.path / "src")) == replace(with_git, in_git=False)


@pytest.mark.requirement("ROOT.2")
def test_a_store_is_named_by_root_and_index_fingerprint() -> None:
    ids = {store_id(root, print_) for root in ("/x/project", "/y/project", "/x/project2") for print_ in (ONE, OTHER)}

    assert len(ids) == 6
    assert store_id("/x/project", ONE) == store_id("/x/project", ONE)
    assert store_id("/x/project", ONE).startswith("project__")


@pytest.mark.requirement("ROOT.2")
def test_an_ignore_edit_keeps_the_store_and_an_index_setting_changes_it(repo: Repo) -> None:
    repo.write("a.py")
    root = find_root(str(repo.path))
    before = detect(root)
    repo.write(".gitignore", "*.log\n")
    repo.write(".cairnignore", "*.tmp\n")
    ignored = detect(root)
    repo.write(".cairn.toml", "[query]\nlimit = 5\n")
    asked = detect(root)
    repo.write(".cairn.toml", "[index]\nmax_file_bytes = 1000\n")
    changed = detect(root)

    assert before.scan.ignore_fingerprint != ignored.scan.ignore_fingerprint
    stores = [store_of(root, found.config) for found in (before, ignored, asked, changed)]
    assert stores[0] == stores[1] == stores[2] != stores[3]


@pytest.mark.requirement("ROOT.2")
@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("/x/project", "project"),
        ("/x/My Project (2)", "My-Project-2"),
        ("/x/.hidden", "hidden"),
        ("/x/..a..", "a"),
        ("/x/-rf", "rf"),
        ("/x/日本", "root"),
        ("/x/new\nline", "new-line"),
        ("/x/caf\udce9", "caf"),
        ("/x/" + "n" * 255, "n" * 40),
        ("/", "root"),
    ],
)
def test_a_store_id_keeps_what_is_safe_of_the_name(root: str, name: str) -> None:
    assert store_id(root, ONE).split("__")[0] == name


@pytest.mark.slow
@pytest.mark.requirement("ROOT.2")
@settings(max_examples=300)
@given(st.binary(max_size=300), st.sampled_from([ONE, OTHER]))
def test_every_store_id_is_one_safe_file_name(name: bytes, fingerprint: str) -> None:
    made = store_id("/" + os.fsdecode(name.replace(b"\0", b"")), fingerprint)

    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*__[0-9a-f]{16}__[0-9a-f]{16}", made)
    assert len(made) <= 100


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("path", ["/", "//", "/.", "/usr/.."])
def test_the_root_of_the_file_system_is_refused(path: str) -> None:
    assert "the root of the file system" in refused(path).message


@pytest.mark.requirement("ROOT.1")
def test_the_home_folder_is_refused_by_every_name(private_home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(private_home)

    for path in (private_home, f"{private_home}/", tmp_path / "link"):
        assert "your home folder" in refused(path).message


@pytest.mark.requirement("ROOT.1")
def test_a_home_that_is_a_link_is_refused(private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(private_home)
    monkeypatch.setenv("HOME", str(tmp_path / "link") + "/")

    assert "your home folder" in refused(private_home).message


@pytest.mark.requirement("ROOT.1")
def test_a_project_below_home_is_a_root(private_home: Path) -> None:
    write(private_home, "src/project/a.py")

    place = str((private_home / "src/project").resolve())
    assert find_root(place) == Root(place, place, in_git=False)


@pytest.mark.bare_home
@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("below", ["", "stores", "stores/x/segments"])
def test_cairns_own_home_is_refused(private_home: Path, below: str) -> None:
    place = Path(cairn_home()) / below
    place.mkdir(parents=True)

    assert str(place).startswith(str(private_home))
    assert "Cairn's own home" in refused(place).message


@pytest.mark.requirement("ROOT.1")
def test_cairns_home_is_beside_the_users_files_unless_named(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "link"))
    assert cairn_home() == str(tmp_path.resolve() / "real")
    assert "Cairn's own home" in refused(tmp_path / "real").message

    monkeypatch.setenv("CAIRN_HOME", "")
    assert cairn_home() == str(private_home.resolve() / ".cairn")
    monkeypatch.delenv("CAIRN_HOME")
    assert cairn_home() == str(private_home.resolve() / ".cairn")


@pytest.mark.requirement("ROOT.1")
def test_a_neighbour_of_cairns_home_is_not_refused(private_home: Path) -> None:
    place = Path(cairn_home() + "-project")
    place.mkdir()

    assert find_root(str(place)).path == str(place)


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("installed", [True, False])
def test_a_home_that_is_a_repository_does_not_swallow_its_projects(
    private_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    subprocess.run(("git", "init", "-q", str(private_home)), check=True)
    write(private_home, "src/project/a.py")
    place = private_home.resolve() / "src/project"
    with monkeypatch.context() as patched:
        if not installed:
            patched.setenv("PATH", str(tmp_path))
        error = refused(place)
    assert "belongs to the git repository at" in error.message
    assert "your home folder" in error.message
    assert "git init" in error.hint

    subprocess.run(("git", "init", "-q", str(place)), check=True)
    assert find_root(str(place)).path == str(place)


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("name", ["missing", "missing/deeper", "file/below", "dangling", "loop", "n" * 300])
def test_a_path_that_does_not_exist_is_not_found(tmp_path: Path, name: str) -> None:
    write(tmp_path, "file")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(RootNotFoundError) as caught:
        find_root(str(tmp_path / name))
    assert (caught.value.code, caught.value.exit_code) == ("root_not_found", ExitCode.USAGE)
    assert name in caught.value.message


@pytest.mark.requirement("ROOT.1")
def test_a_file_is_no_root_and_the_hint_names_its_folder(repo: Repo) -> None:
    path = repo.write("src/a.py")
    os.mkfifo(repo.path / "pipe")

    with pytest.raises(UsageError, match="is a file") as caught:
        find_root(str(path))
    assert str(repo.path / "src") in caught.value.hint
    with pytest.raises(UsageError):
        find_root(str(repo.path / "pipe"))


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("path", ["", "\0", "a\0b", "/\0"])
def test_a_path_that_is_empty_or_has_a_nul_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="empty or contain a NUL"):
        find_root(path)


_FIND_WITHOUT_RIGHTS = """
import os, sys
from cairn.base.errors import CairnError
from cairn.workspace.root import find_root
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    print(find_root(sys.argv[1]))
except CairnError as error:
    print(error.code, error.message)
"""


@pytest.mark.requirement("ROOT.1")
def test_a_folder_that_can_not_be_opened_is_named() -> None:
    with tempfile.TemporaryDirectory() as place:
        closed = Path(place).resolve() / "closed"
        closed.mkdir(mode=0)
        os.chmod(place, 0o755)
        done = subprocess.run(
            (sys.executable, "-c", _FIND_WITHOUT_RIGHTS, str(closed)), capture_output=True, text=True, check=False
        )

    assert (done.stdout, done.stderr) == (
        f"root_not_found The folder '{closed}' can't be opened: Permission denied.\n",
        "",
    )


@pytest.mark.requirement("ROOT.1")
def test_a_bare_repository_has_nothing_to_index(tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", "--bare", str(tmp_path / "bare.git")), check=True)

    for place in (tmp_path / "bare.git", tmp_path / "bare.git" / "refs"):
        error = refused(place)
        assert "has no files to index" in error.message
        assert "git worktree add" in error.hint


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("below", [".git", ".git/hooks", ".git/objects/info"])
def test_the_inside_of_dot_git_is_no_root(repo: Repo, below: str) -> None:
    assert "inside .git" in refused(repo.path / below).message


@pytest.mark.requirement("ROOT.1")
@pytest.mark.parametrize("below", ["", "src"])
def test_a_repository_of_another_user_is_refused_with_a_command_that_mends_it(tmp_path: Path, below: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    repo = Repo.create(tmp_path / "their repo")
    repo.write("src/a.py")
    for place in (repo.path, repo.path / ".git", repo.path / "src"):
        os.chown(place, 65534, 65534)

    error = refused(repo.path / below)
    assert "another user owns it" in error.message
    command = error.hint.partition(": ")[2]
    assert command.startswith("git config --global --add safe.directory ")
    subprocess.run(command, shell=True, check=True)
    assert find_root(str(repo.path / below)).path == str(repo.path)


@pytest.mark.requirement("ROOT.1")
def test_a_dot_git_file_that_git_can_not_read_is_told(folder: Path) -> None:
    write(folder, ".git", "this points nowhere\n")

    with pytest.raises(GitError, match="invalid gitfile") as caught:
        find_root(str(folder))
    assert caught.value.hint


@pytest.mark.requirement("ROOT.1")
def test_a_folder_whose_repository_is_gone_is_its_own_root(folder: Path) -> None:
    write(folder, ".git", "gitdir: /nowhere/.git/worktrees/gone\n")
    write(folder, "a.py")

    assert find_root(str(folder)) == Root(str(folder), str(folder), in_git=False)
    assert [entry.key for entry in detect(find_root(str(folder))).scan.files] == ["a.py"]


@pytest.mark.requirement("ROOT.1")
def test_a_work_tree_that_does_not_hold_the_asked_folder_is_refused(repo: Repo, tmp_path: Path) -> None:
    """A repository's own configuration must not point the index at somebody else's files."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    repo.git("config", "core.worktree", str(elsewhere))

    with pytest.raises(RootRefusedError, match="elsewhere"):
        find_root(str(repo.path))
