import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import OutOfRootError, SymlinkLoopError
from cairn.config.project import IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.eligibility import SkipReason
from cairn.workspace.entries import FileEntry, TreeScan
from cairn.workspace.links import MAX_HOPS, resolve
from cairn.workspace.reads import FileRead, read_stable
from cairn.workspace.scan import Scanner
from tests.trees import Repo, cairn, write

DEFAULTS = IndexSettings()


def link(root: Path, name: str, target: str | Path) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def scan(root: Path, settings_: IndexSettings = DEFAULTS) -> TreeScan:
    with Beneath(str(root)) as tree:
        return Scanner(tree, settings_).scan()


def entries(found: TreeScan) -> dict[str, FileEntry]:
    return {entry.key: entry for entry in found.files}


def reasons(found: TreeScan) -> dict[str, SkipReason]:
    return {skip.path: skip.reason for skip in found.skips}


def aliases(found: TreeScan) -> dict[str, str]:
    return {alias.key: alias.target for alias in found.aliases}


def details(found: TreeScan) -> dict[str, str]:
    return {skip.path: skip.detail for skip in found.skips}


def warm(scans: Scanner) -> TreeScan:
    """Scan until everything is so old that its stamp is trusted."""
    while scans.scan().hashed:
        pass
    return scans.scan()


def chain(root: Path, hops: int, target: str) -> str:
    """Links in a row; the name of the one that takes `hops` hops to its target."""
    for hop in range(1, hops + 1):
        link(root, f"hop{hop}", target if hop == 1 else f"hop{hop - 1}")
    return f"hop{hops}"


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("../a.py", "a.py"),
        ("{root}/a.py", "a.py"),
        ("b.py", "d/b.py"),
        ("./././b.py", "d/b.py"),
        ("..//d///b.py", "d/b.py"),
        ("../d/../d/b.py", "d/b.py"),
        ("../way/b.py", "d/b.py"),
        ("../way/../a.py", "a.py"),
        ("../../{name}/a.py", "a.py"),
        ("{root}/../{name}/d", "d"),
        ("..", ""),
        ("/../../{root}", ""),
    ],
)
def test_a_link_is_resolved_to_the_real_path(folder: Path, target: str, expected: str) -> None:
    write(folder, "a.py")
    write(folder, "d/b.py")
    link(folder, "way", "d")
    link(folder, "d/link", target.format(root=folder, name=folder.name))

    assert resolve(str(folder), "d/link") == expected


@pytest.mark.requirement("PATH.3")
def test_a_linked_folder_in_the_middle_is_resolved(folder: Path) -> None:
    write(folder, "deep/er/a.py")
    write(folder, "deep/b.py")
    link(folder, "way", "deep/er")

    assert resolve(str(folder), "way/a.py") == "deep/er/a.py"
    assert resolve(str(folder), "way/../b.py") == "deep/b.py"
    assert resolve(str(folder), "deep/er/a.py") == "deep/er/a.py"


@pytest.mark.requirement("PATH.3")
def test_as_many_hops_as_allowed_are_taken_and_no_more(folder: Path) -> None:
    write(folder, "a.py")
    chain(folder, MAX_HOPS + 1, "a.py")

    assert MAX_HOPS == 32
    assert resolve(str(folder), "hop32") == "a.py"
    with pytest.raises(SymlinkLoopError, match="more than 32 hops"):
        resolve(str(folder), "hop33")


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize("raw", ["self", "one", "two", "d/up/d/up/self"])
def test_a_loop_is_not_resolved(folder: Path, raw: str) -> None:
    link(folder, "self", "self")
    link(folder, "one", "two")
    link(folder, "two", "./one")
    link(folder, "d/up", "..")

    with pytest.raises(SymlinkLoopError):
        resolve(str(folder), raw)


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../../x", "..", "/", "{root}-too/a.py", "{root}/..", "../{name}-too"]
)
def test_a_target_outside_of_the_root_is_not_resolved(folder: Path, target: str) -> None:
    write(folder.parent, folder.name + "-too/a.py")
    link(folder, "link", target.format(root=folder, name=folder.name))

    with pytest.raises(OutOfRootError):
        resolve(str(folder), "link")


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize(
    "target", ["nowhere", "nowhere/a.py", "{root}/nowhere", "nowhere/../a.py", "d/nowhere/../../a.py"]
)
def test_a_target_that_is_missing_is_not_resolved(folder: Path, target: str) -> None:
    write(folder, "a.py")
    (folder / "d").mkdir()
    link(folder, "link", target.format(root=folder))

    with pytest.raises(FileNotFoundError):
        os.stat(folder / "link")
    with pytest.raises(FileNotFoundError):
        resolve(str(folder), "link")


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize("target", ["a.py/", "a.py/.", "a.py/../a.py", "a.py/b", "way/../a.py"])
def test_a_way_through_a_file_is_not_resolved(folder: Path, target: str) -> None:
    write(folder, "a.py")
    link(folder, "way", "a.py")
    link(folder, "link", target)

    with pytest.raises(NotADirectoryError):
        os.stat(folder / "link")
    with pytest.raises(OSError, match=r"Not a directory|No such file"):
        resolve(str(folder), "link")


NAMES = ["a", "b", "c", "d/a", "d/b", "d/c", "d/e/a", "d/e/b", "x"]
steps = st.sampled_from(["a", "b", "c", "d", "e", "x", ".", "..", "", "missing"])
targets = st.builds(
    lambda lead, parts: lead + "/".join(parts),
    st.sampled_from(["", "", "", "{root}/", "/", "{root}/../"]),
    st.lists(steps, min_size=1, max_size=5),
).filter(bool)


def plant(root: Path, files: set[str], links: dict[str, str]) -> None:
    (root / "d/e").mkdir(parents=True)
    for name in files:
        write(root, name, name)
    for name, target in links.items():
        if name not in files:
            link(root, name, target.format(root=root))


def kernel_path(path: Path) -> str | None:
    """Where the kernel says that a path leads, None when nowhere."""
    try:
        fd = os.open(path, os.O_PATH)
    except OSError:
        return None
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)


@pytest.mark.slow
@pytest.mark.requirement("PATH.3")
@settings(max_examples=200)
@given(files=st.sets(st.sampled_from(NAMES)), links=st.dictionaries(st.sampled_from(NAMES), targets, min_size=2))
def test_links_lead_where_the_kernel_says(files: set[str], links: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "root"
        plant(root, files, links)

        for name in NAMES:
            if not os.path.lexists(root / name):
                continue
            real = kernel_path(root / name)
            inside = real is not None and (real + "/").startswith(f"{root}/")
            try:
                assert str(root / resolve(str(root), name)) == real
                assert inside
            except (OSError, OutOfRootError, SymlinkLoopError):
                assert not inside


@pytest.mark.slow
@pytest.mark.requirement("PATH.3")
@settings(max_examples=100)
@given(files=st.sets(st.sampled_from(NAMES)), links=st.dictionaries(st.sampled_from(NAMES), targets, min_size=2))
def test_an_alias_leads_where_the_kernel_says(files: set[str], links: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "root"
        plant(root, files, links)
        found = scan(root)

        for entry in found.files:
            assert kernel_path(root / entry.raw) == str(root / entry.raw)
            assert entry.file_hash == hashlib.sha256((root / entry.raw).read_bytes()).hexdigest()
        shown = {entry.raw for entry in found.files}
        assert len(shown) == len(found.files)
        assert not shown & {skip.path for skip in found.skips}
        for alias in found.aliases:
            assert kernel_path(root / alias.key) == str(root / alias.target)
        # Every link is an alias, or says why it is none.
        assert {name for name in links.keys() - files if os.path.islink(root / name)} == {
            *aliases(found), *(name for name in reasons(found) if name in links)
        }  # fmt: skip


@pytest.mark.requirement("PATH.3", "ELIG.10")
@pytest.mark.parametrize("target", ["src/a.py", "{root}/src/a.py", "other.py"])
def test_a_link_to_a_file_inside_is_an_alias_of_it(folder: Path, target: str) -> None:
    write(folder, "src/a.py", "x = 1\n")
    link(folder, "other.py", "src/a.py")
    link(folder, "link.py", target.format(root=folder))

    found = scan(folder)
    assert (list(entries(found)), found.hashed) == (["src/a.py"], 1)
    assert aliases(found) == {"link.py": "src/a.py", "other.py": "src/a.py"}
    assert reasons(found) == {}


@pytest.mark.requirement("PATH.3", "ELIG.10")
def test_a_link_to_a_folder_inside_is_one_alias(folder: Path) -> None:
    write(folder, "src/a.py", "1\n")
    write(folder, "src/d/b.py", "2\n")
    link(folder, "far/link", "../src")
    link(folder, "src/d/again", "../../far/link/d/b.py")

    found = scan(folder)
    assert entries(found).keys() == {"src/a.py", "src/d/b.py"}
    assert aliases(found) == {"far/link": "src", "src/d/again": "src/d/b.py"}


@pytest.mark.requirement("PATH.3")
@pytest.mark.requirement("PATH.1")
def test_a_link_with_a_decomposed_name_is_keyed_by_nfc(folder: Path) -> None:
    write(folder, "src/e\u0301.py")
    link(folder, "a\u0308", "src/e\u0301.py")

    assert aliases(scan(folder)) == {"\u00e4": "src/\u00e9.py"}


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("hidden.log", SkipReason.IGNORED),
        ("out/a.py", SkipReason.IGNORED),
        ("out", SkipReason.IGNORED),
        (".env", SkipReason.SECRET),
        ("keys/id_rsa", SkipReason.SECRET),
        (".git/config", SkipReason.IGNORED),
        (".git", SkipReason.IGNORED),
        ("big.py", SkipReason.TOO_LARGE),
        ("zero.bin.txt", SkipReason.BINARY),
        ("latin.py", SkipReason.ENCODING),
        ("x.png", SkipReason.UNSUPPORTED),
        ("pipe", SkipReason.SPECIAL_FILE),
        ("nested/a.py", SkipReason.SUBMODULE),
        ("nested", SkipReason.SUBMODULE),
        ("nowhere", SkipReason.UNREADABLE),
        ("/etc/passwd", SkipReason.OUT_OF_ROOT),
        ("../outside", SkipReason.OUT_OF_ROOT),
        ("/dev/zero", SkipReason.OUT_OF_ROOT),
        ("link.py", SkipReason.SYMLINK_LOOP),
    ],
)
def test_a_link_takes_in_nothing_that_its_target_is_not(repo: Repo, target: str, reason: SkipReason) -> None:
    repo.write(".gitignore", "*.log\nout/\n")
    repo.write("hidden.log")
    repo.write("out/a.py")
    repo.write(".env", "TOKEN=1\n")
    repo.write("keys/id_rsa", "key\n")
    repo.write("big.py", "#" * 2000)
    repo.write("zero.bin.txt", b"a\0b")
    repo.write("latin.py", b"caf\xe9")
    repo.write("x.png", "text after all\n")
    os.mkfifo(repo.path / "pipe")
    Repo.create(repo.path / "nested").write("a.py")
    write(repo.path.parent, "outside", "secret\n")
    link(repo.path, "link.py", target)
    link(repo.path, "again.py", "link.py")

    found = scan(repo.path, IndexSettings(max_file_bytes=1000))
    assert entries(found).keys() == {".gitignore"}
    assert reasons(found)["link.py"] is reasons(found)["again.py"] is reason


@pytest.mark.requirement("PATH.3")
def test_a_link_with_the_name_of_a_secret_is_a_secret(folder: Path) -> None:
    write(folder, "a.txt")
    link(folder, ".env", "a.txt")

    assert reasons(scan(folder)) == {".env": SkipReason.SECRET}


@pytest.mark.requirement("PATH.3")
def test_an_ignored_link_is_not_followed(folder: Path) -> None:
    write(folder, ".gitignore", "link*\n")
    write(folder, "src/a.py")
    link(folder, "link", "src")
    link(folder, "link.py", "/etc/passwd")

    assert reasons(scan(folder)) == {"link": SkipReason.IGNORED, "link.py": SkipReason.IGNORED}


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize(("name", "target"), [("up", "."), ("d/up", ".."), ("d/e/up", "../.."), ("d/e/up", "..")])
def test_a_link_to_a_folder_that_holds_it_is_a_loop(folder: Path, name: str, target: str) -> None:
    write(folder, "d/e/a.py")
    link(folder, name, target)

    found = scan(folder)
    assert entries(found).keys() == {"d/e/a.py"}
    assert reasons(found) == {name: SkipReason.SYMLINK_LOOP}
    assert details(found)[name] == "leads back to a folder that holds it"


@pytest.mark.requirement("PATH.3")
def test_two_folders_that_link_to_each_other_are_aliases_and_no_loop(folder: Path) -> None:
    write(folder, "one/a.py")
    write(folder, "two/b.py")
    link(folder, "one/two", "../two")
    link(folder, "two/one", "../one")

    found = scan(folder)
    assert entries(found).keys() == {"one/a.py", "two/b.py"}
    assert (aliases(found), reasons(found)) == ({"one/two": "two", "two/one": "one"}, {})


@pytest.mark.requirement("PATH.3")
def test_a_bomb_of_links_is_as_many_aliases_as_links(folder: Path) -> None:
    write(folder, "f25/a.py")
    for number in range(25):
        for side in ("left", "right"):
            link(folder, f"f{number}/{side}", f"../f{number + 1}")

    found = scan(folder)
    assert (len(found.files), len(found.aliases), found.skips) == (1, 50, ())


@pytest.mark.requirement("PATH.3")
def test_a_link_that_gets_another_target_is_noticed(folder: Path) -> None:
    write(folder, "one/a.py", "1\n")
    write(folder, "two/b.py", "2\n")
    link(folder, "d/link", "../one")
    with Beneath(str(folder)) as tree:
        scans = Scanner(tree, DEFAULTS)
        seen = [warm(scans)]
        for target in ("../two", "/etc", "../one"):
            link(folder, "d/new", target)
            os.rename(folder / "d/new", folder / "d/link")
            seen.append(warm(scans))

    assert [aliases(found) for found in seen] == [{"d/link": "one"}, {"d/link": "two"}, {}, {"d/link": "one"}]
    assert [reasons(found) for found in seen] == [{}, {}, {"d/link": SkipReason.OUT_OF_ROOT}, {}]


@pytest.mark.requirement("PATH.3")
def test_a_link_in_the_middle_that_gets_another_target_is_noticed(folder: Path) -> None:
    write(folder, "one/a.py", "1\n")
    write(folder, "two/a.py", "2\n")
    link(folder, ".hidden/current", "../one")
    write(folder, ".gitignore", ".hidden/\n")
    link(folder, "a.py", ".hidden/current/a.py")
    with Beneath(str(folder)) as tree:
        scans = Scanner(tree, DEFAULTS)
        before = aliases(warm(scans))["a.py"]
        os.unlink(folder / ".hidden/current")
        link(folder, ".hidden/current", "../two")
        after = aliases(scans.scan())["a.py"]

    assert (before, after) == ("one/a.py", "two/a.py")


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize("target", [".git", "hidden", "../outside"])
def test_a_folder_swapped_for_a_link_during_the_scan_takes_nothing_in(repo: Repo, target: str) -> None:
    repo.write(".gitignore", "hidden/\n")
    repo.write("d/a.py")
    write(repo.path.parent, "outside/c.py")
    for place in (".git", "hidden", "../outside"):
        repo.write(f"{place}/b.py")
        repo.write(f"{place}/x.png")
    moved = repo.path.parent / "moved"

    def swap(_: int) -> None:
        if not moved.exists():
            os.rename(repo.path / "d", moved)
            link(repo.path, "d", target)

    with Beneath(str(repo.path)) as tree:
        scans = Scanner(tree, DEFAULTS)
        during, after = scans.scan(progress=swap), scans.scan()

    assert moved.exists()
    assert entries(during).keys() == entries(after).keys() == {".gitignore"}
    assert not [skip.path for skip in during.skips if skip.path.startswith("d/") and skip.path != "d/"]


@pytest.mark.requirement("PATH.3")
@pytest.mark.parametrize("target", ["../.env", "../.git/config", "../hidden/b.py", "../../outside/c.py"])
def test_a_file_swapped_for_a_link_during_the_scan_takes_nothing_in(
    repo: Repo, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write(".gitignore", "hidden/\n")
    repo.write(".env")
    repo.write("d/a.py")
    repo.write("hidden/b.py")
    write(repo.path.parent, "outside/c.py")
    swapped: list[str] = []

    # Nothing else can come between the listing of a folder and the read of a file in it.
    def swap(tree: Beneath, raw: str, *rest: Any, **more: Any) -> FileRead:
        if raw == "d/a.py" and not swapped:
            os.unlink(repo.path / raw)
            link(repo.path, raw, target)
            swapped.append(raw)
        return read_stable(tree, raw, *rest, **more)

    with Beneath(str(repo.path)) as tree:
        scans = Scanner(tree, DEFAULTS)
        with monkeypatch.context() as patched:
            patched.setattr("cairn.workspace.scan.read_stable", swap)
            during = scans.scan()
        after = scans.scan()

    assert swapped
    assert entries(during).keys() == entries(after).keys() == {".gitignore"}


@pytest.mark.requirement("PATH.3")
def test_links_that_lead_nowhere_good_show_in_the_report(folder: Path) -> None:
    link(folder, "out", "/etc/passwd")
    link(folder, "loop", "loop")

    done = cairn("index", "--dry-run", "--json", str(folder))
    assert done.returncode == 0
    assert '"out_of_root": 1' in done.stdout
    assert '"symlink_loop": 1' in done.stdout
